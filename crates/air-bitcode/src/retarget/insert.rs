//! Puts constants and metadata into a decoded module whose other ids made room for them.

use crate::abbrev::Values;
use crate::bits::size;
use crate::block::{Block, Item};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{block, constants as constant_codes, metadata as codes};
use crate::module::Module;
use crate::record::Record;
use crate::renumber::count_strings;

/// Puts integers behind the module's constant with the index before `at`, which has their type.
pub(super) fn integers(module: &mut Module<'_>, at: usize, new: &[i64]) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let makes = |record: &Record<'_>| Ok(usize::from(record.code() != constant_codes::SETTYPE));
    behind(module, block::CONSTANTS, at, makes, |items, place| {
        let records: Vec<_> = new.iter().map(|&number| integer(items, number)).collect();
        insert(items, place, records);
    })
}

/// The constant of an integer, abbreviated as others of the block are.
fn integer<'a>(items: &[Item<'a>], number: i64) -> Record<'a> {
    if number == 0 {
        return like(items, constant_codes::NULL, Vec::new());
    }
    let operand = number.unsigned_abs() << 1 | u64::from(number < 0);
    like(items, constant_codes::INTEGER, vec![operand])
}

/// Puts values of constants of one type behind the module's metadata with the id before `at`.
pub(super) fn values(module: &mut Module<'_>, at: usize, of_type: u64, new: &[u64]) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    behind(module, block::METADATA, at, ids, |items, place| {
        let value = |&constant: &u64| like(items, codes::VALUE, vec![of_type, constant]);
        let records: Vec<_> = new.iter().map(value).collect();
        insert(items, place, records);
    })
}

/// Gives a node other operands.
pub(super) fn set_node(module: &mut Module<'_>, node: u64, operands: &[u64]) -> Result<()> {
    behind(module, block::METADATA, size(node) + 1, ids, |items, place| {
        if let Some(Item::Record(record)) = items.get_mut(place) {
            record.set(Values { operands: operands.to_vec(), blob: None });
        }
    })
}

/// Puts a copy of a node with other operands behind all metadata, and has the list name it
/// in place of the node.
pub(super) fn replace_in_list(
    module: &mut Module<'_>,
    list: &str,
    node: u64,
    operands: &[u64],
) -> Result<()> {
    let mut code = codes::NODE;
    behind(module, block::METADATA, size(node) + 1, ids, |items, place| {
        if let Some(Item::Record(record)) = items.get(place) {
            code = record.code();
        }
    })?;
    let mut count = 0;
    for block in module.blocks(block::METADATA) {
        for item in block.items().unwrap_or_default() {
            let Item::Record(record) = item else { continue };
            count += ids(record)?;
        }
    }
    behind(module, block::METADATA, count, ids, |items, place| {
        let record = like(items, code, operands.to_vec());
        insert(items, place, vec![record]);
    })?;
    name(module, list, count as u64)
}

/// Has a list name one node.
fn name(module: &mut Module<'_>, list: &str, node: u64) -> Result<()> {
    for item in module.items_mut() {
        let Item::Block(block) = item else { continue };
        if block.id() != block::METADATA {
            continue;
        }
        let mut is_next = false;
        for item in block.items_mut().into_iter().flatten() {
            let Item::Record(record) = item else { continue };
            match record.code() {
                codes::NAME => is_next = record.text(0)? == list.as_bytes(),
                codes::NAMED_NODE if is_next => {
                    record.set(Values { operands: vec![node], blob: None });
                    return Ok(());
                }
                _ => {}
            }
        }
    }
    let what = format!("list `{list}`, which was there");
    Err(Error::nowhere(ErrorKind::Value { what }))
}

/// How many ids a record of metadata makes.
fn ids(record: &Record<'_>) -> Result<usize> {
    match record.code() {
        codes::STRINGS => count_strings(record),
        code => Ok(usize::from(codes::makes_id(code))),
    }
}

/// Calls `edit` with the items of the block whose records make the first `count` ids of their
/// kind, and the place of the record that makes the last of them.
fn behind<'a>(
    module: &mut Module<'a>,
    id: u32,
    count: usize,
    makes: impl Fn(&Record<'a>) -> Result<usize>,
    edit: impl FnOnce(&mut Vec<Item<'a>>, usize),
) -> Result<()> {
    let mut made = 0;
    for item in module.items_mut() {
        let Item::Block(block) = item else { continue };
        if block.id() != id {
            continue;
        }
        let Some(place) = place(block, count, &mut made, &makes)? else { continue };
        if let Some(items) = block.items_mut() {
            edit(items, place);
        }
        return Ok(());
    }
    let what = format!("{count} ids of {}, there are {made}", crate::ids::block_name(id));
    Err(Error::nowhere(ErrorKind::Value { what }))
}

fn place<'a>(
    block: &Block<'a>,
    count: usize,
    made: &mut usize,
    makes: &impl Fn(&Record<'a>) -> Result<usize>,
) -> Result<Option<usize>> {
    for (index, item) in block.items().unwrap_or_default().iter().enumerate() {
        let Item::Record(record) = item else { continue };
        let more = makes(record)?;
        *made += more;
        if more > 0 && *made >= count {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

fn insert<'a>(items: &mut Vec<Item<'a>>, place: usize, records: Vec<Record<'a>>) {
    let at = (place + 1).min(items.len());
    items.splice(at..at, records.into_iter().map(Item::Record));
}

/// A record with the abbreviation of the block's last one of this code, if that fits.
fn like<'a>(items: &[Item<'a>], code: u32, operands: Vec<u64>) -> Record<'a> {
    let other = items.iter().rev().find_map(|item| match item {
        Item::Record(record) if record.code() == code => Some(record),
        _ => None,
    });
    let Some(mut record) = other.cloned() else { return Record::new(code, operands) };
    record.set(Values { operands, blob: None });
    record
}
