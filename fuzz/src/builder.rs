//! Libraries made from nothing.

use arbitrary::{Arbitrary, Unstructured};
use metallib::{
    Archive, Container, Dialect, FileType, FourCc, FunctionSpec, FunctionType, Library,
    LibraryBuilder, OsVersion, Platform, Result, TagList, Version, Versions,
};
use metallib_write::{
    Plan, UuidAction, UuidForm, UuidStatus, WriteOptions, module_hash, uuid_status,
};

use crate::laws;

/// What a library is to hold.
#[derive(Arbitrary, Debug)]
pub(crate) struct Recipe {
    pub(crate) linker: bool,
    pub(crate) patch: u8,
    pub(crate) platform: u8,
    pub(crate) os: (u16, u8, u8),
    pub(crate) kind: u8,
    pub(crate) link_options: Option<String>,
    pub(crate) archives: Vec<(String, Vec<u8>)>,
    pub(crate) install_name: Option<String>,
    pub(crate) functions: Vec<Entry>,
}

/// What a function is to hold.
#[derive(Arbitrary, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) code: u8,
    pub(crate) air: (u8, u8),
    pub(crate) language: (u8, u8),
    pub(crate) bitcode: Vec<u8>,
    /// Uses the module of the function before.
    pub(crate) shared: bool,
    pub(crate) public: Vec<([u8; 4], Vec<u8>)>,
    pub(crate) private: Vec<([u8; 4], Vec<u8>)>,
    pub(crate) extra: Vec<(u8, Vec<u8>)>,
    pub(crate) reflection: Option<Vec<u8>>,
    pub(crate) archive: Option<u8>,
}

/// Any bytes, taken as the description of a library: it is built or refused with an error;
/// what is built is canonical when it is read, and its hashes and UUID are right.
///
/// # Panics
/// If a law does not hold.
pub fn builder(data: &[u8]) {
    let Ok(recipe) = Recipe::arbitrary(&mut Unstructured::new(data)) else { return };
    if let Ok(library) = build(&recipe) {
        check(&library);
    }
}

/// The bytes of a library that `data` describes, if it describes one.
pub(crate) fn library_of(data: &[u8]) -> Option<Vec<u8>> {
    let recipe = Recipe::arbitrary(&mut Unstructured::new(data)).ok()?;
    Some(write(&build(&recipe).ok()?))
}

/// Lays out a library with its UUID computed.
pub(crate) fn write(library: &Library<'_>) -> Vec<u8> {
    Plan::new(library, OPTIONS).expect("what was built is laid out").to_vec()
}

const OPTIONS: WriteOptions = WriteOptions {
    rebuild: false,
    hashes: metallib_write::Hashes::Changed,
    uuid: UuidAction::Recompute(UuidForm::Sha256),
};

fn check(library: &Library<'_>) {
    let bytes = write(library);
    laws::written(library, &bytes);
    let parsed = Library::parse(&bytes).expect("checked");
    for function in parsed.functions() {
        let module = parsed.module_of(function).expect("every function has a module");
        assert_eq!(function.hash(), Some(&module_hash(module.bytes())));
    }
    let status = uuid_status(&parsed).expect("checked");
    let expected = match parsed.uuid() {
        Some(_) => UuidStatus::Follows(UuidForm::Sha256),
        None => UuidStatus::Absent,
    };
    assert_eq!(status, expected);
}

/// Builds a library, if its container has room for what it is to hold.
pub(crate) fn build(recipe: &Recipe) -> Result<Library<'_>> {
    let dialect = if recipe.linker { Dialect::Linker } else { Dialect::Archiver };
    let container = Container::new(2 + u16::from(recipe.patch) % 8);
    let (major, minor, update) = recipe.os;
    let os = OsVersion { major, minor, update };
    let platform = Platform::from_code(recipe.platform);
    let kind = FileType::from_code(recipe.kind % 4);
    let mut builder = LibraryBuilder::new(dialect, container, platform, os, kind);
    if let Some(options) = &recipe.link_options {
        builder.sources_mut()?.link_options = until_nul(options).into();
    }
    let mut archives = Vec::new();
    for (id, data) in recipe.archives.iter().take(8) {
        archives.push(builder.add_archive(Archive::new(until_nul(id), data)?)?);
    }
    if let Some(name) = &recipe.install_name {
        let mut tags = TagList::new();
        tags.push(FourCc::NAME, &[until_nul(name), &[0]].concat())?;
        builder.set_dynamic_header(tags)?;
    }
    for entry in recipe.functions.iter().take(16) {
        let spec = spec(entry, &archives)?;
        match builder.functions.last().and_then(|function| function.module) {
            Some(module) if entry.shared => builder.add_sharing(spec, module)?,
            _ => builder.add(spec)?,
        }
    }
    builder.finish()
}

fn spec<'a>(entry: &'a Entry, archives: &[metallib::ArchiveId]) -> Result<FunctionSpec<'a>> {
    let version = |(major, minor): (u8, u8)| Version::new(major.into(), minor.into());
    let versions = Versions { air: version(entry.air), language: version(entry.language) };
    let bitcode = [&metallib::BITCODE_MAGIC, entry.bitcode.as_slice()].concat();
    let module = metallib::wrap(&bitcode).expect("less than 4 GiB");
    let kind = FunctionType::from_code(entry.code);
    let mut spec = FunctionSpec::new(entry.name.as_str(), kind, versions, module);
    spec.public = tag_list(&entry.public)?;
    spec.private = tag_list(&entry.private)?;
    // Unknown tags: those that are known have places and sizes of their own.
    let extra = entry.extra.iter().take(4);
    spec.extra =
        extra.map(|(id, data)| (FourCc::new([b'x', b'x', b'x', *id]), data.clone())).collect();
    spec.reflection = entry.reflection.as_ref().map(Into::into);
    spec.archive = entry.archive.and_then(|index| archives.get(usize::from(index))).copied();
    Ok(spec)
}

/// Tags of any names but `ENDT`, which ends a list.
fn tag_list(tags: &[([u8; 4], Vec<u8>)]) -> Result<TagList<'static>> {
    let mut list = TagList::new();
    for (id, payload) in tags.iter().filter(|(id, _)| id != b"ENDT").take(8) {
        list.push(FourCc::new(*id), payload)?;
    }
    Ok(list)
}

fn until_nul(text: &str) -> &[u8] {
    text.as_bytes().split(|&byte| byte == 0).next().unwrap_or_default()
}
