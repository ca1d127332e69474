//! A folder with small libraries made by the builder.

use std::path::{Path, PathBuf};
use std::process::Command;

use insta_cmd::get_cargo_bin;
use metallib::metadata::{
    FunctionConstant, VertexAttribute, encode_function_constants, encode_vertex_attribute_types,
    encode_vertex_attributes,
};
use metallib::{
    Archive, Container, DataType, Dialect, ExtensionTag, FileType, FourCc, FunctionSpec,
    FunctionType, LibraryBuilder, OsVersion, Platform, TagList, Version, Versions,
};
use metallib_write::{Hashes, Plan, UuidAction, UuidForm, WriteOptions};
use tempfile::TempDir;

use crate::air::{Air, reflection};
use crate::archives::Tar;

/// Path of one of the repository's own examples, whose modules are real.
pub(crate) fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A folder in which commands run.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with all libraries of this file.
    pub(crate) fn with_libraries() -> Self {
        let folder = Self::new();
        folder.write("compute.metallib", &compute());
        folder.write("draw.metallib", &draw());
        folder
    }

    /// The command with a file as its standard input.
    pub(crate) fn mtlpack_from(&self, input: &str, arguments: &[&str]) -> Command {
        let mut command = self.mtlpack(arguments);
        command.stdin(std::fs::File::open(self.path(input)).unwrap());
        command
    }

    /// A folder with copies of the repository's own examples.
    pub(crate) fn with_examples() -> Self {
        let folder = Self::new();
        for name in ["quad.metallib", "scale.metallib", "vector_add.metallib"] {
            folder.write(name, &std::fs::read(example(name)).unwrap());
        }
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Names of the files in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The command, to run in this folder.
    pub(crate) fn mtlpack(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(get_cargo_bin("mtlpack"));
        command.current_dir(self.root()).args(arguments);
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
            command.env_remove(variable);
        }
        command
    }
}

const VERSIONS: Versions = Versions { air: Version::new(2, 6), language: Version::new(3, 1) };

/// A module with one function, for this system.
fn air(name: &str, kind: FunctionType, system: &str) -> Air {
    let mut air = Air::new(name, kind.code());
    air.triple = format!("air64-apple-{system}");
    air
}

/// A function with reflection.
fn function(name: &str, kind: FunctionType, system: &str) -> FunctionSpec<'static> {
    let module = air(name, kind, system).module();
    let mut spec = FunctionSpec::new(name, kind, VERSIONS, module);
    spec.reflection = Some(reflection(&[name.as_bytes()]).into());
    spec
}

/// A system as triples name it.
fn system(platform: Platform, major: u16) -> String {
    let name = if platform == Platform::MACOS { "macosx" } else { "ios" };
    format!("{name}{major}.0.0")
}

/// A builder in the linker dialect.
pub(crate) fn linker(platform: Platform, major: u16) -> LibraryBuilder<'static> {
    let os = OsVersion { major, minor: 0, update: 0 };
    let (container, kind) = (Container::new(8), FileType::Executable);
    LibraryBuilder::new(Dialect::Linker, container, platform, os, kind)
}

/// The bytes of a library, with UUID.
pub(crate) fn bytes(builder: LibraryBuilder<'_>) -> Vec<u8> {
    let library = builder.finish().unwrap();
    let uuid = UuidAction::Recompute(UuidForm::Sha256);
    let options = WriteOptions { uuid, hashes: Hashes::All, ..WriteOptions::default() };
    Plan::new(&library, options).unwrap().to_vec()
}

/// A library of these kernels.
pub(crate) fn kernels(names: &[&str], platform: Platform, os: u16) -> Vec<u8> {
    let mut builder = linker(platform, os);
    for name in names {
        let spec = function(name, FunctionType::KERNEL, &system(platform, os));
        builder.add(spec).unwrap();
    }
    bytes(builder)
}

/// Two kernels.
pub(crate) fn compute() -> Vec<u8> {
    kernels(&["vector_add", "vector_scale"], Platform::MACOS, 14)
}

/// A vertex and a fragment function with attributes and constants.
pub(crate) fn draw() -> Vec<u8> {
    let mut vertex = function("draw_vertex", FunctionType::VERTEX, "macosx13.0.0");
    let attribute = VertexAttribute { name: b"position".to_vec(), word: 0x8000 };
    let attributes = encode_vertex_attributes(&[attribute]).unwrap();
    let types = encode_vertex_attribute_types(&[DataType::from_code(6)]).unwrap();
    vertex.public.push(FourCc::VATT, &attributes).unwrap();
    vertex.public.push(FourCc::VATY, &types).unwrap();
    let mut fragment = function("draw_fragment", FunctionType::FRAGMENT, "macosx13.0.0");
    let constant = FunctionConstant {
        name: b"use_fog".to_vec(),
        data_type: DataType::from_code(53),
        index: 3,
        required: 1,
    };
    let constants = encode_function_constants(&[constant]).unwrap();
    fragment.public.push(FourCc::CNST, &constants).unwrap();
    fragment.public.push(FourCc::new(*b"WHAT"), &[1, 2, 3]).unwrap();
    let mut builder = linker(Platform::MACOS, 13);
    builder.add(vertex).unwrap();
    builder.add(fragment).unwrap();
    bytes(builder)
}

/// A kernel with an embedded source archive, debug path and dependency path.
pub(crate) fn with_sources() -> Vec<u8> {
    let mut builder = linker(Platform::MACOS, 14);
    let archive = Archive::new(b"0", b"BZh9 not really").unwrap();
    let id = builder.add_archive(archive).unwrap();
    let sources = builder.sources_mut().unwrap();
    sources.link_options = b"-o debug.metallib"[..].into();
    sources.working_dir = Some(b"/work"[..].into());
    let mut spec = function("debugged", FunctionType::KERNEL, "macosx14.0.0");
    let mut air = air("debugged", FunctionType::KERNEL, "macosx14.0.0");
    air.debug_info = true;
    spec.module = air.module().into();
    spec.archive = Some(id);
    spec.private.push(FourCc::DEBI, b"\x0c\0\0\0/src/debugged.metal\0").unwrap();
    spec.private.push(FourCc::DEPF, b"/tmp/debugged.air\0").unwrap();
    builder.add(spec).unwrap();
    bytes(builder)
}

/// Two kernels of one translation unit, a third of another, and a runtime library that no
/// function refers to.
pub(crate) fn sources() -> Vec<u8> {
    let mut builder = linker(Platform::MACOS, 14);
    let unit = |name: &str, content: &[u8]| {
        let options = Tar::new().file("metal-options.txt", b"-c\n-gline-tables-only\n");
        let original = options.file("original-input-filename.txt", b"/tmp/unit.air");
        original.file(name, content).pack()
    };
    let padded = [unit("/src/shade.metal", b"kernel void shade() {}\n"), vec![0; 100]].concat();
    let runtime = Tar::new().file("/opt/libmetal_rt.a", b"!<arch>\n").pack();
    let archives = [("0", padded), ("1", unit("blur.metal", b"//")), ("2", runtime)];
    let ids = archives.map(|(id, data)| {
        builder.add_archive(Archive::new(id.as_bytes(), &data).unwrap()).unwrap()
    });
    let sources = builder.sources_mut().unwrap();
    sources.link_options = b"air-lld -o debug.metallib"[..].into();
    sources.working_dir = Some(b"/work"[..].into());
    for (name, id) in [("shade", ids[0]), ("shade_all", ids[0]), ("blur", ids[1])] {
        let mut spec = function(name, FunctionType::KERNEL, "macosx14.0.0");
        spec.archive = Some(id);
        spec.private.push(FourCc::DEPF, b"/tmp/unit.air\0").unwrap();
        builder.add(spec).unwrap();
    }
    bytes(builder)
}

/// A build of a library with paths in all places, in this folder of this user, and with this
/// byte in its UUID.
pub(crate) fn with_paths(folder: &str, uuid: u8) -> Vec<u8> {
    let mut builder = linker(Platform::MACOS, 14);
    let source = format!("{folder}/shaders/noise.metal");
    let archive = |number: u32| {
        let tar = Tar::new()
            .file("metal-options.txt", format!("metal -I{folder} -c {source}\n").as_bytes())
            .file("metal-working-dir.txt", format!("{folder}\n").as_bytes())
            .file("original-input-filename.txt", format!("{folder}/{number}.air\n").as_bytes())
            .file(&source, b"kernel void noise() {}\n")
            .file(&format!("{folder}/other/noise.metal"), b"// another file of that name\n");
        Archive::new(number.to_string().as_bytes(), &tar.pack()).unwrap()
    };
    let id = builder.add_archive(archive(0)).unwrap();
    builder.add_archive(archive(1)).unwrap();
    let sources = builder.sources_mut().unwrap();
    sources.link_options = format!("air-lld -o \"{folder}/a b.metallib\"").into_bytes().into();
    sources.working_dir = Some(folder.as_bytes().to_vec().into());
    for name in ["noise", "fbm"] {
        let mut spec = function(name, FunctionType::KERNEL, "macosx14.0.0");
        let mut air = air(name, FunctionType::KERNEL, "macosx14.0.0");
        air.debug_info = true;
        air.texts = vec![
            ("air.source_file_name", source.clone()),
            ("llvm_utils.workingdir", folder.to_owned()),
        ];
        spec.module = air.module().into();
        spec.archive = Some(id);
        let debug = [b"\x0c\0\0\0", source.as_bytes(), b"\0"].concat();
        spec.private.push(FourCc::DEBI, &debug).unwrap();
        let temporary = format!("/tmp/noise-00ff{uuid:02x}.air\0");
        spec.private.push(FourCc::DEPF, temporary.as_bytes()).unwrap();
        builder.add(spec).unwrap();
    }
    let extension = builder.extension_mut().unwrap();
    extension.set(ExtensionTag::data(FourCc::UUID, vec![uuid; 16]));
    let library = builder.finish().unwrap();
    let options = WriteOptions { uuid: UuidAction::Keep, ..WriteOptions::default() };
    Plan::new(&library, options).unwrap().to_vec()
}

/// A dynamic library of the archiver's time, with install name, imports and no UUID.
pub(crate) fn dynamic() -> Vec<u8> {
    let os = OsVersion { major: 17, minor: 2, update: 0 };
    let (container, kind) = (Container::new(7), FileType::Dynamic);
    let mut builder = LibraryBuilder::new(Dialect::Archiver, container, Platform::IOS, os, kind);
    let (name, kind) = ("_Z4helpv", FunctionType::UNQUALIFIED);
    let module = air(name, kind, "ios17.2.0").module();
    builder.add(FunctionSpec::new(name, kind, VERSIONS, module)).unwrap();
    let mut tags = TagList::new();
    tags.push(FourCc::NAME, b"@rpath/help.metallib\0").unwrap();
    tags.push(FourCc::DYNL, b"@rpath/base.metallib\0").unwrap();
    builder.set_dynamic_header(tags).unwrap();
    bytes(builder)
}

/// A library of a container without extension, platform and OS version.
pub(crate) fn old() -> Vec<u8> {
    old_for(Platform::MACOS)
}

/// The same for a platform, of which it tells only whether it is one of the Mac.
pub(crate) fn old_for(platform: Platform) -> Vec<u8> {
    let (container, kind) = (Container::new(2), FileType::Executable);
    let os = OsVersion::default();
    let mut builder = LibraryBuilder::new(Dialect::Archiver, container, platform, os, kind);
    let versions = Versions { air: Version::new(1, 8), language: Version::new(1, 1) };
    let mut air = air("old_kernel", FunctionType::KERNEL, &system(platform, 10));
    (air.air, air.language) = (Some([1, 8]), [1, 1]);
    let spec = FunctionSpec::new("old_kernel", FunctionType::KERNEL, versions, air.module());
    builder.add(spec).unwrap();
    bytes(builder)
}

/// A module of an example.
pub(crate) fn example_module(name: &str) -> Vec<u8> {
    let bytes = std::fs::read(example(name)).unwrap();
    metallib::Library::parse(&bytes).unwrap().modules()[0].bytes().to_vec()
}

/// A module whose triple is for a later system.
pub(crate) fn other_target(module: &[u8]) -> Vec<u8> {
    use air_bitcode::{Item, Module, Record, WriteOptions, ids};
    let mut stream = Module::parse(module).unwrap().stream().clone();
    let block = stream.blocks.iter_mut().find(|block| block.id() == ids::block::MODULE);
    for item in block.unwrap().items_mut().unwrap() {
        if let Item::Record(record) = item
            && record.code() == ids::module::TRIPLE
        {
            let text = b"air64-apple-macosx15.0.0".map(u64::from);
            *record = Record::new(record.code(), text.to_vec());
        }
    }
    let mut bitcode = Vec::new();
    stream.write(&mut bitcode, WriteOptions::default()).unwrap();
    metallib::wrap(&bitcode).unwrap()
}

/// A dynamic library whose functions share a real module, and one that has none of its own.
pub(crate) fn shared() -> Vec<u8> {
    let mut builder = linker(Platform::MACOS, 14);
    let module = metallib::Module::new(example_module("scale.metallib"));
    let id = builder.add_module(module).unwrap();
    for name in ["esc\u{1b}[1mape", "scale", "third"] {
        let spec = FunctionSpec::new(name, FunctionType::VISIBLE, VERSIONS, Vec::new());
        builder.add_sharing(spec, id).unwrap();
    }
    builder.add(FunctionSpec::new("empty", FunctionType::VISIBLE, VERSIONS, Vec::new())).unwrap();
    bytes(builder)
}

/// A library whose module is no bitcode.
pub(crate) fn unread() -> Vec<u8> {
    let mut builder = linker(Platform::MACOS, 14);
    let module = b"bad".to_vec();
    builder.add(FunctionSpec::new("bad", FunctionType::KERNEL, VERSIONS, module)).unwrap();
    bytes(builder)
}

/// The library with its first function changed: another AIR version, and a module that imports
/// something.
pub(crate) fn changed(bytes: &[u8]) -> Vec<u8> {
    let mut builder = metallib::Library::parse(bytes).unwrap().edit(false).unwrap();
    let versions = Versions { air: Version::new(2, 7), language: Version::new(3, 1) };
    let function = &mut builder.functions[0];
    function.tags.set(FourCc::VERS, &versions.bytes()).unwrap();
    let id = function.module.unwrap().index();
    builder.modules[id] = metallib::Module::new(example_module("scale.metallib"));
    self::bytes(builder)
}

/// A library with a byte behind its end.
pub(crate) fn irregular() -> Vec<u8> {
    [compute(), vec![0]].concat()
}

/// A library whose first function has a tag OFFT of 8 bytes.
pub(crate) fn damaged() -> Vec<u8> {
    let mut bytes = compute();
    let tag = bytes.windows(4).position(|four| four == b"VERS").unwrap();
    bytes[tag..tag + 4].copy_from_slice(b"OFFT");
    bytes
}
