//! `mtlpack script`.

use insta_cmd::assert_cmd_snapshot;
use serde_json::Value;

use crate::fixture::{Folder, example};

const COMPUTE: &str = "\
{
  \"pipelines\": {
    \"compute_pipelines\": [{ \"compute_function\": \"vector_ad\" }, { \"max\": 1 }],
  }
}
";

/// An example of the repository's tests.
fn data(folder: &Folder, name: &str) {
    let path = format!("{}/../../tests/data/scripts/{name}", env!("CARGO_MANIFEST_DIR"));
    folder.write(name, &std::fs::read(path).unwrap());
}

#[test]
fn check_says_what_is_wrong_and_where() {
    let folder = Folder::with_libraries();
    folder.write("wrong.mtlp-json", COMPUTE.as_bytes());
    let check = ["script", "check", "wrong.mtlp-json"];
    assert_cmd_snapshot!(
        folder.mtlpack(&[&check[..], &["--library", "compute.metallib"]].concat())
    );
    assert_cmd_snapshot!(folder.mtlpack(&check));
    folder.write("wrong.json", b"{}");
    assert_cmd_snapshot!(folder.mtlpack(&["script", "check", "wrong.json", "no.mtlp-json"]));
    folder.write("broken.mtlp-json", b"{\n  \"pipelines\": {}}\n}\n");
    assert_cmd_snapshot!(folder.mtlpack(&["script", "check", "broken.mtlp-json"]));
}

#[test]
fn warnings_can_be_denied() {
    let folder = Folder::new();
    data(&folder, "as_printed.mtlp-json");
    let check = ["script", "check", "as_printed.mtlp-json"];
    assert_cmd_snapshot!(folder.mtlpack(&check));
    let denied = [&check[..], &["--deny", "warnings"]].concat();
    assert_eq!(folder.mtlpack(&denied).output().unwrap().status.code(), Some(1));
}

/// Paths are looked for among the libraries of the command line by path or file name, then in
/// the folders.
#[test]
fn libraries_are_found_by_path() {
    let folder = Folder::with_examples();
    std::fs::create_dir(folder.path("built")).unwrap();
    std::fs::rename(folder.path("quad.metallib"), folder.path("built/quad.metallib")).unwrap();
    let new = ["script", "new", "built/quad.metallib", "scale.metallib", "-o", "all.mtlp-json"];
    assert_cmd_snapshot!(folder.mtlpack(&new));
    assert_cmd_snapshot!(folder.mtlpack(&["script", "check", "all.mtlp-json", "-L", "."]));
    let by_name = ["--library", "./scale.metallib", "--library", "built/quad.metallib"];
    let check = ["script", "check", "all.mtlp-json"];
    assert!(folder.mtlpack(&[&check[..], &by_name].concat()).output().unwrap().status.success());
    assert_cmd_snapshot!(folder.mtlpack(&[&check[..], &["-L", "built"]].concat()));
}

#[test]
fn sarif_has_rules_and_places() {
    let folder = Folder::with_libraries();
    folder.write("a b.mtlp-json", COMPUTE.as_bytes());
    let check = ["script", "check", "a b.mtlp-json", "--library", "compute.metallib"];
    let output = folder.mtlpack(&[&check[..], &["--format", "sarif"]].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]));
    }
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b.mtlp-json");
    assert_eq!(place["region"]["startLine"], 3);
    assert_eq!(place["region"]["startColumn"], 49);
    assert_eq!(
        (&results[0]["ruleId"], &results[0]["level"]),
        (&"unknown-function".into(), &"error".into())
    );
}

#[test]
fn new_makes_what_passes() {
    let folder = Folder::with_examples();
    for name in ["quad", "scale", "vector_add"] {
        let (library, script) = (format!("{name}.metallib"), format!("{name}.mtlp-json"));
        assert!(
            folder
                .mtlpack(&["script", "new", &library, "-o", &script])
                .output()
                .unwrap()
                .status
                .success()
        );
        let check = ["script", "check", &script, "--library", &library, "--deny", "warnings"];
        assert!(folder.mtlpack(&check).output().unwrap().status.success(), "{name}");
        let text = String::from_utf8(folder.read(&script)).unwrap();
        insta::assert_snapshot!(format!("new_{name}"), text);
    }
}

#[test]
fn new_refuses_what_it_cannot_do() {
    let folder = Folder::with_libraries();
    let new = |more: &[&str]| folder.mtlpack(&[&["script", "new", "draw.metallib"], more].concat());
    assert_cmd_snapshot!(new(&["-o", "draw.json"]));
    assert_cmd_snapshot!(new(&["-o", "a.mtlp-json", "--pixel-format", "BGRA8Unorm_srgb"]));
    assert_cmd_snapshot!(new(&["-o", "a.mtlp-json", "--pair", "draw_vertx:draw_fragment"]));
    assert_cmd_snapshot!(new(&[
        "-o",
        "-",
        "--depth-format",
        "Depth32Float",
        "--pair",
        "draw_vertex:draw_fragment"
    ]));
    folder.write("dynamic.metallib", &crate::fixture::dynamic());
    assert_cmd_snapshot!(folder.mtlpack(&[
        "script",
        "new",
        "dynamic.metallib",
        "-o",
        "a.mtlp-json"
    ]));
    assert!(!folder.path("a.mtlp-json").exists());
}

#[test]
fn fmt_lays_out() {
    let folder = Folder::new();
    data(&folder, "as_printed.mtlp-json");
    data(&folder, "render.mtlp-json");
    let both = ["as_printed.mtlp-json", "render.mtlp-json"];
    let fmt = |more: &[&str]| folder.mtlpack(&[&["script", "fmt"], &both[..], more].concat());
    assert_cmd_snapshot!(fmt(&["--check"]));
    assert_cmd_snapshot!(fmt(&[]));
    assert!(fmt(&["--in-place"]).output().unwrap().status.success());
    assert!(fmt(&["--check"]).output().unwrap().status.success());
    folder.write("wrong.mtlp-json", b"{\"a\" 1}");
    assert_cmd_snapshot!(folder.mtlpack(&["script", "fmt", "wrong.mtlp-json"]));
}

#[test]
fn convert_says_what_it_refuses() {
    let folder = Folder::new();
    data(&folder, "metal4.mtl4-json");
    data(&folder, "compute.mtlp-json");
    let convert = |from: &str, to: &str| folder.mtlpack(&["script", "convert", from, "-o", to]);
    assert_cmd_snapshot!(convert("metal4.mtl4-json", "-"));
    assert_cmd_snapshot!(convert("metal4.mtl4-json", "a.mtl4-json"));
    assert_cmd_snapshot!(convert("compute.mtlp-json", "a.mtl4-json"));
    assert_eq!(folder.names(), ["compute.mtlp-json", "metal4.mtl4-json"]);
}

#[test]
fn graph_shows_graphs() {
    let folder = Folder::new();
    data(&folder, "stitched.mtlp-json");
    let graph = |more: &[&str]| {
        folder.mtlpack(&[&["script", "graph", "stitched.mtlp-json"], more].concat())
    };
    assert_cmd_snapshot!(graph(&["blendThree"]));
    assert_cmd_snapshot!(graph(&["made", "--format", "dot"]));
    assert_cmd_snapshot!(graph(&["other"]));
}

/// A script is never written over a library that it was made of.
#[test]
fn no_script_replaces_an_input() {
    let folder = Folder::new();
    folder.write("a.mtlp-json", &std::fs::read(example("scale.metallib")).unwrap());
    assert_cmd_snapshot!(folder.mtlpack(&["script", "new", "a.mtlp-json", "-o", "./a.mtlp-json"]));
}
