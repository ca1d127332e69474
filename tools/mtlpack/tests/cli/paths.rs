//! `mtlpack paths`.

use insta_cmd::assert_cmd_snapshot;

use crate::fixture::{self, Folder};

#[test]
fn groups_equal_paths_and_names_users() {
    let folder = Folder::with_libraries();
    folder.write("build.metallib", &fixture::with_paths("/Users/ada/noise", 1));
    assert_cmd_snapshot!(folder.mtlpack(&["paths", "build.metallib", "draw.metallib"]));
}

#[test]
fn every_place_is_shown_on_demand() {
    let folder = Folder::new();
    folder.write("build.metallib", &fixture::with_paths("C:\\Users\\ada\\noise", 1));
    assert_cmd_snapshot!(folder.mtlpack(&["paths", "--every", "build.metallib"]));
}

#[test]
fn without_paths_all_is_well() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["paths", "draw.metallib", "--format", "json"]));
}

#[test]
fn what_cannot_be_read_is_never_passed_over() {
    let folder = Folder::new();
    // An archive that is none, and modules that are none.
    folder.write("debug.metallib", &fixture::with_sources());
    folder.write("unread.metallib", &fixture::unread());
    assert_cmd_snapshot!(folder.mtlpack(&["paths", "debug.metallib", "unread.metallib"]));
}
