//! LLVM reads modules whose paths were rewritten: the same text but for strings.

use std::path::Path;
use std::process::Command;

use air_bitcode::Module;
use mtlpack_tests::{llvm, modules};

const HOLDING: &[u8] = b"/\\";

/// The text of a module, without the lines that name its file; nothing if LLVM cannot read it.
fn text(tool: &str, file: &Path, bytes: &[u8]) -> Option<String> {
    std::fs::write(file, bytes).unwrap();
    let output = Command::new(tool).arg(file).args(["-o", "-"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let kept = text.lines().filter(|line| !line.starts_with("; ModuleID"));
    output.status.success().then(|| kept.map(|line| line.to_owned() + "\n").collect())
}

/// Each text gets a mark at its end, by which it is found in LLVM's.
#[test]
fn llvm_reads_other_paths() {
    let Some(tool) = llvm::find("llvm-dis", "other paths") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("module.air");
    let (mut same, mut unread, mut texts, mut dropped) = (0usize, 0usize, 0usize, 0usize);
    modules("LLVM and other paths", |name, bytes| {
        let module = Module::parse(bytes).unwrap();
        let rewritten = module
            .rewrite_texts(HOLDING, |text| Some([&*text.bytes, b"+marked"].concat()))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        if rewritten.texts() == 0 {
            return;
        }
        texts += rewritten.texts();
        let made = rewritten.to_bytes().unwrap();
        let old = text(&tool, &file, bytes);
        match (&old, text(&tool, &file, &made)) {
            (None, _) => unread += 1,
            (Some(old), Some(new)) => {
                same += 1;
                // LLVM drops debug information of another version, and the paths in it.
                let is_dropped = !new.contains("+marked");
                assert!(!is_dropped || !old.contains("/Users"), "{name}");
                dropped += usize::from(is_dropped);
                assert_eq!(new.replace("+marked", ""), *old, "{name}");
            }
            (Some(_), None) => panic!("{name}: LLVM does not read it any more"),
        }
        // And without folders, where texts become equal that were not.
        let module = Module::parse(bytes).unwrap();
        let bare = module.rewrite_texts(HOLDING, |text| {
            let last = text.bytes.rsplit(|&byte| byte == b'/').next();
            Some(last.filter(|last| !last.is_empty()).unwrap_or(b".").to_vec())
        });
        let bare = bare.and_then(|bare| bare.to_bytes()).unwrap();
        let is_read = text(&tool, &file, &bare).is_some();
        assert_eq!(is_read, old.is_some(), "{name}: without folders");
    });
    println!(
        "{texts} texts of {} modules: {same} are the same to LLVM ({dropped} without the paths, \
         which it drops), {unread} it cannot read",
        same + unread
    );
    assert!(unread <= 2, "{unread} modules unread");
}
