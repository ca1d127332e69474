//! Named metadata of which some nodes stay only with what they are about.

use std::collections::{HashMap, HashSet};

use crate::block::{Block, Item};
use crate::error::{Result, Within};
use crate::ids::{block, constants as constant_codes, metadata as codes};
use crate::module::Module;
use crate::renumber::numbers::Numbers;
use crate::renumber::reference::Kind;
use crate::renumber::{constants, metadata, shrink};

/// How many casts and offsets are looked through to the global that they are of.
const STEPS: usize = 8;

/// When a node of a list stays in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stay {
    Always,
    Never,
    /// Once something else uses all globals that it names.
    WithGlobals,
}

/// Says when a node of the list of this name stays that names these globals, the first in front.
/// None: all nodes of all lists do.
pub(crate) type Choice<'c> = Option<&'c dyn Fn(&[u8], &[usize]) -> Stay>;

/// Nodes that go, each with the number of the list that it goes from.
pub(crate) type Dropped = HashSet<(usize, u64)>;

/// Nodes that wait for globals.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// How many lists were begun.
    count: usize,
    dropped: Dropped,
    /// List, node, and for how many globals it waits.
    waiting: Vec<(usize, u64, usize)>,
    /// Which of them wait for a global.
    of_globals: HashMap<usize, Vec<usize>>,
}

impl Lists {
    pub(crate) fn begin(&mut self) {
        self.count += 1;
    }

    /// Takes a node out of the list that was begun last.
    pub(crate) fn drop(&mut self, node: u64) {
        self.dropped.insert((self.count, node));
    }

    /// Has a node wait for globals; says whether there are none to wait for.
    pub(crate) fn wait(&mut self, node: u64, globals: &[usize]) -> bool {
        let known: HashSet<usize> = globals.iter().copied().collect();
        for &global in &known {
            self.of_globals.entry(global).or_default().push(self.waiting.len());
        }
        if !known.is_empty() {
            self.waiting.push((self.count, node, known.len()));
        }
        known.is_empty()
    }

    /// Nodes that have waited only for this global, which is used.
    pub(crate) fn found(&mut self, global: usize) -> Vec<u64> {
        let mut nodes = Vec::new();
        for index in self.of_globals.remove(&global).unwrap_or_default() {
            let Some((_, node, missing)) = self.waiting.get_mut(index) else { continue };
            *missing -= 1;
            if *missing == 0 {
                nodes.push(*node);
            }
        }
        nodes
    }

    /// Nodes that go: of those that wait, what still does.
    pub(crate) fn dropped(self) -> Dropped {
        let mut dropped = self.dropped;
        let waiting = self.waiting.into_iter().filter(|(_, _, missing)| *missing > 0);
        dropped.extend(waiting.map(|(list, node, _)| (list, node)));
        dropped
    }
}

/// The globals that a node names itself, in order; not those of nodes that it names.
pub(crate) fn globals(numbers: &Numbers<'_, '_>, node: u64) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    for (kind, id) in references(numbers, node)? {
        let value = match kind {
            Kind::Value => Some(id),
            Kind::Metadata => {
                let entry = numbers.metadata.get(crate::bits::size(id)).copied().flatten();
                match entry.filter(|record| record.code() == codes::VALUE) {
                    Some(record) => Some(record.first::<2>()?.0[1]),
                    None => None,
                }
            }
            _ => None,
        };
        if let Some(value) = value
            && let Some(global) = base(numbers, value)?
        {
            found.push(global);
        }
    }
    Ok(found)
}

/// What a record of the module's metadata refers to.
fn references(numbers: &Numbers<'_, '_>, id: u64) -> Result<Vec<(Kind, u64)>> {
    let entry = numbers.metadata.get(crate::bits::size(id)).copied().flatten();
    let Some(record) = entry else { return Ok(Vec::new()) };
    let (values, mut slots) = (record.values()?, Vec::new());
    metadata::slots(record, &values.operands, &numbers.tables.types, &mut slots)?;
    let id = |slot: &crate::renumber::Slot| {
        let operand = values.operands.get(slot.index)?;
        Some((slot.kind, slot.form.decode(*operand, 0)?))
    };
    Ok(slots.iter().filter_map(id).collect())
}

/// The global that a value is, or is a cast of or an offset into.
fn base(numbers: &Numbers<'_, '_>, mut value: u64) -> Result<Option<usize>> {
    for _ in 0..STEPS {
        let id = crate::bits::size(value);
        let Some(constant) = id.checked_sub(numbers.globals.len()) else { return Ok(Some(id)) };
        let Some(record) = numbers.constants.records.get(constant) else { return Ok(None) };
        if !matches!(
            record.code(),
            constant_codes::CE_CAST
                | constant_codes::CE_GEP
                | constant_codes::CE_INBOUNDS_GEP
                | constant_codes::CE_GEP_WITH_INRANGE_INDEX
        ) {
            return Ok(None);
        }
        let (values, mut slots) = (record.values()?, Vec::new());
        constants::slots(*record, &values.operands, &mut slots)?;
        let first = slots.iter().find(|slot| slot.kind == Kind::Value);
        let Some(&next) = first.and_then(|slot| values.operands.get(slot.index)) else {
            return Ok(None);
        };
        value = next;
    }
    Ok(None)
}

/// The globals that the first value of a variable is a list of, such as `llvm.used`.
pub(crate) fn elements(numbers: &Numbers<'_, '_>, variable: usize) -> Result<Vec<usize>> {
    let Some(record) = numbers.globals.get(variable) else { return Ok(Vec::new()) };
    let at = if numbers.tables.version >= 2 { 4 } else { 2 };
    let constant = record.values()?.operands.get(at).and_then(|&value| value.checked_sub(1));
    let constant = constant
        .map(crate::bits::size)
        .and_then(|value| numbers.constants.records.get(value.checked_sub(numbers.globals.len())?));
    let Some(list) = constant.filter(|list| list.code() == constant_codes::AGGREGATE) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for element in list.values()?.operands {
        found.extend(base(numbers, element)?);
    }
    Ok(found)
}

/// Takes nodes out of lists, and lists that have none left.
pub(crate) fn remove(module: &mut Module<'_>, dropped: &Dropped) -> Result<()> {
    if dropped.is_empty() {
        return Ok(());
    }
    let mut list = 0;
    for item in module.items_mut() {
        if let Item::Block(found) = item
            && found.id() == block::METADATA
        {
            in_block(found, dropped, &mut list).within(|| "MODULE > METADATA")?;
        }
    }
    Ok(())
}

fn in_block(found: &mut Block<'_>, dropped: &Dropped, list: &mut usize) -> Result<()> {
    let (mut gone, mut name) = (Vec::new(), None);
    for (index, item) in found.items_mut().into_iter().flatten().enumerate() {
        let Item::Record(record) = item else { continue };
        match record.code() {
            codes::NAME => name = Some(index),
            codes::NAMED_NODE => {
                *list += 1;
                let mut values = record.values()?;
                let before = values.operands.len();
                values.operands.retain(|&node| !dropped.contains(&(*list, node)));
                if values.operands.is_empty() && before > 0 {
                    gone.extend(name.take());
                    gone.push(index);
                } else if values.operands.len() < before {
                    record.set(values);
                }
            }
            _ => {}
        }
    }
    shrink::remove(found, |index, _| gone.binary_search(&index).is_ok())?;
    Ok(())
}
