//! Small libraries from the builder, and ways to damage them.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::indexing_slicing
)]

use std::io::Write;

pub use crate::air::reflection;
use crate::air::{Air, AirFunction};
use bzip2::Compression;
use bzip2::write::BzEncoder;
use metallib::{
    Archive, ArchiveId, Container, Dialect, FileType, FourCc, Function, FunctionSpec, FunctionType,
    Library, LibraryBuilder, Module, OsVersion, Platform, Section, SymbolList, TagList, Version,
    Versions,
};
use metallib_write::{Hashes, Plan, UuidAction, UuidForm, WriteOptions};

/// AIR 2.6 with Metal 3.1.
pub const VERSIONS: Versions = Versions { air: Version::new(2, 6), language: Version::new(3, 1) };

/// AIR 1.8 with Metal 1.1: the archiver writes no MDSZ.
pub const OLD_VERSIONS: Versions =
    Versions { air: Version::new(1, 8), language: Version::new(1, 1) };

/// A module with one kernel, which says what [`kernel`] says; larger for more `words`.
#[must_use]
pub fn module(name: &str, words: u8) -> Vec<u8> {
    air(name, FunctionType::KERNEL, VERSIONS, words).module()
}

/// A module with one function of this type and these versions, for macOS 14.
#[must_use]
pub fn air(name: &str, kind: FunctionType, versions: Versions, words: u8) -> Air {
    let pair = |version: Version| [version.major, version.minor];
    let mut air = Air::new(name, kind.code());
    air.air = Some(pair(versions.air));
    air.language = pair(versions.language);
    air.filler = 16 * usize::from(words);
    air
}

/// A flatbuffer as far as its identifier goes, of this many bytes (8 or more).
#[must_use]
pub fn flatbuffer(size: usize) -> Vec<u8> {
    let mut buffer = vec![0x11; size];
    buffer.splice(..8, *b"\x18\0\0\0AIRR");
    buffer
}

/// A bzip2 stream.
#[must_use]
pub fn bzip2(data: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// An empty builder for macOS 14.
#[must_use]
pub fn builder(dialect: Dialect, patch: u16, kind: FileType) -> LibraryBuilder<'static> {
    let os = OsVersion { major: 14, minor: 0, update: 0 };
    LibraryBuilder::new(dialect, Container::new(patch), Platform::MACOS, os, kind)
}

/// A kernel of this name with a module of its own.
#[must_use]
pub fn kernel(name: &str, words: u8) -> FunctionSpec<'static> {
    function(name, FunctionType::KERNEL, VERSIONS, words)
}

/// A function with a module of its own.
#[must_use]
pub fn function(
    name: &str,
    kind: FunctionType,
    versions: Versions,
    words: u8,
) -> FunctionSpec<'static> {
    FunctionSpec::new(name, kind, versions, air(name, kind, versions, words).module())
}

/// A string with its NUL.
#[must_use]
pub fn c_string(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

/// Makes a tag list.
#[must_use]
pub fn tags(list: &[(FourCc, &[u8])]) -> TagList<'static> {
    let mut tags = TagList::new();
    list.iter().for_each(|(id, payload)| tags.push(*id, payload).unwrap());
    tags
}

/// Writes a built library, with its UUID in SHA-256 form.
#[must_use]
pub fn write(library: &Library<'_>) -> Vec<u8> {
    let uuid = UuidAction::Recompute(UuidForm::Sha256);
    let options = WriteOptions { rebuild: true, hashes: Hashes::Changed, uuid };
    Plan::new(library, options).unwrap().to_vec()
}

/// Finishes and writes what a builder holds.
#[must_use]
pub fn finish(builder: LibraryBuilder<'_>) -> Vec<u8> {
    write(&builder.finish().unwrap())
}

/// Archiver, container 1.2.2, two kernels, no extension.
#[must_use]
pub fn archiver() -> Vec<u8> {
    let mut new = builder(Dialect::Archiver, 2, FileType::Executable);
    new.add(kernel("first", 1)).unwrap();
    new.add(kernel("second", 6)).unwrap();
    finish(new)
}

/// Archiver, container 1.2.3, an extension that is only ENDT.
#[must_use]
pub fn bare_extension() -> Vec<u8> {
    let mut new = builder(Dialect::Archiver, 3, FileType::Executable);
    new.add(kernel("first", 1)).unwrap();
    finish(new)
}

/// Linker, container 1.2.7, two kernels with reflection and nothing else.
#[must_use]
pub fn plain() -> Vec<u8> {
    finish(plain_builder())
}

/// What [`plain`] writes.
#[must_use]
pub fn plain_builder() -> LibraryBuilder<'static> {
    let mut new = builder(Dialect::Linker, 7, FileType::Executable);
    for (name, words) in [("first", 1), ("second", 6)] {
        let reflection = Some(reflection(&[name.as_bytes()]).into());
        new.add(FunctionSpec { reflection, ..kernel(name, words) }).unwrap();
    }
    new
}

/// Linker, container 1.2.8, with everything: reflection, sources, dynamic header,
/// imports, metadata of all kinds.
#[must_use]
pub fn full() -> Vec<u8> {
    finish(full_builder())
}

/// What [`full`] writes.
#[must_use]
pub fn full_builder() -> LibraryBuilder<'static> {
    let mut new = builder(Dialect::Linker, 8, FileType::Executable);
    let sources = new.sources_mut().unwrap();
    sources.link_options = b"-o out.metallib".to_vec().into();
    sources.working_dir = Some(b"/src".to_vec().into());
    let archive = |id: &[u8], text: &[u8]| Archive::new(id, &bzip2(text)).unwrap();
    let first = new.add_archive(archive(b"0", b"kernel void first() {}")).unwrap();
    let second = new.add_archive(archive(b"1", b"vertex float4 second() {}")).unwrap();
    new.add(full_function(kernel("first", 1), first)).unwrap();
    let vertex = function("second", FunctionType::VERTEX, VERSIONS, 6);
    let mut vertex = full_function(vertex, second);
    vertex.public = tags(&[
        (FourCc::VATT, b"\x01\0position\0\0\x80"),
        (FourCc::VATY, b"\x01\0\x06"),
        (FourCc::CNST, b"\x01\0flag\0\x35\x07\0\x01"),
    ]);
    new.add(vertex).unwrap();
    let names = tags(&[(FourCc::NAME, b"out.metallib\0"), (FourCc::DYNL, b"@rpath/lib\0")]);
    new.set_dynamic_header(names).unwrap();
    let mut imports = SymbolList::default();
    imports.push(tags(&[(FourCc::NAME, b"_Z6importv\0")]));
    let imports = metallib::ExtensionTag::section(FourCc::ILST, Section::Symbols(imports));
    new.extension_mut().unwrap().set(imports);
    new
}

fn full_function(spec: FunctionSpec<'static>, archive: ArchiveId) -> FunctionSpec<'static> {
    let mut air = air(&spec.name, spec.function_type, VERSIONS, 1);
    air.debug_info = true;
    FunctionSpec {
        module: air.module().into(),
        private: tags(&[(FourCc::DEBI, b"\x07\0\0\0/src/a.metal\0"), (FourCc::DEPF, b"a.air\0")]),
        reflection: Some(reflection(&[spec.name.as_bytes()]).into()),
        archive: Some(archive),
        ..spec
    }
}

/// A dynamic library: two functions, one module, one reflection entry, install name.
#[must_use]
pub fn dynamic() -> Vec<u8> {
    let mut new = builder(Dialect::Linker, 8, FileType::Dynamic);
    new.set_dynamic_header(tags(&[(FourCc::NAME, b"@rpath/lib.metallib\0")])).unwrap();
    let names = ["_Z1av", "_Z1bv"];
    let shared = new.add_module(Module::new(shared_module(&names).module())).unwrap();
    for name in names {
        let spec = function(name, FunctionType::UNQUALIFIED, VERSIONS, 0);
        new.add_sharing(spec, shared).unwrap();
    }
    let entry = metallib::BufferEntry::new(FourCc::RBUF, &flatbuffer(32)).unwrap();
    let buffer = new.add_buffer(FourCc::RLST, entry).unwrap();
    for function in &mut new.functions {
        function.tags.push(FourCc::RFLT, &[0; 8]).unwrap();
        function.reflection = Some(buffer);
    }
    finish(new)
}

/// The module of a dynamic library with these functions.
#[must_use]
pub fn shared_module(names: &[&str]) -> Air {
    let mut air = air("", FunctionType::UNQUALIFIED, VERSIONS, 0);
    air.functions = names.iter().map(|name| AirFunction::new(name, "")).collect();
    air
}

/// An empty library of either dialect.
#[must_use]
pub fn empty(dialect: Dialect, patch: u16) -> Vec<u8> {
    finish(builder(dialect, patch, FileType::Executable))
}

/// The library with one function changed, laid out and hashed anew.
#[must_use]
pub fn with_function(
    bytes: &[u8],
    index: usize,
    change: impl FnOnce(&mut Function<'_>),
) -> Vec<u8> {
    edited(bytes, |builder| change(&mut builder.functions[index]))
}

/// The library with something changed, laid out anew.
#[must_use]
pub fn edited(bytes: &[u8], change: impl FnOnce(&mut LibraryBuilder<'_>)) -> Vec<u8> {
    let mut builder = Library::parse(bytes).unwrap().edit(false).unwrap();
    change(&mut builder);
    finish(builder)
}

/// The bytes with others in place of those at an offset.
#[must_use]
pub fn patched(bytes: &[u8], offset: u64, new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let start = usize::try_from(offset).unwrap();
    bytes[start..start + new.len()].copy_from_slice(new);
    bytes
}

/// Offset of the payload of a function's tag.
#[must_use]
pub fn tag_offset(bytes: &[u8], function: usize, id: FourCc) -> u64 {
    let library = Library::parse(bytes).unwrap();
    let function = &library.functions()[function];
    let groups = [&function.tags, &function.public, &function.private];
    groups.iter().find_map(|tags| tags.get(id)).expect("the tag is there").offset
}

/// Offset of the payload of a tag of the header extension.
#[must_use]
pub fn extension_offset(bytes: &[u8], id: FourCc) -> u64 {
    let library = Library::parse(bytes).unwrap();
    library.extension().unwrap().get(id).expect("the tag is there").offset
}

/// Offset of a module.
#[must_use]
pub fn module_offset(bytes: &[u8], index: usize) -> u64 {
    Library::parse(bytes).unwrap().modules()[index].offset()
}

/// The range of a section, in bytes.
#[must_use]
pub fn section_range(bytes: &[u8], id: FourCc) -> std::ops::Range<u64> {
    let library = Library::parse(bytes).unwrap();
    let range = library.extension().unwrap().get(id).expect("the section is there").range;
    range.offset..range.end()
}
