//! A small module made with the writer of `air-bitcode`, for tests that need no corpus.

use std::borrow::Cow;

use air_bitcode::abbrev::{Abbreviation, Definition, Scalar, Tail, Values};
use air_bitcode::ids::{block, function, metadata as code, module, vst};
use air_bitcode::{Block, Envelope, Item, Record, Stream, Wrapper, WriteOptions};

/// Name of the small module's kernel.
pub const KERNEL: &str = "add_one";

pub(crate) fn record(code: u32, operands: &[u64]) -> Item<'static> {
    Item::Record(Record::new(code, operands.to_vec()))
}

fn text(code: u32, text: &str) -> Item<'static> {
    record(code, &text.bytes().map(u64::from).collect::<Vec<_>>())
}

/// A definition and the record that uses it, whose id is that of the block's first definition.
pub(crate) fn with_abbreviation(
    tail: Tail,
    scalars: &[Scalar],
    code: u32,
    values: Values<'static>,
) -> [Item<'static>; 2] {
    let made = Abbreviation::new(Scalar::Literal(code.into()), scalars.to_vec(), tail);
    let definition = Definition::new(made.expect("an abbreviation"));
    let abbreviation = definition.get().expect("a known definition");
    let record = Record::with_abbreviation(4, abbreviation, code, values);
    [Item::Define(definition), Item::Record(record.expect("a fitting record"))]
}

pub(crate) fn blob(
    scalars: &[Scalar],
    code: u32,
    operands: &[u64],
    blob: Vec<u8>,
) -> [Item<'static>; 2] {
    let values = Values { operands: operands.to_vec(), blob: Some(Cow::Owned(blob)) };
    with_abbreviation(Tail::Blob, scalars, code, values)
}

/// Blocks of a module with one kernel, one imported function, metadata and strings.
#[must_use]
pub fn small_stream() -> Stream<'static> {
    let strings = format!("{KERNEL}air.fence");
    let name = KERNEL.len() as u64;
    let scopes = format!("air-alias-scopes({KERNEL})");
    // Lengths in chunks of six bits, padded to 32 bits, then the characters.
    let lengths = (scopes.len() as u32).to_le_bytes();
    let metadata = blob(
        &[Scalar::Vbr(6), Scalar::Vbr(6)],
        code::STRINGS,
        &[1, 4],
        [lengths.as_slice(), scopes.as_bytes()].concat(),
    );
    let source = Values { operands: KERNEL.bytes().map(u64::from).collect(), blob: None };
    let [define, source] =
        with_abbreviation(Tail::Array(Scalar::Char6), &[], module::SOURCE_FILENAME, source);
    let function = vec![
        record(1, &[1]),
        Item::Block(Block::new(block::METADATA, 3, metadata.into())),
        record(10, &[]),
    ];
    let items = vec![
        record(module::VERSION, &[2]),
        text(module::TRIPLE, "air64-apple-macosx14.0.0"),
        define,
        source,
        record(module::FUNCTION, &[0, name, 0, 0, 0, 0]),
        record(module::FUNCTION, &[name, 9, 0, 0, 1, 0]),
        Item::Block(Block::new(block::FUNCTION, 4, function)),
    ];
    let strtab = blob(&[], air_bitcode::ids::BLOB, &[], strings.into_bytes());
    Stream {
        blocks: vec![
            Block::new(block::IDENTIFICATION, 5, vec![record(1, &[]), record(2, &[0])]),
            Block::new(block::MODULE, 3, items),
            Block::new(block::STRTAB, 3, strtab.into()),
        ],
    }
}

/// A module that defines functions and imports others, with wrapper and padding: names and
/// empty bodies, nothing else.
///
/// # Panics
/// If it cannot be written.
#[must_use]
pub fn module_of(definitions: &[&[u8]], imports: &[&[u8]]) -> Vec<u8> {
    let mut strings: Vec<u8> = Vec::new();
    let mut items = vec![record(module::VERSION, &[2])];
    let source = definitions.first().copied().unwrap_or_default();
    items.push(record(
        module::SOURCE_FILENAME,
        &source.iter().map(|&byte| byte.into()).collect::<Vec<_>>(),
    ));
    let names = definitions.iter().map(|name| (0, name)).chain(imports.iter().map(|n| (1, n)));
    for (prototype, name) in names {
        let pair = [strings.len() as u64, name.len() as u64];
        items.push(record(module::FUNCTION, &[pair[0], pair[1], 0, 0, prototype, 0]));
        strings.extend_from_slice(name);
    }
    for _ in definitions {
        let body = vec![record(1, &[1]), record(10, &[])];
        items.push(Item::Block(Block::new(block::FUNCTION, 4, body)));
    }
    let strtab = blob(&[], air_bitcode::ids::BLOB, &[], strings);
    wrapped(&Stream {
        blocks: vec![
            Block::new(block::MODULE, 3, items),
            Block::new(block::STRTAB, 3, strtab.into()),
        ],
    })
}

/// Blocks of a module of the old form, with names in the value symbol table and metadata
/// strings of their own.
fn old_stream() -> Stream<'static> {
    let letters = |text: &str| text.bytes().map(u64::from).collect::<Vec<_>>();
    let scopes = letters(&format!("air-alias-scopes({KERNEL})"));
    let metadata = vec![record(code::STRING_OLD, &scopes), record(code::OLD_FN_NODE, &[1, 0])];
    let function = vec![
        record(function::DECLAREBLOCKS, &[1]),
        Item::Block(Block::new(block::METADATA, 3, metadata)),
        record(10, &[]),
    ];
    let named = |value: u64, name: &str| [vec![value], letters(name)].concat();
    let kernel = Values { operands: named(0, KERNEL), blob: None };
    let tail = Tail::Array(Scalar::Char6);
    let mut table: Vec<_> = with_abbreviation(tail, &[Scalar::Vbr(8)], vst::ENTRY, kernel).into();
    table.push(record(vst::ENTRY, &named(1, "air.fence")));
    let items = vec![
        record(module::VERSION, &[1]),
        text(module::TRIPLE, "air64-apple-ios8.0.0"),
        record(module::FUNCTION, &[0, 0, 0, 0]),
        record(module::FUNCTION, &[0, 0, 1, 0]),
        Item::Block(Block::new(block::FUNCTION, 4, function)),
        Item::Block(Block::new(block::VALUE_SYMTAB, 4, table)),
    ];
    Stream { blocks: vec![Block::new(block::MODULE, 3, items)] }
}

/// The small module with wrapper and padding.
///
/// # Panics
/// If it cannot be written.
#[must_use]
pub fn small_module() -> Vec<u8> {
    wrapped(&small_stream())
}

/// A module as the small one, of the old form.
///
/// # Panics
/// If it cannot be written.
#[must_use]
pub fn old_module() -> Vec<u8> {
    wrapped(&old_stream())
}

fn wrapped(stream: &Stream<'_>) -> Vec<u8> {
    let wrapper = Wrapper { version: 0, offset: 20, size: 0, cpu_type: u32::MAX };
    // Neither gap nor tail, and a size that needs no padding yet.
    let envelope = Envelope { wrapper: Some(wrapper), gap: &[], stream: &[0; 12], tail: &[] };
    let mut bytes = Vec::new();
    let write = |bytes: &mut Vec<u8>| stream.write(bytes, WriteOptions::default());
    envelope.write(&mut bytes, write).expect("a module that can be written");
    bytes
}
