//! Arbitrary libraries for property tests: both dialects, every container, unknown tags
//! everywhere, sources, reflection, shared modules.
//!
//! A [`Recipe`] is what a library is built from, so that tests can compare what they read
//! with what was asked for.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc)]

use metallib::metadata::{FunctionConstant, encode_function_constants};
use metallib::{
    Archive, BufferEntry, Container, DataType, Dialect, ExtensionTag, FileType, FourCc,
    FunctionSpec, FunctionType, Library, LibraryBuilder, Module, OsVersion, Platform, Section,
    SymbolList, TagList, Version, Versions,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::air::{Air, AirFunction};
use crate::small::{bzip2, c_string, flatbuffer};

/// An unknown tag with its payload.
pub type Unknown = (FourCc, Vec<u8>);

/// What a function is made of.
#[derive(Clone, Debug)]
pub struct FunctionRecipe {
    /// Its name.
    pub name: String,
    /// Its type, a code from 0 to 8.
    pub function_type: u8,
    /// Words of bitcode.
    pub words: u8,
    /// Names of function constants; no CNST if there are none.
    pub constants: Vec<String>,
    /// Path of its source; no DEBI if empty.
    pub path: String,
    /// Tag LAYR.
    pub layer: Option<u8>,
    /// Bytes of its reflection flatbuffer.
    pub reflection: Option<usize>,
    /// Which archive it belongs to, modulo their number.
    pub archive: Option<usize>,
    /// Unknown tags of the function list.
    pub unknown: Vec<Unknown>,
    /// Unknown tags of the public metadata.
    pub public: Vec<Unknown>,
    /// Unknown tags of the private metadata.
    pub private: Vec<Unknown>,
}

/// What a library is made of.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Archiver or linker.
    pub dialect: Dialect,
    /// Container 1.2.`patch`, 2 to 9.
    pub patch: u16,
    /// Whether it is a dynamic library, whose functions share one module.
    pub dynamic: bool,
    /// Platform number, 1 to 12.
    pub platform: u8,
    /// Version of the OS.
    pub os: (u16, u8),
    /// AIR version, which all functions have.
    pub air: (u16, u16),
    /// The functions.
    pub functions: Vec<FunctionRecipe>,
    /// Id, content and padding of the source archives.
    pub archives: Vec<(String, Vec<u8>, usize)>,
    /// Unknown tags of each archive.
    pub archive_tags: Vec<Unknown>,
    /// Install name and linked libraries.
    pub names: Option<(Option<String>, Vec<String>)>,
    /// Imported symbols.
    pub imports: Vec<String>,
    /// Unknown tags of each imported symbol.
    pub import_tags: Vec<Unknown>,
    /// Unknown tags of the header extension that hold their value.
    pub values: Vec<Unknown>,
    /// Unknown tags of the header extension that point at a section.
    pub sections: Vec<Unknown>,
    /// Unknown tags of each reflection entry, in front of the buffer and behind it.
    pub buffer_tags: (Vec<Unknown>, Vec<Unknown>),
}

impl Recipe {
    /// Builds the library.
    #[must_use]
    pub fn library(&self) -> Library<'static> {
        self.builder().finish().unwrap()
    }

    /// Builds the library, ready for more.
    #[must_use]
    pub fn builder(&self) -> LibraryBuilder<'static> {
        let os = OsVersion { major: self.os.0, minor: self.os.1, update: 0 };
        let kind = if self.dynamic { FileType::Dynamic } else { FileType::Executable };
        let platform = Platform::from_code(self.platform);
        let container = Container::new(self.patch);
        let mut new = LibraryBuilder::new(self.dialect, container, platform, os, kind);
        if container.has_extension() {
            self.add_sections(&mut new);
        }
        let share = self.dynamic && !self.functions.is_empty();
        let shared = share.then(|| new.add_module(Module::new(self.shared_module())).unwrap());
        for function in &self.functions {
            let spec = self.spec(function);
            match shared {
                Some(id) => new.add_sharing(spec, id).unwrap(),
                None => new.add(spec).unwrap(),
            }
            self.add_reflection(function, &mut new);
        }
        new
    }

    fn add_sections(&self, new: &mut LibraryBuilder<'static>) {
        for (id, content, padding) in &self.archives {
            let data = [bzip2(content), vec![0; *padding]].concat();
            let mut archive = Archive::new(id.as_bytes(), &data).unwrap();
            push_all(&mut archive.tags, &self.archive_tags);
            new.add_archive(archive).unwrap();
        }
        if let Some((name, linked)) = &self.names {
            let mut tags = TagList::new();
            for (id, text) in name
                .iter()
                .map(|n| (FourCc::NAME, n))
                .chain(linked.iter().map(|n| (FourCc::DYNL, n)))
            {
                tags.push(id, &c_string(text)).unwrap();
            }
            new.set_dynamic_header(tags).unwrap();
        }
        let mut imports = SymbolList::default();
        for name in &self.imports {
            let mut tags = TagList::new();
            tags.push(FourCc::NAME, &c_string(name)).unwrap();
            push_all(&mut tags, &self.import_tags);
            imports.push(tags);
        }
        let extension = new.extension_mut().unwrap();
        if !self.imports.is_empty() {
            extension.set(ExtensionTag::section(FourCc::ILST, Section::Symbols(imports)));
        }
        for (id, value) in &self.values {
            extension.set(ExtensionTag::data(*id, value.clone()));
        }
        for (id, content) in self.sections.iter().filter(|(_, content)| !content.is_empty()) {
            let opaque = Section::Opaque(content.clone().into());
            extension.set(ExtensionTag::section(*id, opaque));
        }
    }

    fn spec(&self, function: &FunctionRecipe) -> FunctionSpec<'static> {
        let versions =
            Versions { air: Version::new(self.air.0, self.air.1), language: Version::new(2, 0) };
        let code = if self.dynamic { 3 } else { function.function_type };
        let kind = FunctionType::from_code(code);
        let mut spec =
            FunctionSpec::new(&*function.name, kind, versions, self.module(function, code));
        spec.extra = function.layer.iter().map(|&layer| (FourCc::LAYR, vec![layer])).collect();
        spec.extra.extend(function.unknown.iter().cloned());
        push_all(&mut spec.public, &function.public);
        if !function.constants.is_empty() {
            spec.public.push(FourCc::CNST, &constants(&function.constants)).unwrap();
        }
        if !function.path.is_empty() {
            let info = [&7_u32.to_le_bytes(), &*c_string(&function.path)].concat();
            spec.private.push(FourCc::DEBI, &info).unwrap();
        }
        push_all(&mut spec.private, &function.private);
        if self.patch >= 3 && !self.archives.is_empty() {
            let index = function.archive.map(|index| index % self.archives.len());
            spec.archive =
                index.map(|index| metallib::ArchiveId::from_index(u32::try_from(index).unwrap()));
        }
        spec
    }

    /// The module of one function.
    fn module(&self, function: &FunctionRecipe, code: u8) -> Vec<u8> {
        let mut air = self.says_the_same(Air::new(&function.name, code));
        air.filler = function.words.into();
        air.debug_info = !function.path.is_empty();
        air.module()
    }

    /// The module of a dynamic library.
    fn shared_module(&self) -> Vec<u8> {
        let mut air = self.says_the_same(Air::new("", 3));
        let functions = self.functions.iter();
        air.functions = functions.map(|function| AirFunction::new(&function.name, "")).collect();
        air.module()
    }

    /// A module that says of itself what the library says of it.
    fn says_the_same(&self, mut air: Air) -> Air {
        let (major, minor) = self.os;
        let index = usize::from(self.platform).saturating_sub(1);
        let (system, environment) = SYSTEMS.get(index).copied().unwrap_or_default();
        air.triple = format!("air64-apple-{system}{major}.{minor}.0{environment}");
        air.air = Some(self.air.into());
        air.language = [2, 0];
        air
    }

    /// Gives the last function its reflection; in a dynamic library all share the first.
    fn add_reflection(&self, function: &FunctionRecipe, new: &mut LibraryBuilder<'static>) {
        let Some(size) = function.reflection.filter(|_| self.patch >= 7) else { return };
        let first = new.functions.iter().find_map(|function| function.reflection);
        let id = match first.filter(|_| self.dynamic) {
            Some(id) => id,
            None => {
                let mut entry = BufferEntry::from(TagList::new());
                push_all(&mut entry.tags, &self.buffer_tags.0);
                let buffer = if size < 8 { vec![0; size] } else { flatbuffer(size) };
                entry.tags.push(FourCc::RBUF, &buffer).unwrap();
                push_all(&mut entry.tags, &self.buffer_tags.1);
                new.add_buffer(FourCc::RLST, entry).unwrap()
            }
        };
        if let Some(function) = new.functions.last_mut() {
            function.tags.push(FourCc::RFLT, &[0; 8]).unwrap();
            function.reflection = Some(id);
        }
    }
}

/// Platforms in triples, from number 1.
const SYSTEMS: [(&str, &str); 12] = [
    ("macosx", ""),
    ("ios", ""),
    ("tvos", ""),
    ("watchos", ""),
    ("bridgeos", ""),
    ("ios", "-macabi"),
    ("ios", "-simulator"),
    ("tvos", "-simulator"),
    ("watchos", "-simulator"),
    ("driverkit", ""),
    ("xros", ""),
    ("xros", "-simulator"),
];

fn push_all(tags: &mut TagList<'_>, unknown: &[Unknown]) {
    unknown.iter().for_each(|(id, payload)| tags.push(*id, payload).unwrap());
}

fn constants(names: &[String]) -> Vec<u8> {
    let constants: Vec<FunctionConstant> = names
        .iter()
        .zip(0..)
        .map(|(name, index)| FunctionConstant {
            name: name.as_bytes().to_vec(),
            data_type: DataType::from_code(53),
            index,
            required: 1,
        })
        .collect();
    encode_function_constants(&constants).unwrap()
}

/// Tags that mean something somewhere, so that they are not unknown.
const TAKEN: [&[u8; 4]; 15] = [
    b"NAME", b"TYPE", b"HASH", b"MDSZ", b"OFFT", b"VERS", b"SOFF", b"RFLT", b"LAYR", b"TESS",
    b"ENDT", b"RBUF", b"SBUF", b"SARC", b"UUID",
];

/// Unknown tags: any four bytes, and some with a u32 length. `RBUZ` is known in one place.
fn unknown(count: usize) -> impl Strategy<Value = Vec<Unknown>> {
    let letters = "[A-Z]{3}[0-9]".prop_map(String::into_bytes);
    let bytes = vec(any::<u8>(), 4);
    let wide = Just(b"SBUZ".to_vec());
    let id = prop_oneof![4 => letters, 2 => bytes, 1 => wide]
        .prop_map(|name| FourCc::new(name.try_into().unwrap()))
        .prop_filter("is a known tag", |id| !TAKEN.contains(&&id.bytes()));
    vec((id, vec(any::<u8>(), 0..40)), 0..=count)
}

/// Text without NUL and control characters.
fn text() -> impl Strategy<Value = String> {
    "\\PC{0,24}"
}

fn function() -> impl Strategy<Value = FunctionRecipe> {
    let name = prop_oneof![9 => "\\PC{1,24}", 1 => "[a-z]{300}"];
    let reflection = prop_oneof![3 => 8_usize..200, 1 => 0_usize..8, 1 => 65_530_usize..70_000];
    (
        (name, 0_u8..=8, 0_u8..60, vec(text(), 0..3), text(), option::of(any::<u8>())),
        (option::of(reflection), option::of(0_usize..4)),
        (unknown(2), unknown(1), unknown(1)),
    )
        .prop_map(|(own, links, (unknown, public, private))| FunctionRecipe {
            name: own.0,
            // Core Image functions stand alone, so there are none.
            function_type: if own.1 == 5 { 2 } else { own.1 },
            words: own.2,
            constants: own.3,
            path: own.4,
            layer: own.5,
            reflection: links.0,
            archive: links.1,
            unknown,
            public,
            private,
        })
}

/// Arbitrary libraries, empty ones among them.
pub fn recipe() -> impl Strategy<Value = Recipe> {
    let dialect = prop_oneof![Just(Dialect::Archiver), Just(Dialect::Linker)];
    let identity = (dialect, 2_u16..=9, any::<bool>(), 1_u8..=12, (8_u16..30, 0_u8..7));
    let air = prop_oneof![Just((1, 6)), Just((1, 8)), Just((1, 11)), (2_u16..3, 0_u16..9)];
    let archive = ("[a-z0-9]{0,6}", vec(any::<u8>(), 0..100), 0_usize..64);
    let names = (option::of(text()), vec(text(), 0..3));
    (
        identity,
        air,
        vec(function(), 0..6),
        (vec(archive, 0..3), unknown(1)),
        option::of(names),
        (vec(text(), 0..3), unknown(1)),
        (unknown(2), unknown(2)),
        (unknown(1), unknown(1)),
    )
        .prop_map(
            |(identity, air, functions, archives, names, imports, extension, buffer_tags)| Recipe {
                dialect: identity.0,
                patch: identity.1,
                dynamic: identity.2,
                platform: identity.3,
                os: identity.4,
                air,
                functions,
                archives: archives.0,
                archive_tags: archives.1,
                names,
                imports: imports.0,
                import_tags: imports.1,
                values: extension.0,
                sections: extension.1,
                buffer_tags,
            },
        )
}

/// A small damage to the bytes of a library.
#[derive(Clone, Debug)]
pub enum Change {
    /// Another byte.
    Byte(Index, u8),
    /// A little more or less in a byte, as offsets and sizes are off by one.
    Near(Index, i8),
    /// Up to 24 bytes of one place also at another: other tags, other offsets.
    Copy(Index, Index, usize),
    /// Nothing behind this.
    Cut(Index),
    /// More behind the end.
    Append(Vec<u8>),
}

impl Change {
    /// Damages the bytes.
    pub fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let length = bytes.len();
        let old = |at: &Index| bytes.get(at.index(length)).copied().unwrap_or_default();
        let (at, new) = match self {
            Self::Byte(at, value) => (at, vec![*value]),
            Self::Near(at, delta) => (at, vec![old(at).wrapping_add_signed(*delta)]),
            Self::Copy(from, to, size) => {
                let (from, size) = (from.index(length), (*size).min(length - to.index(length)));
                (to, bytes.iter().skip(from).take(size).copied().collect())
            }
            Self::Cut(at) => return bytes.truncate(at.index(length)),
            Self::Append(more) => return bytes.extend_from_slice(more),
        };
        let place = bytes.iter_mut().skip(at.index(length));
        place.zip(new).for_each(|(to, from)| *to = from);
    }
}

/// Up to four changes.
pub fn changes() -> impl Strategy<Value = Vec<Change>> {
    let index = any::<Index>;
    let change = prop_oneof![
        3 => (index(), any::<u8>()).prop_map(|(at, value)| Change::Byte(at, value)),
        3 => (index(), -16_i8..=16).prop_map(|(at, delta)| Change::Near(at, delta)),
        3 => (index(), index(), 1_usize..24).prop_map(|(from, to, size)| Change::Copy(from, to, size)),
        1 => index().prop_map(Change::Cut),
        1 => vec(any::<u8>(), 1..20).prop_map(Change::Append),
    ];
    vec(change, 1..5)
}
