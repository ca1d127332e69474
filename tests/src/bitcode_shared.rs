//! A module of many functions, as a dynamic library has one for all that it exports.

use air_bitcode::abbrev::{Abbreviation, Definition, Scalar, Tail, Values};
use air_bitcode::bits::BitWriter;
use air_bitcode::ids::{BLOB, block, function, metadata, module, vst};
use air_bitcode::{Block, Item, Record, Stream, WriteOptions};

use crate::bitcode::{blob, record, with_abbreviation};

/// Size of the symbol table's header in bytes.
const HEADER: usize = 76;

/// A module that defines a function of each name, with all that can hold a name: STRTAB,
/// SYMTAB, alias scopes at the head of each function, debug information, and a value symbol
/// table with the bodies' positions.
///
/// # Panics
/// If it cannot be written.
#[must_use]
pub fn shared_module(names: &[String]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = WriteOptions { positions: true, records: true };
    shared_stream(names).write(&mut bytes, options).expect("a module that can be written");
    bytes
}

fn shared_stream(names: &[String]) -> Stream<'static> {
    let pairs: Vec<(u64, u64)> = names
        .iter()
        .scan(0, |end, name| {
            let size = name.len() as u64;
            *end += size;
            Some((*end - size, size))
        })
        .collect();
    let position = Values { operands: vec![0], blob: None };
    let fields = [Scalar::Fixed(32)];
    let mut items = vec![record(module::VERSION, &[2])];
    items.extend(pairs.iter().map(|&(at, size)| record(module::FUNCTION, &[at, size, 0, 0, 0, 0])));
    items.extend(with_abbreviation(Tail::None, &fields, module::VSTOFFSET, position));
    items.push(Item::Block(Block::new(block::METADATA, 4, debug_information(names))));
    items.extend(names.iter().map(|name| Item::Block(body(name))));
    items.push(Item::Block(Block::new(block::VALUE_SYMTAB, 4, entries(names.len()))));
    let strings = names.concat().into_bytes();
    Stream {
        blocks: vec![
            Block::new(block::MODULE, 3, items),
            Block::new(block::SYMTAB, 3, blob(&[], BLOB, &[], symbols(&pairs)).into()),
            Block::new(block::STRTAB, 3, blob(&[], BLOB, &[], strings).into()),
        ],
    }
}

/// All names as strings, and a `DISubprogram` with each as its linkage name.
fn debug_information(names: &[String]) -> Vec<Item<'static>> {
    let mut items: Vec<_> = strings(names).into();
    items.extend((1..=names.len() as u64).map(|id| record(metadata::SUBPROGRAM, &[0, 0, 0, id])));
    items
}

/// The record of some strings, with its abbreviation.
fn strings(strings: &[String]) -> [Item<'static>; 2] {
    let mut data = Vec::new();
    let mut writer = BitWriter::new(&mut data);
    strings.iter().for_each(|string| writer.vbr(string.len() as u64, 6));
    writer.align();
    let operands = [strings.len() as u64, data.len() as u64];
    data.extend(strings.concat().into_bytes());
    blob(&[Scalar::Vbr(6), Scalar::Vbr(6)], metadata::STRINGS, &operands, data)
}

fn body(name: &str) -> Block<'static> {
    let scopes = strings(&[format!("air-alias-scopes({name})")]);
    let items = vec![
        record(function::DECLAREBLOCKS, &[1]),
        Item::Block(Block::new(block::METADATA, 3, scopes.into())),
        record(10, &[]),
    ];
    Block::new(block::FUNCTION, 4, items)
}

/// An entry for each function.
fn entries(count: usize) -> Vec<Item<'static>> {
    let scalars = vec![Scalar::Vbr(8), Scalar::Vbr(8)];
    let made = Abbreviation::new(Scalar::Literal(vst::FNENTRY.into()), scalars, Tail::None);
    let definition = Definition::new(made.expect("an abbreviation"));
    let abbreviation = definition.get().expect("a known definition");
    let entry = |value| {
        let values = Values { operands: vec![value, 0], blob: None };
        let made = Record::with_abbreviation(4, abbreviation.clone(), vst::FNENTRY, values);
        Item::Record(made.expect("a fitting record"))
    };
    let entries: Vec<_> = (0..count as u64).map(entry).collect();
    std::iter::once(Item::Define(definition)).chain(entries).collect()
}

/// The symbol table of linkers.
fn symbols(pairs: &[(u64, u64)]) -> Vec<u8> {
    let word = |value: u64| u32::try_from(value).expect("a small table").to_le_bytes();
    let mut table = vec![0; HEADER];
    let symbols = [(0, 3), (28, HEADER as u64), (32, pairs.len() as u64)];
    for (at, value) in symbols {
        table[at..at + 4].copy_from_slice(&word(value));
    }
    for &(at, size) in pairs {
        let words = [at, size, at, size, u64::from(u32::MAX), 0];
        table.extend(words.into_iter().flat_map(word));
    }
    table
}
