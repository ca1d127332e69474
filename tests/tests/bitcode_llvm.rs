//! LLVM's own tools read what a rename wrote: the text is the same but for the name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use air_bitcode::{GlobalKind, Module, Rename};
use mtlpack_tests::{Sample, air_files, bitcode, corpus, llvm, modules};

/// Modules taken of one library; enough for more than a thousand over the corpus.
const PER_LIBRARY: usize = 5;
/// Files that one call of a tool gets.
const BATCH: usize = 50;

/// One module: its names before and after, and the files.
struct Case {
    place: String,
    /// AIR version, as the module says it.
    version: Option<[i64; 3]>,
    names: Vec<(String, String)>,
    before: PathBuf,
    after: PathBuf,
}

impl Case {
    fn new(folder: &Path, index: usize, place: String, bytes: &[u8]) -> Option<Self> {
        let module = Module::parse(bytes).unwrap();
        let globals = module.globals().unwrap();
        let visible = globals.iter().filter(|global| {
            let function = global.kind == GlobalKind::Function && global.is_definition;
            function && global.linkage.is_visible()
        });
        let names: Vec<(String, String)> = visible
            .enumerate()
            .map(|(n, global)| (global.name_text().into_owned(), new_name(index, n)))
            .collect();
        if names.is_empty() {
            return None;
        }
        let renames: Vec<_> = names.iter().map(|(old, new)| Rename::new(old, new)).collect();
        let version = module.air_info().unwrap().version;
        let renamed = module.rename(&renames).unwrap_or_else(|error| panic!("{place}: {error}"));
        let before = folder.join(format!("{index}.before.bc"));
        let after = folder.join(format!("{index}.after.bc"));
        std::fs::write(&before, bytes).unwrap();
        std::fs::write(&after, renamed.to_bytes().unwrap()).unwrap();
        Some(Self { place, version, names, before, after })
    }
}

fn new_name(index: usize, function: usize) -> String {
    match index % 5 {
        0 => format!("zq{index}_{function}"),
        1 => {
            format!("a_much_longer_name_that_no_library_has_{index}_{function}_{}", "x".repeat(200))
        }
        2 => format!("zq::space::{index}::{function}"),
        3 => format!("zq with spaces {index} {function}"),
        _ => format!("zqgrößer→{index}.{function}"),
    }
}

/// A name as LLVM's text has it between quotes.
fn escaped(name: &str) -> String {
    name.bytes().fold(String::new(), |text, byte| match byte {
        b'"' | b'\\' | 0..=0x1f | 0x7f.. => format!("{text}\\{byte:02X}"),
        _ => text + &char::from(byte).to_string(),
    })
}

/// A name as LLVM's text has it after `@`.
fn global(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-$._".contains(c);
    let digit = name.starts_with(|c: char| c.is_ascii_digit());
    if name.chars().all(plain) && !digit {
        format!("@{name}")
    } else {
        format!("@\"{}\"", escaped(name))
    }
}

/// Runs a tool over the files of all cases, some at a time, two at once.
fn in_batches(cases: &[Case], run: impl Fn(&[Case]) + Sync) {
    let (even, odd): (Vec<_>, Vec<_>) =
        cases.chunks(BATCH).enumerate().partition(|(index, _)| index % 2 == 0);
    std::thread::scope(|scope| {
        for half in [even, odd] {
            scope.spawn(|| half.into_iter().for_each(|(_, batch)| run(batch)));
        }
    });
}

fn sample(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    cases.extend(Case::new(folder, 0, "small module".to_owned(), &bitcode::small_module()));
    for sample in corpus("bitcode against LLVM") {
        let library = sample.library();
        let modules = library.modules();
        let step = modules.len().div_ceil(PER_LIBRARY).max(1);
        for (index, module) in modules.iter().enumerate().step_by(step) {
            let place = format!("{}, module {index}", sample.name);
            cases.extend(Case::new(folder, cases.len() + 1, place, module.bytes()));
        }
    }
    for Sample { name, bytes } in air_files() {
        cases.extend(Case::new(folder, cases.len() + 1, name, &bytes));
    }
    println!("{} modules", cases.len());
    cases
}

#[test]
fn llvm_reads_the_same_but_for_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let cases = sample(folder.path());
    // The small module is no whole program, so it has no text to compare.
    let real = &cases[1..];
    if let Some(dis) = llvm::find("llvm-dis", "bitcode text") {
        let unread = AtomicU32::new(0);
        let compared = Mutex::new(BTreeMap::new());
        let compare = |case: &Case| {
            compare_text(case);
            *compared.lock().unwrap().entry(case.version).or_insert(0_usize) += 1;
        };
        in_batches(real, |batch| {
            if disassemble(&dis, batch).is_ok() {
                return batch.iter().for_each(compare);
            }
            for case in batch {
                match disassemble(&dis, std::slice::from_ref(case)) {
                    Ok(()) => compare(case),
                    Err((true, error)) => {
                        println!("{}: not read before the rename: {error}", case.place);
                        unread.fetch_add(1, Relaxed);
                    }
                    Err((false, error)) => panic!("{}: {error}", case.place),
                }
            }
        });
        assert!(unread.into_inner() <= 5);
        let compared = compared.into_inner().unwrap();
        println!("text compared, modules by AIR version: {compared:?}");
        if !real.is_empty() {
            assert!(compared.values().sum::<usize>() >= 1000);
            let mut all = BTreeSet::new();
            modules("AIR versions", |_, bytes| {
                all.insert(Module::parse(bytes).unwrap().air_info().unwrap().version);
            });
            assert!(compared.keys().eq(&all), "the corpus has {all:?}");
        }
    }
    if let Some(nm) = llvm::find("llvm-nm", "bitcode names") {
        in_batches(real, |batch| {
            let files = batch.iter().map(|case| &case.after);
            let output = Command::new(&nm).arg("-A").args(files).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            batch.iter().for_each(|case| compare_names(case, &text));
        });
    }
    if let Some(analyzer) = llvm::find("llvm-bcanalyzer", "bitcode structure") {
        for case in cases.iter().step_by(8) {
            let output = Command::new(&analyzer).arg(&case.after).output().unwrap();
            assert!(output.status.success(), "{}", case.place);
        }
    }
}

/// Makes text of the files of all cases; an error says whether it is one of those before.
///
/// Files of one call share names of types, so those before and after go apart.
fn disassemble(dis: &str, cases: &[Case]) -> Result<(), (bool, String)> {
    for is_before in [true, false] {
        let file = |case: &Case| if is_before { case.before.clone() } else { case.after.clone() };
        let output = Command::new(dis).args(cases.iter().map(file)).output().unwrap();
        if !output.status.success() {
            return Err((is_before, String::from_utf8_lossy(&output.stderr).into_owned()));
        }
    }
    Ok(())
}

/// With the old names put back, the text after the rename is that before it.
fn compare_text(case: &Case) {
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path.with_extension("ll")).unwrap();
        // The first line names the file; without the record the next one does, too.
        let own = path.display().to_string();
        text.replace(&own, "FILE")
    };
    let (before, mut after) = (read(&case.before), read(&case.after));
    // The last first: the name of the first function begins as that of the tenth.
    for (old, new) in case.names.iter().rev() {
        after = after.replace(&global(new), &global(old));
        after = after.replace(&escaped(new), &escaped(old));
    }
    if before != after {
        let lines = before.lines().zip(after.lines()).find(|(before, after)| before != after);
        panic!("{}: {lines:?}", case.place);
    }
}

fn compare_names(case: &Case, text: &str) {
    let path = format!("{}:", case.after.display());
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(&path)).collect();
    for (old, new) in &case.names {
        assert!(lines.iter().any(|line| line.ends_with(&format!(" {new}"))), "{}", case.place);
        assert!(!lines.iter().any(|line| line.ends_with(&format!(" {old}"))), "{}", case.place);
    }
}
