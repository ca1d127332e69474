//! `mtlpack list`.

use insta_cmd::assert_cmd_snapshot;

use crate::fixture::{self, Folder};

#[test]
fn lists_functions() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["list", "draw.metallib"]));
}

#[test]
fn lists_names() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["list", "--format", "names", "compute.metallib"]));
}

#[test]
fn lists_json() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["list", "--format", "json", "compute.metallib"]));
}

#[test]
fn an_empty_library_has_an_empty_list() {
    let folder = Folder::new();
    let empty = fixture::bytes(fixture::linker(metallib::Platform::MACOS, 14));
    folder.write("empty.metallib", &empty);
    assert_cmd_snapshot!(folder.mtlpack(&["list", "--format", "json", "empty.metallib"]));
}

#[test]
fn names_cannot_drive_the_terminal() {
    let folder = Folder::new();
    let names = ["plain", "esc\u{1b}[31mape", "ünï"];
    folder.write("a.metallib", &fixture::kernels(&names, metallib::Platform::MACOS, 14));
    assert_cmd_snapshot!(folder.mtlpack(&["list", "a.metallib"]));
}

#[test]
fn printed_names_are_lists_and_the_index_of_a_split() {
    let folder = Folder::new();
    let names = ["plain", "tab\there", "line\nbreak", r"back\slash", "\u{feff}mark", "ünï\u{85}"];
    let bytes = fixture::kernels(&names, metallib::Platform::MACOS, 14);
    // The builder takes names as text; a file can hold any bytes.
    let mut raw = bytes.clone();
    while let Some(at) = raw.windows(5).position(|five| five == b"plain") {
        raw[at + 1] = 0xff;
    }
    folder.write("a.metallib", &raw);
    assert_cmd_snapshot!(folder.mtlpack(&["list", "--format", "names", "a.metallib"]));
    let output = folder.mtlpack(&["list", "--format", "names", "a.metallib"]).output().unwrap();
    folder.write("names", &output.stdout);
    for (option, result) in [("--keep-list", Some(0)), ("--drop-list", Some(1))] {
        let arguments = ["filter", "a.metallib", option, "names", "-o", "x.metallib"];
        assert_eq!(folder.mtlpack(&arguments).output().unwrap().status.code(), result, "{option}");
    }
    assert_eq!(folder.read("x.metallib"), raw);
    assert!(folder.mtlpack(&["split", "a.metallib", "-o", "p"]).output().unwrap().status.success());
    let index = String::from_utf8(folder.read("p/index.tsv")).unwrap();
    let in_index: Vec<&str> = index.lines().map(|l| l.split_once('\t').unwrap().1).collect();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(in_index, printed.lines().collect::<Vec<_>>());
}

#[test]
fn shows_a_function_without_a_name() {
    let folder = Folder::new();
    let bytes = fixture::kernels(&["", "named"], metallib::Platform::MACOS, 14);
    folder.write("a.metallib", &bytes);
    assert_cmd_snapshot!(folder.mtlpack(&["list", "a.metallib"]));
}

#[test]
fn takes_one_file() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["list", "compute.metallib", "draw.metallib"]));
}

#[test]
fn a_name_with_a_line_break_is_one_line() {
    let folder = Folder::new();
    let names = ["first\nkernel forged"];
    folder.write("a.metallib", &fixture::kernels(&names, metallib::Platform::MACOS, 14));
    let output = folder.mtlpack(&["list", "a.metallib"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.ends_with("first\\nkernel forged\n"), "{text}");
}

/// What `list --format names` prints chooses the function, wherever a name is taken.
#[test]
fn names_are_taken_as_they_are_printed() {
    let folder = Folder::new();
    let names = ["\"quoted\" \u{1}", r"plain\n", "other"];
    folder.write("odd.metallib", &fixture::kernels(&names, metallib::Platform::MACOS, 14));
    let run = |arguments: &[&str]| {
        let output = folder.mtlpack(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (_, printed) = run(&["list", "odd.metallib", "--format", "names"]);
    let printed: Vec<&str> = printed.lines().collect();
    assert_eq!(printed, ["\"quoted\" \\x01", r"plain\\n", "other"]);
    for name in [printed[0], names[0], printed[1], names[1]] {
        let (code, inspected) = run(&["inspect", "odd.metallib", "--function", name]);
        assert_eq!((code, inspected.contains("function 2")), (Some(0), false), "{name}");
        let (code, planned) = run(&["extract", "odd.metallib", "--dry-run", "--function", name]);
        assert_eq!((code, planned.lines().count()), (Some(0), 1), "{name}");
        let kept = ["filter", "odd.metallib", "--keep", name, "-o", "kept.metallib"];
        assert_eq!(run(&kept).0, Some(0), "{name}");
        let (_, listed) = run(&["list", "kept.metallib", "--format", "names"]);
        let expected = if name.contains("quoted") { printed[0] } else { printed[1] };
        assert_eq!(listed.trim_end(), expected);
    }
}

/// A module is not read where a library is expected, but something can be done with it.
#[test]
fn says_who_reads_modules() {
    let folder = Folder::new();
    folder.write("a.air", &fixture::example_module("vector_add.metallib"));
    let hint = "note: `pack` links modules into a library; of the other commands only `symbols`, \
                `paths`, `strip` and `normalize` take one by itself, and LLVM's `llvm-dis` shows \
                its text";
    for reader in [
        &["symbols", "a.air"][..],
        &["paths", "a.air"],
        &["pack", "a.air", "--dry-run"],
        &["strip", "a.air", "--all", "--dry-run"],
        &["normalize", "a.air", "--dry-run"],
    ] {
        assert!(folder.mtlpack(reader).output().unwrap().status.success(), "{reader:?}");
    }
    for arguments in [
        &["list", "a.air"][..],
        &["info", "a.air"],
        &["verify", "a.air"],
        &["merge", "a.air", "-o", "x.metallib"],
        &["disassemble", "a.air", "f"],
    ] {
        let output = folder.mtlpack(arguments).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(hint) && !output.status.success(), "{arguments:?}: {text}");
    }
}
