//! Loops: their nodes begin with themselves, then may have two places in the source.

use std::collections::{HashMap, HashSet};

use super::kinds::Kinds;
use super::report::StripReport;
use crate::block::{Block, Item};
use crate::error::Result;
use crate::ids::{block, metadata as codes};
use crate::module::Module;
use crate::record::Record;
use crate::renumber::{Body, Entry, Numbers};

/// A node: of a function's metadata (none: the module's), and its index in that.
type Node = (Option<usize>, usize);

/// What becomes of the nodes that loops have.
#[derive(Debug, Default)]
struct Loops {
    /// Operands of those that keep something.
    edited: HashMap<Node, Vec<u64>>,
    /// Those of nothing but places.
    empty: HashSet<Node>,
    /// Those that were looked into.
    seen: HashSet<Node>,
}

/// Removes places in the source from the nodes of loops, and attachments of those that have
/// nothing else.
pub(super) fn clear(
    module: &mut Module<'_>,
    kinds: &Kinds,
    report: &mut StripReport,
) -> Result<()> {
    let numbers = Numbers::of(module)?;
    let mut loops = Loops::default();
    for (index, body) in numbers.bodies.iter().enumerate() {
        each_loop(body.block, kinds, |node| loops.add(&numbers, (index, body), node, report))?;
    }
    let shared = numbers.metadata.len();
    drop(numbers);
    if loops.edited.is_empty() && loops.empty.is_empty() {
        return Ok(());
    }
    let (mut next, mut function) = (0, 0);
    for item in module.items_mut() {
        let Item::Block(inner) = item else { continue };
        match inner.id() {
            block::METADATA => loops.edit(inner, None, &mut next)?,
            block::FUNCTION => {
                let mut next = 0;
                for item in inner.items_mut().into_iter().flatten() {
                    let Item::Block(inner) = item else { continue };
                    if inner.id() == block::METADATA {
                        loops.edit(inner, Some(function), &mut next)?;
                    } else if inner.id() == block::METADATA_ATTACHMENT {
                        loops.detach(inner, kinds, (function, shared))?;
                    }
                }
                function += 1;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Calls `each` with the number of each loop that a function's instructions have.
fn each_loop(
    body: &Block<'_>,
    kinds: &Kinds,
    mut each: impl FnMut(u64) -> Result<()>,
) -> Result<()> {
    for item in body.items().unwrap_or_default() {
        let Item::Block(inner) = item else { continue };
        if inner.id() != block::METADATA_ATTACHMENT {
            continue;
        }
        for item in inner.items().unwrap_or_default() {
            let Item::Record(record) = item else { continue };
            let operands = record.values()?.operands;
            let pairs = operands.get(operands.len() % 2..).unwrap_or_default();
            for pair in pairs.chunks_exact(2) {
                if let [kind, node] = pair
                    && kinds.is_loop(*kind)
                {
                    each(*node)?;
                }
            }
        }
    }
    Ok(())
}

/// The node with this number in a function, where the module has so many.
fn node(id: u64, function: usize, shared: usize) -> Node {
    let id = crate::bits::size(id);
    match id.checked_sub(shared) {
        None => (None, id),
        Some(own) => (Some(function), own),
    }
}

impl Loops {
    /// Looks into the node of a loop.
    fn add(
        &mut self,
        numbers: &Numbers<'_, '_>,
        (function, body): (usize, &Body<'_, '_>),
        id: u64,
        report: &mut StripReport,
    ) -> Result<()> {
        let shared = numbers.metadata.len();
        let found = node(id, function, shared);
        if !self.seen.insert(found) {
            return Ok(());
        }
        let entry = |id| match node(id, function, shared) {
            (None, index) => numbers.metadata.get(index),
            (Some(_), index) => body.metadata.get(index),
        };
        let Some(record) = record(entry(id)) else { return Ok(()) };
        if !matches!(record.code(), codes::NODE | codes::DISTINCT_NODE) {
            return Ok(());
        }
        let operands = record.values()?.operands;
        if operands.first().and_then(|first| first.checked_sub(1)) != Some(id) {
            return Ok(());
        }
        let is_place = |operand: &u64| {
            let place = operand.checked_sub(1).and_then(|id| self::record(entry(id)));
            place.is_some_and(|record| record.code() == codes::LOCATION)
        };
        let kept: Vec<u64> =
            operands.iter().copied().filter(|operand| !is_place(operand)).collect();
        let removed = operands.len() - kept.len();
        report.attachments += removed;
        if removed > 0 && kept.len() == 1 {
            self.empty.insert(found);
        } else if removed > 0 {
            self.edited.insert(found, kept);
        }
        Ok(())
    }

    /// Writes the nodes that keep something.
    fn edit(
        &mut self,
        inner: &mut Block<'_>,
        function: Option<usize>,
        next: &mut usize,
    ) -> Result<()> {
        for item in inner.items_mut().into_iter().flatten() {
            let Item::Record(record) = item else { continue };
            if record.code() == codes::STRINGS {
                *next += crate::renumber::count_strings(record)?;
            } else if codes::makes_id(record.code()) {
                if let Some(operands) = self.edited.remove(&(function, *next)) {
                    let mut values = record.values()?;
                    values.operands = operands;
                    record.set(values);
                }
                *next += 1;
            }
        }
        Ok(())
    }

    /// Removes the attachments of nodes that keep nothing.
    fn detach(
        &self,
        inner: &mut Block<'_>,
        kinds: &Kinds,
        (function, shared): (usize, usize),
    ) -> Result<()> {
        for item in inner.items_mut().into_iter().flatten() {
            let Item::Record(record) = item else { continue };
            let mut values = record.values()?;
            let first = values.operands.len() % 2;
            let pairs = values.operands.split_off(first);
            let before = pairs.len();
            for pair in pairs.chunks(2) {
                match pair {
                    [kind, id]
                        if kinds.is_loop(*kind)
                            && self.empty.contains(&node(*id, function, shared)) => {}
                    other => values.operands.extend(other),
                }
            }
            if values.operands.len() < before + first {
                record.set(values);
            }
        }
        Ok(())
    }
}

fn record<'m, 'a>(entry: Option<&Entry<'m, 'a>>) -> Option<&'m Record<'a>> {
    entry.copied().flatten()
}
