//! What modules define and import, over real libraries and against LLVM's own tools; and
//! modules taken out of libraries.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use mtlpack::air_bitcode::{self, Linkage};
use mtlpack::io::Input;
use mtlpack::{
    ModuleForm, ModuleSymbols, Named, Symbol, United, Which, bitcode_info, disassemble, extract,
    symbols,
};
use mtlpack_tests::{corpus, llvm};

/// Modules taken of one library; enough for more than a thousand over the corpus.
const PER_LIBRARY: usize = 5;
/// Files that one call of a tool gets.
const BATCH: usize = 50;

/// A symbol as LLVM's tool tells it: name, whether it is only needed, whether others see it.
type Told = (String, bool, bool);

fn told(symbol: Symbol<'_>) -> Told {
    let name = String::from_utf8_lossy(symbol.name).into_owned();
    let undefined = symbol.import.is_some() || symbol.linkage == Linkage::AvailableExternally;
    (name, undefined, symbol.linkage.is_visible())
}

/// Symbols of each module by number.
fn all_symbols(input: &Input, threads: usize) -> Vec<Vec<Told>> {
    let library = metallib::Library::parse(input.bytes()).unwrap();
    let mut all = Vec::new();
    let each = |some: &mut Vec<_>, index, found: air_bitcode::Result<ModuleSymbols<'_>>| {
        let found = found.unwrap_or_else(|error| panic!("{}, {index}: {error}", input.name()));
        some.push((index, found.iter().map(told).collect::<Vec<_>>()));
    };
    symbols(input, &library, Which::All, threads, each, |some| {
        all.extend(some);
        Ok(())
    })
    .unwrap();
    assert!(all.iter().map(|(index, _)| *index).eq(0..library.modules().len()));
    all.into_iter().map(|(_, symbols)| symbols).collect()
}

#[test]
fn symbols_are_those_that_llvm_tells() {
    let Some(nm) = llvm::find("llvm-nm", "symbols") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut cases: Vec<(PathBuf, Vec<Told>)> = Vec::new();
    let examples = ["quad", "scale", "vector_add"].map(|name| {
        let path = format!("{}/../examples/{name}.metallib", env!("CARGO_MANIFEST_DIR"));
        Input::open_in_memory(path).unwrap()
    });
    let samples = corpus("symbols against LLVM").into_iter();
    let samples = samples.map(|sample| Input::from_bytes(sample.name, sample.bytes));
    for input in examples.into_iter().chain(samples) {
        let library = metallib::Library::parse(input.bytes()).unwrap();
        let step = library.modules().len().div_ceil(PER_LIBRARY).max(1);
        let found = all_symbols(&input, 1);
        for (module, symbols) in library.modules().iter().zip(found).step_by(step) {
            if !module.bytes().is_empty() {
                let path = folder.path().join(format!("{}.air", cases.len()));
                std::fs::write(&path, module.bytes()).unwrap();
                cases.push((path, symbols));
            }
        }
    }
    println!("{} modules", cases.len());
    for batch in cases.chunks(BATCH) {
        // LLVM's own symbols are not told: it replaces old ones by new ones when it reads.
        let files = batch.iter().map(|(path, _)| path);
        let output = Command::new(&nm).args(["-p", "-A"]).args(files).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout);
        for (path, symbols) in batch {
            let ours = symbols.iter().filter(|(name, ..)| !name.starts_with("llvm."));
            let ours: BTreeSet<&Told> = ours.collect();
            let theirs = from_nm(path, &text);
            assert_eq!(ours, theirs.iter().collect(), "{}", path.display());
        }
    }
}

/// The symbols of a file: `path: -------- T name`, the letter small for what nobody else sees.
fn from_nm(path: &Path, text: &str) -> Vec<Told> {
    let path = format!("{}: ", path.display());
    let lines = text.lines().filter_map(|line| line.strip_prefix(&path));
    lines
        .map(|line| {
            let (letter, name) = line[9..].split_once(' ').unwrap();
            let undefined = matches!(letter, "U" | "w");
            let small = letter.chars().all(char::is_lowercase);
            (name.to_owned(), undefined, undefined || !small)
        })
        .collect()
}

/// The united list has what the single lists have, however many threads read.
#[test]
fn the_united_list_is_that_of_all_modules() {
    let (mut libraries, mut total) = (0, 0);
    for sample in corpus("united symbols") {
        let input = Input::from_bytes(sample.name, sample.bytes);
        let library = metallib::Library::parse(input.bytes()).unwrap();
        let single = all_symbols(&input, 2);
        let mut counts: BTreeMap<Told, u64> = BTreeMap::new();
        for symbol in single.into_iter().flatten() {
            *counts.entry(symbol).or_default() += 1;
        }
        let united = United::read(&input, &library, Which::All, 2).unwrap();
        assert!(united.errors.is_empty());
        let mut found: BTreeMap<Told, u64> = BTreeMap::new();
        for one in &united.symbols {
            let (import, kind, linkage) = (one.import, one.kind, one.linkage);
            let symbol = Symbol { name: &one.name, import, kind, linkage };
            *found.entry(told(symbol)).or_default() += one.modules;
        }
        assert_eq!(found, counts, "{}", input.name());
        assert_eq!(united, United::read(&input, &library, Which::All, 1).unwrap());
        libraries += 1;
        total += counts.values().sum::<u64>();
    }
    println!("{total} symbols of {libraries} libraries");
}

/// Every module comes out once, and its bitcode wrapped again is the module.
#[test]
fn extracted_modules_are_those_of_the_library() {
    let mut count = 0;
    for sample in corpus("extract") {
        let library = sample.library();
        let named = Named { name: &sample.name, library: &library };
        let Ok(air) = extract(named, &[], ModuleForm::Air) else {
            assert!(library.modules().iter().all(|module| module.bytes().is_empty()));
            continue;
        };
        let raw = extract(named, &[], ModuleForm::Raw).unwrap();
        let modules = library.modules().iter().filter(|module| !module.bytes().is_empty());
        assert!(modules.map(metallib::Module::bytes).eq(air.modules.iter().map(|m| m.bytes)));
        let files: BTreeSet<String> = air.modules.iter().map(|m| m.file.to_lowercase()).collect();
        assert_eq!(files.len(), air.modules.len());
        for (air, raw) in air.modules.iter().zip(&raw.modules) {
            assert_eq!(metallib::wrap(raw.bytes).unwrap(), air.bytes, "{}", sample.name);
        }
        let functions: usize = air.modules.iter().map(|module| module.functions.len()).sum();
        assert_eq!(functions + air.without.len(), library.functions().len());
        count += air.modules.len();
    }
    println!("{count} modules");
}

/// Every module of the corpus tells its triple, producer and versions.
#[test]
fn modules_say_what_they_are() {
    let mut count = 0;
    for sample in corpus("what modules say") {
        let input = Input::from_bytes(sample.name, sample.bytes);
        let library = metallib::Library::parse(input.bytes()).unwrap();
        let info = bitcode_info(&input, &library, 2).unwrap();
        assert_eq!(info.unread, 0, "{}", input.name());
        for facts in [&info.triples, &info.producers, &info.air_versions, &info.languages] {
            let told: u64 = facts.iter().map(|fact| fact.modules).sum();
            assert_eq!(told, info.modules, "{}: {facts:?}", input.name());
        }
        count += info.modules;
    }
    println!("{count} modules");
}

#[test]
fn the_text_is_that_of_llvm() {
    if llvm::find("llvm-dis", "disassemble").is_none() {
        return;
    }
    let path = format!("{}/../examples/scale.metallib", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).unwrap();
    let library = metallib::Library::parse(&bytes).unwrap();
    let named = Named { name: "scale.metallib", library: &library };
    let found = disassemble(named, "scale", None).unwrap();
    let text = String::from_utf8(found.text).unwrap();
    assert!(text.contains("\ndefine void @scale("), "{text}");
    assert!(text.contains("target triple = \"air64-apple-macosx14.0.0\""), "{text}");
    assert_eq!(found.messages, "");
}
