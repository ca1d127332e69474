//! Positions that a stream holds of its own parts, computed anew while it is written.
//!
//! * VSTOFFSET in the module block, and FNENTRY in its value symbol table: 32-bit words from
//!   the word before the module's identification (the magic number) to the block.
//! * `METADATA_INDEX_OFFSET`: bits from behind its record to the `METADATA_INDEX` record.
//! * `METADATA_INDEX`: for each record of a value or node between the two, bits from the one
//!   before (for the first from behind the `METADATA_INDEX_OFFSET` record, so 0).

use std::collections::HashMap;

use crate::abbrev::{Scalar, Tail, Values};
use crate::bits::BitWriter;
use crate::block::{Block, Item, Writing};
use crate::blockinfo::BlockInfo;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{block, module as codes, vst};
use crate::metadata::code as metadata_codes;
use crate::record::Record;
use crate::symbols::{defines_body, is_global};

/// A field to be written over zeros once its block is done: position, value, width.
pub(crate) type Patch = Option<(u64, u64, u32)>;

/// Writes the items of a module block.
pub(crate) fn module(block: &Block<'_>, writer: &mut BitWriter<'_>, to: Writing) -> Result<Patch> {
    let mut info = BlockInfo::default();
    let mut bodies = Vec::new();
    let mut field = None;
    let mut patch = None;
    let items = block.items().unwrap_or_default();
    for item in items {
        match item {
            Item::Record(record) if record.code() == codes::VSTOFFSET => {
                let values = Values { operands: vec![0], blob: None };
                write_fields(record, values, 1, writer, block.width())?;
                field = Some((writer.position() - 32, record));
                continue;
            }
            Item::Block(inner) => match inner.id() {
                block::BLOCKINFO => info.add(inner),
                block::FUNCTION => bodies.push(writer.position()),
                block::VALUE_SYMTAB if field.is_some() => {
                    let here = words(writer.position(), to)?;
                    patch = field.take().map(|(position, _)| (position, here, 32));
                    let table = symbol_table(inner, &mut info, items, &bodies, to);
                    table.within(|| "VALUE_SYMTAB")?.write(writer, block.width(), to)?;
                    continue;
                }
                _ => {}
            },
            _ => {}
        }
        item.write(writer, block.width(), to)?;
    }
    if let Some((position, record)) = field {
        // No table follows, so what the record says is kept.
        let ([value], _) = record.first()?;
        patch = Some((position, value, 32));
    }
    Ok(patch)
}

/// Position of a block as a number of words.
fn words(position: u64, to: Writing) -> Result<u64> {
    let bits = position - to.origin;
    if bits.is_multiple_of(32) {
        return Ok(bits / 32);
    }
    let what = "a function or symbol table that does not begin on a 32-bit border".to_owned();
    Err(Error::nowhere(ErrorKind::Value { what }))
}

/// The symbol table with the positions of the bodies, which are given in bits.
fn symbol_table<'a>(
    table: &Block<'a>,
    info: &mut BlockInfo<'a>,
    items: &[Item<'a>],
    bodies: &[u64],
    to: Writing,
) -> Result<Block<'a>> {
    let mut table = table.clone();
    let defined = definitions(items)?;
    for item in table.open(info)? {
        let Item::Record(record) = item else { continue };
        if record.code() != vst::FNENTRY {
            continue;
        }
        let mut values = record.values()?;
        let value = values.operands.first().copied();
        let body = value.and_then(|value| bodies.get(*defined.get(&value)?));
        let (Some(&body), Some(slot)) = (body, values.operands.get_mut(1)) else {
            let what = format!("FNENTRY names value {value:?}, which has no body before the table");
            return Err(record.error(what));
        };
        *slot = words(body, to)?;
        record.set(values);
    }
    Ok(table)
}

/// Value ids of the functions that have a body, and how many such functions are before each.
fn definitions(items: &[Item<'_>]) -> Result<HashMap<u64, usize>> {
    let mut version = 0;
    let mut next = 0;
    let mut defined = HashMap::new();
    for item in items {
        let Item::Record(record) = item else { continue };
        if record.code() == codes::VERSION {
            version = record.first::<1>()?.0[0];
        }
        if is_global(record.code()) {
            if record.code() == codes::FUNCTION && defines_body(record, version)? {
                defined.insert(next, defined.len());
            }
            next += 1;
        }
    }
    Ok(defined)
}

/// Writes the items of a metadata block.
pub(crate) fn metadata(
    block: &Block<'_>,
    writer: &mut BitWriter<'_>,
    to: Writing,
) -> Result<Patch> {
    let mut patch = None;
    let mut origin = None;
    let mut starts = Vec::new();
    for item in block.items().unwrap_or_default() {
        let Item::Record(record) = item else {
            item.write(writer, block.width(), to)?;
            continue;
        };
        match (record.code(), origin) {
            (metadata_codes::INDEX_OFFSET, None) => {
                let ([low, high], _) = record.first()?;
                let values = Values { operands: vec![0, 0], blob: None };
                write_fields(record, values, 2, writer, block.width())?;
                patch = Some((writer.position() - 64, high << 32 | low, 64));
                origin = Some(writer.position());
                continue;
            }
            (metadata_codes::INDEX, Some(start)) => {
                let mut index = record.clone();
                let mut before = start;
                let delta = |here| here - std::mem::replace(&mut before, here);
                let operands = std::mem::take(&mut starts).into_iter().map(delta).collect();
                index.set(Values { operands, blob: None });
                patch = patch.map(|(at, _, width)| (at, writer.position() - start, width));
                index.write(writer, block.width(), to.options.records)?;
                continue;
            }
            (code, Some(_)) if metadata_codes::makes_id(code) => starts.push(writer.position()),
            _ => {}
        }
        record.write(writer, block.width(), to.options.records)?;
    }
    Ok(patch)
}

/// Writes a record of `count` fields of 32 bits, so that they can be written over.
fn write_fields(
    record: &Record<'_>,
    values: Values<'static>,
    count: usize,
    writer: &mut BitWriter<'_>,
    width: u32,
) -> Result<()> {
    let fields = record.abbreviation().is_some_and(|found| {
        found.tail() == Tail::None
            && found.scalars().len() == count
            && found.scalars().iter().all(|&scalar| scalar == Scalar::Fixed(32))
    });
    if !fields {
        return Err(record.error("position that is not held in fields of 32 bits"));
    }
    let mut zeros = record.clone();
    zeros.set(values);
    zeros.write(writer, width, false)
}
