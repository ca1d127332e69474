//! Real modules that say something else than they did, in one place.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::missing_panics_doc)]

use air_bitcode::ids::{block, metadata, module, types};
use air_bitcode::{Item, Module, Record, Stream, WriteOptions};

/// The module with its tree edited, in its wrapper.
fn edited(bytes: &[u8], edit: impl FnOnce(&mut Vec<Item<'_>>)) -> Vec<u8> {
    let mut stream: Stream<'_> = Module::parse(bytes).unwrap().stream().clone();
    stream.open_all().unwrap();
    let found = stream.blocks.iter_mut().find(|block| block.id() == block::MODULE).unwrap();
    edit(found.items_mut().unwrap());
    let mut bitcode = Vec::new();
    let options = WriteOptions { positions: true, ..WriteOptions::default() };
    stream.write(&mut bitcode, options).unwrap();
    metallib::wrap(&bitcode).unwrap()
}

/// The records of the first block with this id.
fn records<'i, 'a>(items: &'i mut [Item<'a>], id: u32) -> Vec<&'i mut Record<'a>> {
    let found = items.iter_mut().find_map(|item| match item {
        Item::Block(block) if block.id() == id => block.items_mut(),
        _ => None,
    });
    let items = found.into_iter().flatten();
    items
        .filter_map(|item| if let Item::Record(record) = item { Some(record) } else { None })
        .collect()
}

/// The module with another target triple.
#[must_use]
pub fn with_triple(bytes: &[u8], change: impl FnOnce(&str) -> String) -> Vec<u8> {
    let triple = Module::parse(bytes).unwrap().triple().unwrap().unwrap();
    let text: Vec<u64> = change(&triple).bytes().map(u64::from).collect();
    edited(bytes, |items| {
        for item in items {
            if let Item::Record(record) = item
                && record.code() == module::TRIPLE
            {
                *record = Record::new(record.code(), text.clone());
            }
        }
    })
}

/// The module whose version list (`air.version` or `air.language_version`) has another minor
/// version: its patch, or its major version, whose value nodes are there.
#[must_use]
pub fn with_other_minor(bytes: &[u8], list: &str) -> Vec<u8> {
    edited(bytes, |items| {
        let mut records = records(items, block::METADATA);
        let mut next = 0;
        let (mut name, mut wanted) = (Vec::new(), None);
        let mut nodes = Vec::new();
        for (index, record) in records.iter().enumerate() {
            let operands = record.values().unwrap().operands;
            match record.code() {
                metadata::STRINGS => next += operands[0],
                metadata::NAME => name = operands,
                metadata::NAMED_NODE if is_text(&name, list) => wanted = Some(operands[0]),
                metadata::NAMED_NODE => {}
                code if makes_id(code) => {
                    nodes.push((next, index));
                    next += 1;
                }
                _ => {}
            }
        }
        let index = nodes.iter().find(|(id, _)| Some(*id) == wanted).unwrap().1;
        let record = &mut records[index];
        let mut values = record.values().unwrap();
        let old = matches!(record.code(), metadata::OLD_NODE | metadata::OLD_FN_NODE);
        let count = if old { 2 } else { 1 };
        let end = values.operands.len() - 1;
        let (major, minor, patch) = (end - 2 * count, end - count, end);
        let other = match values.operands[minor] == values.operands[patch] {
            true => values.operands[major],
            false => values.operands[patch],
        };
        values.operands[minor] = other;
        record.set(values);
    })
}

fn is_text(operands: &[u64], text: &str) -> bool {
    operands.iter().copied().eq(text.bytes().map(u64::from))
}

/// Whether a metadata record has a number.
fn makes_id(code: u32) -> bool {
    !matches!(
        code,
        metadata::KIND
            | metadata::ATTACHMENT
            | metadata::GLOBAL_DECL_ATTACHMENT
            | metadata::INDEX_OFFSET
            | metadata::INDEX
    )
}

/// The module with its first pointer type opaque. It makes no sense to LLVM.
#[must_use]
pub fn with_opaque_pointer(bytes: &[u8]) -> Vec<u8> {
    edited(bytes, |items| {
        let mut records = records(items, block::TYPE);
        let found = records.iter_mut().find(|record| record.code() == types::POINTER).unwrap();
        let space = found.values().unwrap().operands[1];
        **found = Record::new(types::OPAQUE_POINTER, vec![space]);
    })
}
