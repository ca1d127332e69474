//! `mtlpack sources`.

use insta_cmd::assert_cmd_snapshot;

use crate::archives::{self, Tar};
use crate::fixture::{self, Folder};

fn with_sources() -> Folder {
    let folder = Folder::new();
    folder.write("debug.metallib", &fixture::sources());
    folder
}

#[test]
fn lists_archives_and_their_files() {
    let folder = with_sources();
    assert_cmd_snapshot!(folder.mtlpack(&["sources", "list", "debug.metallib"]));
    let json = ["sources", "list", "debug.metallib", "--format", "json"];
    assert_cmd_snapshot!(folder.mtlpack(&json));
}

#[test]
fn lists_that_there_are_none() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["sources", "list", "draw.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["sources", "extract", "draw.metallib", "-o", "src"]));
    assert_eq!(folder.names(), ["compute.metallib", "draw.metallib"]);
}

#[test]
fn lists_what_it_can_of_damaged_archives() {
    let folder = Folder::new();
    let sly = Tar::new().file("../a\x1b[31m", b"").special("link", b'2', "/etc").pack();
    let large = Tar::new().file("large", &vec![0; 2 << 20]).pack();
    let archives = [("0", b"BZh9 not really".to_vec()), ("1", sly), ("2", large)];
    folder.write("sly.metallib", &archives::library(8, &archives));
    assert_cmd_snapshot!(folder.mtlpack(&["sources", "list", "sly.metallib"]));
    let enough = ["sources", "list", "sly.metallib", "--max-size", "3M", "--format", "json"];
    let output = folder.mtlpack(&enough).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["archives"][2]["members"][0]["size"], 2 << 20);
    assert!(report["archives"][0]["fault"].as_str().unwrap().contains("damaged"));
}

#[test]
fn extracts_every_file_into_the_folder_of_its_archive() {
    let folder = with_sources();
    let extract = ["sources", "extract", "debug.metallib", "-o", "src"];
    assert_cmd_snapshot!(folder.mtlpack(&extract));
    insta::assert_snapshot!(String::from_utf8(folder.read("src/index.tsv")).unwrap());
    assert_eq!(folder.read("src/0/src/shade.metal"), b"kernel void shade() {}\n");
    assert_eq!(folder.read("src/2/opt/libmetal_rt.a"), b"!<arch>\n");
    assert_cmd_snapshot!(folder.mtlpack(&extract));
    let again = [&extract[..], &["--overwrite", "--format", "json"]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&again));
}

#[test]
fn prints_what_it_would_extract() {
    let folder = with_sources();
    assert_cmd_snapshot!(folder.mtlpack(&["sources", "extract", "debug.metallib", "--dry-run"]));
    assert_eq!(folder.names(), ["debug.metallib"]);
}

/// Nothing is written when one member of one archive is not as it should be.
#[test]
fn refuses_hostile_archives() {
    let folder = Folder::new();
    let sound = || ("0", Tar::new().file("a", b"1").pack());
    for hostile in archives::hostile() {
        let bytes = archives::library(8, &[sound(), ("1", hostile.data)]);
        folder.write("sly.metallib", &bytes);
        let arguments = ["sources", "extract", "sly.metallib", "-o", "src"];
        let output = folder.mtlpack(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", hostile.name);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("archive 1 `1` (offset 0x"), "{}: {message}", hostile.name);
        assert!(message.contains(hostile.says), "{}: {message}", hostile.name);
        assert_eq!(folder.names(), ["sly.metallib"], "{}", hostile.name);
    }
    folder.write(
        "sly.metallib",
        &archives::library(8, &[("0", Tar::new().file("../a", b"").pack())]),
    );
    assert_cmd_snapshot!(folder.mtlpack(&["sources", "extract", "sly.metallib", "-o", "src"]));
    let large = Tar::new().file("large", &vec![0; 2 << 20]).pack();
    folder.write("large.metallib", &archives::library(8, &[("0", large)]));
    let extract = ["sources", "extract", "large.metallib", "-o", "src"];
    assert_cmd_snapshot!(folder.mtlpack(&extract));
    let enough = [&extract[..], &["--max-size", "3M"]].concat();
    assert!(folder.mtlpack(&enough).output().unwrap().status.success());
    assert_eq!(folder.read("src/0/large").len(), 2 << 20);
}

#[cfg(unix)]
#[test]
fn follows_no_link_in_the_folder() {
    let folder = with_sources();
    std::fs::create_dir_all(folder.path("src/0")).unwrap();
    std::fs::create_dir(folder.path("outside")).unwrap();
    std::os::unix::fs::symlink("../../outside", folder.path("src/0/src")).unwrap();
    let arguments = ["sources", "extract", "debug.metallib", "-o", "src", "--overwrite"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(std::fs::read_dir(folder.path("outside")).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(folder.path("src")).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(folder.path("src/0")).unwrap().count(), 1);
}

#[test]
fn no_file_replaces_the_library() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("0")).unwrap();
    let bytes = archives::library(8, &[("0", Tar::new().file("x.metallib", b"1").pack())]);
    folder.write("0/x.metallib", &bytes);
    let arguments = ["sources", "extract", "0/x.metallib", "-o", ".", "--overwrite"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.read("0/x.metallib"), bytes);
}

#[test]
fn sizes_are_read_with_their_units() {
    let folder = with_sources();
    let list = ["sources", "list", "debug.metallib", "--max-size"];
    assert_cmd_snapshot!(folder.mtlpack(&[&list[..], &["much"]].concat()));
    assert!(folder.mtlpack(&[&list[..], &["1G"]].concat()).output().unwrap().status.success());
}
