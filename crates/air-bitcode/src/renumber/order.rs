//! Numbers in the opposite order, wherever order means nothing.

use crate::block::{Block, Item};
use crate::error::Result;
use crate::ids::{block, constants, metadata};
use crate::module::Module;
use crate::renumber::maps::{Local, Map, Maps};
use crate::renumber::numbers::{Numbers, count_strings};

impl Maps {
    /// Every id keeps its number.
    pub(crate) fn identity(numbers: &Numbers<'_, '_>) -> Self {
        let bodies = numbers.bodies.iter().map(|body| Local {
            gone: false,
            arguments: body.arguments,
            constants: Map::identity(body.constants.len()),
            metadata: Map::identity(body.metadata.len()),
        });
        Self {
            values: Map::identity(numbers.globals.len() + numbers.constants.len()),
            metadata: Map::identity(numbers.metadata.len()),
            bodies: bodies.collect(),
        }
    }

    /// Strings of one record, nodes that follow each other, and constants of one type get
    /// their numbers in the opposite order.
    pub(crate) fn reversed(module: &Module<'_>, numbers: &Numbers<'_, '_>) -> Result<Self> {
        let mut maps = Self::identity(numbers);
        let (mut value, mut node) = (numbers.globals.len(), 0);
        let mut bodies = maps.bodies.iter_mut();
        for item in module.items() {
            let Item::Block(inner) = item else { continue };
            reverse_block(inner, &mut maps.values, &mut value, &mut maps.metadata, &mut node)?;
            if inner.id() != block::FUNCTION {
                continue;
            }
            let Some(local) = bodies.next() else { continue };
            let (mut value, mut node) = (0, 0);
            for item in inner.items().unwrap_or_default() {
                let Item::Block(inner) = item else { continue };
                let (constants, metadata) = (&mut local.constants, &mut local.metadata);
                reverse_block(inner, constants, &mut value, metadata, &mut node)?;
            }
        }
        Ok(maps)
    }
}

/// Reverses the runs of a block of constants or metadata.
fn reverse_block(
    block: &Block<'_>,
    values: &mut Map,
    value: &mut usize,
    metadata: &mut Map,
    node: &mut usize,
) -> Result<()> {
    match block.id() {
        block::CONSTANTS => {
            let makes = |code| code != constants::SETTYPE;
            reverse_runs(block, values, value, makes)
        }
        block::METADATA => reverse_runs(block, metadata, node, metadata::makes_id),
        _ => Ok(()),
    }
}

fn reverse_runs(
    block: &Block<'_>,
    map: &mut Map,
    next: &mut usize,
    makes: impl Fn(u32) -> bool,
) -> Result<()> {
    let in_metadata = block.id() == block::METADATA;
    let mut begin = *next;
    for item in block.items().unwrap_or_default() {
        match item {
            Item::Record(record) if in_metadata && record.code() == metadata::STRINGS => {
                map.reverse(begin..*next);
                begin = *next + count_strings(record)?;
                map.reverse(*next..begin);
                *next = begin;
            }
            // What it names must stand in front of it.
            Item::Record(record) if in_metadata && record.code() == metadata::ARG_LIST => {
                map.reverse(begin..*next);
                *next += 1;
                begin = *next;
            }
            Item::Record(record) if makes(record.code()) => *next += 1,
            // What stands between may matter to what follows.
            _ => {
                map.reverse(begin..*next);
                begin = *next;
            }
        }
    }
    map.reverse(begin..*next);
    Ok(())
}
