//! `mtlpack strip`.

use insta_cmd::assert_cmd_snapshot;
use metallib::Library;

use crate::fixture::{self, Folder};

fn with_build() -> Folder {
    let folder = Folder::new();
    folder.write("build.metallib", &fixture::with_paths("/Users/ada/noise", 1));
    folder
}

#[test]
fn strips_all() {
    let folder = with_build();
    assert_cmd_snapshot!(folder.mtlpack(&["strip", "build.metallib", "--all", "-o", "a.metallib"]));
    assert!(folder.mtlpack(&["paths", "a.metallib"]).status().unwrap().success());
    let bytes = folder.read("a.metallib");
    assert!(Library::parse(&bytes).unwrap().sources().is_none());
    // Nothing more is to be done.
    assert_cmd_snapshot!(folder.mtlpack(&["strip", "a.metallib", "--all", "--in-place"]));
    assert_eq!(folder.read("a.metallib"), bytes);
}

#[test]
fn maps_paths_and_keeps_the_sources() {
    let folder = with_build();
    let arguments = ["strip", "build.metallib", "--paths", "--map", "/Users/ada/noise=/src"];
    let output = ["--map", "/Users=/wrong", "-o", "a.metallib", "--uuid", "keep"];
    assert_cmd_snapshot!(folder.mtlpack(&[&arguments[..], &output].concat()));
    assert_cmd_snapshot!(folder.mtlpack(&["paths", "--every", "a.metallib"]));
    let bytes = folder.read("a.metallib");
    assert_eq!(Library::parse(&bytes).unwrap().uuid(), Some([1; 16]));
}

#[test]
fn removes_what_nobody_uses() {
    let folder = with_build();
    let arguments = ["strip", "build.metallib", "--unused", "-o", "a.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let bytes = folder.read("a.metallib");
    assert_eq!(Library::parse(&bytes).unwrap().sources().unwrap().archives.len(), 1);
}

#[test]
fn source_alone_is_strip_source() {
    let folder = with_build();
    let strip = ["strip", "build.metallib", "--source", "-o", "a.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&strip));
    let strip = ["strip-source", "build.metallib", "-o", "b.metallib"];
    assert!(folder.mtlpack(&strip).status().unwrap().success());
    assert_eq!(folder.read("a.metallib"), folder.read("b.metallib"));
}

#[test]
fn says_what_could_be_named() {
    let folder = with_build();
    assert_cmd_snapshot!(folder.mtlpack(&["strip", "build.metallib", "-o", "a.metallib"]));
    let map = ["strip", "build.metallib", "--source", "--map", "/a=b", "-o", "a.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&map));
    let map = ["strip", "build.metallib", "--paths", "--map", "/a", "-o", "a.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&map));
    assert_eq!(folder.names(), ["build.metallib"]);
}

#[test]
fn refuses_what_cannot_be_done_rightly() {
    let folder = Folder::new();
    folder.write("debug.metallib", &fixture::with_sources());
    let arguments = ["strip", "debug.metallib", "--paths", "-o", "a.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.names(), ["debug.metallib"]);
}

#[test]
fn takes_a_module_by_itself() {
    let folder = Folder::new();
    folder.write("x.air", include_bytes!("../../../../tests/data/debug.bc"));
    assert_cmd_snapshot!(folder.mtlpack(&["strip", "x.air", "--all", "--dry-run"]));
    let arguments = ["strip", "x.air", "--all", "-o", "y.air", "--depfile", "y.d"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.read("y.d"), b"y.air: \\\n  x.air\n");
    assert!(folder.mtlpack(&["paths", "y.air"]).status().unwrap().success());
    // Nothing more is to be done.
    let json = ["strip", "y.air", "--all", "--in-place", "--format", "json"];
    assert_cmd_snapshot!(folder.mtlpack(&json));
    for option in ["--source", "--reflection", "--unused"] {
        let refused = folder.mtlpack(&["strip", "x.air", option, "-o", "z.air"]).output().unwrap();
        assert_eq!(refused.status.code(), Some(2));
        assert!(String::from_utf8(refused.stderr).unwrap().contains(option));
    }
    assert_cmd_snapshot!(folder.mtlpack(&["strip", "x.air", "--all", "--uuid", "keep", "-o", "z"]));
    assert_eq!(folder.names(), ["x.air", "y.air", "y.d"]);
}

#[test]
fn a_companion_keeps_its_sources() {
    let folder = with_build();
    let outputs = ["-o", "a.metallib", "--companion", "a.metallibsym"];
    let strip = [&["strip-source", "build.metallib"][..], &outputs].concat();
    assert!(folder.mtlpack(&strip).status().unwrap().success());
    assert_cmd_snapshot!(folder.mtlpack(&["strip", "a.metallibsym", "--all", "--in-place"]));
    for part in ["a.metallib", "a.metallibsym"] {
        let named = ["--paths", "--debug-info", "--uuid", "keep", "--in-place"];
        let arguments = [&["strip", part][..], &named].concat();
        assert!(folder.mtlpack(&arguments).status().unwrap().success());
        assert!(folder.mtlpack(&["paths", part]).status().unwrap().success());
    }
    let join = ["join", "a.metallib", "a.metallibsym", "--check"];
    assert!(folder.mtlpack(&join).status().unwrap().success());
}
