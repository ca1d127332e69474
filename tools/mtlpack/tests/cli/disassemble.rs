//! `mtlpack disassemble`. A script stands for LLVM's tool; the real one takes part in the
//! tests over real libraries.

use insta_cmd::assert_cmd_snapshot;

use crate::fixture::Folder;

/// A folder with libraries and an executable script.
#[cfg(unix)]
fn with_tool(name: &str, script: &str) -> Folder {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with_libraries();
    folder.write(name, format!("#!/bin/sh\n{script}\n").as_bytes());
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(name), mode).unwrap();
    folder
}

#[cfg(unix)]
#[test]
fn shows_what_the_tool_prints() {
    let folder = with_tool("dis", "echo \"arguments: $*\"\ntail -c 12 | tr '\\0\\300\\336' '...'");
    let arguments = ["disassemble", "draw.metallib", "draw_vertex", "--llvm-dis", "./dis"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let to_file = [&arguments[..], &["-o", "vertex.ll"]].concat();
    let output = folder.mtlpack(&to_file).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    assert_eq!(folder.read("vertex.ll"), folder.mtlpack(&arguments).output().unwrap().stdout);
}

#[cfg(unix)]
#[test]
fn passes_on_what_the_tool_says() {
    let folder = with_tool("dis", "echo 'half a text'\necho 'dis: error: no bitcode' >&2\nexit 3");
    let arguments = ["disassemble", "draw.metallib", "draw_vertex", "--llvm-dis", "./dis"];
    assert_cmd_snapshot!(folder.mtlpack(&[&arguments[..], &["-o", "x.ll"]].concat()));
    assert!(!folder.path("x.ll").exists());
    let folder = with_tool("dis", "echo text\necho 'dis: warning: old bitcode' >&2");
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[cfg(unix)]
#[test]
fn finds_the_tool() {
    let folder = with_tool("llvm-dis-15", "echo fifteen");
    let arguments = ["disassemble", "draw.metallib", "draw_vertex"];
    let run = |folder: &Folder| {
        let mut command = folder.mtlpack(&arguments);
        let output = command.env("PATH", folder.root()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(run(&folder), "fifteen\n");
    std::fs::copy(folder.path("llvm-dis-15"), folder.path("llvm-dis")).unwrap();
    std::fs::write(folder.path("llvm-dis"), b"#!/bin/sh\necho plain\n").unwrap();
    assert_eq!(run(&folder), "plain\n");
}

#[cfg(unix)]
#[test]
fn passes_over_a_tool_that_is_too_old() {
    let old =
        "case $1 in --version) echo '  LLVM version 11.1.0';; *) echo 'bad' >&2; exit 1;; esac";
    let folder = with_tool("llvm-dis", old);
    let arguments = ["disassemble", "draw.metallib", "draw_vertex"];
    let run = |folder: &Folder| {
        let output = folder.mtlpack(&arguments).env("PATH", folder.root()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let why = "llvm-dis (LLVM 11.1.0; modules need LLVM 14 to 22): bad";
    assert_eq!(run(&folder), (Some(1), String::new(), format!("error: {why}\n")));
    std::fs::copy(folder.path("llvm-dis"), folder.path("llvm-dis-15")).unwrap();
    std::fs::write(folder.path("llvm-dis-15"), b"#!/bin/sh\necho fifteen\n").unwrap();
    let note = format!("note: {why}; `llvm-dis-15` was taken instead\n");
    assert_eq!(run(&folder), (Some(0), "fifteen\n".to_owned(), note));
}

#[cfg(unix)]
#[test]
fn no_text_is_a_no() {
    let folder = with_tool("dis", "exit 0");
    let arguments = ["disassemble", "draw.metallib", "draw_vertex", "--llvm-dis", "./dis"];
    let output = folder.mtlpack(&arguments).output().unwrap();
    let what = "error: ./dis: it printed nothing, expected the text of the module\n";
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(1), what));
}

#[test]
fn says_how_to_get_the_tool() {
    let folder = Folder::with_libraries();
    let arguments = ["disassemble", "draw.metallib", "draw_vertex"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments).env("PATH", "none"));
    let elsewhere = [&arguments[..], &["--llvm-dis", "no/such"]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&elsewhere));
}

#[test]
fn a_name_that_is_not_there_is_a_no() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["disassemble", "draw.metallib", "nobody"]));
}

#[test]
fn refuses_to_replace_the_library() {
    let folder = Folder::with_libraries();
    let arguments = ["disassemble", "draw.metallib", "draw_vertex", "-o", "draw.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}
