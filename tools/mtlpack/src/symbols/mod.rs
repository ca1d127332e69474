//! What the modules of a library define, and what they import.

mod united;

use std::borrow::Cow;

use air_bitcode::{Error, ErrorKind, Global, GlobalKind, GlobalReader, ImportKind, Linkage};
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
    /// If it is no bitcode, or damaged, or its names overlap so much that a list of them
    /// would have far more bytes than the module.
    pub fn read(bytes: &'m [u8], which: Which) -> air_bitcode::Result<Self> {
        Self::read_by(&mut GlobalReader::new(), bytes, which)
    }

    pub(crate) fn read_by(
        reader: &mut GlobalReader,
        bytes: &'m [u8],
        which: Which,
    ) -> air_bitcode::Result<Self> {
        let globals = if bytes.is_empty() { Vec::new() } else { reader.list(bytes)? };
        let names = globals.iter().fold(0, |sum: usize, g| sum.saturating_add(g.name.len()));
        let limit = bytes.len().saturating_mul(OVERLAP);
        if names > limit {
            let (what, found, limit) = ("bytes of overlapping names", names as u64, limit as u64);
            return Err(Error::nowhere(ErrorKind::TooMany { what, found, limit }));
        }
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

/// Names may lie over one another; they may have so many times the module's bytes.
const OVERLAP: usize = 4;

/// Definitions first, then imports by kind.
const ORIGINS: [Option<ImportKind>; 4] =
    [None, Some(ImportKind::Air), Some(ImportKind::Llvm), Some(ImportKind::Other)];

/// Reads the symbols of every module of a library, each module once, on as many threads.
///
/// `each` is called with a module's number and its symbols, and with an accumulator that is
/// new for each few megabytes; `done` takes the accumulators, in the order of the modules.
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
    mut done: impl FnMut(A) -> Result<()>,
) -> Result<()> {
    let read = |(all, reader): &mut (A, GlobalReader), index: usize, bytes: &[u8]| {
        each(all, index, ModuleSymbols::read_by(reader, bytes, which));
    };
    modules::fold(input, library, threads, read, |(all, _)| done(all))
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

#[cfg(test)]
mod tests {
    use air_bitcode::abbrev::{Abbreviation, Definition, Scalar, Tail, Values};
    use air_bitcode::{Block, Item, Record, Stream, WriteOptions};

    use super::*;

    /// A module of version 2 with these global records (code, operands) and strings.
    fn module(globals: &[(u32, &[u64])], strings: &[u8]) -> Vec<u8> {
        let record = |code, operands: &[u64]| Item::Record(Record::new(code, operands.to_vec()));
        let globals = globals.iter().map(|(code, operands)| record(*code, operands));
        let items = std::iter::once(record(1, &[2])).chain(globals).collect();
        let blob = Abbreviation::new(Scalar::Literal(1), Vec::new(), Tail::Blob).unwrap();
        let blob = Definition::new(blob);
        let values = Values { operands: Vec::new(), blob: Some(strings.to_vec().into()) };
        let text = Record::with_abbreviation(4, blob.get().unwrap(), 1, values).unwrap();
        let strings = Block::new(23, 3, vec![Item::Define(blob), Item::Record(text)]);
        let stream = Stream { blocks: vec![Block::new(8, 3, items), strings] };
        let mut bytes = Vec::new();
        stream.write(&mut bytes, WriteOptions::default()).unwrap();
        bytes
    }

    const FUNCTION: u32 = 8;

    fn shown(bytes: &[u8], which: Which) -> Vec<String> {
        let symbols = ModuleSymbols::read(bytes, which).unwrap();
        let text = |s: Symbol<'_>| {
            let name = String::from_utf8_lossy(s.name);
            format!("{} {} {} {name}", s.origin(), linkage(s.linkage), kind(s.kind))
        };
        symbols.iter().map(text).collect()
    }

    #[test]
    fn definitions_come_before_imports_by_kind() {
        let globals: [(u32, &[u64]); 6] = [
            (FUNCTION, &[0, 5, 0, 0, 1, 0]),
            (FUNCTION, &[5, 6, 0, 0, 1, 0]),
            (FUNCTION, &[11, 5, 0, 0, 1, 7]),
            (FUNCTION, &[16, 4, 0, 0, 0, 17]),
            // A variable with an initial value, and one without.
            (7, &[20, 1, 0, 0, 1, 3]),
            (7, &[21, 1, 0, 0, 0, 99]),
        ];
        let bytes = module(&globals, b"otherllvm.xair.xmainvw");
        let defined = ["defined weak-odr function main", "defined internal variable v"];
        let imports = [
            "air extern-weak function air.x",
            "llvm external function llvm.x",
            "other external function other",
            "other unknown(99) variable w",
        ];
        assert_eq!(shown(&bytes, Which::Defined), defined);
        assert_eq!(shown(&bytes, Which::Undefined), imports);
        assert_eq!(shown(&bytes, Which::All), [&defined[..], &imports].concat());
    }

    #[test]
    fn names_that_overlap_without_end_are_refused() {
        let globals: Vec<(u32, &[u64])> = vec![(FUNCTION, &[0, 4000, 0, 0, 1, 0]); 100];
        let error = ModuleSymbols::read(&module(&globals, &[b'x'; 4000]), Which::All).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TooMany { found: 400_000, .. }), "{error}");
    }
}
