//! What a library says of a function, derived from the function's own module.
//!
//! Apple's linkers write nothing into an entry and its metadata groups that the module does
//! not say, but for hashes, positions and the path of the input. So a packer derives them, and
//! `verify --deep` compares them. The rules are measured (docs/format.md); what no known
//! library shows is refused by name.
//!
//! | file | what |
//! |---|---|
//! | `entry` | NAME, TYPE, VERS, LAYR, TESS |
//! | `attributes` | VATT, VATY |
//! | `constants` | CNST |
//! | `core_image` | RETR, ARGR |
//! | `debug` | DEBI |
//! | `types` | names of types and their codes |
//! | `keys` | what stands behind a key in a list of metadata |

mod attributes;
mod constants;
mod core_image;
mod debug;
mod entry;
mod error;
mod keys;
mod types;

use std::borrow::Cow;

use air_bitcode::{
    AirInfo, AirMetadata, Bodies, EntryKind, EntryLists, EntryPoint, Module, Subprograms, Term,
};
use metallib::metadata::DebugInfo;
use metallib::{DataType, FourCc, FunctionType, TagList, Versions};

pub(crate) use entry::type_of_list;
pub use error::DeriveError;

/// Result of deriving something.
pub type Result<T, E = DeriveError> = std::result::Result<T, E>;

/// What a library says of a function, as its module has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived<'a> {
    /// Tag NAME, without NUL: the function's symbol.
    pub name: Cow<'a, [u8]>,
    /// Tag TYPE: by the list that names the function; [`FunctionType::UNQUALIFIED`] if the
    /// module has no such list.
    pub function_type: FunctionType,
    /// Tag VERS.
    pub versions: Versions,
    /// Tag LAYR: the type of a vertex function's render target array index.
    pub layer: Option<DataType>,
    /// Tag TESS: number of control points << 2, and 1 for triangles or 2 for quads. Not
    /// measured: no known library has it.
    pub tessellation: Option<u8>,
    /// The public metadata group: VATT, VATY, CNST; or RETR, ARGR.
    pub public: TagList<'static>,
    /// Tag DEBI of the private group. Its other tag, DEPF, is the path of the linker's input,
    /// which no module says.
    pub debug: Debug,
}

impl Derived<'_> {
    /// The same, with a name of its own.
    #[must_use]
    pub fn into_owned(self) -> Derived<'static> {
        Derived { name: Cow::Owned(self.name.into_owned()), ..self }
    }

    /// Further tags of the function list, as [`metallib::FunctionSpec::extra`] takes them.
    #[must_use]
    pub fn extra(&self) -> Vec<(FourCc, Vec<u8>)> {
        let layer = self.layer.map(|layer| (FourCc::LAYR, vec![layer.code()]));
        let tessellation = self.tessellation.map(|byte| (FourCc::TESS, vec![byte]));
        layer.into_iter().chain(tessellation).collect()
    }
}

/// What a module says for tag DEBI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Debug {
    /// Nothing: it was compiled without debug information, and has no tag.
    None,
    /// Line and path of the function.
    Info(DebugInfo),
    /// It had debug information, which is taken out of it: the flag `Debug Info Version` is
    /// left. Apple's linker does so for systems that are older than its compiler's format, and
    /// writes the tag before.
    Gone,
}

/// Derives what a library says of each function of a module.
///
/// A module of an executable has one function; a `.air` may have several. They come in the
/// order of Apple's linker: kernels, vertex, fragment functions and the other kinds, each in
/// the order of its list. A module without any list of entry points gives each function that
/// it defines for others (linkage external), in its order, as dynamic libraries have them; that
/// may be none.
///
/// The module must not be decoded further than [`Module::parse`] does.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bytes = std::fs::read("blur.air")?;
/// for function in mtlpack::derive::entries(&air_bitcode::Module::parse(&bytes)?)? {
///     println!("{} {}", function.function_type, String::from_utf8_lossy(&function.name));
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If the module cannot be read, does not say its versions, lists an entry point that is no
/// function it defines, or says something that no known library shows how to write: a type's
/// name, a list, or function constants of a module with several functions, of which each
/// library's module has those that its function uses.
pub fn entries<'a>(module: &Module<'a>) -> Result<Vec<Derived<'a>>> {
    entries_of(module, module.air_metadata()?)
}

/// As [`entries`], of a module whose metadata was read.
pub(crate) fn entries_of<'a>(
    module: &Module<'a>,
    air: AirMetadata<'a>,
) -> Result<Vec<Derived<'a>>> {
    let mut derivation = Derivation::of(module, air)?;
    let subjects = derivation.subjects()?;
    subjects.into_iter().map(|subject| derivation.derive(subject)).collect()
}

/// A function of a module that a library lists.
#[derive(Clone, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) name: Cow<'a, [u8]>,
    pub(crate) function_type: FunctionType,
    /// Its value number.
    value: u64,
    /// Where it is listed; nowhere if it is of TYPE 3.
    entry: Option<EntryPoint<'a>>,
}

impl Subject<'_> {
    fn refuse(&self, tag: FourCc, what: impl Into<String>) -> DeriveError {
        DeriveError::function(&self.name, tag, what)
    }

    fn is_listed_as(&self, kind: EntryKind) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.kind == kind)
    }
}

/// A module whose functions' tags are derived, each when it is asked for.
pub(crate) struct Derivation<'m, 'a> {
    module: &'m Module<'a>,
    air: AirMetadata<'a>,
    info: AirInfo<'a>,
    bodies: Bodies<'m, 'a>,
    subprograms: Option<Subprograms>,
    /// How many functions the module gives, once they were asked for.
    functions: usize,
}

impl<'m, 'a> Derivation<'m, 'a> {
    pub(crate) fn new(module: &'m Module<'a>) -> Result<Self> {
        Self::of(module, module.air_metadata()?)
    }

    fn of(module: &'m Module<'a>, air: AirMetadata<'a>) -> Result<Self> {
        let info = air.info()?;
        Ok(Self { module, air, info, bodies: module.bodies()?, subprograms: None, functions: 0 })
    }

    fn derive(&mut self, subject: Subject<'a>) -> Result<Derived<'a>> {
        let versions = self.versions(&subject)?;
        let (mut layer, mut tessellation, mut public) = (None, None, TagList::new());
        for (id, payload) in self.tags(&subject)? {
            let Some(payload) = payload? else { continue };
            match id {
                FourCc::LAYR => layer = payload.first().copied().map(DataType::from_code),
                FourCc::TESS => tessellation = payload.first().copied(),
                _ => public
                    .push(id, &payload)
                    .map_err(|error| subject.refuse(id, error.to_string()))?,
            }
        }
        let debug = self.debug(&subject)?;
        let Subject { name, function_type, .. } = subject;
        Ok(Derived { name, function_type, versions, layer, tessellation, public, debug })
    }

    /// Payloads of the tags that the module's metadata gives for the function, or that there is
    /// none, in their order: LAYR and TESS, and the public group. VATY is left out if VATT is
    /// refused.
    pub(crate) fn tags(&mut self, subject: &Subject<'_>) -> Result<Vec<Payload>> {
        let mut tags = Vec::with_capacity(7);
        self.vertex(subject, &mut tags)?;
        tags.push((FourCc::CNST, constants::constants(subject, &self.air, self.functions)));
        if !subject.is_listed_as(EntryKind::CoreImage) {
            tags.extend([FourCc::RETR, FourCc::ARGR].map(|id| (id, Ok(None))));
            return Ok(tags);
        }
        let (lists, _) = lists(subject, &self.air)?;
        tags.push((FourCc::RETR, core_image::return_type(subject, &lists).map(Some)));
        tags.push((FourCc::ARGR, core_image::arguments(subject, &lists).map(Some)));
        Ok(tags)
    }

    /// LAYR, TESS, VATT and VATY, which only vertex functions have.
    fn vertex(&mut self, subject: &Subject<'_>, tags: &mut Vec<Payload>) -> Result<()> {
        if !subject.is_listed_as(EntryKind::Vertex) {
            let ids = [FourCc::LAYR, FourCc::TESS, FourCc::VATT, FourCc::VATY];
            tags.extend(ids.map(|id| (id, Ok(None))));
            return Ok(());
        }
        let (lists, patch) = lists(subject, &self.air)?;
        let byte = |byte: Option<u8>| byte.map(|byte| vec![byte]);
        tags.push((FourCc::LAYR, entry::layer(subject, &lists).map(byte)));
        tags.push((FourCc::TESS, entry::tessellation(subject, patch).map(byte)));
        let attributes = match attributes::attributes(subject, &lists, &mut self.bodies) {
            Ok(attributes) => attributes,
            Err(error) => {
                tags.push((FourCc::VATT, Err(error)));
                return Ok(());
            }
        };
        let [names, types] = attributes.map_or([None, None], |payloads| payloads.map(Some));
        tags.extend([(FourCc::VATT, Ok(names)), (FourCc::VATY, Ok(types))]);
        Ok(())
    }
}

/// Outputs and inputs of an entry point, and its node `air.patch`.
fn lists<'m>(
    subject: &Subject<'_>,
    air: &'m AirMetadata<'_>,
) -> Result<(EntryLists<'m>, Option<Vec<Term<'m>>>)> {
    let Some(entry) = &subject.entry else {
        return Err(subject.refuse(FourCc::TYPE, "no list names the function"));
    };
    let lists = air.entry(entry)?;
    for node in lists.more.iter().filter_map(|term| term.node()) {
        let terms = air.terms(node)?;
        if terms.first() == Some(&Term::Text(b"air.patch")) {
            return Ok((lists, Some(terms)));
        }
    }
    Ok((lists, None))
}

/// A tag, and its payload if the function has it.
pub(crate) type Payload = (FourCc, Result<Option<Vec<u8>>>);
