//! `mtlpack inspect`.

use insta_cmd::assert_cmd_snapshot;

use crate::fixture::{self, Folder};

#[test]
fn shows_every_field() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["inspect", "draw.metallib"]));
}

#[test]
fn shows_sources() {
    let folder = Folder::new();
    folder.write("debug.metallib", &fixture::with_sources());
    assert_cmd_snapshot!(folder.mtlpack(&["inspect", "debug.metallib"]));
}

#[test]
fn shows_the_dynamic_header() {
    let folder = Folder::new();
    folder.write("help.metallib", &fixture::dynamic());
    assert_cmd_snapshot!(folder.mtlpack(&["inspect", "help.metallib"]));
}

#[test]
fn shows_bytes_that_nothing_refers_to() {
    let folder = Folder::new();
    folder.write("odd.metallib", &fixture::irregular());
    let output = folder.mtlpack(&["inspect", "odd.metallib"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let end = fixture::compute().len();
    let line = format!("{end:#010x}          1    unused = 00");
    assert_eq!(text.lines().last(), Some(line.as_str()));
}

#[test]
fn shows_one_function() {
    let folder = Folder::new();
    folder.write("debug.metallib", &fixture::with_sources());
    assert_cmd_snapshot!(folder.mtlpack(&["inspect", "--function", "debugged", "debug.metallib"]));
}

#[test]
fn shows_what_a_module_says() {
    let folder = Folder::with_examples();
    let arguments = ["inspect", "--function", "vector_add", "vector_add.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn prints_json() {
    let folder = Folder::with_libraries();
    let arguments = ["inspect", "--format", "json", "--function", "draw_fragment", "draw.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn json_is_the_tree_of_the_library() {
    let folder = Folder::new();
    let bytes = fixture::with_sources();
    folder.write("debug.metallib", &bytes);
    let output = folder.mtlpack(&["inspect", "--format", "json", "debug.metallib"]).output();
    let printed: serde_json::Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    let library = metallib::Library::parse(&bytes).unwrap();
    let tree = mtlpack::inspect::inspect(&library, mtlpack::inspect::Scope::All).unwrap();
    assert_eq!(printed, serde_json::to_value(tree).unwrap());
}

#[test]
fn a_name_that_is_not_there_is_a_no() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["inspect", "--function", "nobody", "draw.metallib"]));
}
