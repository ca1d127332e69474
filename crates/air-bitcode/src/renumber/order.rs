//! Numbers in the opposite order, wherever order means nothing.

use std::ops::Range;

use crate::abbrev::Values;
use crate::bits::size;
use crate::block::{Block, Item};
use crate::error::Result;
use crate::ids::{block, constants, metadata, types as codes};
use crate::module::Module;
use crate::renumber::maps::{Groups, Local, Map, Maps};
use crate::renumber::numbers::{Numbers, count_strings};
use crate::renumber::types;

impl Maps {
    /// Every id keeps its number.
    pub(crate) fn identity(numbers: &Numbers<'_, '_>) -> Self {
        let bodies = numbers.bodies.iter().map(|body| Local {
            gone: false,
            arguments: body.arguments,
            constants: Map::identity(body.constants.records.len()),
            metadata: Map::identity(body.metadata.len()),
        });
        Self {
            values: Map::identity(numbers.globals.len() + numbers.constants.records.len()),
            metadata: Map::identity(numbers.metadata.len()),
            types: Map::identity(numbers.types.len()),
            attributes: Map::identity(numbers.attributes.len()),
            groups: Groups {
                places: Map::identity(numbers.groups.len()),
                ids: numbers.groups.iter().map(|(_, id)| *id).collect(),
            },
            sections: Map::identity(numbers.sections),
            bodies: bodies.collect(),
        }
    }

    /// Strings of one record, nodes that follow each other, constants of one type, types that
    /// follow each other and are as deep, lists of attributes and their groups get their
    /// numbers in the opposite order.
    pub(crate) fn reversed(module: &Module<'_>, numbers: &Numbers<'_, '_>) -> Result<Self> {
        let mut maps = Self::identity(numbers);
        maps.attributes.reverse(0..numbers.attributes.len());
        maps.groups.places.reverse(0..numbers.groups.len());
        depths(numbers)?.into_iter().for_each(|run| maps.types.reverse(run));
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

/// Runs of types that follow each other and are as deep: none of them is part of another one.
/// Structures with a name may be named before they are there by all but functions and vectors,
/// so they make these no deeper.
fn depths(numbers: &Numbers<'_, '_>) -> Result<Vec<Range<usize>>> {
    let mut depths: Vec<u32> = Vec::with_capacity(numbers.types.len());
    let (mut values, mut slots) = (Values::default(), Vec::new());
    for record in &numbers.types {
        slots.clear();
        record.read(&mut values)?;
        types::slots(*record, &values.operands, &mut slots)?;
        let waits = [codes::POINTER, codes::ARRAY, codes::STRUCT_ANON, codes::STRUCT_NAMED]
            .contains(&record.code());
        let mut depth = 0;
        for &part in slots.iter().filter_map(|slot| values.operands.get(slot.index)) {
            let code = numbers.types.get(size(part)).map(|part| part.code());
            if waits && matches!(code, Some(codes::STRUCT_NAMED | codes::OPAQUE)) {
                continue;
            }
            // One that is not there yet: the table makes no sense, and is left as it is.
            let Some(below) = depths.get(size(part)) else { return Ok(Vec::new()) };
            depth = depth.max(below + 1);
        }
        depths.push(depth);
    }
    let mut start = 0;
    let runs = depths.chunk_by(|a, b| a == b).map(|run| {
        start += run.len();
        start - run.len()..start
    });
    Ok(runs.collect())
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
