//! `mtlpack lock` and `mtlpack verify --lock`.

use insta_cmd::assert_cmd_snapshot;
use metallib::Platform;

use crate::fixture::{self, Folder};

#[test]
fn a_lock_is_a_text() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["lock", "draw.metallib"]));
    let scale = fixture::example("scale.metallib");
    folder.write("scale.metallib", &std::fs::read(scale).unwrap());
    assert_cmd_snapshot!(folder.mtlpack(&["lock", "scale.metallib", "-o", "scale.lock"]));
    insta::assert_snapshot!(String::from_utf8(folder.read("scale.lock")).unwrap());
    let verify = ["verify", "scale.metallib", "--lock", "scale.lock"];
    assert_cmd_snapshot!(folder.mtlpack(&verify));
}

#[test]
fn what_changed_is_named() {
    let folder = Folder::with_libraries();
    let lock = ["lock", "compute.metallib", "-o", "compute.lock"];
    assert!(folder.mtlpack(&lock).status().unwrap().success());
    let new = fixture::kernels(&["vector_add", "vector_mul"], Platform::MACOS, 15);
    folder.write("compute.metallib", &new);
    let verify = ["verify", "compute.metallib", "--lock", "compute.lock"];
    assert_cmd_snapshot!(folder.mtlpack(&verify));
}

#[test]
fn the_library_is_not_written_over() {
    let folder = Folder::with_libraries();
    let lock = ["lock", "compute.metallib", "-o", "compute.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&lock));
}
