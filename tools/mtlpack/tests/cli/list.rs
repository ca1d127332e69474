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
fn takes_one_file() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["list", "compute.metallib", "draw.metallib"]));
}
