//! LLVM reads a module whose ids are in another order as the same text.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use air_bitcode::{Module, Renumbering, WriteOptions};
use mtlpack_tests::id_laws::modules;
use mtlpack_tests::llvm;

/// Of how many modules without debug information one is taken.
const STEP: usize = 24;

/// The files of a module: before and after.
struct Case {
    name: String,
    files: [PathBuf; 2],
}

fn case(folder: &Path, index: usize, name: &str, bytes: &[u8]) -> Case {
    let mut module = Module::parse(bytes).unwrap();
    module.renumber(Renumbering::Reversed).unwrap();
    let options = WriteOptions { positions: true, records: false };
    let reversed = module.to_bytes(options).unwrap();
    let file = |which: &str, bytes: &[u8]| {
        // LLVM's text names the file.
        let path = folder.join(which).join(format!("{index}.bc"));
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let files = [file("before", bytes), file("after", &reversed)];
    Case { name: name.to_owned(), files }
}

fn text(dis: &str, file: &Path) -> Result<String, String> {
    let output = Command::new(dis)
        .current_dir(file.parent().unwrap())
        .arg(file.file_name().unwrap())
        .args(["-o", "-"])
        .output()
        .unwrap();
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Compares the texts; says whether LLVM can read the module at all.
fn compare(dis: &str, case: &Case) -> bool {
    let [before, after] = &case.files;
    let before = match text(dis, before) {
        Ok(text) => text,
        Err(error) => {
            println!("{}: not read before: {error}", case.name);
            return false;
        }
    };
    let after = text(dis, after).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    if before != after {
        let lines = before.lines().zip(after.lines()).find(|(before, after)| before != after);
        panic!("{}: {lines:?}", case.name);
    }
    true
}

#[test]
fn llvm_reads_the_same_text() {
    let Some(dis) = llvm::find("llvm-dis", "ids in another order") else { return };
    let folder = tempfile::tempdir().unwrap();
    ["before", "after"].iter().for_each(|f| std::fs::create_dir(folder.path().join(f)).unwrap());
    let (mut index, mut cases) = (0, Vec::new());
    modules("ids in another order", |name, bytes| {
        index += 1;
        if index % STEP == 0 || Module::parse(bytes).unwrap().has_debug_info().unwrap() {
            cases.push(case(folder.path(), index, name, bytes));
        }
    });
    let (compared, unread) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for half in cases.chunks(cases.len().div_ceil(2).max(1)) {
            let (dis, compared, unread) = (&dis, &compared, &unread);
            scope.spawn(move || {
                for case in half {
                    let count = if compare(dis, case) { compared } else { unread };
                    count.fetch_add(1, Relaxed);
                }
            });
        }
    });
    let (compared, unread) = (compared.into_inner(), unread.into_inner());
    println!("{compared} modules have the same text, {unread} LLVM cannot read");
    assert!(unread <= 10 && (cases.is_empty() || compared > cases.len() * 9 / 10));
}
