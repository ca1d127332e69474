//! `mtlpack normalize`.

use insta_cmd::assert_cmd_snapshot;

use crate::fixture::{self, Folder};

#[test]
fn builds_in_different_folders_become_the_same() {
    let folder = Folder::new();
    let builds = [("a", "/Users/ada/noise"), ("b", "/home/bob/work/noise"), ("c", "C:\\noise\\x")];
    for (number, (name, path)) in (1..).zip(builds) {
        folder.write(&format!("{name}.metallib"), &fixture::with_paths(path, number));
        let map = format!("{path}=.");
        for (output, map) in [("names", &[][..]), ("mapped", &["--map", &map])] {
            let (input, output) = (format!("{name}.metallib"), format!("{name}-{output}"));
            let arguments = [&["normalize", &input, "-o", &output][..], map].concat();
            assert!(folder.mtlpack(&arguments).status().unwrap().success());
        }
    }
    for output in ["names", "mapped"] {
        let of = |name: &str| folder.read(&format!("{name}-{output}"));
        assert!(of("a") == of("b") && of("a") == of("c"), "{output}");
    }
}

#[test]
fn is_done_once() {
    let folder = Folder::new();
    folder.write("a.metallib", &fixture::with_paths("/Users/ada/noise", 1));
    assert_cmd_snapshot!(folder.mtlpack(&["normalize", "a.metallib", "--in-place"]));
    let bytes = folder.read("a.metallib");
    let again = ["normalize", "a.metallib", "--in-place", "--format", "json"];
    assert_cmd_snapshot!(folder.mtlpack(&again));
    assert_eq!(folder.read("a.metallib"), bytes);
}

#[test]
fn takes_a_module_by_itself() {
    let folder = Folder::new();
    folder.write("x.air", include_bytes!("../../../../tests/data/debug.bc"));
    assert_cmd_snapshot!(folder.mtlpack(&["normalize", "x.air", "-o", "y.air"]));
    assert_cmd_snapshot!(folder.mtlpack(&["normalize", "y.air", "--in-place"]));
}

#[test]
fn refuses_rules_that_are_never_done() {
    let folder = Folder::new();
    folder.write("a.metallib", &fixture::with_paths("/Users/ada/noise", 1));
    let maps = ["--map", "/Users=/home", "--map", "/home=/Users"];
    let arguments = [&["normalize", "a.metallib", "-o", "b.metallib"][..], &maps].concat();
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.names(), ["a.metallib"]);
}
