//! The laws of bitcode that hold for all bytes.

use std::cell::RefCell;

use air_bitcode::ids::{block, metadata, module as codes, vst};
use air_bitcode::{
    Block, Error, ErrorKind, Global, GlobalKind, GlobalReader, Item, Module, Record, Rename,
    RenameReport, Renamer, Stream, WriteOptions,
};

use crate::bitcode::KERNEL;

/// What everything is decoded and encoded with, positions as they are.
const ANEW: WriteOptions = WriteOptions { positions: false, records: true };

/// The same, and positions are computed.
const ALL: WriteOptions = WriteOptions { positions: true, records: true };

/// Any bytes: they are refused, or parsed, viewed, edited and written by the laws.
///
/// # Panics
/// If a law does not hold.
pub fn hold(bytes: &[u8]) {
    let Ok(module) = Module::parse(bytes) else { return };
    let written = module.to_bytes(WriteOptions::default()).expect("nothing was edited");
    assert!(written == bytes, "an unedited module is not its source");
    views(&module, bytes);
    let _ = module
        .clone()
        .rewrite_texts(b"", |text| Some([&*text.bytes, b"/"].concat()))
        .map(|made| made.to_bytes());
    let _ = module.clone().trim_strings().map(|trimmed| trimmed.to_bytes());
    let globals = module.globals().unwrap_or_default();
    let defined = globals.iter().find(|g| g.is_definition && g.kind == GlobalKind::Function);
    let named = [globals.first(), defined].into_iter().flatten().map(|global| &*global.name);
    for old in named.chain([KERNEL.as_bytes()]) {
        there_and_back(&module, old);
        quickly(bytes, old, NEW);
        quickly(bytes, old, b"n");
    }
    whole(module, bytes);
}

/// A name that functions get.
const NEW: &[u8] = b"other::name";

thread_local! {
    /// One for all modules, so that nothing of one may be left for the next.
    static RENAMER: RefCell<Renamer> = RefCell::new(Renamer::new());
    static LISTS: RefCell<GlobalReader> = RefCell::new(GlobalReader::new());
}

/// The quick way to rename a function gives what the tree of the module gives, or leaves it to
/// that; so it does whatever that refuses. Says whether it took the quick way.
///
/// # Panics
/// If the law does not hold.
pub fn quickly(bytes: &[u8], old: &[u8], new: &[u8]) -> bool {
    let rename = Rename::new(old, new);
    let before = b"before";
    let mut out = before.to_vec();
    let quick = RENAMER.with_borrow_mut(|renamer| renamer.rename_quickly(bytes, rename, &mut out));
    let Some(report) = quick else {
        assert!(out == before, "what was not renamed left bytes behind");
        return false;
    };
    let (expected, tree) = by_tree(bytes, rename).expect("what is refused is not renamed quickly");
    assert_eq!(report, tree);
    assert!(out.strip_prefix(before) == Some(&expected), "the quick way gives other bytes");
    true
}

fn by_tree(bytes: &[u8], rename: Rename<'_>) -> air_bitcode::Result<(Vec<u8>, RenameReport)> {
    let renamed = Module::parse(bytes)?.rename(&[rename])?;
    Ok((renamed.to_bytes()?, *renamed.report()))
}

/// Views give something or an error; a list of symbols is what the module says.
fn views(module: &Module<'_>, bytes: &[u8]) {
    let _ = (module.air_info(), module.symbol_table().map(|t| t.map(|t| t.symbols())));
    let Ok(globals) = module.globals() else { return };
    let list = Global::list(bytes).expect("what all of is read, a part of is read");
    let again = LISTS.with_borrow_mut(|lists| lists.list(bytes)).expect("as without buffers");
    assert!(list == again, "symbols are listed otherwise after those of other modules");
    assert!(globals.starts_with(&list), "symbols are listed otherwise");
}

/// The name changes, and nothing else that has a name; and it comes back.
fn there_and_back(module: &Module<'_>, old: &[u8]) {
    let new = NEW;
    let Ok(there) = module.clone().rename(&[Rename::new(old, new)]) else { return };
    let Some(there) = placed(there.to_bytes()) else { return };
    let before = names(module);
    let parsed = Module::parse(&there).expect("what was renamed parses");
    if before.iter().filter(|name| *name == old).count() != 1 {
        return;
    }
    let expected = before.iter().map(|name| if name == old { new } else { &name[..] });
    let after = names(&parsed);
    assert!(expected.eq(&after), "{before:?} became {after:?}");
    // A name that nothing can be renamed to.
    if old.contains(&0) {
        return;
    }
    match parsed.rename(&[Rename::new(new, old)]) {
        Ok(back) => {
            let back = back.to_bytes().expect("as it was written the first time");
            let parsed = Module::parse(&back).expect("what was renamed back parses");
            assert!(names(&parsed) == before, "renaming back gives other names");
        }
        // The new name may be a string of metadata that cannot be read, or a symbol's.
        Err(error) => assert!(is_refusal(&error) || error.bit().is_some(), "{error}"),
    }
}

fn names(module: &Module<'_>) -> Vec<Vec<u8>> {
    let globals = module.globals().expect("names that were read before");
    globals.into_iter().map(|global| global.name.into_owned()).collect()
}

fn is_refusal(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Rename { .. })
}

/// Decoded and encoded as a whole it is the same; with positions computed, nothing but these
/// changes, and not even these if they were right.
fn whole(mut module: Module<'_>, bytes: &[u8]) {
    if module.open_all().is_err() {
        return;
    }
    let copied = module.to_bytes(WriteOptions::default()).expect("nothing was edited");
    assert!(copied == bytes, "copied blocks are not their source");
    match module.to_bytes(ANEW) {
        Ok(encoded) => assert!(encoded == bytes, "encoded records are not their source"),
        Err(error) => {
            assert!(is_unread(&error), "{error}");
            return;
        }
    }
    let Some(placed) = placed(module.to_bytes(ALL)) else { return };
    let mut again = Module::parse(&placed).expect("what was encoded parses");
    again.open_all().expect("what was encoded can be decoded");
    let twice = again.to_bytes(ALL).expect("positions can be computed again");
    assert!(twice == placed, "positions change when they are computed again");
    let others = |module| forgotten(module, false, ANEW).expect("what was decoded can be encoded");
    assert!(others(&module) == others(&again), "computing positions changed something else");
    // Computed without a look at them the positions are those of the source: these are right.
    let computed = forgotten(&module, true, ALL);
    if computed.is_ok_and(|computed| computed == bytes) {
        assert!(placed == bytes, "positions that are right were changed");
    }
}

/// A module with every position forgotten, encoded.
fn forgotten(
    module: &Module<'_>,
    abbreviated: bool,
    options: WriteOptions,
) -> Result<Vec<u8>, Error> {
    let mut stream: Stream<'_> = module.stream().clone();
    stream.blocks.iter_mut().for_each(|block| forget_positions(block, abbreviated));
    let mut written = Vec::new();
    module.envelope().write(&mut written, |bytes| stream.write(bytes, options))?;
    Ok(written)
}

fn is_position(block: u32, code: u32) -> bool {
    matches!(
        (block, code),
        (block::MODULE, codes::VSTOFFSET)
            | (block::METADATA, metadata::INDEX_OFFSET | metadata::INDEX)
            | (block::VALUE_SYMTAB, vst::FNENTRY)
    )
}

/// Puts zeros where a decoded block has positions; with the records' abbreviations, or without
/// any: not every position fits into every abbreviation.
///
/// # Panics
/// If a record of a position cannot be read.
pub fn forget_positions(block: &mut Block<'_>, abbreviated: bool) {
    let id = block.id();
    for item in block.items_mut().into_iter().flatten() {
        match item {
            Item::Block(inner) => forget_positions(inner, abbreviated),
            Item::Record(record) if is_position(id, record.code()) => {
                let mut values = record.values().expect("a record that was decoded");
                match id {
                    // What the entry names is no position.
                    block::VALUE_SYMTAB => {
                        values.operands.iter_mut().skip(1).take(1).for_each(|word| *word = 0);
                    }
                    _ if record.code() == metadata::INDEX => values.operands.clear(),
                    _ => values.operands.fill(0),
                }
                if abbreviated {
                    record.set(values);
                } else {
                    *record = Record::new(record.code(), values.operands);
                }
            }
            Item::Define(_) | Item::Record(_) => {}
        }
    }
}

/// Whether bits that are copied until they are needed could not be read when they were.
fn is_unread(error: &Error) -> bool {
    let written = matches!(
        error.kind(),
        ErrorKind::Rename { .. }
            | ErrorKind::Value { .. }
            | ErrorKind::Missing { .. }
            | ErrorKind::TooLarge { .. }
    );
    !written && error.bit().is_some()
}

/// What was written; none if it was refused, because positions cannot be computed or what they
/// are computed from cannot be read.
fn placed(result: Result<Vec<u8>, Error>) -> Option<Vec<u8>> {
    const REASONS: [&str; 4] = [
        "second VSTOFFSET record",
        "position that is not held in fields of 32 bits",
        "which has no body before the table",
        "that does not begin on a 32-bit border",
    ];
    let meant = |error: &Error| match error.kind() {
        ErrorKind::Value { what } => REASONS.iter().any(|reason| what.contains(reason)),
        _ => is_unread(error),
    };
    result.map_err(|error| assert!(meant(&error), "{error}")).ok()
}
