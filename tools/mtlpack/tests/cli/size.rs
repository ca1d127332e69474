//! `mtlpack size`.

use insta_cmd::assert_cmd_snapshot;
use metallib::Platform;

use crate::fixture::{self, Folder};

#[test]
fn sizes_by_each_kind() {
    let folder = Folder::with_libraries();
    for by in ["family", "function", "section"] {
        assert_cmd_snapshot!(folder.mtlpack(&["size", "draw.metallib", "--by", by]));
    }
    assert_cmd_snapshot!(folder.mtlpack(&["size", "draw.metallib"]));
}

#[test]
fn sizes_for_programs() {
    let folder = Folder::with_libraries();
    folder.write("shared.metallib", &fixture::shared());
    folder.write("odd.metallib", &fixture::irregular());
    let names = ["a,b", "say \"hi\"", "plain"];
    folder.write("names.metallib", &fixture::kernels(&names, Platform::MACOS, 14));
    for arguments in [
        &["size", "shared.metallib", "--by", "function", "--format", "json"][..],
        &["size", "odd.metallib", "--by", "section", "--format", "csv"],
        &["size", "names.metallib", "--by", "function", "--format", "csv"],
    ] {
        assert_cmd_snapshot!(folder.mtlpack(arguments));
    }
}

#[test]
fn long_lists_end_with_the_rest() {
    let folder = Folder::new();
    let names: Vec<String> = (0..50).map(|n| format!("f{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    folder.write("many.metallib", &fixture::kernels(&names, Platform::MACOS, 14));
    let text = |options: &[&str]| {
        let command = [&["size", "many.metallib", "--by", "function"], options].concat();
        String::from_utf8(folder.mtlpack(&command).output().unwrap().stdout).unwrap()
    };
    let short = text(&[]);
    assert_eq!(short.lines().count(), 43, "{short}");
    assert!(short.contains("10 functions more; --all lists them"), "{short}");
    let all = text(&["--all"]);
    assert_eq!(all.lines().count(), 52, "{all}");
    assert_eq!(short.lines().last(), all.lines().last());
}
