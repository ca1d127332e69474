//! `mtlpack symbols`.

use insta_cmd::assert_cmd_snapshot;
use metallib::Platform;

use crate::fixture::{self, Folder};

#[test]
fn shows_the_symbols_of_each_module() {
    let folder = Folder::with_examples();
    assert_cmd_snapshot!(folder.mtlpack(&["symbols", "quad.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["nm", "scale.metallib", "vector_add.metallib"]));
}

#[test]
fn shows_a_shared_module_once() {
    let folder = Folder::new();
    folder.write("shared.metallib", &fixture::shared());
    assert_cmd_snapshot!(folder.mtlpack(&["symbols", "shared.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["symbols", "--united", "shared.metallib"]));
}

#[test]
fn shows_what_is_asked_for() {
    let folder = Folder::with_examples();
    assert_cmd_snapshot!(folder.mtlpack(&["symbols", "--undefined-only", "scale.metallib"]));
    let arguments = ["symbols", "--defined-only", "--format", "names", "scale.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let arguments = ["symbols", "--defined-only", "--undefined-only", "scale.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

/// Of modules that import nothing there is nothing to show, not even a heading.
#[test]
fn modules_without_what_is_asked_for_are_passed_over() {
    let folder = Folder::with_libraries();
    let run = |option| {
        let output = folder.mtlpack(&["symbols", option, "draw.metallib"]).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(run("--undefined-only"), "");
    assert!(run("--defined-only").starts_with("draw_vertex\n  "));
}

#[test]
fn prints_json() {
    let folder = Folder::with_examples();
    let arguments = ["symbols", "--format", "json", "scale.metallib", "quad.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_cmd_snapshot!(folder.mtlpack(&[&arguments[..], &["--united"]].concat()));
}

#[test]
fn takes_a_module_alone() {
    let folder = Folder::new();
    let module = fixture::example_module("scale.metallib");
    folder.write("scale.air", &module);
    let size = metallib::Wrapper::parse(&module).unwrap().size as usize;
    folder.write("scale.bc", &module[20..20 + size]);
    assert_cmd_snapshot!(folder.mtlpack(&["symbols", "scale.air", "--undefined-only"]));
    let json = |file| {
        let output = folder.mtlpack(&["symbols", "--format", "json", file]).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(json("scale.air"), json("scale.bc").replace("scale.bc", "scale.air"));
}

#[test]
fn a_damaged_module_hides_no_other() {
    let folder = Folder::new();
    let mut builder = fixture::linker(Platform::MACOS, 14);
    let good = fixture::example_module("vector_add.metallib");
    let bad = metallib::wrap(b"BC\xc0\xdebad!").unwrap();
    for (name, module) in [("bad", bad), ("good", good), ("text", b"text".to_vec())] {
        let kind = metallib::FunctionType::KERNEL;
        let versions = metallib::Versions::default();
        builder.add(metallib::FunctionSpec::new(name, kind, versions, module)).unwrap();
    }
    folder.write("damaged.metallib", &fixture::bytes(builder));
    assert_cmd_snapshot!(folder.mtlpack(&["symbols", "damaged.metallib"]));
    let arguments = ["symbols", "--united", "--format", "json", "damaged.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    folder.write("bad.air", b"BC\xc0\xdebad!");
    assert_cmd_snapshot!(folder.mtlpack(&["symbols", "bad.air"]));
}
