//! Outputs, inputs, and what may not be both.

use insta_cmd::assert_cmd_snapshot;

use crate::fixture::{self, Folder};

/// Runs a command that must be refused and must change nothing; gives its message.
fn refused(folder: &Folder, arguments: &[&str]) -> String {
    let names = folder.names();
    let before: Vec<_> = names.iter().filter(|name| folder.path(name).is_file()).collect();
    let before: Vec<_> = before.into_iter().map(|name| (name, folder.read(name))).collect();
    let output = folder.mtlpack(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
    assert_eq!(folder.names(), names, "{arguments:?}");
    for (name, bytes) in before {
        assert_eq!(folder.read(name), bytes, "{arguments:?}: {name}");
    }
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn no_side_output_replaces_an_input() {
    let folder = Folder::new();
    folder.write("a.metallib", &fixture::with_sources());
    folder.write("list", b"debugged\n");
    folder.write("arguments", b"--keep-list list");
    let cases: [&[&str]; 8] = [
        &["strip-source", "a.metallib", "-o", "x", "--companion", "./a.metallib"],
        &["strip-source", "a.metallib", "-o", "-", "--companion", "a.metallib"],
        &["strip-source", "a.metallib", "-o", "x", "--depfile", "a.metallib"],
        &["filter", "a.metallib", "--keep-list", "list", "-o", "./list"],
        &["filter", "a.metallib", "--drop-list", "list", "--allow-empty", "-o", "list"],
        &["filter", "a.metallib", "@arguments", "-o", "x", "--depfile", "list"],
        &["filter", "a.metallib", "@arguments", "-o", "arguments"],
        &["filter", "a.metallib", "--keep-list", "list", "-o", "list", "--dry-run"],
    ];
    for arguments in cases {
        let message = refused(&folder, arguments);
        assert!(message.contains(", which is read; give it its own file"), "{message}");
    }
    assert_cmd_snapshot!(folder.mtlpack(cases[0]));
}

#[test]
fn no_two_outputs_have_one_file() {
    let folder = Folder::new();
    folder.write("a.metallib", &fixture::with_sources());
    let cases: [&[&str]; 4] = [
        &["strip-source", "a.metallib", "-o", "x", "--companion", "./x"],
        &["strip-source", "a.metallib", "-o", "x", "--depfile", "./x"],
        &["strip-source", "a.metallib", "-o", "x", "--companion", "y", "--depfile", "y"],
        &["split", "a.metallib", "-o", "parts", "--depfile", "parts/debugged.metallib"],
    ];
    for arguments in cases {
        let message = refused(&folder, arguments);
        assert!(message.contains("two outputs go to"), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn links_do_not_hide_an_input() {
    let folder = Folder::with_libraries();
    std::os::unix::fs::symlink("draw.metallib", folder.path("link")).unwrap();
    let arguments = ["merge", "draw.metallib", "-o", "x", "--depfile", "link"];
    let message = refused(&folder, &arguments);
    assert!(message.contains("`link` would replace `draw.metallib`"), "{message}");
}

#[test]
fn a_library_may_replace_its_input() {
    let folder = Folder::with_libraries();
    let arguments = ["merge", "draw.metallib", "compute.metallib", "-o", "./draw.metallib"];
    assert!(folder.mtlpack(&arguments).output().unwrap().status.success());
    assert!(folder.read("draw.metallib").len() > fixture::draw().len());
}

#[test]
fn a_rule_does_not_go_in_circles() {
    let folder = Folder::with_libraries();
    let arguments = ["filter", "draw.metallib", "--type", "vertex", "--depfile", "x.d"];
    refused(&folder, &[&arguments[..], &["--in-place"]].concat());
    assert_cmd_snapshot!(folder.mtlpack(&[&arguments[..], &["-o", "./draw.metallib"]].concat()));
    assert_eq!(folder.read("draw.metallib"), fixture::draw());
}

#[test]
fn a_dependency_file_may_go_to_standard_output() {
    let folder = Folder::with_libraries();
    folder.write("nested", b"compute.metallib");
    folder.write("arguments", b"draw.metallib @nested");
    let arguments = ["merge", "@arguments", "-o", "x", "--depfile", "-"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let split = ["split", "draw.metallib", "-o", "parts", "--depfile", "-"];
    assert_cmd_snapshot!(folder.mtlpack(&split));
    assert!(folder.path("x").is_file() && !folder.path("-").exists());
}

#[test]
fn standard_output_takes_one_thing() {
    let folder = Folder::with_libraries();
    let merge = ["merge", "draw.metallib", "--depfile", "-", "-o"];
    refused(&folder, &[&merge[..], &["-"]].concat());
    assert_cmd_snapshot!(folder.mtlpack(&[&merge[..], &["x", "--format", "json"]].concat()));
    let split = ["split", "draw.metallib", "-o", "parts", "--depfile", "-", "--format", "json"];
    refused(&folder, &split);
    assert_cmd_snapshot!(folder.mtlpack(&["split", "draw.metallib", "-o", "-"]));
    assert_eq!(folder.names(), ["compute.metallib", "draw.metallib"]);
}

#[cfg(target_os = "linux")]
#[test]
fn names_what_cannot_be_written() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack(&["merge", "draw.metallib", "-o", "/proc/x"]));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    assert_cmd_snapshot!(folder.mtlpack(&["list", "draw.metallib"]).stdout(full));
}
