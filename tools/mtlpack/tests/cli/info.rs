//! `mtlpack info`.

use insta_cmd::assert_cmd_snapshot;

use crate::fixture::{self, Folder};

#[test]
fn says_what_a_library_is() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["info", "draw.metallib"]));
}

#[test]
fn says_what_is_not_recorded() {
    let folder = Folder::new();
    folder.write("old.metallib", &fixture::old());
    assert_cmd_snapshot!(folder.mtlpack(&["info", "old.metallib"]));
}

#[test]
fn says_what_an_old_library_without_platform_may_be_for() {
    let folder = Folder::new();
    folder.write("old.metallib", &fixture::old_for(metallib::Platform::IOS));
    assert_cmd_snapshot!(folder.mtlpack(&["info", "--short", "old.metallib"]));
}

#[test]
fn shows_sources_and_dynamic_header() {
    let folder = Folder::new();
    folder.write("debug.metallib", &fixture::with_sources());
    folder.write("help.metallib", &fixture::dynamic());
    assert_cmd_snapshot!(folder.mtlpack(&["info", "debug.metallib", "help.metallib"]));
}

#[test]
fn says_why_a_library_is_irregular() {
    let folder = Folder::new();
    folder.write("odd.metallib", &fixture::irregular());
    assert_cmd_snapshot!(folder.mtlpack(&["info", "odd.metallib"]));
}

#[test]
fn takes_one_line_when_short() {
    let folder = Folder::with_libraries();
    folder.write("old.metallib", &fixture::old());
    folder.write("debug.metallib", &fixture::with_sources());
    folder.write("odd.metallib", &fixture::irregular());
    let files = ["compute.metallib", "draw.metallib", "old.metallib", "debug.metallib"];
    let arguments = [&["info", "--short", "odd.metallib"][..], &files].concat();
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn prints_json() {
    let folder = Folder::new();
    folder.write("debug.metallib", &fixture::with_sources());
    folder.write("odd.metallib", &fixture::irregular());
    let arguments = ["info", "--format", "json", "debug.metallib", "odd.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn shows_the_good_files_beside_a_bad_one() {
    let folder = Folder::with_libraries();
    folder.write("text.metallib", b"version https://git-lfs.github.com/spec/v1\n");
    let arguments = ["info", "--short", "text.metallib", "none.metallib", "draw.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}
