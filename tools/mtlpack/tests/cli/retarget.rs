//! `mtlpack retarget`.

use insta_cmd::assert_cmd_snapshot;

use crate::fixture::{self, Folder};

#[test]
fn an_older_system() {
    let folder = Folder::with_libraries();
    let command = ["retarget", "compute.metallib", "--os", "macos13", "-o", "old.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&command));
    let limits = ["--min-os", "macos13", "--max-air", "2.5", "--max-msl", "3.0"];
    assert_cmd_snapshot!(folder.mtlpack(&[&["check", "old.metallib"][..], &limits].concat()));
    assert_cmd_snapshot!(folder.mtlpack(&["verify", "old.metallib"]));
    // There and back it is not the same: the constants that were added stay.
    let command = ["retarget", "old.metallib", "--os", "macos13", "-o", "again.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&command));
    assert_eq!(folder.read("again.metallib"), folder.read("old.metallib"));
}

#[test]
fn another_platform() {
    let folder = Folder::with_libraries();
    let system = ["--os", "ios-simulator17.2", "-o", "sim.metallib"];
    assert_cmd_snapshot!(
        folder.mtlpack(&[&["retarget", "compute.metallib"][..], &system].concat())
    );
    let limits = ["--platform", "ios-simulator", "--min-os", "ios-simulator17.2"];
    assert_cmd_snapshot!(folder.mtlpack(&[&["check", "sim.metallib"][..], &limits].concat()));
    let device = ["retarget", "sim.metallib", "--platform", "ios", "-o", "device.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&device));
    assert_cmd_snapshot!(folder.mtlpack(&["check", "device.metallib", "--min-os", "ios17.2"]));
}

#[test]
fn the_linkers_executables_get_a_name() {
    let folder = Folder::with_libraries();
    let versions = ["--air", "2.8", "--msl", "4.0", "--os", "macos26", "-o", "new.metallib"];
    assert_cmd_snapshot!(
        folder.mtlpack(&[&["retarget", "compute.metallib"][..], &versions].concat())
    );
    assert_cmd_snapshot!(folder.mtlpack(&["info", "new.metallib"]));
}

#[test]
fn what_is_no_target_is_an_error() {
    let folder = Folder::with_libraries();
    let retarget = |options: &[&str]| {
        let command = [&["retarget", "compute.metallib", "-o", "x.metallib"][..], options].concat();
        folder.mtlpack(&command)
    };
    assert_cmd_snapshot!(retarget(&[]));
    assert_cmd_snapshot!(retarget(&["--os", "macos14", "--air", "2.8"]));
    assert_cmd_snapshot!(retarget(&["--os", "macos14", "--platform", "ios"]));
    assert_cmd_snapshot!(retarget(&["--air", "2.6", "--msl", "4.0"]));
    assert!(!folder.names().contains(&"x.metallib".to_owned()));
}

#[test]
fn functions_that_cannot_be_retargeted_are_named() {
    let folder = Folder::new();
    folder.write("unread.metallib", &fixture::unread());
    let command = ["retarget", "unread.metallib", "--os", "macos13", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&command));
    assert_cmd_snapshot!(folder.mtlpack(&[&command[..], &["--keep-going"]].concat()));
}
