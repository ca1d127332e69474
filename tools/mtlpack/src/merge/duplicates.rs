//! Which functions of which input go into the output.

use indexmap::IndexMap;
use metallib::{BufferEntry, Function, Library, Module};

use super::renames::Renames;
use super::{OnDuplicate, POSITIONS};
use crate::edited::Named;
use crate::error::{Error, Result};
use crate::names::some;
use crate::text::lines;

/// Input and function index.
pub(super) type Position = (usize, usize);

/// Which functions go into the output.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// For each input the indices of the functions to take, ascending.
    pub(super) indices: Vec<Vec<usize>>,
    /// Those among them that get other names.
    pub(super) renames: Renames,
}

/// Chooses the functions to take.
///
/// Names that one input has twice are its own affair and stay.
pub(super) fn choose(
    inputs: &[Named<'_, '_>],
    policy: &OnDuplicate,
    notes: &mut Vec<String>,
) -> Result<Chosen> {
    let mut dropped: Vec<Position> = Vec::new();
    let mut renames = Renames::default();
    let mut clashes = Vec::new();
    let (mut folded, mut replaced) = (Vec::new(), Vec::new());
    for (name, positions) in shared_names(inputs) {
        let difference = first_difference(inputs, &positions);
        let winner = match (policy, difference) {
            (OnDuplicate::Error, Some(what)) => {
                clashes.push(clash(inputs, name, &positions, what));
                continue;
            }
            (OnDuplicate::Rename(prefix), Some(_)) => {
                dropped.extend(renames.plan(inputs, &positions, prefix));
                continue;
            }
            (OnDuplicate::Last, Some(_)) => positions.last(),
            (OnDuplicate::First, Some(_)) | (_, None) => positions.first(),
        };
        let winner = winner.map(|(input, _)| *input);
        let losers = positions.iter().filter(|(input, _)| Some(*input) != winner);
        let group = if difference.is_none() { &mut folded } else { &mut replaced };
        group.push(name);
        dropped.extend(losers);
    }
    refuse(clashes)?;
    renames.check(inputs)?;
    if !replaced.is_empty() {
        let kept = if *policy == OnDuplicate::First { "first" } else { "last" };
        notes.push(format!(
            "of several functions of one name the {kept} is kept: {}",
            some(&replaced)
        ));
    }
    if !folded.is_empty() {
        let names = some(&folded);
        notes.push(format!("the very same in several inputs, stored once: {names}"));
    }
    notes.extend(renames.notes(inputs));
    dropped.sort_unstable();
    Ok(Chosen { indices: remaining(inputs, &dropped), renames })
}

fn refuse(clashes: Vec<String>) -> Result<()> {
    let count = clashes.len();
    match count {
        0 => Ok(()),
        _ => Err(Error::refused(format!(
            "{count} function{} in more than one input; choose with --on-duplicate first, last \
             or rename:PREFIX:{}",
            if count == 1 { " is" } else { "s are" },
            lines(clashes)
        ))),
    }
}

/// Names that more than one input has, with all their positions.
fn shared_names<'i>(inputs: &[Named<'i, '_>]) -> impl Iterator<Item = (&'i [u8], Vec<Position>)> {
    let mut by_name: IndexMap<&'i [u8], Vec<Position>> = IndexMap::new();
    for (i, input) in inputs.iter().enumerate() {
        for (j, function) in input.library.functions().iter().enumerate() {
            by_name.entry(function.name_bytes()).or_default().push((i, j));
        }
    }
    by_name.into_iter().filter(|(_, at)| match (at.first(), at.last()) {
        (Some((first, _)), Some((last, _))) => first != last,
        _ => false,
    })
}

/// What differs between the first function of a name and any other of it.
fn first_difference(inputs: &[Named<'_, '_>], positions: &[Position]) -> Option<&'static str> {
    let (first, others) = positions.split_first()?;
    others.iter().find_map(|other| difference(inputs, *first, *other))
}

fn remaining(inputs: &[Named<'_, '_>], dropped: &[Position]) -> Vec<Vec<usize>> {
    let kept = |i: usize, count: usize| {
        (0..count).filter(|&j| dropped.binary_search(&(i, j)).is_err()).collect()
    };
    inputs.iter().enumerate().map(|(i, input)| kept(i, input.library.functions().len())).collect()
}

fn clash(inputs: &[Named<'_, '_>], name: &[u8], positions: &[Position], what: &str) -> String {
    let mut holders: Vec<&str> =
        positions.iter().filter_map(|(i, _)| inputs.get(*i)).map(|input| input.name).collect();
    holders.dedup();
    format!("`{}`: {} (different {what})", String::from_utf8_lossy(name), holders.join(", "))
}

/// What differs between two functions; `None` if they are the very same.
pub(crate) fn difference(
    inputs: &[Named<'_, '_>],
    a: Position,
    b: Position,
) -> Option<&'static str> {
    let (ours, theirs) = (inputs.get(a.0)?.library, inputs.get(b.0)?.library);
    let (a, b) = (ours.functions().get(a.1)?, theirs.functions().get(b.1)?);
    if a.function_type() != b.function_type() {
        return Some("type");
    }
    if a.versions() != b.versions() {
        return Some("versions");
    }
    // Equal hashes make equal modules likely; only then are the bytes compared.
    if a.hash() != b.hash() || module(ours, a) != module(theirs, b) {
        return Some("module");
    }
    if (&a.public, &a.private) != (&b.public, &b.private) {
        return Some("metadata");
    }
    if reflection(ours, a) != reflection(theirs, b) {
        return Some("reflection");
    }
    if archive(ours, a) != archive(theirs, b) {
        return Some("sources");
    }
    other_tags_differ(a, b).then_some("tags")
}

fn module<'l>(library: &'l Library<'_>, function: &Function<'_>) -> Option<&'l [u8]> {
    library.module_of(function).map(Module::bytes)
}

fn reflection<'l, 'a>(
    library: &'l Library<'a>,
    function: &Function<'_>,
) -> Option<&'l BufferEntry<'a>> {
    library.reflection()?.entries().get(function.reflection?.index())
}

fn archive<'l>(library: &'l Library<'_>, function: &Function<'_>) -> Option<&'l [u8]> {
    Some(library.sources()?.archives.get(function.archive?.index())?.data())
}

/// Compares tags in any order, without those that hold positions.
fn other_tags_differ(a: &Function<'_>, b: &Function<'_>) -> bool {
    let sorted = |function: &Function<'_>| {
        let tags = function.tags.iter().filter(|tag| !POSITIONS.contains(&tag.id));
        let mut tags: Vec<_> = tags
            .filter(|tag| tag.id != metallib::FourCc::MDSZ)
            .map(|tag| (tag.id, tag.payload.to_vec()))
            .collect();
        tags.sort();
        tags
    };
    sorted(a) != sorted(b)
}
