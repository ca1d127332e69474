//! `mtlpack extract`.

use insta_cmd::assert_cmd_snapshot;
use metallib::{Library, Platform, Wrapper};

use crate::fixture::{self, Folder};

#[test]
fn writes_the_modules_as_they_are_stored() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["extract", "draw.metallib", "-o", "air"]));
    let bytes = fixture::draw();
    let library = Library::parse(&bytes).unwrap();
    for (function, module) in library.functions().iter().zip(library.modules()) {
        let name = function.name();
        assert_eq!(folder.read(&format!("air/{name}.air")), module.bytes(), "{name}");
    }
    let raw = ["extract", "draw.metallib", "-o", "raw", "--raw", "--function", "draw_vertex"];
    assert!(folder.mtlpack(&raw).output().unwrap().status.success());
    let bitcode = folder.read("raw/draw_vertex.bc");
    let size = library.modules()[0].wrapper().unwrap().size as usize;
    assert_eq!(bitcode, &library.modules()[0].bytes()[20..20 + size]);
    assert_eq!(metallib::wrap(&bitcode).unwrap(), library.modules()[0].bytes());
    assert_eq!(std::fs::read_dir(folder.path("raw")).unwrap().count(), 1);
}

#[test]
fn writes_a_shared_module_once() {
    let folder = Folder::new();
    folder.write("shared.metallib", &fixture::shared());
    let arguments = ["extract", "shared.metallib", "-o", "air", "--format", "json"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(std::fs::read_dir(folder.path("air")).unwrap().count(), 1);
}

#[test]
fn names_are_safe() {
    let folder = Folder::new();
    let names = ["../add", "ns::add<float>", "add", "ADD"];
    folder.write("all.metallib", &fixture::kernels(&names, Platform::MACOS, 14));
    let arguments = ["extract", "all.metallib", "-o", "air", "--dry-run"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.names(), ["all.metallib"]);
}

#[test]
fn lists_all_names_that_are_not_there() {
    let folder = Folder::with_libraries();
    let functions = ["--function", "b", "--function", "vector_add", "--function", "a"];
    let arguments = [&["extract", "compute.metallib", "-o", "air"][..], &functions].concat();
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert!(!folder.path("air").exists());
}

#[test]
fn refuses_a_folder_with_something_in_it() {
    let folder = Folder::with_libraries();
    let arguments = ["extract", "compute.metallib", "-o", "."];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.names(), ["compute.metallib", "draw.metallib"]);
    let arguments = [&arguments[..], &["--overwrite", "--format", "json"]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    // The same again: nothing is touched.
    let output = folder.mtlpack(&arguments).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["outputs"][0]["outcome"], "unchanged");
}

#[test]
fn writes_all_or_nothing() {
    let folder = Folder::with_libraries();
    std::fs::create_dir_all(folder.path("air/vector_scale.air")).unwrap();
    folder.write("air/vector_add.air", b"mine");
    let arguments = ["extract", "compute.metallib", "-o", "air", "--overwrite"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.read("air/vector_add.air"), b"mine");
    assert_eq!(std::fs::read_dir(folder.path("air")).unwrap().count(), 2);
}

#[test]
fn no_file_replaces_the_library() {
    let folder = Folder::new();
    folder.write("add.air", &fixture::kernels(&["add"], Platform::MACOS, 14));
    let arguments = ["extract", "add.air", "-o", ".", "--overwrite"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn a_place_is_needed() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["extract", "compute.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["extract", "compute.metallib", "-o", "-"]));
}

#[test]
fn raw_needs_a_wrapper_that_fits() {
    let folder = Folder::new();
    let mut module = fixture::example_module("vector_add.metallib");
    module[8] = 21;
    assert!(Wrapper::parse(&module).is_some());
    let mut builder = fixture::linker(Platform::MACOS, 14);
    let (kind, versions) = (metallib::FunctionType::KERNEL, metallib::Versions::default());
    builder.add(metallib::FunctionSpec::new("bad", kind, versions, module)).unwrap();
    folder.write("bad.metallib", &fixture::bytes(builder));
    assert_cmd_snapshot!(folder.mtlpack(&["extract", "bad.metallib", "-o", "x", "--raw"]));
    let stored = folder.mtlpack(&["extract", "bad.metallib", "-o", "x"]).output().unwrap();
    assert!(stored.status.success());
}
