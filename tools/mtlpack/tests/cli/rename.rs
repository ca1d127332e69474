//! `mtlpack rename`.

use insta_cmd::assert_cmd_snapshot;
use metallib::Library;

use crate::fixture::{self, Folder};

const QUAD: &[u8] = include_bytes!("../../../../examples/quad.metallib");

/// A folder with a library of real modules: `quad_vertex` and `quad_fragment`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("quad.metallib", QUAD);
    folder
}

/// Names in the list, and in the modules.
fn names(folder: &Folder, name: &str) -> (Vec<String>, Vec<String>) {
    let bytes = folder.read(name);
    let library = Library::parse(&bytes).unwrap();
    let listed = library.functions().iter().map(|f| f.name().into_owned()).collect();
    let defined = |module: &metallib::Module<'_>| {
        let module = air_bitcode::Module::parse(module.bytes()).unwrap();
        let globals = module.globals().unwrap();
        let visible = globals.iter().find(|g| g.is_definition && g.linkage.is_visible()).unwrap();
        visible.name_text().into_owned()
    };
    (listed, library.modules().iter().map(defined).collect())
}

fn assert_names(folder: &Folder, name: &str, expected: [&str; 2]) {
    let expected = expected.map(str::to_owned).to_vec();
    assert_eq!(names(folder, name), (expected.clone(), expected));
    assert!(folder.mtlpack(&["verify", name]).output().unwrap().status.success());
}

#[test]
fn renames_by_name() {
    let folder = folder();
    let arguments =
        ["rename", "quad.metallib", "quad_vertex=ours::a = b", r"quad_fragment=gr\xc3\xb6\x41e"];
    assert_cmd_snapshot!(folder.mtlpack(&[&arguments[..], &["-o", "x.metallib"]].concat()));
    assert_names(&folder, "x.metallib", ["ours::a = b", "gröAe"]);
}

#[test]
fn functions_may_swap_their_names() {
    let folder = folder();
    let swap = ["quad_vertex=quad_fragment", "quad_fragment=quad_vertex", "--in-place"];
    let arguments = [&["rename", "quad.metallib"], &swap[..]].concat();
    assert!(folder.mtlpack(&arguments).output().unwrap().status.success());
    assert_names(&folder, "quad.metallib", ["quad_fragment", "quad_vertex"]);
}

#[test]
fn maps_are_those_of_objcopy() {
    let folder = folder();
    let plan = ["rename", "quad.metallib", r"quad_vertex=a\x20b#\\\xff", "--dry-run"];
    let plan = folder.mtlpack(&plan).output().unwrap().stdout;
    let plan = String::from_utf8(plan).unwrap();
    assert!(plan.ends_with("\nquad.metallib: 1 renamed\n  quad_vertex -> a\\x20b\\x23\\\\\\xff\n"));
    let map = "\u{feff}# ours\r\n\r\n  quad_vertex\tvertex\\x20one # first\r\nquad_fragment f#x\n";
    folder.write("map.txt", map.as_bytes());
    let arguments = ["rename", "quad.metallib", "--map", "map.txt", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&[&arguments[..], &["--depfile", "x.d"]].concat()));
    assert_names(&folder, "x.metallib", ["vertex one", "f"]);
    assert_eq!(folder.read("x.d"), b"x.metallib: \\\n  quad.metallib \\\n  map.txt\n");
    assert_cmd_snapshot!(folder.mtlpack(&[
        "rename",
        "quad.metallib",
        "--map",
        "map.txt",
        "-o",
        "map.txt"
    ]));
}

#[test]
fn says_which_line_of_a_map_is_wrong() {
    let folder = folder();
    let rename = ["rename", "quad.metallib", "-o", "x.metallib", "--map", "map"];
    for map in ["# fine\nquad_vertex #one\n", "a b\na b c", "a b\\c", "a b\na c\n\nd e\nd f"] {
        folder.write("map", map.as_bytes());
        assert_cmd_snapshot!(folder.mtlpack(&rename));
    }
}

#[test]
fn one_rule_decides_for_a_function() {
    let folder = folder();
    let around = ["--prefix", "p_", "--suffix", "_s"];
    let rename = ["rename", "quad.metallib", "-o", "x.metallib"];
    let run = |rules: &[&str]| {
        let output = folder.mtlpack(&[&rename[..], rules].concat()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&around);
    assert_names(&folder, "x.metallib", ["p_quad_vertex_s", "p_quad_fragment_s"]);
    run(&[&around[..], &["quad_vertex=quad_vertex"]].concat());
    assert_names(&folder, "x.metallib", ["quad_vertex", "p_quad_fragment_s"]);
    run(&[&around[..], &["--regex", "^quad_v(.*)=v$1"]].concat());
    assert_names(&folder, "x.metallib", ["vertex", "p_quad_fragment_s"]);
    run(&["--regex", "quad_(?<kind>v[a-z]+)=${kind}_quad", "--regex", "quad=q"]);
    assert_names(&folder, "x.metallib", ["vertex_quad", "q_fragment"]);
}

#[test]
fn the_same_names_give_the_same_bytes() {
    let folder = folder();
    let arguments = ["rename", "quad.metallib", "--prefix", "", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.read("x.metallib"), QUAD);
}

#[test]
fn rules_for_nothing_are_a_no() {
    let folder = folder();
    folder.write("map", b"quad vertex\nquad_vertex v\n");
    let rules = ["nothing=x", "--map", "map", "--regex", "^vertex=v", "--regex", "vertex=v"];
    let arguments = [&["rename", "quad.metallib", "-o", "x.metallib"], &rules[..]].concat();
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    let all = ["quad_vertex=quad_vertex", "quad_fragment=f"];
    let earlier = ["--regex", "quad=q", "--regex", "triangle=t", "--prefix", "p_"];
    let rename = ["rename", "quad.metallib", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&[&rename[..], &all, &earlier].concat()));
    assert!(!folder.path("x.metallib").exists());
}

#[test]
fn all_faults_are_listed_at_once() {
    let folder = folder();
    let twice = ["quad_vertex=quad_fragment", "quad_vertex=x", "nothing=y"];
    let rename = ["rename", "quad.metallib", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&[&rename[..], &twice].concat()));
    let bad = ["quad_vertex=air.v", "--regex", "nothing=y"];
    assert_cmd_snapshot!(folder.mtlpack(&[&rename[..], &bad].concat()));
    assert_eq!(folder.names(), ["quad.metallib"]);
}

#[test]
fn names_that_cannot_be_are_refused() {
    let folder = folder();
    let rename = ["rename", "quad.metallib", "-o", "x.metallib"];
    for rules in [
        &["--regex", ".+=quad"][..],
        &["quad_vertex=quad_fragment"],
        &["quad_vertex=", "quad_fragment=x"],
        &["--regex", ".*="],
        &["--prefix", "air."],
        &["quad_vertex"],
        &["--regex", "(a=b"],
        &["--regex", "(quad)=$1_q"],
        &[],
    ] {
        assert_cmd_snapshot!(folder.mtlpack(&[&rename[..], rules].concat()));
    }
    assert_eq!(folder.names(), ["quad.metallib"]);
}

/// A word behind the magic number of the bitcode that begins no block.
#[test]
fn modules_that_cannot_be_read_are_named() {
    let folder = Folder::with_libraries();
    let mut bytes = folder.read("compute.metallib");
    let magic = bytes.windows(4).position(|four| four == metallib::BITCODE_MAGIC).unwrap();
    bytes[magic + 4..magic + 8].fill(2);
    folder.write("compute.metallib", &bytes);
    let arguments = ["rename", "compute.metallib", "vector_add=x", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.names(), ["compute.metallib", "draw.metallib"]);
}

#[test]
fn a_plan_says_what_is_made() {
    let folder = folder();
    let arguments = ["rename", "quad.metallib", "--prefix", "ours_", "--dry-run"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_cmd_snapshot!(folder.mtlpack(&[&arguments[..], &["--format", "json"]].concat()));
}

#[test]
fn embedded_sources_keep_the_names() {
    let folder = Folder::new();
    let mut builder = fixture::linker(metallib::Platform::MACOS, 14);
    let quad = Library::parse(QUAD).unwrap();
    let archive = metallib::Archive::new(b"0", b"BZh9 not really").unwrap();
    let archive = Some(builder.add_archive(archive).unwrap());
    for function in quad.functions() {
        let module = quad.module_of(function).unwrap().bytes();
        let (kind, versions) = (function.function_type().unwrap(), function.versions().unwrap());
        let spec = metallib::FunctionSpec::new(function.name(), kind, versions, module);
        builder.add(metallib::FunctionSpec { archive, ..spec }).unwrap();
    }
    folder.write("debug.metallib", &fixture::bytes(builder));
    let arguments = ["rename", "debug.metallib", "--suffix", "_2", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}
