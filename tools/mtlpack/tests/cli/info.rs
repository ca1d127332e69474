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
fn shows_what_modules_say() {
    let folder = Folder::with_examples();
    assert_cmd_snapshot!(folder.mtlpack(&["info", "scale.metallib"]));
}

#[test]
fn counts_where_modules_disagree() {
    let folder = Folder::new();
    let mut builder = fixture::linker(metallib::Platform::MACOS, 14);
    let good = fixture::example_module("vector_add.metallib");
    let modules = [
        ("a", good.clone()),
        ("b", fixture::example_module("scale.metallib")),
        ("c", fixture::other_target(&good)),
        ("bad", b"bad".to_vec()),
        ("none", Vec::new()),
    ];
    for (name, module) in modules {
        let (kind, versions) = (metallib::FunctionType::KERNEL, metallib::Versions::default());
        builder.add(metallib::FunctionSpec::new(name, kind, versions, module)).unwrap();
    }
    folder.write("mixed.metallib", &fixture::bytes(builder));
    assert_cmd_snapshot!(folder.mtlpack(&["info", "mixed.metallib"]));
}

#[test]
fn prints_json() {
    let folder = Folder::new();
    folder.write("debug.metallib", &fixture::with_sources());
    folder.write("odd.metallib", &fixture::irregular());
    folder.write("unread.metallib", &fixture::unread());
    let arguments =
        ["info", "--format", "json", "debug.metallib", "odd.metallib", "unread.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn shows_the_good_files_beside_a_bad_one() {
    let folder = Folder::with_libraries();
    folder.write("text.metallib", b"version https://git-lfs.github.com/spec/v1\n");
    let arguments = ["info", "--short", "text.metallib", "none.metallib", "draw.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}
