//! Inputs to begin with.

use air_bitcode::{Module, Rename};
use metallib::{Container, Library};
use mtlpack_tests::PIPELINE_MODULE;
use mtlpack_tests::archives::{Tar, library};
use mtlpack_tests::bitcode;
use mtlpack_tests::bitcode_old::old_debug_module;
use mtlpack_tests::bitcode_shared::shared_module;
use mtlpack_tests::derivable::{IMAGE, PATCH, VERTEX};
use mtlpack_tests::id_laws::DEBUG_MODULE;

use crate::builder::{Entry, Recipe, build, library_of, write};

/// Small numbers that look random and are the same in every run (splitmix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[0]).collect()
    }
}

/// Pipeline scripts.
const SCRIPTS: [&str; 7] = [
    include_str!("../../tests/data/scripts/render.mtlp-json"),
    include_str!("../../tests/data/scripts/compute.mtlp-json"),
    include_str!("../../tests/data/scripts/specialized.mtlp-json"),
    include_str!("../../tests/data/scripts/stitched.mtlp-json"),
    include_str!("../../tests/data/scripts/stages.mtlp-json"),
    include_str!("../../tests/data/scripts/metal4.mtl4-json"),
    include_str!("../../tests/data/scripts/as_printed.mtlp-json"),
];

/// Pipeline scripts, each also on one line, and the elements of their lists by themselves in the
/// smallest script that holds them.
fn scripts() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = SCRIPTS.iter().map(|text| text.as_bytes().to_vec()).collect();
    let lines = SCRIPTS.iter().map(|text| text.split_whitespace().collect::<String>());
    seeds.extend(lines.map(String::into_bytes));
    for (key, element) in [
        ("compute_pipelines", r#"{"compute_function":"k"}"#),
        ("render_pipelines", r#"{"vertex_function":"v","fragment_function":"f"}"#),
        ("tile_render_pipelines", r#"{"tile_function":"alias:l#k"}"#),
        ("mesh_render_pipelines", r#"{"mesh_function":"file:a#m","enable":"!($p())"}"#),
    ] {
        seeds.push(format!(r#"{{"pipelines":{{"{key}":[{element}]}}}}"#).into_bytes());
        let more = vec![element; 20].join(",");
        seeds.push(format!(r#"{{"pipelines":{{"{key}":[{more},]}}}}"#).into_bytes());
        let paths = r#""libraries":{"paths":[{"label":"l","path":"a"}]}"#;
        seeds.push(format!(r#"{{{paths},"pipelines":{{"{key}":[{element}]}}}}"#).into_bytes());
    }
    for text in ["", "{}", "[[[[", "{\"a\":", "\u{feff}{}", "1e5", "null", "\"\\ud83d\\ude00\""] {
        seeds.push(text.as_bytes().to_vec());
    }
    seeds
}

/// The committed examples.
const EXAMPLES: [&[u8]; 3] = [
    include_bytes!("../../examples/vector_add.metallib"),
    include_bytes!("../../examples/quad.metallib"),
    include_bytes!("../../examples/scale.metallib"),
];

/// Seeds for a target: the examples and built libraries, in the shape that it reads.
#[must_use]
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let mut random = Random(1);
    let described = (0..400).map(|index| random.bytes(16 + index * 8));
    if target == "builder" {
        return described.step_by(8).collect();
    }
    if target == "bitcode" {
        return modules();
    }
    if target == "sources" {
        return archives();
    }
    if target == "derive" {
        let derivable = [VERTEX, PATCH, IMAGE].into_iter().map(<[u8]>::to_vec).cycle().take(45);
        return modules().into_iter().chain(derivable).collect();
    }
    if target == "scripts" {
        return scripts();
    }
    if target == "renumber" {
        // Most mutations are to meet the modules that have most to renumber.
        let debug = [DEBUG_MODULE.to_vec(), old_debug_module(None)].into_iter().cycle().take(60);
        return modules().into_iter().chain(debug).collect();
    }
    if target == "pack" {
        let pipeline = [PIPELINE_MODULE.to_vec(), static_archive()].into_iter().cycle().take(20);
        return modules().into_iter().chain(pipeline).collect();
    }
    let mut seeds: Vec<Vec<u8>> = EXAMPLES.iter().map(|bytes| bytes.to_vec()).collect();
    for patch in 2..=9 {
        seeds.extend([false, true].map(|linker| rich(linker, patch)));
    }
    seeds.extend(described.filter_map(|recipe| library_of(&recipe)).take(40));
    if target == "views" {
        seeds.extend(payloads());
    }
    seeds
}

/// A static archive of two modules, in the forms of GNU and BSD.
fn static_archive() -> Vec<u8> {
    let mut archive = b"!<arch>\n".to_vec();
    let mut add = |name: &str, data: &[u8]| {
        let size = data.len();
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644);
        archive.extend([header.as_bytes(), data].concat());
        archive.resize(archive.len().next_multiple_of(2), b'\n');
    };
    add("//", b"pipeline_with_a_long_name.air/\n");
    add("/0", PIPELINE_MODULE);
    add("#1/4", &[&b"k.ai"[..], &kernel_module()].concat());
    archive
}

fn kernel_module() -> Vec<u8> {
    mtlpack_tests::air::Air::new("kernel", 2).module()
}

/// A library of all that a container may hold.
fn rich(linker: bool, patch: u16) -> Vec<u8> {
    let container = Container::new(patch);
    let reflection = container.has_reflection();
    let extension = container.has_extension();
    let functions = (0..5_u8).map(|n| Entry {
        name: format!("function_{n}"),
        code: n,
        air: (2, n),
        language: (3, 1),
        bitcode: vec![n; 8 + usize::from(n) * 12],
        shared: n == 3,
        public: payloads().into_iter().map(|payload| (*b"CNST", payload)).take(n.into()).collect(),
        private: vec![(*b"DEBI", b"\x07\0\0\0/source.metal\0".to_vec())],
        extra: vec![(n, vec![n; 3])],
        reflection: reflection.then(|| vec![n; 40]),
        archive: (extension && n < 2).then_some(n),
    });
    let archives = ["0", "1"].map(|id| (id.to_owned(), b"BZh9".repeat(6)));
    let recipe = Recipe {
        linker,
        patch: u8::try_from(patch - 2).expect("a small number"),
        platform: 1,
        os: (14, 0, 0),
        kind: 0,
        link_options: extension.then(|| "-o out".to_owned()),
        archives: archives.into_iter().filter(|_| extension).collect(),
        install_name: extension.then(|| "out.metallib".to_owned()),
        functions: functions.collect(),
    };
    write(&build(&recipe).expect("a recipe that fits its container"))
}

/// A payload of each tag that has a typed view.
fn payloads() -> [Vec<u8>; 7] {
    [
        b"\x02\0factor\0\x03\0\0\x01clamp\0\x35\x01\0\x01".to_vec(),
        b"\x02\0position\0\0\x80color\0\x01\x80".to_vec(),
        b"\x02\0\x04\x06".to_vec(),
        b"\x01image\0\x3a\x03\x01\0\0\0\x02".to_vec(),
        b"\x3c\0\x10\x40\0\0\0\0\0\0\0\x02\x04\0\0\0\x10\0\0\0\x06".to_vec(),
        b"\x2a\0\0\0/source.metal\0".to_vec(),
        b"/linked.air\0".to_vec(),
    ]
}

/// Source archives as they are, packed, and in libraries.
fn archives() -> Vec<Vec<u8>> {
    let names = ["metal-options.txt", "/src/a.metal", "src/A.metal", "/a/../b", "../c", "aux.h"];
    let tars = (0..names.len()).flat_map(|first| {
        let several = names.iter().cycle().skip(first).take(first + 1);
        let several = several.fold(Tar::new(), |tar, name| tar.file(name, name.as_bytes()));
        let kind = b"1234567Lx"[first];
        [
            several.clone(),
            several.special("special", kind, "/etc"),
            Tar::new().file(names[first], b""),
        ]
    });
    let tars: Vec<Tar> = tars.collect();
    let packed =
        tars.iter().flat_map(|tar| [tar.clone().pack(), [tar.clone().pack(), vec![0; 9]].concat()]);
    let packed: Vec<Vec<u8>> = packed.collect();
    let libraries = packed.chunks(2).enumerate().map(|(index, pair)| {
        let both = [("0", pair[0].clone()), ("a.metal", pair[1].clone())];
        library([4, 5, 6, 9][index % 4], &both)
    });
    let libraries: Vec<Vec<u8>> = libraries.collect();
    let tars = tars.into_iter().flat_map(|tar| [tar.clone().open(), tar.close()]);
    tars.chain(packed).chain(libraries).collect()
}

/// Modules: the examples', and built ones of both name forms, with and without wrapper.
fn modules() -> Vec<Vec<u8>> {
    let mut modules = vec![bitcode::small_module(), bitcode::old_module()];
    for example in EXAMPLES {
        let library = Library::parse(example).expect("an example");
        modules.extend(library.modules().iter().map(|module| module.bytes().to_vec()));
    }
    for count in 0..12 {
        let names: Vec<String> = (0..count).map(|index| format!("function_{index}")).collect();
        modules.push(shared_module(&names));
    }
    for name in ["short", "air", "größer ::", "a.name_of_six_bit_characters_123"] {
        for module in [bitcode::small_module(), bitcode::old_module()] {
            let module = Module::parse(&module).expect("a module");
            let renamed = module.rename(&[Rename::new(bitcode::KERNEL, name)]);
            let bytes = renamed.and_then(|renamed| renamed.to_bytes());
            modules.push(bytes.expect("a module that can be renamed"));
        }
    }
    let raw = |bytes: &Vec<u8>| Module::parse(bytes).expect("a module").envelope().stream.to_vec();
    let raw: Vec<_> = modules.iter().map(raw).collect();
    modules.extend(raw);
    modules.sort();
    modules.dedup();
    modules
}
