//! `mtlpack filter`.

use insta_cmd::assert_cmd_snapshot;
use metallib::Library;

use crate::fixture::Folder;

fn functions(folder: &Folder, name: &str) -> Vec<String> {
    let bytes = folder.read(name);
    let library = Library::parse(&bytes).unwrap();
    library.functions().iter().map(|function| function.name().into_owned()).collect()
}

#[test]
fn keeps_by_pattern() {
    let folder = Folder::with_libraries();
    let arguments = ["filter", "compute.metallib", "--keep", "*_a*", "-o", "some.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(functions(&folder, "some.metallib"), ["vector_add"]);
}

#[test]
fn drops_by_list_and_lists_it_as_a_dependency() {
    let folder = Folder::with_libraries();
    folder.write("drop.txt", b"vector_add\n\n");
    folder.write("keep.txt", b"vector_add\r\nvector_scale\r\n");
    let lists = ["--drop-list", "drop.txt", "--keep-list", "keep.txt"];
    let arguments = ["filter", "compute.metallib", "-o", "some.metallib", "--depfile", "some.d"];
    assert_cmd_snapshot!(folder.mtlpack(&[&arguments[..], &lists].concat()));
    assert_eq!(functions(&folder, "some.metallib"), ["vector_scale"]);
    let rule = "some.metallib: \\\n  compute.metallib \\\n  keep.txt \\\n  drop.txt\n";
    assert_eq!(folder.read("some.d"), rule.as_bytes());
}

#[test]
fn rewrites_in_place() {
    let folder = Folder::with_libraries();
    let arguments = ["filter", "draw.metallib", "--type", "fragment", "--in-place"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(functions(&folder, "draw.metallib"), ["draw_fragment"]);
    assert_eq!(folder.names(), ["compute.metallib", "draw.metallib"]);
}

#[test]
fn what_matches_nothing_is_a_no() {
    let folder = Folder::with_libraries();
    folder.write("keep.txt", b"vector_add\nvector_sub\n");
    let criteria = ["--keep", "matrix_*", "--type", "mesh", "--keep-list", "keep.txt"];
    let arguments = ["filter", "compute.metallib", "-o", "some.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&[&arguments[..], &criteria].concat()));
    assert!(!folder.path("some.metallib").exists());
}

#[test]
fn nothing_left_is_a_no_unless_allowed() {
    let folder = Folder::with_libraries();
    let arguments = ["filter", "compute.metallib", "--drop", "*", "-o", "none.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert!(!folder.path("none.metallib").exists());
    assert_cmd_snapshot!(folder.mtlpack(&[&arguments[..], &["--allow-empty"]].concat()));
    assert!(functions(&folder, "none.metallib").is_empty());
}

#[test]
fn lists_hold_names() {
    let folder = Folder::with_libraries();
    folder.write("keep", "\u{feff}vector_add\r\n\r\n".as_bytes());
    let filter = ["filter", "compute.metallib", "-o", "x.metallib", "--keep-list"];
    let status = folder.mtlpack(&[&filter[..], &["keep"]].concat()).output().unwrap().status;
    assert!(status.success());
    assert_eq!(functions(&folder, "x.metallib"), ["vector_add"]);
    let from_stdin = folder.mtlpack_from("keep", &[&filter[..], &["-"]].concat()).output();
    assert!(from_stdin.unwrap().status.success());
    folder.write("patterns", b"vector_*\n# comment\n");
    assert_cmd_snapshot!(folder.mtlpack(&[&filter[..], &["patterns"]].concat()));
    folder.write("escapes", b"vector_add\nvector\\_scale\n");
    assert_cmd_snapshot!(folder.mtlpack(&[&filter[..], &["escapes"]].concat()));
}

#[test]
fn keeps_several_types() {
    let folder = Folder::with_libraries();
    let arguments = ["filter", "draw.metallib", "--type", "fragment,vertex", "-o", "x.metallib"];
    assert!(folder.mtlpack(&arguments).output().unwrap().status.success());
    assert_eq!(functions(&folder, "x.metallib"), ["draw_vertex", "draw_fragment"]);
}

#[test]
fn needs_a_place() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["filter", "compute.metallib", "--keep", "*"]));
    assert_cmd_snapshot!(folder.mtlpack(&["verify", "compute.metallib", "--threads", "0"]));
}

#[test]
fn refuses_two_places() {
    let folder = Folder::with_libraries();
    let arguments = ["filter", "compute.metallib", "--in-place", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn standard_input_cannot_be_rewritten() {
    let folder = Folder::with_libraries();
    let arguments = ["filter", "-", "--keep", "vector_add", "--in-place"];
    assert_cmd_snapshot!(folder.mtlpack_from("compute.metallib", &arguments));
}
