//! Which functions of which input go into the output.

use indexmap::IndexMap;

use super::OnDuplicate;
use super::difference::{Position, difference};
use super::renames::Renames;
use crate::edited::Named;
use crate::error::{Error, Result};
use crate::names::{escape, fault, some};
use crate::text::lines;

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
    check_prefix(policy)?;
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

/// Refuses a prefix that no name can have: once, not for each of the names.
fn check_prefix(policy: &OnDuplicate) -> Result<()> {
    let OnDuplicate::Rename(prefix) = policy else { return Ok(()) };
    let empty = prefix.is_empty().then_some("with nothing in front of it a name stays the same");
    match empty.or_else(|| fault(prefix)) {
        Some(fault) => Err(Error::refused(format!("prefix `{}`: {fault}", escape(prefix)))),
        None => Ok(()),
    }
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
