//! `mtlpack split`.

use insta_cmd::assert_cmd_snapshot;
use metallib::Platform;

use crate::fixture::{self, Folder};

#[test]
fn splits_and_merges_back() {
    let folder = Folder::new();
    let names = ["ns::add<float>", "add", "ADD", "../add"];
    let original = fixture::kernels(&names, Platform::MACOS, 14);
    folder.write("all.metallib", &original);
    let arguments = ["split", "all.metallib", "-o", "parts", "--depfile", "parts.d"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let index = String::from_utf8(folder.read("parts/index.tsv")).unwrap();
    insta::assert_snapshot!(index);
    assert_eq!(folder.read("parts.d"), b"parts/index.tsv: \\\n  all.metallib\n");

    let arguments = ["merge", "parts", "-o", "back.metallib", "--depfile", "back.d"];
    let merged = folder.mtlpack(&arguments).output().unwrap();
    assert!(merged.status.success());
    assert_eq!(folder.read("back.metallib"), original);
    let text = String::from_utf8(folder.read("back.d")).unwrap();
    assert!(text.ends_with("\\\n  parts/index.tsv\n"), "{text}");
}

#[test]
fn merges_no_folder_without_index() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["merge", ".", "-o", "x.metallib"]));
}

#[test]
fn prints_the_plan() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["split", "draw.metallib", "-o", "parts", "--dry-run"]));
    assert_eq!(folder.names(), ["compute.metallib", "draw.metallib"]);
}

#[test]
fn reports_as_json() {
    let folder = Folder::with_libraries();
    let arguments = ["split", "draw.metallib", "-o", "parts", "--format", "json"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn refuses_a_folder_with_something_in_it() {
    let folder = Folder::with_libraries();
    let arguments = ["split", "draw.metallib", "-o", "parts"];
    assert!(folder.mtlpack(&arguments).output().unwrap().status.success());
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let again = [&arguments[..], &["--overwrite"]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&again));
}

#[test]
fn a_library_without_functions_is_a_no() {
    let folder = Folder::new();
    folder.write("empty.metallib", &fixture::bytes(fixture::linker(Platform::MACOS, 14)));
    assert_cmd_snapshot!(folder.mtlpack(&["split", "empty.metallib", "-o", "parts"]));
    assert_eq!(folder.names(), ["empty.metallib"]);
}
