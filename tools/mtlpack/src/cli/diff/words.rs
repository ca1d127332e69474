//! What people are told of a difference, and how it is put.

use crate::cli::printer::clean;
use crate::text::plural;
use crate::{Diff, FamilyChange, FieldChange, FunctionChange};

/// How many families are listed, and how many functions that were removed, added and changed, each,
/// unless all are asked for.
pub(super) const SHOWN: usize = 10;

/// The most characters of a value that are shown.
const LONG: usize = 100;

/// A function that differs: which list it is in, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    Removed(usize),
    Added(usize),
    Changed(usize),
}

impl Listed {
    /// What stands in front of its name.
    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Removed(_) => "-",
            Self::Added(_) => "+",
            Self::Changed(_) => "~",
        }
    }

    /// Its name, and what changed in bytes of modules.
    pub(super) fn of(self, diff: &Diff) -> Option<(&str, i128)> {
        Some(match self {
            Self::Removed(index) => {
                let one = diff.removed.get(index)?;
                (&one.name, -i128::from(one.size))
            }
            Self::Added(index) => {
                let one = diff.added.get(index)?;
                (&one.name, i128::from(one.size))
            }
            Self::Changed(index) => {
                let one = diff.changed.get(index)?;
                (&one.name, i128::from(one.new_size) - i128::from(one.old_size))
            }
        })
    }
}

/// Of the functions that were removed, added and changed those whose size changed most, so many of
/// each.
pub(super) fn listed(diff: &Diff, most: usize) -> Vec<Listed> {
    let bytes = |one: &Listed| one.of(diff).map_or(0, |(_, bytes)| bytes.unsigned_abs());
    let largest = |count: usize, kind: fn(usize) -> Listed| {
        let mut all: Vec<Listed> = (0..count).map(kind).collect();
        // Sorting is stable: what changed as much keeps the order of the libraries.
        all.sort_by_cached_key(|one| std::cmp::Reverse(bytes(one)));
        all.truncate(most);
        all
    };
    let removed = largest(diff.removed.len(), Listed::Removed);
    let added = largest(diff.added.len(), Listed::Added);
    [removed, added, largest(diff.changed.len(), Listed::Changed)].concat()
}

/// How many functions differ.
pub(super) fn count(diff: &Diff) -> usize {
    diff.removed.len() + diff.added.len() + diff.changed.len()
}

/// A name with a line break is not to look like two.
pub(super) fn one_line(name: &str) -> String {
    match name.is_empty() {
        true => "(without a name)".to_owned(),
        false => clean(name).replace('\n', "\\n"),
    }
}

/// A value, cut where it is long.
fn value(value: Option<&String>) -> String {
    let Some(text) = value else { return "none".to_owned() };
    let shown: String = text.chars().take(LONG).collect();
    let dots = if shown.len() < text.len() { "…" } else { "" };
    format!("{}{dots}", clean(&shown).replace('\n', "\\n"))
}

/// A field with its old and its new value.
pub(super) fn field(change: &FieldChange) -> String {
    let FieldChange { field, old, new } = change;
    format!("{}: {} -> {}", one_line(field), value(old.as_ref()), value(new.as_ref()))
}

/// How two sizes differ: `+12`, `-3`, `0`.
pub(super) fn signed(bytes: i128) -> String {
    if bytes > 0 { format!("+{bytes}") } else { bytes.to_string() }
}

/// What became of the functions of a family: `-1 +2 ~3`.
pub(super) fn counts(family: &FamilyChange) -> String {
    let FamilyChange { removed, added, changed, .. } = family;
    let all = [("-", removed), ("+", added), ("~", changed)];
    let some = all.into_iter().filter(|(_, count)| **count > 0);
    some.map(|(sign, count)| format!("{sign}{count}")).collect::<Vec<_>>().join(" ")
}

/// What became of the bytes of a family.
pub(super) fn family_bytes(family: &FamilyChange) -> i128 {
    i128::from(family.new_size) - i128::from(family.old_size)
}

/// What differs in a function.
pub(super) fn what(change: &FunctionChange) -> String {
    let mut parts = Vec::new();
    if change.module {
        parts.push(match change.old_size == change.new_size {
            true => format!("module of {} bytes", change.new_size),
            false => format!("module {} -> {} bytes", change.old_size, change.new_size),
        });
    }
    if let Some(symbols) = &change.symbols {
        let sides = [("-", &symbols.removed), ("+", &symbols.added)];
        let mut names = sides.into_iter().flat_map(|(sign, names)| {
            names.iter().map(move |name| format!("{sign}{}", one_line(name)))
        });
        let shown: Vec<String> = names.by_ref().take(4).collect();
        let more = match names.count() as u64 + symbols.more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        if !shown.is_empty() {
            parts.push(format!("symbols {}{more}", shown.join(" ")));
        }
    }
    if change.reflection {
        parts.push("reflection".to_owned());
    }
    parts.extend(change.fields.iter().map(field));
    parts.join("; ")
}

/// Functions and bytes in two sentences.
pub(super) fn summary(diff: &Diff) -> [String; 2] {
    let order = if diff.reordered { ", in another order" } else { "" };
    let functions = format!(
        "{}: {} removed, {} added, {} changed, {} the same{order}",
        match diff.old_functions == diff.new_functions {
            true => plural(diff.new_functions, "function"),
            false =>
                format!("{} -> {}", diff.old_functions, plural(diff.new_functions, "function")),
        },
        diff.removed.len(),
        diff.added.len(),
        diff.changed.len(),
        diff.unchanged,
    );
    let bytes = match diff.old_size == diff.new_size {
        true => format!("{} bytes", diff.new_size),
        false => {
            format!("{} -> {} bytes ({:+.1} %)", diff.old_size, diff.new_size, diff.growth)
        }
    };
    [functions, bytes]
}

/// In how many of the functions that changed something differs, by what it is.
pub(super) fn tally(diff: &Diff) -> Vec<(String, u64)> {
    let mut counts = std::collections::BTreeMap::<&str, u64>::new();
    for change in &diff.changed {
        let mut kinds: Vec<&str> = change.fields.iter().map(|field| kind(&field.field)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let inside = [(change.module, "module"), (change.reflection, "reflection")];
        kinds.extend(inside.into_iter().filter(|(is, _)| *is).map(|(_, kind)| kind));
        for kind in kinds {
            *counts.entry(kind).or_default() += 1;
        }
    }
    let mut counts: Vec<_> =
        counts.into_iter().map(|(kind, count)| (one_line(kind), count)).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// The first word of a field: `constant 3` is a constant.
fn kind(field: &str) -> &str {
    field.split(' ').next().unwrap_or(field)
}
