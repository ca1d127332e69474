//! Modules whose frame is whole and whose content lies: clear errors, bounded memory.

use std::borrow::Cow;

use air_bitcode::abbrev::{Abbreviation, Definition, Scalar, Tail, Values};
use air_bitcode::ids::{BLOB, block, blockinfo, metadata, module};
use air_bitcode::{Block, Global, Item, Module, Record, Rename, Stream, WriteOptions};
use mtlpack_tests::bitcode::small_module;

fn record(code: u32, operands: &[u64]) -> Item<'static> {
    Item::Record(Record::new(code, operands.to_vec()))
}

/// A definition, and a record of it that is the first of its block.
fn with_blob(code: u32, operands: &[u64], blob: &[u8]) -> Vec<Item<'static>> {
    let scalars = operands.iter().map(|_| Scalar::Vbr(6)).collect();
    let made = Abbreviation::new(Scalar::Literal(code.into()), scalars, Tail::Blob).unwrap();
    let definition = Definition::new(made);
    let blob = Some(Cow::Owned(blob.to_vec()));
    let values = Values { operands: operands.to_vec(), blob };
    let made = Record::with_abbreviation(4, definition.get().unwrap(), code, values).unwrap();
    vec![Item::Define(definition), Item::Record(made)]
}

/// A module of version 2 with one function `f`, more items, and more blocks.
fn module_with(more: Vec<Item<'static>>, blocks: Vec<Block<'static>>) -> Vec<u8> {
    let function = record(module::FUNCTION, &[0, 1, 0, 0, 1, 0]);
    let mut items = vec![record(module::VERSION, &[2]), function];
    items.extend(more);
    let strings = with_blob(BLOB, &[], b"f");
    let own = [Block::new(block::MODULE, 3, items), Block::new(block::STRTAB, 3, strings)];
    let stream = Stream { blocks: own.into_iter().chain(blocks).collect() };
    let mut bytes = Vec::new();
    stream.write(&mut bytes, WriteOptions::default()).unwrap();
    bytes
}

fn parse_error(bytes: &[u8]) -> String {
    let error = Module::parse(bytes).unwrap_err();
    assert_eq!(Global::list(bytes).unwrap_err(), error);
    error.to_string()
}

#[test]
fn truncated_modules_are_named() {
    let bytes = small_module();
    assert_eq!(parse_error(&bytes[..19]), "wrapper: 19 bytes, expected at least 20 (bit 0)");
    let size = u32::from_le_bytes(bytes[12..16].try_into().unwrap());
    let cut = &bytes[..20 + size as usize - 4];
    let expected =
        format!("wrapper: bitcode of {size} bytes at 20, there are {} (bit 96)", cut.len());
    assert_eq!(parse_error(cut), expected);
    // With a wrapper that says so, a block ends too early.
    let mut short = cut.to_vec();
    short[12..16].copy_from_slice(&(size - 4).to_le_bytes());
    let error = Module::parse(&short).unwrap_err();
    assert_eq!(error.place(), "STRTAB");
    let text = error.to_string();
    assert!(text.starts_with("block length is 24 bytes, 20 are left (bit "), "{text}");
}

#[test]
fn there_must_be_one_module() {
    let other = Block::new(block::MODULE, 3, Vec::new());
    let several = module_with(Vec::new(), vec![other]);
    assert_eq!(parse_error(&several), "several modules in one bitstream, expected one");
    assert_eq!(parse_error(b"BC\xc0\xde"), "there is no MODULE block");
}

#[test]
fn names_outside_the_strings_are_named() {
    let bytes = module_with(vec![record(module::FUNCTION, &[1, u64::MAX, 0, 0, 1, 0])], Vec::new());
    let expected = "string of 18446744073709551615 bytes at 1 of STRTAB, which has 1 \
                    (MODULE > value 1)";
    assert_eq!(Module::parse(&bytes).unwrap().globals().unwrap_err().to_string(), expected);
    assert_eq!(Global::list(&bytes).unwrap_err().to_string(), expected);
    let rename = |bytes: &[u8]| {
        let renamed = Module::parse(bytes).unwrap().rename(&[Rename::new("f", "g")]);
        renamed.unwrap_err().to_string()
    };
    assert_eq!(rename(&bytes), expected);
    // A symbol table of another version, and one whose symbols are outside.
    let table = |words: &[u32]| {
        let table: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        module_with(Vec::new(), vec![Block::new(block::SYMTAB, 3, with_blob(BLOB, &[], &table))])
    };
    assert_eq!(
        rename(&table(&[4; 20])),
        "symbol table of version 4, versions 0 to 3 are known (SYMTAB)"
    );
    assert_eq!(
        rename(&table(&[3, 0, 0, 0, 0, 0, 0, 80, u32::MAX])),
        "symbol table: 4294967295 items at 80, it has 36 bytes (SYMTAB)"
    );
    assert_eq!(rename(&table(&[3])), "symbol table of 4 bytes, a field at 28 is outside (SYMTAB)");
}

#[test]
fn strings_that_lie_are_named() {
    let error = |operands: &[u64], blob: &[u8]| {
        let strings = with_blob(metadata::STRINGS, operands, blob);
        let inner = Block::new(block::METADATA, 3, strings);
        let bytes = module_with(vec![Item::Block(inner)], Vec::new());
        let module = Module::parse(&bytes).unwrap();
        let error = module.air_info().unwrap_err();
        let renamed = module.rename(&[Rename::new("f", "g")]).unwrap_err();
        assert_eq!((renamed.kind(), renamed.place()), (error.kind(), error.place()));
        error.to_string()
    };
    // A count that memory would not hold, over lengths of zero that soon end.
    assert_eq!(
        error(&[1 << 60, 8], &[0; 12]),
        "length of a string needs 6 bits, 4 are left (bit 60, MODULE > METADATA)"
    );
    assert_eq!(
        error(&[1, 4], b"\x05\0\0\0four"),
        "string of 5 bytes, 4 are left in the blob (MODULE > METADATA)"
    );
    assert_eq!(
        error(&[1, u64::MAX], b"\x01\0\0\0f"),
        "characters at 18446744073709551615, the blob has 5 bytes (MODULE > METADATA)"
    );
    assert_eq!(
        error(&[1], b"\x01\0\0\0f"),
        "METADATA_STRINGS that is not two operands and a blob (MODULE > METADATA)"
    );
}

#[test]
fn too_many_abbreviations_are_named() {
    let definition = || {
        let made = Abbreviation::new(Scalar::Literal(1), Vec::new(), Tail::None);
        Item::Define(Definition::new(made.unwrap()))
    };
    let own = module_with((0..257).map(|_| definition()).collect(), Vec::new());
    assert_eq!(
        parse_error(&own),
        "257 abbreviations of one block, at most 256 are decoded (MODULE > record 2)"
    );
    let in_blockinfo = |items: Vec<Item<'static>>| {
        let blocks =
            [Block::new(block::BLOCKINFO, 2, items), Block::new(block::METADATA, 3, Vec::new())];
        let bytes = module_with(blocks.map(Item::Block).into(), Vec::new());
        // What uses no abbreviation of others goes on.
        assert_eq!(Module::parse(&bytes).unwrap().globals().unwrap().len(), 1);
        Module::parse(&bytes).unwrap().air_info().unwrap_err().to_string()
    };
    let set = |id| record(blockinfo::SETBID, &[id]);
    let many = std::iter::once(set(15)).chain((0..257).map(|_| definition())).collect();
    assert_eq!(
        in_blockinfo(many),
        "257 abbreviations of one block, at most 256 are decoded (BLOCKINFO)"
    );
    let kinds = (0..257).flat_map(|id| [set(id), definition()]).collect();
    assert_eq!(
        in_blockinfo(kinds),
        "257 kinds of blocks with abbreviations in BLOCKINFO, at most 256 are decoded (BLOCKINFO)"
    );
    assert_eq!(
        in_blockinfo(vec![definition()]),
        "abbreviation in BLOCKINFO before any block id (SETBID) (BLOCKINFO)"
    );
}

/// Positions that cannot be computed are refused where they would have to be.
#[test]
fn positions_that_cannot_be_are_named() {
    let rename = |items: Vec<Item<'static>>| {
        let bytes = module_with(items, Vec::new());
        let renamed = Module::parse(&bytes).unwrap().rename(&[Rename::new("f", "g")]).unwrap();
        renamed.to_bytes().unwrap_err().kind().to_string()
    };
    let offset = || record(module::VSTOFFSET, &[7]);
    assert_eq!(rename(vec![offset()]), "position that is not held in fields of 32 bits");
    let fixed = |code: u32| {
        let made =
            Abbreviation::new(Scalar::Literal(code.into()), vec![Scalar::Fixed(32)], Tail::None);
        let definition = Definition::new(made.unwrap());
        let values = Values { operands: vec![7], blob: None };
        let record = Record::with_abbreviation(4, definition.get().unwrap(), code, values).unwrap();
        [Item::Define(definition), Item::Record(record)]
    };
    let [define, first] = fixed(module::VSTOFFSET);
    let second = first.clone();
    assert_eq!(rename(vec![define, first, second]), "second VSTOFFSET record, expected one");
    let [define, offset] = fixed(module::VSTOFFSET);
    let entry = record(air_bitcode::ids::vst::FNENTRY, &[0, 9]);
    let table = Item::Block(Block::new(block::VALUE_SYMTAB, 4, vec![entry]));
    // A block ends on a border, so that the table begins on one.
    let before = Item::Block(Block::new(block::CONSTANTS, 4, Vec::new()));
    assert_eq!(
        rename(vec![define, offset, before, table]),
        "FNENTRY names value Some(0), which has no body before the table"
    );
}
