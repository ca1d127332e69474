//! `mtlpack lipo`.

use insta_cmd::assert_cmd_snapshot;
use metallib_fat::{Builder, Form, Universal};

use crate::fixture::Folder;

/// Two libraries for different versions of AIR, and a file that holds both and a GPU's slice.
pub(crate) fn folder() -> Folder {
    let folder = Folder::with_examples();
    folder.write("old.metallib", b"a slice that nobody looks into");
    let mut builder = Builder::new(Form::GPU);
    builder.push("air64_v23".parse().unwrap(), folder.read("old.metallib")).unwrap();
    builder.push("air64_v26".parse().unwrap(), folder.read("quad.metallib")).unwrap();
    builder.push("applegpu_g13g".parse().unwrap(), b"machine code".to_vec()).unwrap();
    folder.write("universal.metallib", &builder.to_vec().unwrap());
    folder
}

#[test]
fn shows_architectures() {
    let folder = folder();
    assert_cmd_snapshot!(folder.mtlpack(&["lipo", "universal.metallib", "-archs"]));
    assert_cmd_snapshot!(folder.mtlpack(&["lipo", "-info", "universal.metallib", "quad.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["lipo", "universal.metallib", "-detailed_info"]));
    assert_cmd_snapshot!(folder.mtlpack(&[
        "lipo",
        "universal.metallib",
        "-info",
        "--format",
        "json"
    ]));
}

#[test]
fn a_missing_architecture_is_a_no() {
    let folder = folder();
    let ask = |names: &[&str]| {
        let words = ["lipo", "universal.metallib", "-verify_arch"];
        folder.mtlpack(&[&words, names].concat())
    };
    assert_cmd_snapshot!(ask(&["air64_v23", "g13g"]));
    assert_cmd_snapshot!(ask(&["air64_v23", "air64_v27"]));
    assert_cmd_snapshot!(ask(&["arm64"]));
}

#[test]
fn takes_a_slice_out_and_puts_it_back() {
    let folder = folder();
    let thin = ["lipo", "universal.metallib", "-thin", "air64_v26", "-output", "thin.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&thin));
    assert_eq!(folder.read("thin.metallib"), folder.read("quad.metallib"));
    let replace = ["lipo", "universal.metallib", "-replace", "air64_v26"];
    let there = [&replace[..], &["scale.metallib", "-o", "other.metallib"]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&there));
    assert_ne!(folder.read("other.metallib"), folder.read("universal.metallib"));
    let back = ["lipo", "other.metallib", "-replace", "air64_v26", "quad.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&[&back[..], &["-o", "other.metallib"]].concat()));
    assert_eq!(folder.read("other.metallib"), folder.read("universal.metallib"));
}

#[test]
fn creates_what_it_took_apart() {
    let folder = folder();
    for (part, rest) in [("-extract", "first.metallib"), ("-remove", "second.metallib")] {
        let words = ["lipo", "universal.metallib", part, "air64_v26", "-o", rest];
        assert!(folder.mtlpack(&words).status().unwrap().success());
    }
    let create = ["lipo", "-create", "second.metallib", "first.metallib", "-o", "again.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&create));
    let again = folder.read("again.metallib");
    let again = Universal::parse(&again).unwrap();
    let mut sorted = again.edit(false).unwrap();
    sorted.sort();
    assert_eq!(sorted.to_vec().unwrap(), again.source_bytes());
    assert_cmd_snapshot!(folder.mtlpack(&["lipo", "again.metallib", "-archs"]));
}

#[test]
fn creates_of_libraries_and_of_what_it_is_told() {
    let folder = folder();
    let create = ["lipo", "-create", "quad.metallib", "-arch", "air64_v23", "old.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&[&create[..], &["-form", "fat", "--dry-run"]].concat()));
    let twice = ["lipo", "-create", "quad.metallib", "scale.metallib", "--dry-run"];
    assert_cmd_snapshot!(folder.mtlpack(&twice));
    let unknown = ["lipo", "-create", "old.metallib", "--dry-run"];
    assert_cmd_snapshot!(folder.mtlpack(&unknown));
}

#[test]
fn refuses_what_has_no_meaning() {
    let folder = folder();
    assert_cmd_snapshot!(folder.mtlpack(&["lipo", "universal.metallib"]));
    assert_cmd_snapshot!(folder.mtlpack(&["lipo", "universal.metallib", "-thin", "air64_v26"]));
    let missing = ["lipo", "universal.metallib", "-thin", "air64_v28", "-o", "x"];
    assert_cmd_snapshot!(folder.mtlpack(&missing));
    let plain = ["lipo", "quad.metallib", "-remove", "air64_v26", "-o", "x"];
    assert_cmd_snapshot!(folder.mtlpack(&plain));
    let replace = ["-replace", "air64_v26", "quad.metallib"];
    let twice = [&["lipo", "universal.metallib", "-o", "x"][..], &replace, &replace].concat();
    let output = folder.mtlpack(&twice).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("-replace puts one file in the place of one slice"), "{message}");
    folder.write("empty", b"");
    for other in ["empty", "universal.metallib"] {
        let nested = ["lipo", "universal.metallib", "-replace", "air64_v26", other, "-o", "x"];
        assert_cmd_snapshot!(folder.mtlpack(&nested));
    }
    assert_eq!(folder.names().iter().filter(|name| *name == "x").count(), 0);
}
