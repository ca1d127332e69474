//! `mtlpack merge`.

use insta_cmd::assert_cmd_snapshot;
use metallib::{Library, Platform};

use crate::fixture::{self, Folder};

#[test]
fn merges_in_order() {
    let folder = Folder::with_libraries();
    let arguments = ["merge", "draw.metallib", "compute.metallib", "-o", "all.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let merged = folder.read("all.metallib");
    let library = Library::parse(&merged).unwrap();
    let names: Vec<_> = library.functions().iter().map(|f| f.name().into_owned()).collect();
    assert_eq!(names, ["draw_vertex", "draw_fragment", "vector_add", "vector_scale"]);
}

#[test]
fn prints_the_plan() {
    let folder = Folder::with_libraries();
    let arguments = ["merge", "draw.metallib", "compute.metallib", "--dry-run"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.names(), ["compute.metallib", "draw.metallib"]);
}

#[test]
fn prints_the_plan_as_json() {
    let folder = Folder::with_libraries();
    let arguments =
        ["merge", "compute.metallib", "--dry-run", "--format", "json", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn reports_as_json_and_leaves_equal_outputs_alone() {
    let folder = Folder::with_libraries();
    let arguments = ["merge", "compute.metallib", "--format", "json", "-o", "x.metallib"];
    assert!(folder.mtlpack(&arguments).output().unwrap().status.success());
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn writes_a_dependency_file() {
    let folder = Folder::with_libraries();
    let inputs = ["merge", "draw.metallib", "compute.metallib"];
    let outputs = ["-o", "all.metallib", "--depfile", "all.d"];
    assert_cmd_snapshot!(folder.mtlpack(&[&inputs[..], &outputs].concat()));
    let text = String::from_utf8(folder.read("all.d")).unwrap();
    assert_eq!(text, "all.metallib: \\\n  draw.metallib \\\n  compute.metallib\n");
}

#[test]
fn refuses_clashes() {
    let folder = Folder::with_libraries();
    let mut other = fixture::compute();
    let at = other.windows(10).rposition(|name| name == b"vector_add").unwrap();
    other[at] = b'V';
    folder.write("other.metallib", &other);
    let arguments = ["merge", "compute.metallib", "other.metallib", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert!(!folder.path("x.metallib").exists());
    let last = [&arguments[..], &["--on-duplicate", "last"]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&last));
}

#[test]
fn refuses_another_platform() {
    let folder = Folder::with_libraries();
    folder.write("ios.metallib", &fixture::kernels(&["a"], Platform::IOS, 17));
    let arguments = ["merge", "compute.metallib", "ios.metallib", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn refuses_an_irregular_library() {
    let folder = Folder::with_libraries();
    folder.write("odd.metallib", &fixture::irregular());
    let arguments = ["merge", "odd.metallib", "draw.metallib", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let anew = [&arguments[..], &["--new-layout", "--format", "json"]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&anew));
}

#[test]
fn needs_an_output() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["merge", "compute.metallib"]));
}

#[test]
fn needs_inputs() {
    let folder = Folder::new();
    assert_cmd_snapshot!(folder.mtlpack(&["merge", "-o", "x.metallib"]));
}

/// A library that was split may have more parts than files can be open.
#[cfg(unix)]
#[test]
fn more_inputs_than_files_can_be_open() {
    let folder = Folder::new();
    let names: Vec<String> = (0..100).map(|i| format!("k{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    folder.write("all.metallib", &fixture::kernels(&names, metallib::Platform::MACOS, 14));
    assert!(folder.mtlpack(&["split", "all.metallib", "-o", "parts"]).status().unwrap().success());
    let merge = folder.mtlpack(&["merge", "parts", "-o", "again.metallib"]);
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "ulimit -n 32 && exec \"$0\" \"$@\""]).arg(merge.get_program());
    limited.args(merge.get_args()).current_dir(folder.root());
    let output = limited.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(folder.read("again.metallib"), folder.read("all.metallib"));
}

/// Libraries with one function called as another one's, and others that are the very same.
fn clashing() -> Folder {
    let folder = Folder::new();
    let quad = include_bytes!("../../../../examples/quad.metallib");
    let library = Library::parse(quad).unwrap();
    folder.write("quad.metallib", quad);
    let scale = include_bytes!("../../../../examples/scale.metallib");
    let scale = Library::parse(scale).unwrap();
    let named = |library, to: &str| {
        let names = [(0, to.as_bytes().to_vec())].into();
        let named = mtlpack::Named { name: "x", library };
        let draft = mtlpack::rename_functions(named, &names, false).unwrap();
        draft.finish().unwrap().to_vec().unwrap()
    };
    let vertex = named(&scale, "quad_vertex");
    folder.write("vertex.metallib", &vertex);
    folder.write("other.metallib", &named(&library, "b_quad_vertex"));
    folder
}

fn functions(folder: &Folder, name: &str) -> Vec<String> {
    let bytes = folder.read(name);
    let library = Library::parse(&bytes).unwrap();
    library.functions().iter().map(|function| function.name().into_owned()).collect()
}

#[test]
fn renames_what_clashes() {
    let folder = clashing();
    let inputs = ["merge", "quad.metallib", "vertex.metallib", "quad.metallib"];
    let rename = ["--on-duplicate", "rename:ours::", "-o", "all.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&[&inputs[..], &rename].concat()));
    let plan = [&inputs[..], &rename, &["--dry-run"]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&plan));
    let report = [&inputs[..], &rename, &["--format", "json"]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&report));
    let names = ["quad_vertex", "quad_fragment", "ours::quad_vertex"];
    assert_eq!(functions(&folder, "all.metallib"), names);
    let bytes = folder.read("all.metallib");
    let library = Library::parse(&bytes).unwrap();
    for (function, module) in library.functions().iter().zip(library.modules()) {
        let module = air_bitcode::Module::parse(module.bytes()).unwrap();
        let globals = module.globals().unwrap();
        assert!(globals.iter().any(|g| g.is_definition && g.name == function.name_bytes()));
    }
    assert!(folder.mtlpack(&["verify", "all.metallib"]).status().unwrap().success());
}

#[test]
fn refuses_renames_that_clash() {
    let folder = clashing();
    let inputs = ["merge", "quad.metallib", "vertex.metallib", "other.metallib"];
    let taken = ["--on-duplicate", "rename:b_", "-o", "all.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&[&inputs[..], &taken].concat()));
    folder.write("third.metallib", &folder.read("quad.metallib"));
    let swap = ["rename", "third.metallib", "quad_vertex=quad_fragment"];
    let swap = [&swap[..], &["quad_fragment=quad_vertex", "--in-place"]].concat();
    assert!(folder.mtlpack(&swap).output().unwrap().status.success());
    let inputs = ["merge", "quad.metallib", "vertex.metallib", "third.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&[&inputs[..], &taken].concat()));
    let both = [&inputs[..], &["other.metallib"], &taken].concat();
    assert_cmd_snapshot!(folder.mtlpack(&both));
}

#[test]
fn says_what_is_wrong_with_a_prefix() {
    let folder = clashing();
    for choice in ["rename", "rename:", r"rename:a\qb", "rename:air.", r"rename:\x00", "renamed:b"]
    {
        let inputs = ["merge", "quad.metallib", "vertex.metallib", "-o", "x.metallib"];
        let choice = ["--on-duplicate", choice];
        assert_cmd_snapshot!(folder.mtlpack(&[&inputs[..], &choice].concat()));
    }
    assert!(!folder.path("x.metallib").exists());
}
