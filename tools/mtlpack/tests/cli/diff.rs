//! `mtlpack diff`. A script stands for LLVM's tool.

use insta_cmd::assert_cmd_snapshot;
use metallib::Platform;

use crate::fixture::{self, Folder};

/// An old and a new library: one function is gone, one is new, one differs.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("old.metallib", &fixture::compute());
    let names = ["vector_add", "vector_mul"];
    let new = fixture::changed(&fixture::kernels(&names, Platform::MACOS, 15));
    folder.write("new.metallib", &new);
    folder
}

fn diff(folder: &Folder, options: &[&str]) -> std::process::Command {
    folder.mtlpack(&[&["diff", "old.metallib", "new.metallib"], options].concat())
}

#[test]
fn what_differs_is_shown() {
    let folder = folder();
    assert_cmd_snapshot!(diff(&folder, &[]));
    assert_cmd_snapshot!(diff(&folder, &["--format", "markdown"]));
    assert_cmd_snapshot!(diff(&folder, &["--format", "json"]));
}

#[test]
fn the_same_library_is_a_yes() {
    let folder = folder();
    assert_cmd_snapshot!(folder.mtlpack(&["diff", "old.metallib", "old.metallib"]));
    let markdown = ["diff", "old.metallib", "old.metallib", "--format", "markdown"];
    assert_cmd_snapshot!(folder.mtlpack(&markdown));
}

#[test]
fn builds_in_other_folders_are_the_same_without_paths() {
    let folder = Folder::new();
    folder.write("old.metallib", &fixture::with_paths("/Users/ada/noise", 1));
    folder.write("new.metallib", &fixture::with_paths("/home/build/noise", 2));
    assert_cmd_snapshot!(diff(&folder, &["--ignore", "uuid,sources"]));
    assert_cmd_snapshot!(diff(&folder, &["--ignore", "uuid,paths"]));
}

#[test]
fn only_growth_may_fail() {
    let folder = folder();
    for (most, code) in [("0", 1), ("5%", 1), ("1000", 0)] {
        let output = diff(&folder, &["--fail-if-growth", most]).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{most}");
    }
    // The other way round it shrinks.
    let files = ["diff", "new.metallib", "old.metallib", "--fail-if-growth", "0"];
    assert_eq!(folder.mtlpack(&files).output().unwrap().status.code(), Some(0));
    assert_cmd_snapshot!(diff(&folder, &["--fail-if-growth=-5"]));
}

#[test]
fn long_lists_are_summed_up() {
    let folder = Folder::new();
    let name = |stem: &str, n: usize| format!("{stem}_{n}");
    let old: Vec<String> = (0..12).map(|n| name("steel_gemm", n)).collect();
    let new: Vec<String> =
        old.iter().skip(4).cloned().chain((0..14).map(|n| name("steel_conv", n))).collect();
    let write = |file: &str, names: &[String], os| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        folder.write(file, &fixture::kernels(&names, Platform::MACOS, os));
    };
    write("old.metallib", &old, 14);
    write("new.metallib", &new, 15);
    assert_cmd_snapshot!(diff(&folder, &[]));
    assert_cmd_snapshot!(diff(&folder, &["--format", "markdown"]));
    let all = String::from_utf8(diff(&folder, &["--all"]).output().unwrap().stdout).unwrap();
    assert!(old.iter().chain(&new).all(|name| all.contains(name)), "{all}");
    assert!(!all.contains("more"), "{all}");
}

#[test]
fn names_do_not_drive_terminals() {
    let folder = folder();
    let name = "esc\u{1b}[1m\nape";
    folder.write("new.metallib", &fixture::kernels(&[name], Platform::MACOS, 14));
    for format in ["human", "markdown", "json"] {
        let output = diff(&folder, &["--format", format]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains('\u{1b}') && text.contains("ape"), "{text}");
        assert!(!text.contains("\nape"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn the_text_of_llvm_is_compared() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let tool = |script: &str| {
        folder.write("dis", format!("#!/bin/sh\n{script}\n").as_bytes());
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path("dis"), mode).unwrap();
    };
    let ir = ["--ir", "--llvm-dis", "./dis"];
    tool("echo 'target = 1'\nwc -c | tr -d ' '\necho end");
    assert_cmd_snapshot!(diff(&folder, &ir));
    assert_cmd_snapshot!(diff(&folder, &[&ir[..], &["--format", "markdown"]].concat()));
    tool("echo 'dis: no bitcode' >&2\nexit 1");
    assert_cmd_snapshot!(diff(&folder, &ir));
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let folder = folder();
    folder.write("none.metallib", b"no library");
    assert_cmd_snapshot!(folder.mtlpack(&["diff", "old.metallib", "none.metallib"]));
    assert_cmd_snapshot!(diff(&folder, &["--ignore", "names"]));
    assert_cmd_snapshot!(diff(&folder, &["--llvm-dis", "./dis"]));
}
