//! `mtlpack pack`.

use insta_cmd::assert_cmd_snapshot;
use metallib::{Library, Platform};

use crate::air::{Air, AirFunction};
use crate::fixture::{self, Folder};

const PIPELINE: &[u8] = include_bytes!("../../../../tests/data/pipeline.bc");

fn kernel(name: &str) -> Air {
    Air::new(name, 2)
}

/// A folder with modules: three functions of another compiler, a kernel, a kernel that calls
/// `helper`, and a module that defines it.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("pipeline.air", PIPELINE);
    folder.write("blur.air", &kernel("blur").module());
    let mut caller = kernel("caller");
    let declaration = AirFunction { is_declaration: true, ..AirFunction::new("helper", "") };
    caller.functions.push(declaration);
    folder.write("caller.air", &caller.module());
    let helper = Air { functions: vec![AirFunction::new("helper", "")], ..kernel("") };
    folder.write("helper.air", &helper.module());
    folder
}

fn names(folder: &Folder, name: &str) -> Vec<String> {
    let bytes = folder.read(name);
    let library = Library::parse(&bytes).unwrap();
    library.functions().iter().map(|function| function.name().into_owned()).collect()
}

#[test]
fn packs_in_apples_order() {
    let folder = folder();
    let arguments = ["pack", "blur.air", "pipeline.air", "-o", "all.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(names(&folder, "all.metallib"), ["blur", "scale", "shade_vertex", "shade_fragment"]);
    assert_cmd_snapshot!(folder.mtlpack(&["list", "all.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["verify", "all.metallib"]));
    let by_name = ["link", "blur.air", "pipeline.air", "--order", "name", "-o", "named.metallib"];
    assert!(folder.mtlpack(&by_name).status().unwrap().success());
    let sorted = ["blur", "scale", "shade_fragment", "shade_vertex"];
    assert_eq!(names(&folder, "named.metallib"), sorted);
}

#[test]
fn prints_the_plan() {
    let folder = folder();
    let arguments = ["pack", "blur.air", "pipeline.air", "--dialect", "linker", "--dry-run"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let json = ["--format", "json", "--container", "1.2.3"];
    assert_cmd_snapshot!(folder.mtlpack(&[&arguments[..], &json].concat()));
}

#[test]
fn reads_response_files_and_names_what_it_read() {
    let folder = folder();
    folder.write("inputs.txt", b"blur.air\n'pipeline.air'\n");
    let arguments = ["pack", "@inputs.txt", "-o", "all.metallib", "--depfile", "all.d"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let text = String::from_utf8(folder.read("all.d")).unwrap();
    assert_eq!(text, "all.metallib: \\\n  blur.air \\\n  pipeline.air\n");
}

#[test]
fn dynamic_libraries_are_made_and_linked() {
    let folder = folder();
    let make = ["pack", "helper.air", "--dynamic", "--install-name=@rpath/helper.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&[&make[..], &["-o", "helper.metallib"]].concat()));
    assert_cmd_snapshot!(folder.mtlpack(&["info", "helper.metallib"]));
    let link = ["pack", "caller.air", "-l", "helper.metallib", "-o", "caller.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&link));
    assert_cmd_snapshot!(folder.mtlpack(&["info", "caller.metallib"]));
    // A dynamic library needs its name, and is no part of an executable.
    assert_cmd_snapshot!(folder.mtlpack(&["pack", "helper.air", "--dynamic", "-o", "x.metallib"]));
    let part = ["pack", "caller.air", "helper.metallib", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&part));
}

#[test]
fn modules_that_need_each_other_are_refused() {
    let folder = folder();
    let arguments = ["pack", "caller.air", "helper.air", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert!(!folder.path("x.metallib").exists());
    // What nobody defines may be the system's.
    assert_cmd_snapshot!(folder.mtlpack(&["pack", "caller.air", "-o", "x.metallib"]));
}

#[test]
fn clashes_name_both_inputs() {
    let folder = folder();
    folder.write("other.air", &Air { language: [3, 0], ..kernel("blur") }.module());
    let arguments = ["pack", "blur.air", "other.air", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let first = [&arguments[..], &["--on-duplicate", "first"]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&first));
}

#[test]
fn systems_are_told_and_platforms_kept_apart() {
    let folder = folder();
    let on = |triple: &str| Air { triple: triple.to_owned(), ..kernel("other") }.module();
    folder.write("newer.air", &on("air64-apple-macosx15.0.0"));
    folder.write("ios.air", &on("air64-apple-ios17.0.0"));
    assert_cmd_snapshot!(folder.mtlpack(&["pack", "blur.air", "newer.air", "-o", "x.metallib"]));
    let bytes = folder.read("x.metallib");
    assert_eq!(Library::parse(&bytes).unwrap().identity().platform(), Some(Platform::MACOS));
    assert_cmd_snapshot!(folder.mtlpack(&["pack", "blur.air", "ios.air", "-o", "x.metallib"]));
}

#[test]
fn says_what_an_input_is() {
    let folder = folder();
    let inputs: [(&str, &[u8]); 6] = [
        ("empty.air", b""),
        ("source.metal", b"#include <metal_stdlib>\nkernel void f() {}\n"),
        ("module.ll", b"; ModuleID = 'a'\n"),
        ("object.o", b"\xcf\xfa\xed\xfe\x0c\0\0\x01"),
        ("thin.a", b"!<thin>\n"),
        ("cut.air", &PIPELINE[..100]),
    ];
    for (name, bytes) in inputs {
        folder.write(name, bytes);
        assert_cmd_snapshot!(folder.mtlpack(&["pack", name, "-o", "x.metallib"]));
    }
    assert_cmd_snapshot!(folder.mtlpack(&["pack", "-o", "x.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["pack", "blur.air", "--container", "12", "--dry-run"]));
    assert!(!folder.path("x.metallib").exists());
}

#[test]
fn no_input_is_replaced_but_a_library() {
    let folder = folder();
    let before = folder.read("blur.air");
    assert_cmd_snapshot!(folder.mtlpack(&["pack", "blur.air", "-o", "blur.air"]));
    assert_eq!(folder.read("blur.air"), before);
    folder.write("compute.metallib", &fixture::compute());
    let over = ["pack", "compute.metallib", "blur.air", "-o", "compute.metallib"];
    assert!(folder.mtlpack(&over).status().unwrap().success());
    assert_eq!(names(&folder, "compute.metallib"), ["vector_add", "vector_scale", "blur"]);
}
