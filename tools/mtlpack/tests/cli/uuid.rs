//! `mtlpack uuid`.

use insta_cmd::assert_cmd_snapshot;
use metallib::Library;

use crate::fixture::{self, Folder};

const NEW: &str = "00112233-4455-6677-8899-AABBCCDDEEFF";

#[test]
fn follows_the_formula() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["uuid", "compute.metallib"]));
}

#[test]
fn a_library_without_uuid_is_a_no() {
    let folder = Folder::new();
    folder.write("help.metallib", &fixture::dynamic());
    assert_cmd_snapshot!(folder.mtlpack(&["uuid", "help.metallib"]));
}

#[test]
fn sets_and_recomputes() {
    let folder = Folder::with_libraries();
    let set = ["uuid", "compute.metallib", "--set", NEW, "-o", "other.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&set));
    let bytes = folder.read("other.metallib");
    let stored = Library::parse(&bytes).unwrap().uuid().unwrap();
    assert_eq!(mtlpack::uuid::format(&stored), NEW);
    assert_cmd_snapshot!(folder.mtlpack(&["uuid", "other.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["uuid", "--format", "json", "other.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["uuid", "--recompute", "--in-place", "other.metallib"]));
    assert_eq!(folder.read("other.metallib"), fixture::compute());
}

#[test]
fn needs_a_place_for_a_new_one() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["uuid", "compute.metallib", "--recompute"]));
}

#[test]
fn refuses_what_is_no_uuid() {
    let folder = Folder::with_libraries();
    let arguments = ["uuid", "compute.metallib", "--set", "12-34", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn an_output_needs_a_change() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["uuid", "compute.metallib", "-o", "x.metallib"]));
}

#[test]
fn an_old_container_has_no_room() {
    let folder = Folder::new();
    folder.write("old.metallib", &fixture::old());
    assert_cmd_snapshot!(folder.mtlpack(&["uuid", "old.metallib", "--recompute", "--dry-run"]));
}
