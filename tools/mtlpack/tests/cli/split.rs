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
fn says_what_is_wrong_with_an_index() {
    let folder = Folder::with_libraries();
    folder.write("index.tsv", b"draw.metallib\tdraw\ncompute.metallib\n");
    assert_cmd_snapshot!(folder.mtlpack(&["merge", ".", "-o", "x"]));
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
fn removes_what_an_earlier_split_left() {
    let folder = Folder::with_libraries();
    let into = |library| ["split", library, "-o", "parts", "--overwrite"];
    assert!(folder.mtlpack(&into("draw.metallib")).output().unwrap().status.success());
    folder.write("parts/mine.metallib", b"mine");
    // A part that is read is not removed, nor is what is no regular file.
    std::fs::rename(folder.path("compute.metallib"), folder.path("parts/c.metallib")).unwrap();
    std::fs::create_dir(folder.path("parts/d.metallib")).unwrap();
    let index = [&folder.read("parts/index.tsv")[..], b"c.metallib\tc\nd.metallib\td\n"].concat();
    folder.write("parts/index.tsv", &index);
    let again = into("parts/c.metallib");
    assert_cmd_snapshot!(folder.mtlpack(&[&again[..], &["--dry-run"]].concat()));
    assert!(folder.path("parts/draw_vertex.metallib").exists());
    assert_cmd_snapshot!(folder.mtlpack(&again));
    let entries = std::fs::read_dir(folder.path("parts")).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let kept = ["c.metallib", "d.metallib", "index.tsv", "mine.metallib"];
    let parts = ["vector_add.metallib", "vector_scale.metallib"];
    assert_eq!(names, [&kept[..], &parts].concat());
}

#[test]
fn no_part_replaces_the_library() {
    let folder = Folder::new();
    folder.write("add.metallib", &fixture::kernels(&["add"], Platform::MACOS, 14));
    assert_cmd_snapshot!(folder.mtlpack(&["split", "add.metallib", "-o", ".", "--overwrite"]));
    assert_eq!(folder.names(), ["add.metallib"]);
}

#[test]
fn a_library_without_functions_is_a_no() {
    let folder = Folder::new();
    folder.write("empty.metallib", &fixture::bytes(fixture::linker(Platform::MACOS, 14)));
    assert_cmd_snapshot!(folder.mtlpack(&["split", "empty.metallib", "-o", "parts"]));
    assert_eq!(folder.names(), ["empty.metallib"]);
}
