//! Modules by themselves (`.air` files) without paths and debug information.

use std::process::Command;

use air_bitcode::ids::block as block_ids;
use air_bitcode::{Block, BlockInfo, Item, Module, Record, Rename, Stream, WriteOptions};
use metallib::{BITCODE_MAGIC, Wrapper};
use mtlpack::{
    NormalizeOptions, PathRules, StripOptions, UuidPolicy, module_paths, normalize_bitcode,
    strip_bitcode,
};
use mtlpack_tests::air::Air;
use mtlpack_tests::{Sample, air_files, llvm};

fn all() -> StripOptions {
    let paths = Some(PathRules::default());
    StripOptions { paths, debug_info: true, ..StripOptions::default() }
}

fn stripped(name: &str, module: &[u8], options: &StripOptions) -> Vec<u8> {
    strip_bitcode(name, module, options).unwrap_or_else(|error| panic!("{error}")).bytes
}

fn paths(name: &str, module: &[u8]) -> usize {
    let mut count = 0;
    module_paths(module, |_| count += 1).unwrap_or_else(|error| panic!("{name}: {error}"));
    count
}

/// The bitcode without its wrapper, if it has one.
fn raw(module: &[u8]) -> &[u8] {
    Wrapper::parse(module).map_or(module, |wrapper| {
        let start = wrapper.offset as usize;
        &module[start..start + wrapper.size as usize]
    })
}

/// Of wrapped ones and of raw ones: nothing is left, and the form is what it was.
#[test]
fn nothing_is_left_in_a_module_by_itself() {
    let samples = air_files();
    let (mut with, mut same, mut saved) = (0usize, 0usize, 0usize);
    for Sample { name, bytes } in &samples {
        let made = stripped(name, bytes, &all());
        assert_eq!(paths(name, &made), 0, "{name}");
        assert!(!Module::parse(&made).unwrap().has_debug_info().unwrap(), "{name}");
        assert!(stripped(name, &made, &all()) == made, "{name}: stripped twice");
        let (old, new) = (Wrapper::parse(bytes), Wrapper::parse(&made));
        assert_eq!(old.is_some(), new.is_some(), "{name}");
        assert!(old.is_none_or(|old| new.unwrap().cpu_type == old.cpu_type), "{name}");
        let bare = stripped(name, raw(bytes), &all());
        assert!(bare.starts_with(&BITCODE_MAGIC), "{name}");
        assert!(raw(&made) == bare, "{name}: the wrapper makes a difference");
        with += usize::from(paths(name, bytes) > 0);
        same += usize::from(made == *bytes);
        saved += bytes.len() - made.len();
    }
    println!("{} modules, {with} with paths, {same} stay, {saved} bytes saved", samples.len());
    assert!(samples.is_empty() || with >= 59 && same >= 4 && samples.len() >= 64);
}

#[test]
fn llvm_reads_them() {
    let Some(tool) = llvm::find("llvm-dis", "modules without paths") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("module.air");
    let reads = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        Command::new(&tool).arg(&file).args(["-o", "-"]).output().unwrap().status.success()
    };
    let (mut accepted, mut unread) = (0usize, 0usize);
    for Sample { name, bytes } in &air_files() {
        let is_read = reads(&stripped(name, bytes, &all()));
        match reads(bytes) {
            true => assert!(is_read, "{name}: LLVM read it before"),
            false => unread += 1,
        }
        accepted += usize::from(is_read);
    }
    println!("{accepted} modules read, {unread} were not before");
}

#[test]
fn normalised_again_they_stay() {
    let (mut changed, mut debug) = (0usize, 0usize);
    for Sample { name, bytes } in &air_files() {
        let options = NormalizeOptions::default();
        let made = normalize_bitcode(name, bytes, &options).unwrap().bytes;
        assert_eq!(paths(name, &made), 0, "{name}");
        assert!(normalize_bitcode(name, &made, &options).unwrap().bytes == made, "{name}");
        let has = |bytes| Module::parse(bytes).unwrap().has_debug_info().unwrap();
        assert_eq!(has(bytes), has(&made), "{name}");
        assert_eq!(made != *bytes, paths(name, bytes) > 0, "{name}");
        changed += usize::from(made != *bytes);
        debug += usize::from(has(&made));
    }
    println!("{changed} modules changed, {debug} keep debug information");
}

#[test]
fn what_only_libraries_have_is_refused_by_name() {
    let module = include_bytes!("../data/debug.bc");
    let named: [(StripOptions, &str); 5] = [
        (StripOptions { source: true, ..all() }, "--source"),
        (StripOptions { reflection: true, ..all() }, "--reflection"),
        (StripOptions { unused: true, ..all() }, "--unused"),
        (StripOptions { install_names: true, ..all() }, "--install-name"),
        (StripOptions { uuid: Some(UuidPolicy::Keep), ..all() }, "--uuid"),
    ];
    for (options, option) in named {
        let error = strip_bitcode("x.air", module, &options).unwrap_err().to_string();
        let expected = format!("x.air is a module by itself, and {option} is about");
        assert!(error.starts_with(&expected), "{error}");
    }
    let error = strip_bitcode("x.air", module, &StripOptions::default()).unwrap_err().to_string();
    assert_eq!(error, "nothing to strip is named: --paths, --debug-info, or --all");
    assert!(strip_bitcode("x.air", b"no module", &all()).is_err());
}

/// What stands beside the bitcode is found, and refused: nobody knows what it is.
#[test]
fn paths_beside_the_bitcode_are_refused() {
    const PATH: &[u8] = b"/Users/ada/noise";
    let module = Air::new("noise", 2).module();
    let (head, rest) = module.split_at(20);
    let mut gap = [head, PATH, rest].concat();
    gap[8..12].copy_from_slice(&36u32.to_le_bytes());
    let tail = [&module[..], PATH].concat();
    for (bytes, side, offset) in [(&gap, "in front of", 20), (&tail, "behind", module.len())] {
        let mut found = Vec::new();
        module_paths(bytes, |one| found.push((one.place.to_string(), one.path, one.offset)))
            .unwrap();
        let place = format!("module: bytes {side} the bitcode");
        assert_eq!(found, [(place.clone(), PATH.to_vec(), offset as u64)]);
        let paths_alone = StripOptions { debug_info: false, ..all() };
        for options in [all(), paths_alone] {
            let error = strip_bitcode("a.air", bytes, &options).unwrap_err().to_string();
            let expected = format!(
                "a.air: the path `/Users/ada/noise` in {place}, offset {offset:#x}, cannot be"
            );
            assert!(error.starts_with(&expected), "{error}");
        }
        let error = normalize_bitcode("a.air", bytes, &NormalizeOptions::default()).unwrap_err();
        assert!(error.to_string().contains(&place), "{error}");
        let debug = StripOptions { paths: None, ..all() };
        assert_eq!(stripped("a.air", bytes, &debug), **bytes);
    }
}

/// Names, attributes and assembly are looked through, and no path there is passed over.
#[test]
fn paths_that_cannot_be_rewritten_are_refused() {
    let module = include_bytes!("../data/carried.bc");
    let mut found = Vec::new();
    module_paths(module, |one| found.push((one.path, one.place.to_string()))).unwrap();
    let mut expected = [
        ("/tmp/assembly", "assembly"),
        ("/tmp/collector", "name of a garbage collector"),
        ("/tmp/comdat", "name of a global value"),
        ("/tmp/key", "attribute"),
        ("/tmp/kind", "kind of an attachment"),
        ("/tmp/list", "name of a list"),
        ("/tmp/partition", "name of a global value"),
        ("/tmp/scope", "synchronization scope"),
        ("/tmp/section", "name of a section"),
        ("/tmp/type", "name of a type"),
        ("/tmp/value", "attribute"),
        ("/tmp/variable", "name of a global value"),
    ]
    .map(|(path, what)| (path.as_bytes().to_vec(), format!("module: {what}")));
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    let error = strip_bitcode("a.air", module, &all()).unwrap_err().to_string();
    assert!(error.starts_with("a.air: the path `/tmp/"), "{error}");
    assert!(normalize_bitcode("a.air", module, &NormalizeOptions::default()).is_err());
}

/// Bitcode that was cut out of its wrapper with the zeros behind it is read as LLVM reads it, up
/// to eight of them, and they stay.
#[test]
fn zeros_behind_raw_bitcode_are_padding() {
    let module = include_bytes!("../data/debug.bc");
    let bare = raw(module);
    let tool = llvm::find("llvm-dis", "zeros behind bitcode");
    let folder = tempfile::tempdir().unwrap();
    for zeros in [0, 4, 8, 12] {
        let bytes = [bare, &vec![0; zeros]].concat();
        let parsed = Module::parse(&bytes);
        assert_eq!(parsed.is_ok(), zeros <= 8, "{zeros}");
        if let Some(tool) = &tool {
            let file = folder.path().join("module.bc");
            std::fs::write(&file, &bytes).unwrap();
            let output = Command::new(tool).arg(&file).args(["-o", "-"]).output().unwrap();
            assert_eq!(output.status.success(), parsed.is_ok(), "{zeros}: LLVM");
        }
        let Ok(parsed) = parsed else { continue };
        assert!(parsed.to_bytes(WriteOptions::default()).unwrap() == bytes, "{zeros}");
        let expected = [&stripped("a.bc", bare, &all())[..], &vec![0; zeros]].concat();
        assert!(stripped("a.bc", &bytes, &all()) == expected, "{zeros}");
    }
    for other in [&[0, 0][..], &[0, 0, 0, 1], &[0; 6]] {
        assert!(Module::parse(&[bare, other].concat()).is_err(), "{other:?}");
    }
}

/// A record of characters.
fn spelled(code: u32, text: &str) -> Item<'static> {
    Item::Record(Record::new(code, text.bytes().map(u64::from).collect()))
}

/// A module with these items at the end of the module block, and these blocks behind all others.
fn with(items: Vec<Item<'static>>, blocks: Vec<Block<'static>>) -> Vec<u8> {
    let module = include_bytes!("../data/debug.bc");
    let mut stream = Stream::parse(raw(module), 0).unwrap();
    let index = stream.blocks.iter().position(|block| block.id() == block_ids::MODULE).unwrap();
    let module = stream.blocks[index].open(&mut BlockInfo::default()).unwrap();
    module.extend(items);
    stream.blocks.extend(blocks);
    let mut bytes = Vec::new();
    stream.write(&mut bytes, WriteOptions { positions: true, records: false }).unwrap();
    bytes
}

/// Records and blocks that are not known, or there twice, hide no path.
#[test]
fn paths_in_what_is_not_known_are_refused() {
    let path = "/tmp/hidden";
    let block = |id, code| Block::new(id, 4, vec![spelled(code, path)]);
    let inner = |id, code| vec![Item::Block(block(id, code))];
    let nested = Block::new(99, 4, inner(98, 7));
    let cases: [(&str, Vec<u8>); 9] = [
        ("a record of the module", with(vec![spelled(300, path)], Vec::new())),
        ("a second SOURCE_FILENAME", with(vec![spelled(16, path)], Vec::new())),
        ("a block in the module", with(inner(99, 1), Vec::new())),
        ("a record of the kinds of attachments", with(inner(22, 99), Vec::new())),
        ("a name of a block", with(inner(block_ids::BLOCKINFO, 2), Vec::new())),
        ("a block behind the module", with(Vec::new(), vec![block(99, 1)])),
        ("a block in one behind the module", with(Vec::new(), vec![nested])),
        ("a second identification", with(Vec::new(), vec![block(block_ids::IDENTIFICATION, 1)])),
        ("a second STRTAB", with(Vec::new(), vec![block(block_ids::STRTAB, 9)])),
    ];
    for (what, bytes) in cases {
        let mut found = Vec::new();
        module_paths(&bytes, |one| found.push(one.path)).unwrap();
        assert!(found.contains(&path.as_bytes().to_vec()), "{what}");
        for options in [all(), StripOptions { debug_info: false, ..all() }] {
            let error = strip_bitcode("a.air", &bytes, &options).unwrap_err().to_string();
            assert!(error.contains(&format!("the path `{path}`")), "{what}: {error}");
        }
    }
}

/// Names that a rename left in the string table are looked at too.
#[test]
fn old_names_hide_no_path() {
    let module = Air::new("noise", 2).module();
    let rename = |bytes: &[u8], old: &[u8], new: &[u8]| {
        let module = Module::parse(bytes).unwrap();
        module.rename(&[Rename { old, new }]).unwrap().to_bytes().unwrap()
    };
    let there = rename(&module, b"noise", b"/Users/ada/noise");
    let back = rename(&there, b"/Users/ada/noise", b"noise");
    for bytes in [there, back] {
        assert_eq!(paths("noise", &bytes), 1);
        assert!(strip_bitcode("a.air", &bytes, &all()).is_err());
    }
}
