//! What a library is, at a glance.

use std::collections::{BTreeMap, BTreeSet};

use metallib::{
    Container, Dialect, FileType, FourCc, FunctionType, Library, OsVersion, Platform, Version,
};
use metallib_write::Layout;

use crate::Named;
use crate::text::lossy;

/// The answer to "what is this file?". Sizes are in bytes, offsets absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Info {
    /// Name of the input.
    pub input: String,
    /// Size of the file.
    pub size: u64,
    /// Container version.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::text"))]
    pub container: Container,
    /// What kind of library it is.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::text"))]
    pub kind: FileType,
    /// Whether the stub flag is set.
    pub stub: bool,
    /// Target platform; `None` up to container 1.2.5, which does not record it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::maybe"))]
    pub platform: Option<Platform>,
    /// Whether the header marks the library as one for macOS or Mac Catalyst.
    pub mac: bool,
    /// Oldest system it is for; `None` where the platform is.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::maybe"))]
    pub minimum_os: Option<OsVersion>,
    /// Whose conventions the file follows.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::text"))]
    pub dialect: Dialect,
    /// AIR versions of the functions, ascending.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::list"))]
    pub air_versions: Vec<Version>,
    /// Metal language versions of the functions, ascending.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::list"))]
    pub language_versions: Vec<Version>,
    /// Number of functions.
    pub functions: u64,
    /// Functions by type, those types that occur.
    pub functions_by_type: Vec<TypeCount>,
    /// Number of modules.
    pub modules: u64,
    /// Size of the bitcode section.
    pub bitcode_size: u64,
    /// The embedded sources.
    pub sources: Option<SourcesInfo>,
    /// Entries of the reflection list, if there is one.
    pub reflection_entries: Option<u64>,
    /// Names of the imported symbols.
    pub imports: Vec<String>,
    /// Names of the exported variables.
    pub variables: Vec<String>,
    /// NAME of the dynamic header: the install name of a dynamic library.
    pub install_name: Option<String>,
    /// Install names of the dynamic libraries it is linked with.
    pub linked_libraries: Vec<String>,
    /// The stored UUID.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::uuid"))]
    pub uuid: Option<[u8; 16]>,
    /// Whether a new layout of all parts gives back the same bytes.
    pub canonical: bool,
    /// How many reasons there are why it is not canonical.
    pub irregularities: u64,
    /// The first of these reasons.
    pub reasons: Vec<Reason>,
}

/// How many functions of a type there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct TypeCount {
    /// The type; `None` for functions without tag TYPE.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "type", serialize_with = "crate::text::ser::maybe")
    )]
    pub function_type: Option<FunctionType>,
    /// How many functions have it.
    pub count: u64,
}

/// The embedded sources of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SourcesInfo {
    /// Name of the section, HSRC or HSRD.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::text"))]
    pub section: FourCc,
    /// Number of archives.
    pub archives: u64,
    /// The linker's command line.
    pub link_options: String,
    /// The linker's working directory; HSRD only.
    pub working_dir: Option<String>,
}

/// One reason why a library is irregular.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Reason {
    /// Absolute offset in the file.
    pub offset: u64,
    /// What was found there.
    pub what: String,
}

/// Says what a library is. Nothing is hashed and no module is looked into.
///
/// ```no_run
/// use mtlpack::{Named, info};
///
/// let bytes = std::fs::read("default.metallib").unwrap();
/// let library = metallib::Library::parse(&bytes).unwrap();
/// let info = info(Named { name: "default.metallib", library: &library });
/// println!("{} for {:?}", info.kind, info.platform);
/// ```
#[must_use]
pub fn info(named: Named<'_, '_>) -> Info {
    let library = named.library;
    let identity = library.identity();
    let platform = identity.platform();
    let irregular = library.irregularities();
    let reason =
        |found: &metallib::Irregularity| Reason { offset: found.offset, what: found.what.clone() };
    let (size, bitcode_size) = sizes(library);
    let (air_versions, language_versions) = versions(library);
    Info {
        input: named.name.to_owned(),
        size,
        container: identity.container,
        kind: identity.file_type(),
        stub: identity.is_stub(),
        platform,
        mac: identity.is_mac(),
        minimum_os: platform.map(|_| identity.os),
        dialect: library.dialect(),
        air_versions,
        language_versions,
        functions: library.functions().len() as u64,
        functions_by_type: functions_by_type(library),
        modules: library.modules().len() as u64,
        bitcode_size,
        sources: sources(library),
        reflection_entries: library.reflection().map(|list| list.entries().len() as u64),
        imports: library.imports().map_or_else(Vec::new, symbol_names),
        variables: library.variables().map_or_else(Vec::new, symbol_names),
        install_name: dynamic_names(library, FourCc::NAME).into_iter().next(),
        linked_libraries: dynamic_names(library, FourCc::DYNL),
        uuid: library.uuid(),
        canonical: library.is_canonical(),
        irregularities: irregular.count() as u64,
        reasons: irregular.iter().map(reason).collect(),
    }
}

/// Size of the file and of its bitcode section.
fn sizes(library: &Library<'_>) -> (u64, u64) {
    match (library.source_bytes(), library.header()) {
        (Some(bytes), Some(header)) => (bytes.len() as u64, header.bitcode.size),
        _ => {
            let layout = Layout::of(library);
            (layout.file_size, layout.bitcode.size)
        }
    }
}

fn versions(library: &Library<'_>) -> (Vec<Version>, Vec<Version>) {
    let (mut air, mut language) = (BTreeSet::new(), BTreeSet::new());
    for versions in library.functions().iter().filter_map(metallib::Function::versions) {
        air.insert(versions.air);
        language.insert(versions.language);
    }
    (air.into_iter().collect(), language.into_iter().collect())
}

fn functions_by_type(library: &Library<'_>) -> Vec<TypeCount> {
    let mut counts = BTreeMap::new();
    for function in library.functions() {
        *counts.entry(function.function_type()).or_insert(0) += 1;
    }
    counts.into_iter().map(|(function_type, count)| TypeCount { function_type, count }).collect()
}

fn sources(library: &Library<'_>) -> Option<SourcesInfo> {
    let sources = library.sources()?;
    Some(SourcesInfo {
        section: sources.id(),
        archives: sources.archives.len() as u64,
        link_options: lossy(&sources.link_options),
        working_dir: sources.working_dir.as_deref().map(lossy),
    })
}

fn symbol_names(list: &metallib::SymbolList<'_>) -> Vec<String> {
    list.names().map(lossy).collect()
}

fn dynamic_names(library: &Library<'_>, id: FourCc) -> Vec<String> {
    let tags = library.dynamic_header().into_iter().flat_map(metallib::TagList::iter);
    tags.filter(|tag| tag.id == id).map(|tag| lossy(tag.payload)).collect()
}
