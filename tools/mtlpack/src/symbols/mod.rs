//! What the modules of a library define, and what they import.

mod united;

use std::borrow::Cow;

use air_bitcode::{Global, GlobalKind, ImportKind, Linkage, Module};
use metallib::Library;

use crate::error::Result;
use crate::io::Input;
use crate::modules;

pub use united::{United, UnitedSymbol};

/// Which symbols are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// All.
    #[default]
    All,
    /// Only what a module defines.
    Defined,
    /// Only what a module imports.
    Undefined,
}

/// A symbol as one module has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Symbol<'m> {
    /// Its name, which need not be UTF-8.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::lossy"))]
    pub name: &'m [u8],
    /// Where it is to come from; `None` if the module defines it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "ser::import"))]
    pub import: Option<ImportKind>,
    /// Whether it is a function, a variable or something else.
    #[cfg_attr(feature = "serde", serde(serialize_with = "ser::kind"))]
    pub kind: GlobalKind,
    /// Who sees it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "ser::linkage"))]
    pub linkage: Linkage,
}

impl<'m> Symbol<'m> {
    fn of(global: &'m Global<'_>) -> Self {
        let import = (!global.is_definition).then(|| ImportKind::of(&global.name));
        Self { name: &global.name, import, kind: global.kind, linkage: global.linkage }
    }

    /// `defined`, or `air`, `llvm` or `other` for an import.
    #[must_use]
    pub fn origin(&self) -> &'static str {
        origin(self.import)
    }
}

/// The symbols of one module; names are borrowed from it where they can.
#[derive(Clone, Debug)]
pub struct ModuleSymbols<'m> {
    globals: Vec<Global<'m>>,
    which: Which,
}

impl<'m> ModuleSymbols<'m> {
    /// Reads the symbols of a module, in its wrapper or without. One of no bytes has none:
    /// libraries without code, such as symbol companions, have such modules.
    ///
    /// ```
    /// use mtlpack::{ModuleSymbols, Which};
    ///
    /// assert!(ModuleSymbols::read(b"MTLB", Which::All).is_err());
    /// assert_eq!(ModuleSymbols::read(b"", Which::All)?.iter().count(), 0);
    /// # Ok::<(), mtlpack::air_bitcode::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is no bitcode, or damaged.
    pub fn read(bytes: &'m [u8], which: Which) -> air_bitcode::Result<Self> {
        let globals =
            if bytes.is_empty() { Vec::new() } else { Module::parse(bytes)?.globals()? };
        Ok(Self { globals, which })
    }

    /// The symbols: definitions, then imports of `air.*`, of `llvm.*`, and others, each in
    /// the order of the module.
    pub fn iter(&self) -> impl Iterator<Item = Symbol<'_>> {
        let origins: &[Option<ImportKind>] = match self.which {
            Which::All => &ORIGINS,
            Which::Defined => &ORIGINS[..1],
            Which::Undefined => &ORIGINS[1..],
        };
        origins.iter().flat_map(|origin| {
            self.globals.iter().map(Symbol::of).filter(move |symbol| symbol.import == *origin)
        })
    }
}

/// Definitions first, then imports by kind.
const ORIGINS: [Option<ImportKind>; 4] =
    [None, Some(ImportKind::Air), Some(ImportKind::Llvm), Some(ImportKind::Other)];

/// Reads the symbols of every module of a library, each module once, on as many threads.
///
/// `each` is called with a module's number and its symbols, and with an accumulator that is
/// new for each megabyte or so; `done` takes the accumulators, in the order of the modules.
/// So what is made of the symbols can be made on all threads, and shown as it comes. The
/// library is to have been read from the input, which is seen through windows: a large
/// mapped file needs little memory.
///
/// ```no_run
/// use mtlpack::io::Input;
/// use mtlpack::{Which, symbols};
///
/// let input = Input::open("default.metallib")?;
/// let library = mtlpack::metallib::Library::parse(input.bytes()).unwrap();
/// let count = |sum: &mut usize, _, found: mtlpack::air_bitcode::Result<mtlpack::ModuleSymbols>| {
///     *sum += found.map_or(0, |symbols| symbols.iter().count());
/// };
/// let mut total = 0;
/// symbols(&input, &library, Which::All, 2, count, |sum| {
///     total += sum;
///     Ok(())
/// })?;
/// # Ok::<(), mtlpack::Error>(())
/// ```
///
/// # Errors
/// If the input cannot be read to its end, and what `done` gives. A damaged module is none.
pub fn symbols<A: Default + Send>(
    input: &Input,
    library: &Library<'_>,
    which: Which,
    threads: usize,
    each: impl Fn(&mut A, usize, air_bitcode::Result<ModuleSymbols<'_>>) + Sync,
    done: impl FnMut(A) -> Result<()>,
) -> Result<()> {
    let read = |all: &mut A, index: usize, bytes: &[u8]| {
        each(all, index, ModuleSymbols::read(bytes, which));
    };
    modules::fold(input, library, threads, read, done)
}

/// The word for where a symbol comes from.
pub(crate) fn origin(import: Option<ImportKind>) -> &'static str {
    match import {
        None => "defined",
        Some(ImportKind::Air) => "air",
        Some(ImportKind::Llvm) => "llvm",
        Some(ImportKind::Other) => "other",
    }
}

/// The word for what a symbol is.
pub(crate) fn kind(kind: GlobalKind) -> &'static str {
    match kind {
        GlobalKind::Variable => "variable",
        GlobalKind::Function => "function",
        GlobalKind::Alias => "alias",
        GlobalKind::IndirectFunction => "ifunc",
    }
}

/// The word for a linkage.
pub(crate) fn linkage(linkage: Linkage) -> Cow<'static, str> {
    Cow::Borrowed(match linkage {
        Linkage::External => "external",
        Linkage::Appending => "appending",
        Linkage::Internal => "internal",
        Linkage::ExternWeak => "extern-weak",
        Linkage::Common => "common",
        Linkage::Private => "private",
        Linkage::AvailableExternally => "available-externally",
        Linkage::WeakAny => "weak",
        Linkage::WeakOdr => "weak-odr",
        Linkage::LinkOnceAny => "linkonce",
        Linkage::LinkOnceOdr => "linkonce-odr",
        Linkage::Unknown(code) => return Cow::Owned(format!("unknown({code})")),
        other => return Cow::Owned(format!("{other:?}")),
    })
}

/// How symbols are serialised: in words.
#[cfg(feature = "serde")]
pub(crate) mod ser {
    use air_bitcode::{GlobalKind, ImportKind, Linkage};
    use serde::Serializer;

    pub(crate) fn import<S: Serializer>(
        import: &Option<ImportKind>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match import {
            Some(_) => to.serialize_str(super::origin(*import)),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn kind<S: Serializer>(kind: &GlobalKind, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(super::kind(*kind))
    }

    pub(crate) fn linkage<S: Serializer>(linkage: &Linkage, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::linkage(*linkage))
    }
}
