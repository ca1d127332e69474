//! `mtlpack join`.

use std::path::{Path, PathBuf};

use insta_cmd::assert_cmd_snapshot;

use crate::fixture::{self, Folder};

/// A folder with a library, the same stripped, and the companion.
fn stripped() -> Folder {
    let folder = Folder::new();
    folder.write("debug.metallib", &fixture::sources());
    let strip = ["strip-source", "debug.metallib", "-o", "release.metallib"];
    let arguments = [&strip[..], &["--companion", "release.metallibsym"]].concat();
    assert!(folder.mtlpack(&arguments).output().unwrap().status.success());
    folder
}

const PAIR: [&str; 3] = ["join", "release.metallib", "release.metallibsym"];

#[test]
fn gives_back_what_was_stripped() {
    let folder = stripped();
    assert_cmd_snapshot!(folder.mtlpack(&[&PAIR[..], &["-o", "back.metallib"]].concat()));
    assert_eq!(folder.read("back.metallib"), folder.read("debug.metallib"));
    assert_cmd_snapshot!(folder.mtlpack(&[&PAIR[..], &["--check"]].concat()));
    let json = ["--in-place", "--format", "json"];
    assert_cmd_snapshot!(folder.mtlpack(&[&PAIR[..], &json].concat()));
    assert_eq!(folder.read("release.metallib"), folder.read("debug.metallib"));
}

#[test]
fn refuses_the_companion_of_another() {
    let folder = stripped();
    folder.write("other.metallib", &fixture::with_sources());
    let strip = ["strip-source", "other.metallib", "-o", "x", "--companion", "other.metallibsym"];
    assert!(folder.mtlpack(&strip).output().unwrap().status.success());
    let pair = ["join", "release.metallib", "other.metallibsym"];
    let before = folder.names();
    assert_cmd_snapshot!(folder.mtlpack(&[&pair[..], &["-o", "back.metallib"]].concat()));
    assert_cmd_snapshot!(folder.mtlpack(&[&pair[..], &["--check"]].concat()));
    let json = ["--check", "--format", "json"];
    assert_cmd_snapshot!(folder.mtlpack(&[&pair[..], &json].concat()));
    assert_eq!(folder.names(), before);
}

#[test]
fn refuses_what_is_no_pair() {
    let folder = stripped();
    let join = |library, companion| folder.mtlpack(&["join", library, companion, "--check"]);
    assert_cmd_snapshot!(join("release.metallibsym", "release.metallib"));
    assert_cmd_snapshot!(join("release.metallib", "debug.metallib"));
    assert_cmd_snapshot!(join("debug.metallib", "release.metallibsym"));
}

#[test]
fn writes_or_checks() {
    let folder = stripped();
    assert_cmd_snapshot!(folder.mtlpack(&PAIR));
    assert_cmd_snapshot!(folder.mtlpack(&[&PAIR[..], &["--check", "-o", "x"]].concat()));
    let over = [&PAIR[..], &["-o", "x", "--depfile", "release.metallibsym"]].concat();
    assert_eq!(folder.mtlpack(&over).output().unwrap().status.code(), Some(2));
    assert!(!folder.path("x").exists());
}

/// The files that Apple's tool made, through the commands.
#[test]
fn joins_and_strips_what_apples_tool_wrote() {
    let corpus = std::env::var_os("MTLPACK_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/corpus"),
        PathBuf::from,
    );
    let libraries = corpus.join("libraries");
    let names = [
        "github-Al0den_ParticleSimulator/shaders__shaders.metallib",
        "github-philipturner_metal-float64/Tests__MetalFloat64Tests__Resources__MetalFloat64__lib__\
         libMetalFloat64.metallib",
    ];
    for (name, sums) in
        names.iter().zip([["8c055b062b", "fb19bbdefe"], ["7b2561febe", "ce21edaf9d"]])
    {
        let library = libraries.join(format!("{name}_{}.metallib", sums[0]));
        let companion = libraries.join(format!("{name}sym_{}.metallib", sums[1]));
        let (Ok(library), Ok(companion)) = (std::fs::read(library), std::fs::read(companion))
        else {
            println!("no corpus at $MTLPACK_CORPUS or target/corpus, skipped {name}");
            continue;
        };
        let folder = Folder::new();
        folder.write("apple.metallib", &library);
        folder.write("apple.metallibsym", &companion);
        let run = |arguments: &str| {
            let words: Vec<&str> = arguments.split(' ').collect();
            let output = folder.mtlpack(&words).output().unwrap();
            assert!(output.status.success(), "{arguments}: {output:?}");
        };
        run("join apple.metallib apple.metallibsym -o whole.metallib");
        run("uuid whole.metallib");
        run("strip-source whole.metallib -o ours.metallib --companion ours.metallibsym");
        assert!(folder.read("ours.metallib") == library, "{name}");
        assert!(folder.read("ours.metallibsym") == companion, "{name}");
        println!("{name}: the same through the commands");
    }
}
