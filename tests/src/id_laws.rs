//! The laws of ids inside modules that hold for all bytes, and a module that has all of them.

use air_bitcode::{Error, Global, GlobalKind, Module, PATH_LISTS, Renumbering, Strip};
use air_bitcode::{Stripped, Target, WriteOptions};

/// The module of `data/debug.ll`, as LLVM 14's assembler writes it: nearly every instruction,
/// constant expression and kind of debug information.
pub const DEBUG_MODULE: &[u8] = include_bytes!("../data/debug.bc");

/// Calls `each` with every module of [`crate::modules`], and with [`DEBUG_MODULE`]; tells how
/// many there were.
///
/// # Panics
/// If a file of the corpus cannot be read.
pub fn modules(test: &str, mut each: impl FnMut(&str, &[u8])) -> usize {
    each("tests/data/debug.bc", DEBUG_MODULE);
    crate::modules(test, each) + 1
}

/// Every strip there is: of debug information, of lists, of both.
const STRIPS: [Strip<'static>; 3] = [
    Strip { debug_info: true, lists: &[] },
    Strip { debug_info: false, lists: &PATH_LISTS },
    Strip { debug_info: true, lists: &PATH_LISTS },
];

/// Any bytes: ids that are written anew are the same, in another order they come back, and what
/// is stripped is a module that has nothing more to strip.
///
/// # Panics
/// If a law does not hold.
pub fn hold(bytes: &[u8]) {
    let Ok(module) = Module::parse(bytes) else { return };
    if let Ok(same) = renumbered(module.clone(), Renumbering::Same) {
        assert!(same == bytes, "ids that stay gave another module");
    }
    if let Ok(there) = renumbered(module.clone(), Renumbering::Reversed) {
        let there = Module::parse(&there).expect("what was renumbered parses");
        let back = renumbered(there, Renumbering::Reversed).expect("as it was the first time");
        let back = Module::parse(&back).expect("what was renumbered parses");
        let (back, before) = (values_of(back), values_of(module.clone()));
        let other = back.iter().zip(&before).find(|(back, before)| back != before);
        assert!(back == before, "ids do not come back: {other:?}");
    }
    for strip in &STRIPS {
        taken_out(&module, bytes, |module| module.strip(strip));
    }
    kept_alone(&module, bytes);
    retargeted(&module);
    taken_out(&module, bytes, |module| module.remove_unused(|_| true));
    taken_out(&module, bytes, |module| module.remove_unused(|global| !global.is_definition));
}

/// A module for another target says so, and made so again it is the same.
fn retargeted(module: &Module<'_>) {
    let target = Target {
        triple: Some("air64-apple-ios99.1.0"),
        air: Some([2, 77]),
        language: Some([3, 99]),
    };
    let Ok(made) = module.clone().retarget(&target) else { return };
    let Ok(made) = made.to_bytes() else { return };
    let made_again = Module::parse(&made).expect("what was retargeted parses");
    assert_eq!(made_again.triple().expect("it was set").as_deref(), target.triple);
    let again = made_again.retarget(&target).expect("as it was the first time");
    assert!(!again.is_changed(), "retargeted twice: {:?}", again.report());
}

/// The module of one function is one that holds nothing else, or the same.
fn kept_alone(module: &Module<'_>, bytes: &[u8]) {
    let globals = module.globals().unwrap_or_default();
    let is_body =
        |global: &&Global<'_>| global.kind == GlobalKind::Function && global.is_definition;
    let Some(entry) = globals.iter().find(is_body) else { return };
    let Ok(kept) = module.clone().keep_entry(&entry.name) else { return };
    let Ok(written) = kept.to_bytes() else {
        assert!(kept.is_changed(), "an unchanged module cannot be written");
        return;
    };
    if !kept.is_changed() {
        assert!(written == bytes, "a module of one function was changed");
        return;
    }
    let again = Module::parse(&written).expect("what was split parses");
    let again = again.keep_entry(&entry.name).expect("what was split can be split");
    assert!(!again.is_changed(), "{:?} was left", again.report());
}

/// A module whose ids are written anew. Positions stay: they may have been wrong before.
fn renumbered(mut module: Module<'_>, how: Renumbering) -> Result<Vec<u8>, Error> {
    module.renumber(how)?;
    module.to_bytes(WriteOptions { positions: false, records: false })
}

/// All records of the module block, whatever their abbreviations: an id that moves there and
/// back may lose the one in which it had no room.
pub fn values_of(mut module: Module<'_>) -> Vec<String> {
    // The module comes before what may not be decoded, such as a damaged STRTAB.
    let _ = module.open_all();
    let mut values = Vec::new();
    for block in &module.stream().blocks {
        collect(block, &mut values);
    }
    values
}

fn collect(block: &air_bitcode::Block<'_>, values: &mut Vec<String>) {
    for item in block.items().unwrap_or_default() {
        match item {
            air_bitcode::Item::Define(_) => {}
            air_bitcode::Item::Block(inner) => collect(inner, values),
            air_bitcode::Item::Record(record) => {
                // What cannot be read was copied.
                let read = record.values().ok();
                values.push(format!("{} {} {read:?}", block.id(), record.code()));
            }
        }
    }
}

/// What is left parses and has nothing more to go; what had nothing is not touched.
fn taken_out(
    module: &Module<'_>,
    bytes: &[u8],
    take: impl for<'m> Fn(Module<'m>) -> Result<Stripped<'m>, Error>,
) {
    let Ok(stripped) = take(module.clone()) else { return };
    let changed = stripped.is_changed();
    let Ok(written) = stripped.to_bytes() else {
        assert!(changed, "an unchanged module cannot be written");
        return;
    };
    if !changed {
        assert!(written == bytes, "a module without it was changed");
        return;
    }
    let again = Module::parse(&written).expect("what was stripped parses");
    let again = take(again).expect("what was stripped can be stripped");
    assert!(!again.is_changed(), "{:?} was left", again.report());
}
