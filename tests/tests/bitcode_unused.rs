//! What nothing uses, taken out of modules of several functions: LLVM takes out the same.

use std::path::{Path, PathBuf};

use air_bitcode::{Global, GlobalKind, Linkage, Module, Strip, StripReport};
use mtlpack_tests::id_laws::modules;
use mtlpack_tests::llvm::{self, plain, read, run};

/// Named metadata that names no function.
const KEPT: [&str; 5] = [
    "llvm.module.flags",
    "llvm.ident",
    "air.version",
    "air.language_version",
    "air.compile_options",
];

/// Whether a global is a function that must stay for others; LLVM lets those of other linkages
/// go where nothing calls them.
fn is_entry(global: &Global<'_>) -> bool {
    let is_external = global.linkage == Linkage::External;
    global.kind == GlobalKind::Function && global.is_definition && is_external
}

/// One function of a module, with what it calls: the module before, without any lists that name
/// functions, and after.
fn only(bytes: &[u8], entry: &str) -> (Vec<u8>, Vec<u8>, StripReport) {
    let module = Module::parse(bytes).unwrap();
    let metadata = module.metadata().unwrap();
    let lists: Vec<String> = metadata.names().map(std::borrow::Cow::into_owned).collect();
    let lists: Vec<&str> =
        lists.iter().map(String::as_str).filter(|name| !KEPT.contains(name)).collect();
    let bare =
        module.strip(&Strip { debug_info: true, lists: &lists }).unwrap().to_bytes().unwrap();
    // `llvm.used` names what must stay, too.
    let may_go = |global: &Global<'_>| {
        global.name != entry.as_bytes() && global.linkage != Linkage::Appending
    };
    let removed = Module::parse(&bare).unwrap().remove_unused(may_go).unwrap();
    let (only, report) = (removed.to_bytes().unwrap(), *removed.report());
    let again = Module::parse(&only).unwrap().remove_unused(may_go).unwrap();
    assert!(!again.is_changed(), "{entry}: left {:?}", again.report());
    assert_eq!(without_symbol(&only), without_symbol(&bare), "{entry}");
    assert_eq!(uncommons(&only).1, uncommons(&only).0, "{entry}");
    (bare, only, report)
}

/// How many symbols SYMTAB has less than the module has globals.
fn without_symbol(bytes: &[u8]) -> Option<usize> {
    let module = Module::parse(bytes).unwrap();
    let names: Vec<_> = module.globals().unwrap().into_iter().map(|global| global.name).collect();
    let symbols = module.symbol_table().unwrap()?.symbols().unwrap();
    assert!(symbols.iter().all(|symbol| names.iter().any(|name| **name == *symbol.ir_name)));
    names.len().checked_sub(symbols.len())
}

/// How many symbols say that they have uncommon attributes, and how many of these there are.
fn uncommons(bytes: &[u8]) -> (usize, usize) {
    let module = Module::parse(bytes).unwrap();
    let Some(table) = module.symbol_table().unwrap() else { return (0, 0) };
    let flagged = table.symbols().unwrap().iter().filter(|symbol| symbol.flags & 4 != 0).count();
    let stream = module.stream();
    let block = stream.blocks.iter().find(|block| block.id() == air_bitcode::ids::block::SYMTAB);
    // The table stands in front of the block's end: its header begins with version and producer,
    // and has the range of uncommons at byte 36.
    let body = block.unwrap().stored().unwrap().data();
    let words: Vec<u32> =
        body.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    // A definition and a record's head of two or three words come first.
    let header = (1..5).find(|&at| words[at] <= 3 && [68, 76].contains(&words[at + 3])).unwrap();
    (flagged, usize::try_from(words[header + 10]).unwrap())
}

/// Modules of several functions that others see, with the name of the middle one.
fn several(test: &str, mut each: impl FnMut(&str, &[u8], &str)) {
    modules(test, |name, bytes| {
        let globals = Module::parse(bytes).unwrap().globals().unwrap();
        let entries: Vec<_> = globals.iter().filter(|global| is_entry(global)).collect();
        if entries.len() > 1 {
            each(name, bytes, &entries[entries.len() / 2].name_text());
        }
    });
}

/// A module as its compiler left it holds what it uses: nothing goes but what nobody names.
#[test]
fn modules_hold_what_they_use() {
    let (mut changed, mut sum) = (0, StripReport::default());
    modules("unused parts", |name, bytes| {
        let may_go = |global: &Global<'_>| global.is_import() || !global.linkage.is_visible();
        let removed = Module::parse(bytes).unwrap().remove_unused(may_go);
        let removed = removed.unwrap_or_else(|error| panic!("{name}: {error}"));
        let written = removed.to_bytes().unwrap();
        assert_eq!(removed.is_changed(), written != bytes, "{name}");
        changed += u32::from(removed.is_changed());
        sum.declarations += removed.report().declarations;
        sum.definitions += removed.report().definitions;
        sum.constants += removed.report().constants;
        sum.metadata += removed.report().metadata;
        let left = Module::parse(&written).unwrap();
        let of = |module: &Module<'_>| module.air_info().unwrap().entries.len();
        assert_eq!(of(&left), of(&Module::parse(bytes).unwrap()), "{name}");
    });
    println!("{changed} modules have unused parts: {sum:?}");
}

/// LLVM's way to the same: other functions become internal, and go if nothing calls them.
fn by_llvm(opt: &str, text: &Path, entry: &str, passes: &str) -> Result<String, String> {
    let list = format!("-internalize-public-api-list={entry}");
    let passes = format!("-passes={passes}");
    std::fs::write(text, plain(&read(text))).unwrap();
    run(opt, &["-S", &passes, &list], text, "opt.ll").map(|file| plain(&read(&file)))
}

#[test]
fn llvm_takes_out_the_same() {
    let test = "unused parts against LLVM";
    let (Some(dis), Some(opt)) = (llvm::find("llvm-dis", test), llvm::find("opt", test)) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (mut compared, mut gone, mut unread) = (0, 0, 0);
    several(test, |name, bytes, entry| {
        let fail = |error: String| -> ! { panic!("{name}, {entry}: {error}") };
        let (before, after, report) = only(bytes, entry);
        let file = |which: &str, bytes: &[u8]| -> PathBuf {
            let file = folder.path().join(which);
            std::fs::write(&file, bytes).unwrap();
            file
        };
        let Ok(before) = run(&dis, &[], &file("before.bc", &before), "ll") else {
            unread += 1;
            return;
        };
        let after = run(&dis, &[], &file("after.bc", &after), "ll").unwrap_or_else(|e| fail(e));
        let ours = by_llvm(&opt, &after, entry, "internalize").unwrap_or_else(|e| fail(e));
        let theirs = by_llvm(&opt, &before, entry, "internalize,globaldce");
        let theirs = theirs.unwrap_or_else(|e| fail(e));
        if ours != theirs {
            let lines = ours.lines().zip(theirs.lines()).find(|(ours, llvm)| ours != llvm);
            fail(format!("not what LLVM gives: {lines:?}"));
        }
        compared += 1;
        gone += report.definitions + report.declarations;
    });
    println!("{compared} modules with one function left, {gone} globals less; {unread} not read");
    assert!(unread <= 2 && (compared < 10 || gone > compared));
}
