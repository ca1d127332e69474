//! The laws of bitcode that hold for all bytes.

use air_bitcode::{Error, ErrorKind, Global, Module, Rename, WriteOptions};

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
    let _ = module.clone().trim_strings().map(|trimmed| trimmed.to_bytes());
    let first = module.globals().ok().and_then(|globals| Some(globals.first()?.name.to_vec()));
    for old in first.as_deref().into_iter().chain([KERNEL.as_bytes()]) {
        there_and_back(&module, old);
    }
    whole(module, bytes);
}

/// Views give something or an error; a list of symbols is what the module says.
fn views(module: &Module<'_>, bytes: &[u8]) {
    let _ = (module.air_info(), module.symbol_table().map(|t| t.map(|t| t.symbols())));
    let Ok(globals) = module.globals() else { return };
    let list = Global::list(bytes).expect("what all of is read, a part of is read");
    assert!(globals.starts_with(&list), "symbols are listed otherwise");
}

/// The name changes, and nothing else that has a name; and it comes back.
fn there_and_back(module: &Module<'_>, old: &[u8]) {
    let new = b"other::name";
    let Ok(there) = module.clone().rename(&[Rename::new(old, new)]) else { return };
    let Some(there) = written(there.to_bytes()) else { return };
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

/// Decoded and encoded as a whole it is the same; computing positions twice is as once.
fn whole(mut module: Module<'_>, bytes: &[u8]) {
    if module.open_all().is_err() {
        return;
    }
    let copied = module.to_bytes(WriteOptions::default()).expect("nothing was edited");
    assert!(copied == bytes, "copied blocks are not their source");
    if let Some(encoded) = written(module.to_bytes(ANEW)) {
        assert!(encoded == bytes, "encoded records are not their source");
    }
    let Some(placed) = written(module.to_bytes(ALL)) else { return };
    let mut again = Module::parse(&placed).expect("what was encoded parses");
    again.open_all().expect("what was encoded can be decoded");
    let twice = again.to_bytes(ALL).expect("positions can be computed again");
    assert!(twice == placed, "positions change when they are computed again");
}

/// What was written; none if it was refused, which must say why.
fn written(result: Result<Vec<u8>, Error>) -> Option<Vec<u8>> {
    result.map_err(|error| assert!(!error.to_string().is_empty())).ok()
}
