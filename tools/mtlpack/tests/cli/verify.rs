//! `mtlpack verify`.

use insta_cmd::assert_cmd_snapshot;

use metallib::{Container, Dialect, FileType, LibraryBuilder, OsVersion, Platform};

use crate::fixture::{self, Folder};

/// A library without functions.
fn empty() -> Vec<u8> {
    let os = OsVersion { major: 14, minor: 0, update: 0 };
    let (container, kind) = (Container::new(8), FileType::Executable);
    let builder = LibraryBuilder::new(Dialect::Linker, container, Platform::MACOS, os, kind);
    fixture::bytes(builder)
}

#[test]
fn an_empty_library_is_a_no_unless_it_is_allowed() {
    let folder = Folder::new();
    folder.write("empty.metallib", &empty());
    assert_cmd_snapshot!(folder.mtlpack(&["verify", "empty.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["verify", "empty.metallib", "--allow-empty"]));
}

#[test]
fn a_policy_that_is_met() {
    let folder = Folder::with_libraries();
    let policy = ["--min-functions", "2", "--require", "vector_add", "--require", "*_scale"];
    let more = ["--forbid", "debug_*", "--require-type", "kernel", "--no-source", "--no-paths"];
    let command = [&["verify", "compute.metallib"][..], &policy, &more].concat();
    assert_cmd_snapshot!(folder.mtlpack(&command));
}

#[test]
fn a_policy_that_is_not_met_is_a_no() {
    let folder = Folder::new();
    folder.write("build.metallib", &fixture::with_paths("/Users/ada/noise", 1));
    let policy = ["--min-functions", "3", "--require", "blur", "--require", "blur_*"];
    let more = ["--forbid", "*", "--require-type", "vertex", "--no-source", "--no-paths"];
    let command = [&["verify", "build.metallib"][..], &policy, &more].concat();
    assert_cmd_snapshot!(folder.mtlpack(&command));
}

#[test]
fn a_policy_that_cannot_be_asked_is_an_error() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["verify", "compute.metallib", "--require", "a[*"]));
    let lock = ["verify", "compute.metallib", "--lock", "compute.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&lock));
}

#[test]
fn a_sound_library_passes() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["verify", "compute.metallib"]));
}

#[test]
fn the_deep_check_compares_tags_with_modules() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["verify", "--deep", "compute.metallib"]));
    let bytes = fixture::compute();
    let mut library = metallib::Library::parse(&bytes).unwrap().edit(false).unwrap();
    let constants = b"\x01\0factor\0\x03\0\0\x01";
    library.functions[0].public.push(metallib::FourCc::CNST, constants).unwrap();
    let library = library.finish().unwrap();
    let changed = mtlpack::Edited::unchanged(library).to_vec().unwrap();
    folder.write("changed.metallib", &changed);
    assert_cmd_snapshot!(folder.mtlpack(&["verify", "changed.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["verify", "--deep", "changed.metallib"]));
}

#[test]
fn a_changed_module_is_a_no() {
    let folder = Folder::with_libraries();
    let mut bytes = fixture::compute();
    let library = metallib::Library::parse(&bytes).unwrap();
    let module = usize::try_from(library.modules()[1].offset()).unwrap();
    bytes[module + 30] ^= 1;
    folder.write("changed.metallib", &bytes);
    let arguments = ["verify", "compute.metallib", "changed.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let arguments = ["verify", "--format", "json", "--threads", "1", "changed.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn what_does_not_parse_is_a_no() {
    let folder = Folder::new();
    folder.write("damaged.metallib", &fixture::damaged());
    folder.write("text.metallib", b"not a library");
    assert_cmd_snapshot!(folder.mtlpack(&["verify", "damaged.metallib", "text.metallib"]));
}

#[test]
fn a_missing_file_is_an_error_and_hides_nothing() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["verify", "none.metallib", "compute.metallib"]));
}
