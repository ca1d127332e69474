//! Packing modules that are made here: of LLVM's assembler, and small ones.

use std::path::Path;
use std::process::Command;

use air_bitcode::{Envelope, Module};
use metallib::metadata::vertex_attributes;
use metallib::{
    Container, Dialect, FileType, FourCc, FunctionType, Library, OsVersion, Platform, TagList,
};
use mtlpack::io::Input;
use mtlpack::{Order, PackOptions, Packer, Result, Severity, VerifyOptions, verify};
use mtlpack_tests::air::{Air, AirFunction};
use mtlpack_tests::{PIPELINE_MODULE, llvm};

const KERNEL: u8 = 2;

/// Packs inputs; gives the output's bytes and notes.
fn pack(options: PackOptions, inputs: &[(&str, &[u8])]) -> Result<(Vec<u8>, Vec<String>)> {
    let mut packer = Packer::new(options);
    for (name, bytes) in inputs {
        packer.add(name, bytes)?;
    }
    let packed = packer.finish()?;
    Ok((packed.to_vec()?, packed.notes))
}

fn refusal(options: PackOptions, inputs: &[(&str, &[u8])]) -> String {
    pack(options, inputs).expect_err("it cannot be packed").to_string()
}

fn names(library: &Library<'_>) -> Vec<String> {
    library.functions().iter().map(|function| function.name().into_owned()).collect()
}

fn assert_sound(bytes: &[u8]) {
    let input = Input::from_bytes("packed", bytes.to_vec());
    let report = verify(&input, VerifyOptions { threads: 1 }).unwrap();
    let errors: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    let is_fine = report.findings.iter().all(|finding| finding.severity == Severity::Note);
    assert!(report.passed() && report.canonical && is_fine, "{errors:#?}");
}

fn kernel(name: &str) -> Air {
    Air::new(name, KERNEL)
}

fn kernels(names: &[&str]) -> Air {
    let functions = names.iter().map(|name| AirFunction::new(name, "air.kernel")).collect();
    Air { functions, ..kernel("") }
}

fn linker() -> PackOptions {
    PackOptions { dialect: Some(Dialect::Linker), ..PackOptions::default() }
}

#[test]
fn what_another_compiler_made_is_packed() {
    let (bytes, notes) = pack(PackOptions::default(), &[("a.air", PIPELINE_MODULE)]).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    assert_sound(&bytes);
    let library = Library::parse(&bytes).unwrap();
    assert_eq!(names(&library), ["scale", "shade_vertex", "shade_fragment"]);
    let types: Vec<_> = library.functions().iter().map(|f| f.function_type().unwrap()).collect();
    let expected = [FunctionType::KERNEL, FunctionType::VERTEX, FunctionType::FRAGMENT];
    assert_eq!(types, expected);
    assert_eq!(library.modules().len(), 3);
    let identity = library.identity();
    assert_eq!(
        (identity.container, identity.platform()),
        (Container::new(7), Some(Platform::MACOS))
    );
    let vertex = library.function("shade_vertex").unwrap();
    let tag = vertex.public.get(FourCc::VATT).unwrap();
    let attributes = vertex_attributes(tag.payload, 0).unwrap();
    let found: Vec<(&[u8], u16, bool)> =
        attributes.iter().map(|a| (&a.name[..], a.index(), a.is_active())).collect();
    let expected: [(&[u8], u16, bool); 3] =
        [(b"place", 0, true), (b"tint", 1, true), (b"unused", 3, false)];
    assert_eq!(found, expected);
}

/// The committed module is what its text gives.
#[test]
fn the_module_is_that_of_its_text() {
    let Some(assemble) = llvm::find("llvm-as", "the text of pipeline.bc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("pipeline.ll");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    std::fs::copy(data.join("pipeline.ll"), &copy).unwrap();
    let made = llvm::run(&assemble, &[], &copy, "bc").unwrap_or_else(|error| panic!("{error}"));
    // Others number their instructions and name themselves in other ways.
    let version = Command::new(&assemble).arg("--version").output().unwrap();
    if String::from_utf8_lossy(&version.stdout).contains("LLVM version 14.") {
        let same = std::fs::read(made).unwrap() == PIPELINE_MODULE;
        assert!(same, "run llvm-as on tests/data/pipeline.ll");
    }
}

#[test]
fn the_output_depends_on_bytes_and_options_alone() {
    let modules = ["a", "b", "c", "d", "e"].map(|name| kernel(name).module());
    let inputs = |folder: &str| -> Vec<(String, &[u8])> {
        let named = modules.iter().enumerate();
        named.map(|(index, module)| (format!("{folder}/{index}.air"), &module[..])).collect()
    };
    for options in [PackOptions::default(), linker()] {
        let mut outputs = Vec::new();
        for (folder, threads) in [("/home/a", 1), ("/home/a", 1), ("/tmp/other", 2), ("", 7)] {
            let named = inputs(folder);
            let named: Vec<(&str, &[u8])> = named.iter().map(|(n, b)| (n.as_str(), *b)).collect();
            outputs.push(pack(PackOptions { threads, ..options.clone() }, &named).unwrap().0);
        }
        assert!(outputs.iter().all(|output| *output == outputs[0]));
        assert_sound(&outputs[0]);
    }
}

#[test]
fn bitcode_without_a_wrapper_gives_the_same() {
    let raw = Envelope::parse(PIPELINE_MODULE).unwrap().stream;
    let other = [&b"\xde\xc0\x17\x0b\0\0\0\0\x18\0\0\0"[..]].concat();
    let size = u32::try_from(raw.len()).unwrap().to_le_bytes();
    // A wrapper of another CPU type with a gap, and bytes behind the bitcode.
    let other = [&other, &size[..], b"\x17\0\0\x01", b"gap!", raw, b"rest"].concat();
    let packed = |bytes: &[u8]| pack(PackOptions::default(), &[("a.air", bytes)]).unwrap().0;
    assert_eq!(packed(raw), packed(PIPELINE_MODULE));
    assert_eq!(packed(&other), packed(PIPELINE_MODULE));
}

fn member(name: &str, data: &[u8]) -> Vec<u8> {
    let size = data.len();
    let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644);
    let mut bytes = [header.as_bytes(), data].concat();
    bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    bytes
}

#[test]
fn an_archive_stands_for_its_members() {
    let (a, b) = (kernel("a").module(), kernel("b").module());
    let archive =
        [b"!<arch>\n".to_vec(), member("/", b""), member("a.air/", &a), member("b.air/", &b)];
    let archive = archive.concat();
    let both = pack(PackOptions::default(), &[("a.air", &a), ("b.air", &b)]).unwrap();
    assert_eq!(pack(PackOptions::default(), &[("lib.a", &archive)]).unwrap(), both);
    // The very same function again is no clash, another one of its name is.
    let (_, notes) = pack(PackOptions::default(), &[("lib.a", &archive), ("c.air", &a)]).unwrap();
    assert_eq!(notes, ["the very same in several inputs, stored once: `a`"]);
    let other = Air { language: [3, 0], ..kernel("a") }.module();
    let twice = refusal(PackOptions::default(), &[("lib.a", &archive), ("c.air", &other)]);
    assert!(twice.ends_with("`a`: lib.a(a.air), c.air (different versions)"), "{twice}");
}

#[test]
fn functions_come_in_the_order_asked_for() {
    let inputs: [(&str, &[u8]); 2] =
        [("p.air", PIPELINE_MODULE), ("k.air", &kernel("before_all").module())];
    let order = |order, dialect| {
        let options = PackOptions { order, dialect: Some(dialect), ..PackOptions::default() };
        let bytes = pack(options, &inputs).unwrap().0;
        assert_sound(&bytes);
        names(&Library::parse(&bytes).unwrap())
    };
    for dialect in [Dialect::Archiver, Dialect::Linker] {
        let apple = ["scale", "shade_vertex", "shade_fragment", "before_all"];
        assert_eq!(order(Order::Apple, dialect), apple);
        let input = ["shade_vertex", "shade_fragment", "scale", "before_all"];
        assert_eq!(order(Order::Input, dialect), input);
        let name = ["before_all", "scale", "shade_fragment", "shade_vertex"];
        assert_eq!(order(Order::Name, dialect), name);
    }
}

#[test]
fn a_module_is_shared_if_asked_for() {
    let options = PackOptions { share_module: true, ..PackOptions::default() };
    let (bytes, _) = pack(options, &[("p.air", PIPELINE_MODULE)]).unwrap();
    let library = Library::parse(&bytes).unwrap();
    assert_eq!((library.functions().len(), library.modules().len()), (3, 1));
    let mut module = Module::parse(PIPELINE_MODULE).unwrap();
    let all = module.splitter().unwrap().keep_all(b"scale").unwrap().to_bytes().unwrap();
    assert_eq!(library.modules()[0].bytes(), all);
    assert_source(&all, "scale");
}

/// The module says nothing of its source but this name.
fn assert_source(module: &[u8], name: &str) {
    let parsed = Module::parse(module).unwrap();
    assert_eq!(parsed.source_file_name().unwrap().as_deref(), Some(name));
    assert!(parsed.metadata().unwrap().named("air.source_file_name").is_none());
    if let Some(table) = parsed.symbol_table().unwrap() {
        assert_eq!(table.source_file_name().unwrap(), name.as_bytes());
    }
}

#[test]
fn the_header_takes_the_highest_system_and_one_platform() {
    let on = |name: &str, triple: &str, air| {
        Air { triple: triple.to_owned(), air: Some(air), ..kernel(name) }.module()
    };
    let old = on("a", "air64-apple-macosx13.0.0", [2, 5]);
    let new = on("b", "air64_v27-apple-macosx15.1.0", [2, 7]);
    for inputs in [[("a.air", &old[..]), ("b.air", &new)], [("b.air", &new), ("a.air", &old)]] {
        let (bytes, notes) = pack(PackOptions::default(), &inputs).unwrap();
        let library = Library::parse(&bytes).unwrap();
        assert_eq!(library.identity().os, OsVersion { major: 15, minor: 1, update: 0 });
        assert_eq!(library.identity().container, Container::new(8));
        let listed = |os: &str| notes.iter().any(|note| note.contains(os));
        assert!(listed("13.0 (a.air)") && listed("15.1 (b.air)"), "{notes:?}");
    }
    let ios = on("c", "air64-apple-ios16.0.0", [2, 0]);
    let tvos = on("d", "air64-apple-tvos16.0.0", [2, 0]);
    let message = refusal(PackOptions::default(), &[("c.air", &ios), ("d.air", &tvos)]);
    let expected = "different platforms cannot be combined: c.air is for ios, d.air for tvos; make \
                    a library for each";
    assert_eq!(message, expected);
    let container =
        |patch| PackOptions { container: Some(Container::new(patch)), ..PackOptions::default() };
    let (bytes, _) = pack(container(3), &[("a.air", &old)]).unwrap();
    let library = Library::parse(&bytes).unwrap();
    let identity = library.identity();
    assert_eq!((identity.container, identity.platform()), (Container::new(3), None));
}

#[test]
fn modules_that_do_not_say_what_is_needed_are_refused() {
    let refused = |air: Air| refusal(PackOptions::default(), &[("a.air", &air.module())]);
    let triple = |triple: &str| refused(Air { triple: triple.to_owned(), ..kernel("a") });
    let cases = [
        (triple(""), "a.air: the module has no target triple"),
        (triple("x86_64-apple-macosx14.0.0"), "target triple is `x86_64-apple-macosx14.0.0`"),
        (triple("air64_v27-apple-macosx15.0.0"), "is of AIR 2.7, but its air.version is 2.6"),
        (refused(Air { air: None, ..kernel("a") }), "the module has no `air.version`"),
        (
            refused(Air { air: Some([3, 9]), ..kernel("a") }),
            "AIR 3.9 is newer than all that is known",
        ),
        (refused(kernels(&[])), "a.air: the module has no entry point"),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected), "{message}");
    }
    assert_eq!(refusal(PackOptions::default(), &[]), "no input to pack");
}

/// A kernel that calls a function of another module.
fn caller(name: &str, callee: &str) -> Air {
    let mut air = kernel(name);
    let declaration = AirFunction { is_declaration: true, ..AirFunction::new(callee, "") };
    air.functions.push(declaration);
    air
}

#[test]
fn calls_across_modules_need_a_dynamic_library() {
    let helper = kernels(&[]);
    let helper = Air { functions: vec![AirFunction::new("helper", "")], ..helper }.module();
    let caller = caller("a", "helper").module();
    let inputs = [("a.air", &caller[..]), ("helper.air", &helper[..])];
    let message = refusal(PackOptions::default(), &inputs);
    assert!(message.ends_with("(--dylib):\n  `helper` of helper.air in a.air"), "{message}");
    // Nobody defines it: the system may.
    let (_, notes) = pack(PackOptions::default(), &inputs[..1]).unwrap();
    assert_eq!(notes, ["no input or dynamic library defines `helper`"]);

    let dynamic =
        PackOptions { install_name: Some("@rpath/h".to_owned()), ..PackOptions::default() };
    let (dylib, _) = pack(dynamic, &inputs[1..]).unwrap();
    assert_sound(&dylib);
    let library = Library::parse(&dylib).unwrap();
    assert_eq!(library.identity().file_type(), FileType::Dynamic);
    assert_eq!(library.functions()[0].function_type(), Some(FunctionType::UNQUALIFIED));
    assert_eq!(library.dynamic_header().unwrap().payload(FourCc::NAME), Some(&b"@rpath/h\0"[..]));

    let mut packer = Packer::new(PackOptions::default());
    packer.add("a.air", &caller).unwrap().add_dylib("h.metallib", &dylib).unwrap();
    let bytes = packer.finish().unwrap().to_vec().unwrap();
    assert_sound(&bytes);
    let library = Library::parse(&bytes).unwrap();
    assert_eq!(library.dialect(), Dialect::Linker);
    let linked: Vec<_> =
        library.dynamic_header().unwrap().iter().map(|t| t.payload.to_vec()).collect();
    assert_eq!(linked, [b"@rpath/h\0"]);
    assert!(library.imports().unwrap().names().eq([b"helper"]));
    // Nothing else knows how to link: the archiver has no room for it, and one among the inputs
    // is no part of an executable.
    let archiver = PackOptions { dialect: Some(Dialect::Archiver), ..PackOptions::default() };
    let mut packer = Packer::new(archiver);
    packer.add("a.air", &caller).unwrap().add_dylib("h.metallib", &dylib).unwrap();
    let message = packer.finish().unwrap_err().to_string();
    assert!(message.starts_with("imports from a dynamic library: the archiver never"), "{message}");
    let message = refusal(PackOptions::default(), &[("a.air", &caller), ("h.metallib", &dylib)]);
    assert!(
        message.contains("h.metallib is a dynamic library, a.air makes an executable"),
        "{message}"
    );
}

#[test]
fn libraries_are_taken_as_they_stand() {
    let plain = mtlpack_tests::small::plain();
    let third = kernel("third").module();
    // One library alone is merged with nothing.
    assert_eq!(pack(PackOptions::default(), &[("l.metallib", &plain)]).unwrap().0, plain);
    let inputs = [("t.air", &third[..]), ("l.metallib", &plain[..])];
    let (bytes, _) = pack(PackOptions::default(), &inputs).unwrap();
    assert_sound(&bytes);
    let library = Library::parse(&bytes).unwrap();
    assert_eq!(names(&library), ["third", "first", "second"]);
    assert_eq!(library.dialect(), Dialect::Linker);
    let old = Library::parse(&plain).unwrap();
    assert_eq!(library.reflection().unwrap().entries(), old.reflection().unwrap().entries());
    let tags = |library: &Library<'_>| -> Vec<TagList<'static>> {
        let function = library.function("second").unwrap();
        let mut tags = TagList::new();
        function.public.iter().for_each(|tag| tags.push(tag.id, tag.payload).unwrap());
        vec![tags]
    };
    assert_eq!(tags(&library), tags(&old));
    let archiver = PackOptions { dialect: Some(Dialect::Archiver), ..PackOptions::default() };
    let message = refusal(archiver, &inputs);
    assert!(message.starts_with("l.metallib has reflection (RLST)"), "{message}");
    let older = PackOptions { container: Some(Container::new(6)), ..PackOptions::default() };
    let message = refusal(older, &inputs);
    assert!(
        message.contains("container 1.2.6 was asked for, but l.metallib is of 1.2.7"),
        "{message}"
    );
    let clash = refusal(PackOptions::default(), &[("f.air", &kernel("first").module()), inputs[1]]);
    assert!(
        clash.contains("`first`") && clash.contains("f.air") && clash.contains("l.metallib"),
        "{clash}"
    );
}

#[test]
fn other_files_are_told() {
    let cases: [(&[u8], &str); 8] = [
        (b"", "a: this is an empty input, expected AIR bitcode (.air), a Metal library"),
        (b"kernel void f() {}", "Metal source text"),
        (b"; ModuleID = 'a.ll'\n", "LLVM assembly (.ll)"),
        (b"\xcf\xfa\xed\xfe\x0c\0\0\x01", "a Mach-O file"),
        (b"\xca\xfe\xba\xbe\0\0\0\0", "a universal file"),
        (b"\x7fELF\x02", "an ELF file"),
        (b"PK\x03\x04", "a zip archive"),
        (b"!<thin>\n", "a thin archive"),
    ];
    for (bytes, expected) in cases {
        let message = refusal(PackOptions::default(), &[("a", bytes)]);
        assert!(message.contains(expected), "{message}");
    }
    let text = [b"!<arch>\n".to_vec(), member("a.txt/", b"plain text")].concat();
    let message = refusal(PackOptions::default(), &[("lib.a", &text)]);
    assert!(message.starts_with("lib.a(a.txt): this is text that begins with"), "{message}");
    let message = refusal(PackOptions::default(), &[("lib.a", b"!<arch>\n")]);
    assert_eq!(message, "lib.a: the static archive has no members");
}
