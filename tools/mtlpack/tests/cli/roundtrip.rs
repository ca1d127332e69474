//! `mtlpack roundtrip`.

use insta_cmd::assert_cmd_snapshot;

use crate::fixture::{self, Folder};

#[test]
fn sound_libraries_come_back() {
    let folder = Folder::with_libraries();
    folder.write("debug.metallib", &fixture::with_sources());
    let files = ["compute.metallib", "draw.metallib", "debug.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&[&["roundtrip"][..], &files].concat()));
}

#[test]
fn an_irregular_one_is_a_no() {
    let folder = Folder::new();
    folder.write("odd.metallib", &fixture::irregular());
    assert_cmd_snapshot!(folder.mtlpack(&["roundtrip", "odd.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["roundtrip", "--format", "json", "odd.metallib"]));
}

#[test]
fn a_wrong_hash_is_a_no() {
    let folder = Folder::new();
    let mut bytes = fixture::compute();
    let library = metallib::Library::parse(&bytes).unwrap();
    let hash = library.functions()[0].tags.get(metallib::FourCc::HASH).unwrap().offset;
    bytes[usize::try_from(hash).unwrap()] ^= 1;
    folder.write("wrong.metallib", &bytes);
    assert_cmd_snapshot!(folder.mtlpack(&["roundtrip", "wrong.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["roundtrip", "--format", "json", "wrong.metallib"]));
}

#[test]
fn what_does_not_parse_is_an_error() {
    let folder = Folder::new();
    folder.write("damaged.metallib", &fixture::damaged());
    assert_cmd_snapshot!(folder.mtlpack(&["roundtrip", "damaged.metallib"]));
}
