//! LLVM reads what a strip wrote, its verifier accepts it, and its own strip gives the same text.
//!
//! `opt` does not know AIR's triple, so that line is taken out of the text first. What LLVM's
//! strip leaves is taken out of the text too: the module flags, and by another of its passes
//! the declarations that nobody calls.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use air_bitcode::{Module, Strip};
use mtlpack_tests::id_laws::modules;
use mtlpack_tests::llvm::{self, plain, read, run};

const DEBUG: Strip<'static> = Strip { debug_info: true, lists: &[] };

struct Case {
    name: String,
    before: PathBuf,
    after: PathBuf,
}

struct Tools {
    dis: String,
    assemble: String,
    opt: String,
}

/// What all cases give.
#[derive(Debug, Default)]
struct Sums {
    compared: usize,
    unread: usize,
    /// Modules whose debug information LLVM does not accept: it is gone when they are read.
    invalid: usize,
    /// Bytes before and after, ours and LLVM's, of the modules whose debug information it reads.
    ours: [u64; 2],
    llvm: [u64; 2],
}

fn size(file: &Path) -> u64 {
    std::fs::metadata(file).unwrap().len()
}

/// A text whose list of module flags is without those of debug information.
fn without_flags(text: &str) -> String {
    let flags: Vec<&str> = text
        .lines()
        .filter(|line| {
            ["Debug Info Version", "Dwarf Version"].iter().any(|flag| line.contains(flag))
        })
        .filter_map(|line| line.split_once(" = !{i32 "))
        .map(|(node, _)| node)
        .collect();
    let mut plain = String::new();
    for line in text.lines() {
        if let Some(list) = line.strip_prefix("!llvm.module.flags = !{") {
            let nodes = list.trim_end_matches('}').split(", ");
            let left: Vec<&str> = nodes.filter(|node| !flags.contains(node)).collect();
            if !left.is_empty() {
                plain += &format!("!llvm.module.flags = !{{{}}}\n", left.join(", "));
            }
        } else {
            plain += &format!("{line}\n");
        }
    }
    plain
}

impl Tools {
    fn find() -> Option<Self> {
        let test = "strip against LLVM";
        let [dis, assemble, opt] =
            ["llvm-dis", "llvm-as", "opt"].map(|tool| llvm::find(tool, test));
        Some(Self { dis: dis?, assemble: assemble?, opt: opt? })
    }

    /// The text that `opt` gives of another text.
    fn optimized(&self, text: &str, file: &Path, arguments: &[&str]) -> Result<String, String> {
        std::fs::write(file, text).unwrap();
        let passes = [&["-S", "-passes=strip-dead-prototypes"], arguments].concat();
        run(&self.opt, &passes, file, "opt.ll").map(|file| plain(&read(&file)))
    }

    fn compare(&self, case: &Case, sums: &Mutex<Sums>) {
        let fail = |error: String| -> ! { panic!("{}: {error}", case.name) };
        let text = match run(&self.dis, &[], &case.before, "ll") {
            Ok(text) => text,
            Err(error) => {
                println!("{}: not read before: {error}", case.name);
                sums.lock().unwrap().unread += 1;
                return;
            }
        };
        let after = run(&self.dis, &[], &case.after, "ll").unwrap_or_else(|error| fail(error));
        // The assembler verifies.
        let whole = run(&self.assemble, &[], &text, "bc.whole").unwrap_or_else(|error| fail(error));
        run(&self.assemble, &[], &after, "bc.again").unwrap_or_else(|error| fail(error));
        let (before, after) = (plain(&read(&text)), plain(&read(&after)));
        let file = |which: &str| case.before.with_extension(which);
        let stripped = self
            .optimized(&without_flags(&before), &file("llvm"), &["-strip-debug"])
            .unwrap_or_else(|error| fail(error));
        let ours = self.optimized(&after, &file("ours"), &[]).unwrap_or_else(|error| fail(error));
        if ours != stripped {
            let lines = ours.lines().zip(stripped.lines()).find(|(ours, llvm)| ours != llvm);
            fail(format!("not what LLVM's strip gives: {lines:?}"));
        }
        let to = file("least.ll");
        std::fs::write(&to, &stripped).unwrap();
        let least = run(&self.assemble, &[], &to, "bc").unwrap_or_else(|error| fail(error));
        let sums = &mut *sums.lock().unwrap();
        sums.compared += 1;
        let units = Module::parse(&std::fs::read(&case.before).unwrap())
            .unwrap()
            .metadata()
            .unwrap()
            .named("llvm.dbg.cu")
            .is_some();
        if units && !before.contains("!llvm.dbg.cu") {
            sums.invalid += 1;
            return;
        }
        for (sums, sizes) in [
            (&mut sums.ours, [size(&case.before), size(&case.after)]),
            (&mut sums.llvm, [size(&whole), size(&least)]),
        ] {
            sums.iter_mut().zip(sizes).for_each(|(sum, size)| *sum += size);
        }
    }
}

#[test]
fn llvms_strip_gives_the_same() {
    let Some(tools) = Tools::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut cases = Vec::new();
    modules("strip against LLVM", |name, bytes| {
        let stripped = Module::parse(bytes).unwrap().strip(&DEBUG).unwrap();
        if !stripped.is_changed() {
            return;
        }
        let file = |which| folder.path().join(format!("{}-{which}.bc", cases.len()));
        let (before, after) = (file("before"), file("after"));
        std::fs::write(&before, bytes).unwrap();
        std::fs::write(&after, stripped.to_bytes().unwrap()).unwrap();
        cases.push(Case { name: name.to_owned(), before, after });
    });
    let sums = Mutex::new(Sums::default());
    std::thread::scope(|scope| {
        for half in cases.chunks(cases.len().div_ceil(2).max(1)) {
            scope.spawn(|| half.iter().for_each(|case| tools.compare(case, &sums)));
        }
    });
    let sums = sums.into_inner().unwrap();
    println!("{sums:?}");
    // The package's own module is always among them.
    assert!(!cases.is_empty(), "nothing was stripped");
    assert!(sums.unread <= 2 && sums.compared + sums.unread == cases.len());
    let share = |[before, after]: [u64; 2]| (before - after) as f64 / before as f64;
    println!("saved: {:.2} %, by LLVM {:.2} %", 100.0 * share(sums.ours), 100.0 * share(sums.llvm));
    assert!(share(sums.ours) >= share(sums.llvm));
}

/// The committed modules are what their texts give.
#[test]
fn the_modules_are_those_of_their_texts() {
    let Some(assemble) = llvm::find("llvm-as", "the texts of modules") else { return };
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    // Others number their instructions and name themselves in other ways.
    let version = Command::new(&assemble).arg("--version").output().unwrap();
    let is_14 = String::from_utf8_lossy(&version.stdout).contains("LLVM version 14.");
    for name in ["debug", "vertex", "patch", "image"] {
        let copy = folder.path().join(format!("{name}.ll"));
        std::fs::copy(data.join(format!("{name}.ll")), &copy).unwrap();
        let made = run(&assemble, &[], &copy, "bc").unwrap_or_else(|error| panic!("{error}"));
        let committed = std::fs::read(data.join(format!("{name}.bc"))).unwrap();
        if is_14 {
            let made = std::fs::read(made).unwrap();
            assert!(made == committed, "run llvm-as on tests/data/{name}.ll");
        }
    }
}
