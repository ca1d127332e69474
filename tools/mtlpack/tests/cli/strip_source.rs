//! `mtlpack strip-source`.

use insta_cmd::assert_cmd_snapshot;
use metallib::{FileType, Library};

use crate::fixture::{self, Folder};

#[test]
fn strips_and_writes_the_companion() {
    let folder = Folder::new();
    folder.write("debug.metallib", &fixture::with_sources());
    let outputs = ["-o", "release.metallib", "--companion", "release.metallibsym"];
    let arguments = [&["strip-source", "debug.metallib", "--format", "json"][..], &outputs];
    assert_cmd_snapshot!(folder.mtlpack(&arguments.concat()));
    let (whole, stripped) = (folder.read("debug.metallib"), folder.read("release.metallib"));
    let (whole, stripped) = (Library::parse(&whole).unwrap(), Library::parse(&stripped).unwrap());
    assert!(stripped.sources().is_none());
    assert_eq!(stripped.uuid(), whole.uuid());
    let companion = folder.read("release.metallibsym");
    let companion = Library::parse(&companion).unwrap();
    assert_eq!(companion.identity().file_type(), FileType::SymbolCompanion);
}

#[test]
fn says_that_there_is_nothing_to_strip() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["strip-source", "draw.metallib", "--in-place"]));
    assert_eq!(folder.read("draw.metallib"), fixture::draw());
}

#[test]
fn never_passes_over_a_companion() {
    let folder = Folder::with_libraries();
    let arguments =
        ["strip-source", "draw.metallib", "-o", "x.metallib", "--companion", "x.metallibsym"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.names(), ["compute.metallib", "draw.metallib"]);
}

#[test]
fn refuses_one_file_for_both() {
    let folder = Folder::new();
    folder.write("debug.metallib", &fixture::with_sources());
    let arguments = ["strip-source", "debug.metallib", "-o", "x", "--companion", "./x"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.names(), ["debug.metallib"]);
}
