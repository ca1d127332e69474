//! What a long list of differences comes down to: parts and families.

use std::collections::HashMap;

use metallib::{Function, Library};

use super::{Diff, SectionChange};
use crate::families::{Families, Family};
use crate::size::{Counter, section_sizes};

/// A family of functions of which some differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FamilyChange {
    /// The stem of the family with `*`, or the name of its only function.
    pub family: String,
    /// How many of its functions are only in the first library.
    pub removed: u64,
    /// How many are only in the second.
    pub added: u64,
    /// How many are in both and differ.
    pub changed: u64,
    /// Bytes of the family's modules in the first library; those that functions share count once.
    pub old_size: u64,
    /// Bytes of the family's modules in the second.
    pub new_size: u64,
}

impl FamilyChange {
    const fn is_one(&self) -> bool {
        self.removed + self.added + self.changed > 0
    }
}

/// Parts of other sizes, in the order of the file.
pub(super) fn sections(a: &Library<'_>, b: &Library<'_>) -> Vec<SectionChange> {
    let (old, new) = (section_sizes(a), section_sizes(b));
    let mut sizes: HashMap<&str, [u64; 2]> = HashMap::new();
    for (side, parts) in [&old, &new].into_iter().enumerate() {
        for part in parts {
            if let Some(size) = sizes.entry(&part.name).or_default().get_mut(side) {
                *size += part.size;
            }
        }
    }
    let mut changes = Vec::new();
    for part in old.iter().chain(&new) {
        if let Some([old, new]) = sizes.remove(part.name.as_str()).filter(|[a, b]| a != b) {
            changes.push(SectionChange { section: part.name.clone(), old, new });
        }
    }
    changes
}

/// The families of both libraries in which functions differ.
pub(super) fn families<'l>(
    a: &'l Library<'_>,
    b: &'l Library<'_>,
    diff: &Diff,
) -> Vec<FamilyChange> {
    // Each function once: those of the first library, and what the second one has beside them.
    let added = diff.added.iter().filter_map(|one| b.functions().get(one.index));
    let families = Families::new(a.functions().iter().chain(added).map(Function::name_bytes));
    let mut changes: HashMap<Family<'_>, FamilyChange> = HashMap::new();
    for (side, library) in [a, b].into_iter().enumerate() {
        let mut counter = Counter::new(library);
        for function in library.functions() {
            let change = changes.entry(families.of(function.name_bytes())).or_default();
            let size = if side == 0 { &mut change.old_size } else { &mut change.new_size };
            *size += counter.module(library, function);
        }
    }
    let mut count = |name: Option<&'l [u8]>, add: fn(&mut FamilyChange)| {
        let family = name.map(|name| families.of(name));
        if let Some(change) = family.and_then(|family| changes.get_mut(&family)) {
            add(change);
        }
    };
    let of = |library: &'l Library<'_>, index: usize| {
        library.functions().get(index).map(Function::name_bytes)
    };
    diff.removed.iter().for_each(|one| count(of(a, one.index), |change| change.removed += 1));
    diff.added.iter().for_each(|one| count(of(b, one.index), |change| change.added += 1));
    diff.changed.iter().for_each(|one| count(of(a, one.pair.0), |change| change.changed += 1));
    let named = |(family, change): (Family<'_>, FamilyChange)| FamilyChange {
        family: family.text().into_owned(),
        ..change
    };
    let mut changes: Vec<_> =
        changes.into_iter().filter(|(_, change)| change.is_one()).map(named).collect();
    let key = |change: &FamilyChange| std::cmp::Reverse(change.old_size.abs_diff(change.new_size));
    changes.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.family.cmp(&b.family)));
    changes
}
