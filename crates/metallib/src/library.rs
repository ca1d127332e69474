//! The library: everything a file holds, borrowed from it.

use crate::buffers::BufferList;
use crate::function::Function;
use crate::header::{FileType, Header, Identity};
use crate::irregular::Irregularities;
use crate::module::Module;
use crate::section::{Extension, ExtensionValue};
use crate::source::Source;
use crate::sources::Sources;
use crate::symbols::SymbolList;
use crate::tags::TagList;
use crate::{FourCc, FunctionType};

/// How a writer counts and orders: the two families that write almost every library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The `metallib` archiver: metadata size words do not count themselves.
    Archiver,
    /// The `metal` driver's link step: they do; UUID, reflection and dynamic header.
    Linker,
}

impl Dialect {
    /// What the size word of a metadata group with these tags says.
    #[must_use]
    pub const fn metadata_size_word(self, tags: u64) -> u64 {
        match self {
            Self::Archiver => tags + 4,
            Self::Linker => tags + 8,
        }
    }

    /// Order of the known tags of the function list.
    ///
    /// The places of LAYR, TESS and of tags never seen together are inferred.
    #[must_use]
    pub const fn function_tag_order(self) -> &'static [FourCc] {
        use FourCc as F;
        match self {
            Self::Archiver => &[
                F::NAME,
                F::TYPE,
                F::HASH,
                F::MDSZ,
                F::OFFT,
                F::VERS,
                F::LAYR,
                F::TESS,
                F::SOFF,
                F::RFLT,
            ],
            Self::Linker => &[
                F::NAME,
                F::TYPE,
                F::HASH,
                F::OFFT,
                F::VERS,
                F::LAYR,
                F::TESS,
                F::MDSZ,
                F::SOFF,
                F::RFLT,
            ],
        }
    }
}

impl std::fmt::Display for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Archiver => "archiver",
            Self::Linker => "linker",
        })
    }
}

/// A Metal library, parsed from bytes or built.
///
/// Parsing finds frames (groups, tags, sections) and borrows them; what tags mean is
/// read on demand, and what is unknown is carried.
///
/// ```no_run
/// let bytes = std::fs::read("default.metallib").unwrap();
/// let library = metallib::Library::parse(&bytes).unwrap();
/// for function in library.functions() {
///     println!("{}", function.name());
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Library<'a> {
    pub(crate) source: Option<Source<'a>>,
    pub(crate) identity: Identity,
    pub(crate) dialect: Dialect,
    pub(crate) functions: Vec<Function<'a>>,
    pub(crate) modules: Vec<Module<'a>>,
    pub(crate) extension: Option<Extension<'a>>,
}

impl<'a> Library<'a> {
    /// The bytes this library was parsed from; `None` if it was built or edited.
    #[must_use]
    pub fn source_bytes(&self) -> Option<&'a [u8]> {
        self.source.as_ref().map(|source| source.bytes)
    }

    /// The header as it stands in the input; `None` if the library was built or edited.
    #[must_use]
    pub fn header(&self) -> Option<&Header> {
        self.source.as_ref().map(|source| &source.header)
    }

    /// Why the library is not laid out as Apple's tools do it; empty if it is
    /// *canonical*: a new layout of all parts gives back the same bytes.
    #[must_use]
    pub fn irregularities(&self) -> Irregularities {
        self.source.as_ref().map(|source| source.irregular.clone()).unwrap_or_default()
    }

    /// Whether there is no irregularity.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.source.as_ref().is_none_or(|source| source.irregular.is_empty())
    }

    /// Container version, kind, platform and OS.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Which writer's conventions the library follows. Where no metadata group shows
    /// it, UUID or HDYN mean the linker.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Entries of the function list, in order.
    #[must_use]
    pub fn functions(&self) -> &[Function<'a>] {
        &self.functions
    }

    /// The first function of this name. For many look-ups build a map.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function<'a>> {
        self.functions.iter().find(|function| function.name_bytes() == name.as_bytes())
    }

    /// Modules in the order in which the functions first use them.
    #[must_use]
    pub fn modules(&self) -> &[Module<'a>] {
        &self.modules
    }

    /// A function's module.
    #[must_use]
    pub fn module_of(&self, function: &Function<'_>) -> Option<&Module<'a>> {
        self.modules.get(function.module?.index())
    }

    /// The header extension, if the library has one.
    #[must_use]
    pub fn extension(&self) -> Option<&Extension<'a>> {
        self.extension.as_ref()
    }

    /// The embedded sources.
    #[must_use]
    pub fn sources(&self) -> Option<&Sources<'a>> {
        self.extension.as_ref()?.sources()
    }

    /// The tags of the dynamic header: NAME and DYNL.
    #[must_use]
    pub fn dynamic_header(&self) -> Option<&TagList<'a>> {
        self.extension.as_ref()?.dynamic_header()
    }

    /// The imported symbols.
    #[must_use]
    pub fn imports(&self) -> Option<&SymbolList<'a>> {
        self.extension.as_ref()?.symbols(FourCc::ILST)
    }

    /// The exported variables.
    #[must_use]
    pub fn variables(&self) -> Option<&SymbolList<'a>> {
        self.extension.as_ref()?.symbols(FourCc::VLST)
    }

    /// The reflection list.
    #[must_use]
    pub fn reflection(&self) -> Option<&BufferList<'a>> {
        self.extension.as_ref()?.buffers(FourCc::RLST)
    }

    /// The script list.
    #[must_use]
    pub fn scripts(&self) -> Option<&BufferList<'a>> {
        self.extension.as_ref()?.buffers(FourCc::SLST)
    }

    /// The stored UUID.
    #[must_use]
    pub fn uuid(&self) -> Option<[u8; 16]> {
        match &self.extension.as_ref()?.get(FourCc::UUID)?.value {
            ExtensionValue::Data(data) => data.as_ref().try_into().ok(),
            _ => None,
        }
    }

    /// Whether this is a dynamic library or the companion of one: its functions have
    /// no entry of their own and share one module.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        match self.identity.file_type() {
            FileType::Dynamic => true,
            FileType::SymbolCompanion => {
                let plain = Some(FunctionType::UNQUALIFIED);
                self.functions.iter().any(|function| function.function_type() == plain)
            }
            _ => false,
        }
    }
}
