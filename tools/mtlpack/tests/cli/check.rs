//! `mtlpack check`.

use insta_cmd::assert_cmd_snapshot;
use metallib::{FunctionSpec, FunctionType, Module, Platform};

use crate::fixture::{self, Folder};

/// A library for macOS 14 with one module that was built for macOS 15.
fn mixed() -> Vec<u8> {
    let bytes = fixture::compute();
    let mut builder = metallib::Library::parse(&bytes).unwrap().edit(false).unwrap();
    let new = fixture::other_target(builder.modules[1].bytes());
    builder.modules[1] = Module::new(new);
    fixture::bytes(builder)
}

#[test]
fn the_floor_is_printed() {
    let folder = Folder::with_libraries();
    folder.write("old.metallib", &fixture::old());
    let files = ["check", "compute.metallib", "draw.metallib", "old.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&files));
}

#[test]
fn limits_that_are_held() {
    let folder = Folder::with_libraries();
    let limits = ["--min-os", "macOS14.2", "--max-air", "2.6", "--max-msl", "3.1"];
    let command = [&["check", "compute.metallib", "--platform", "macos"][..], &limits].concat();
    assert_cmd_snapshot!(folder.mtlpack(&command));
}

#[test]
fn limits_that_are_not_held_are_a_no() {
    let folder = Folder::with_libraries();
    let limits = ["--min-os", "macos13", "--max-air", "2.5", "--max-msl", "3.0"];
    let command = [&["check", "compute.metallib"][..], &limits].concat();
    assert_cmd_snapshot!(folder.mtlpack(&command));
}

#[test]
fn a_device_library_under_the_name_of_a_simulator() {
    let folder = Folder::new();
    folder.write("a-sim.metallib", &fixture::kernels(&["k"], Platform::IOS, 17));
    let command = ["check", "a-sim.metallib", "--platform", "ios-simulator"];
    assert_cmd_snapshot!(folder.mtlpack(&command));
}

#[test]
fn parts_that_disagree_are_a_no() {
    let folder = Folder::new();
    folder.write("mixed.metallib", &mixed());
    assert_cmd_snapshot!(folder.mtlpack(&["check", "mixed.metallib", "--min-os", "macos14"]));
    let json = ["check", "mixed.metallib", "--format", "json"];
    assert_cmd_snapshot!(folder.mtlpack(&json));
}

#[test]
fn what_cannot_be_asked_is_an_error() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["check", "compute.metallib", "--min-os", "14"]));
    assert_cmd_snapshot!(folder.mtlpack(&["check", "compute.metallib", "--max-air", "2.6.1"]));
}

#[test]
fn names_do_not_drive_terminals() {
    let folder = Folder::new();
    let mut builder = fixture::linker(Platform::MACOS, 14);
    let name = "esc\u{1b}[1mape";
    builder
        .add(FunctionSpec::new(name, FunctionType::KERNEL, Default::default(), b"bad".to_vec()))
        .unwrap();
    folder.write("unread.metallib", &fixture::bytes(builder));
    assert_cmd_snapshot!(folder.mtlpack(&["check", "unread.metallib"]));
}
