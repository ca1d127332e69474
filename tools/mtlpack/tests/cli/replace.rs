//! `mtlpack replace`.

use insta_cmd::assert_cmd_snapshot;
use metallib::{Library, Module, Platform};

use crate::fixture::{self, Folder};

/// A real kernel `vector_add`, as small as they come.
const VECTOR_ADD: &[u8] = include_bytes!("../../../../examples/vector_add.metallib");

/// The libraries of all tests, and `tuned.metallib` with another `vector_add`.
fn folder() -> Folder {
    let folder = Folder::with_libraries();
    folder.write("tuned.metallib", VECTOR_ADD);
    folder
}

/// Name and module of every function.
fn functions(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let library = Library::parse(bytes).unwrap();
    let module = |f| library.module_of(f).map(Module::bytes).unwrap_or_default().to_vec();
    library.functions().iter().map(|f| (f.name().into_owned(), module(f))).collect()
}

#[test]
fn replaces_by_the_function_of_that_name() {
    let folder = folder();
    let arguments =
        ["replace", "compute.metallib", "vector_add=tuned.metallib", "-o", "new.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let (old, new) = (folder.read("compute.metallib"), folder.read("new.metallib"));
    let (old, new, tuned) = (functions(&old), functions(&new), functions(VECTOR_ADD));
    assert_eq!(new, [tuned[0].clone(), old[1].clone()]);
}

#[test]
fn renames_what_comes_in() {
    let folder = folder();
    let request = "vector_scale=tuned.metallib#vector_add";
    let arguments = ["replace", "compute.metallib", request, "--in-place"];
    let plan = folder.mtlpack(&[&arguments[..], &["--dry-run"]].concat()).output().unwrap();
    let renamed = "\ntuned.metallib: 1 renamed\n  vector_add -> vector_scale\n";
    assert!(String::from_utf8(plan.stdout).unwrap().ends_with(renamed));
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let new = functions(&folder.read("compute.metallib"));
    assert_eq!(new[1].0, "vector_scale");
    let name = |bytes: &[u8], name: &[u8]| bytes.windows(name.len()).any(|part| part == name);
    assert!(name(&new[1].1, b"vector_scale"));
}

#[test]
fn replaces_several_and_lists_every_input() {
    let folder = folder();
    folder.write("b#1.metallib", &fixture::kernels(&["vector_scale"], Platform::MACOS, 14));
    let requests = ["vector_scale=b#1.metallib#", "vector_add=tuned.metallib"];
    let outputs = ["-o", "new.metallib", "--depfile", "new.d"];
    let arguments = [&["replace", "compute.metallib"], &requests[..], &outputs].concat();
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let rule = "new.metallib: \\\n  compute.metallib \\\n  b\\#1.metallib \\\n  tuned.metallib\n";
    assert_eq!(String::from_utf8(folder.read("new.d")).unwrap(), rule);
}

#[test]
fn prints_the_plan() {
    let folder = folder();
    let arguments = ["replace", "compute.metallib", "vector_add=tuned.metallib", "--dry-run"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn by_itself_nothing_changes() {
    let folder = folder();
    let old = folder.read("compute.metallib");
    let request = "vector_add=compute.metallib";
    let arguments = ["replace", "compute.metallib", request, "--in-place", "--format", "json"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert!(folder.read("compute.metallib") == old);
}

#[test]
fn what_is_not_there_is_a_no() {
    let folder = folder();
    let requests = ["vector_sub=tuned.metallib", "draw=draw.metallib"];
    let arguments = [&["replace", "compute.metallib"], &requests[..], &["--in-place"]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn another_type_is_refused() {
    let folder = folder();
    let request = "draw_vertex=tuned.metallib";
    let arguments = ["replace", "draw.metallib", request, "--dry-run"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let allowed = [&arguments[..], &["--allow-type-change"]].concat();
    assert!(folder.mtlpack(&allowed).output().unwrap().status.success());
}

#[test]
fn says_how_a_request_looks() {
    let folder = folder();
    assert_cmd_snapshot!(folder.mtlpack(&["replace", "compute.metallib", "vector_add"]));
    let arguments = ["replace", "compute.metallib", r"vector\_add=tuned.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn a_number_sign_of_a_path_needs_another_one() {
    let folder = folder();
    folder.write("b#1.metallib", VECTOR_ADD);
    let arguments = ["replace", "compute.metallib", "vector_add=b#1.metallib", "--dry-run"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn a_dependency_file_never_replaces_the_other_library() {
    let folder = folder();
    let request = "vector_add=tuned.metallib";
    let outputs = ["-o", "new.metallib", "--depfile", "./tuned.metallib"];
    let arguments = [&["replace", "compute.metallib", request], &outputs[..]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.read("tuned.metallib"), VECTOR_ADD);
}
