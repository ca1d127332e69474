//! Packing the modules of a real library again gives the library.
//!
//! Nothing but the modules, the writer's dialect and, where it followed an older rule, the
//! container goes in; for dynamic libraries also the install name, and for imports a stand-in
//! of the dynamic library. So every byte of header, function list, extension and metadata is
//! proved to follow from the modules.

use std::collections::BTreeMap;

use metallib::{
    Container, Dialect, FileType, FourCc, FunctionSpec, FunctionType, Library, LibraryBuilder,
    OsVersion, TagList, Versions,
};
use metallib_write::{UuidAction, module_hash};
use mtlpack::{Edited, PackOptions, Packer, container_of_its_time};
use mtlpack_tests::corpus_and_large;

/// Why the modules alone do not give the library.
fn exception(library: &Library<'_>) -> Option<&'static str> {
    let functions = || library.functions().iter();
    let is_extern = |f: &metallib::Function<'_>| f.function_type() == Some(FunctionType::EXTERN);
    let stale = |f: &metallib::Function<'_>| {
        let hash = library.module_of(f).map(|module| module_hash(module.bytes()));
        f.hash() != hash.as_ref()
    };
    if functions().next().is_none() {
        return Some("without functions: there is nothing to pack");
    }
    if library.identity().file_type() == FileType::SymbolCompanion {
        return Some("a companion: a library's sources by themselves");
    }
    if library.sources().is_some() {
        return Some("embedded sources, which no module holds");
    }
    if functions().any(|f| f.private.get(FourCc::DEPF).is_some()) {
        return Some("paths of the linker's inputs (DEPF), which no module holds");
    }
    if library.modules().iter().any(|module| !module.tail().is_empty()) {
        return Some("of 2015: a byte more behind each module");
    }
    if functions().any(|f| is_extern(f) && stale(f)) {
        return Some("Core Image: a HASH that follows no known formula");
    }
    let names = |name: String| name.is_empty() || library.function(&name).is_some();
    let of = |module: &metallib::Module<'_>| {
        let module = air_bitcode::Module::parse(module.bytes()).unwrap();
        module.source_file_name().unwrap().is_none_or(names)
    };
    if !library.is_dynamic() && !library.modules().iter().all(of) {
        return Some("of another writer, which left the source's name in the module");
    }
    None
}

/// A dynamic library of these functions.
fn stand_in(install_name: &[u8], names: &[&[u8]]) -> Vec<u8> {
    let (platform, os) = (metallib::Platform::MACOS, OsVersion::default());
    let mut builder =
        LibraryBuilder::new(Dialect::Linker, Container::new(7), platform, os, FileType::Dynamic);
    let mut header = TagList::new();
    header.push(FourCc::NAME, install_name).unwrap();
    builder.set_dynamic_header(header).unwrap();
    for name in names {
        let name = String::from_utf8(name.to_vec()).unwrap();
        let versions = Versions::default();
        let spec = FunctionSpec::new(name, FunctionType::UNQUALIFIED, versions, vec![0; 16]);
        builder.add(spec).unwrap();
    }
    Edited::unchanged(builder.finish().unwrap()).to_vec().unwrap()
}

fn header_tags(library: &Library<'_>, id: FourCc) -> Vec<Vec<u8>> {
    let tags = library.dynamic_header().into_iter().flat_map(TagList::iter);
    tags.filter(|tag| tag.id == id).map(|tag| tag.payload.to_vec()).collect()
}

fn options(name: &str, library: &Library<'_>) -> PackOptions {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes[..bytes.len() - 1].to_vec()).unwrap();
    let own_name = header_tags(library, FourCc::NAME).pop().map(text);
    let is_dynamic = library.identity().file_type() == FileType::Dynamic;
    let container = library.identity().container;
    let of_its_time = library
        .modules()
        .iter()
        .map(|module| container_of_its_time(name, module.bytes(), library.dialect()).unwrap());
    assert_eq!(of_its_time.max().unwrap(), Some(container), "{name}: container");
    PackOptions {
        dialect: Some(library.dialect()),
        // The archiver followed its compiler's number, which a packer of today does not.
        container: (library.dialect() == Dialect::Archiver).then_some(container),
        install_name: own_name.clone().filter(|_| is_dynamic),
        output_name: own_name,
        threads: 2,
        ..PackOptions::default()
    }
}

/// The modules of a library, packed again.
fn packed<'a>(name: &str, library: &'a Library<'_>) -> Edited<'a> {
    let mut packer = Packer::new(options(name, library));
    for (index, module) in library.modules().iter().enumerate() {
        packer.add(&format!("{name}, module {index}"), module.bytes()).unwrap();
    }
    let imports: Vec<&[u8]> = library.imports().into_iter().flat_map(|i| i.names()).collect();
    for (index, linked) in header_tags(library, FourCc::DYNL).iter().enumerate() {
        let names = if index == 0 { &imports[..] } else { &[] };
        packer.add_dylib("stand-in", &stand_in(linked, names)).unwrap();
    }
    packer.finish().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What the linker writes and a packer does not: reflection, and the UUID that hashes it.
fn without_reflection(library: &Library<'_>) -> Vec<u8> {
    let mut builder = library.clone().edit(false).unwrap();
    for function in &mut builder.functions {
        function.tags.retain(|tag| tag.id != FourCc::RFLT);
        function.reflection = None;
    }
    if let Some(extension) = &mut builder.extension {
        extension.remove(FourCc::RLST);
        extension.remove(FourCc::UUID);
    }
    let library = builder.finish().unwrap();
    let edited = Edited { uuid: UuidAction::Keep, ..Edited::unchanged(library) };
    edited.to_vec().unwrap()
}

/// A dynamic library says its own name in the place of its source's, wherever that was.
#[test]
fn a_dynamic_library_forgets_its_source() {
    let samples = corpus_and_large("dynamic libraries of another source");
    let mut count = 0;
    for sample in &samples {
        let library = sample.library();
        if !library.is_dynamic() || exception(&library).is_some() {
            continue;
        }
        let mut module = air_bitcode::Module::parse(library.modules()[0].bytes()).unwrap();
        let path = b"/Users/somebody/else.metal";
        let named = module.splitter().unwrap().keep_all(path).unwrap().to_bytes().unwrap();
        assert!(named.windows(path.len()).any(|part| part == path), "{}", sample.name);
        let mut packer = Packer::new(options(&sample.name, &library));
        packer.add("else.air", &named).unwrap();
        for linked in header_tags(&library, FourCc::DYNL) {
            packer.add_dylib("stand-in", &stand_in(&linked, &[])).unwrap();
        }
        let packed = packer.finish().unwrap().to_vec().unwrap();
        assert!(!packed.windows(path.len()).any(|part| part == path), "{}", sample.name);
        let packed = Library::parse(&packed).unwrap();
        let module = air_bitcode::Module::parse(packed.modules()[0].bytes()).unwrap();
        let name = options(&sample.name, &library).install_name;
        assert_eq!(module.source_file_name().unwrap(), name, "{}", sample.name);
        count += 1;
    }
    println!("{count} dynamic libraries");
    assert!(samples.is_empty() || count > 5);
}

/// Where two files differ first.
fn difference(ours: &[u8], theirs: &[u8]) -> Option<String> {
    let at = ours.iter().zip(theirs).position(|(a, b)| a != b);
    let at = at.or((ours.len() != theirs.len()).then_some(ours.len().min(theirs.len())))?;
    let around = |bytes: &[u8]| {
        let near = bytes.get(at.saturating_sub(24)..(at + 24).min(bytes.len()));
        near.unwrap_or_default().escape_ascii().to_string()
    };
    Some(format!("at {at:#x}: packed {}\n    stored {}", around(ours), around(theirs)))
}

#[test]
fn the_modules_of_a_library_packed_again_are_the_library() {
    let samples = corpus_and_large("pack laws");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for sample in &samples {
        let library = sample.library();
        if let Some(why) = exception(&library) {
            *counts.entry(why).or_default() += 1;
            continue;
        }
        let edited = packed(&sample.name, &library);
        if edited.notes.iter().any(|note| note.contains("(DEBI)")) {
            *counts.entry("debug information that Apple's linker took out").or_default() += 1;
            continue;
        }
        let (what, ours, theirs) = match library.dialect() {
            Dialect::Archiver => {
                ("archiver: all bytes", edited.to_vec().unwrap(), sample.bytes.clone())
            }
            Dialect::Linker => (
                "linker: all bytes but reflection and UUID",
                without_reflection(&edited.library),
                without_reflection(&library),
            ),
        };
        if library.uuid().is_none() && edited.library.uuid().is_some() {
            *counts.entry("of these: of the linker of 2020, which wrote no UUID").or_default() += 1;
        }
        assert!(edited.library.uuid().is_some() || library.uuid().is_none(), "{}", sample.name);
        match difference(&ours, &theirs) {
            None => *counts.entry(what).or_default() += 1,
            Some(difference) => wrong.push(format!("{}: {difference}", sample.name)),
        }
    }
    counts.iter().for_each(|(what, count)| println!("{count:>4} {what}"));
    assert!(wrong.is_empty(), "{} libraries differ:\n{}", wrong.len(), wrong.join("\n"));
    let equal = |what: &str| counts.get(what).copied().unwrap_or(0);
    if !samples.is_empty() {
        assert!(
            equal("archiver: all bytes") > 200
                && equal("linker: all bytes but reflection and UUID") > 20
        );
    }
}
