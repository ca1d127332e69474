//! One module among the inputs, read as far as the linker has to know it.

use std::borrow::Cow;

use air_bitcode::{
    AirMetadata, EntryKind, Envelope, Global, HeadReader, ImportKind, Linkage, Module,
};
use metallib::printable;

use super::traits::Traits;
use crate::derive::{self, Derived};
use crate::error::{Error, Result};

/// A module of the inputs.
#[derive(Clone, Debug)]
pub(super) struct Unit<'a> {
    /// Name of the input.
    pub(super) name: String,
    /// Wrapper, bitcode and padding, as libraries store it.
    pub(super) bytes: Cow<'a, [u8]>,
    pub(super) traits: Traits,
    /// Its entry points, in Apple's order: by kind, then as the lists have them.
    pub(super) entries: Vec<Entry>,
    pub(super) symbols: Symbols,
    /// What there is to say of its entry point, if it has one and no more.
    pub(super) single: Option<Single>,
}

/// A module of one entry point.
#[derive(Clone, Debug)]
pub(super) struct Single {
    /// Whether a linker made it: then it is stored as it is.
    pub(super) is_linked: bool,
    /// What a library says of the function, as long as nothing is taken out of the module but
    /// the name of its source; none if it lists more than the entry point.
    pub(super) derived: Option<derive::Result<Derived<'static>>>,
}

/// An entry point of a module.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) kind: EntryKind,
    /// Its number among the module's values: globals have theirs in their order.
    pub(super) value: u64,
}

/// Names that a module shares with others.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbols {
    /// What others may call or read, in the order of the module.
    pub(super) defined: Vec<Vec<u8>>,
    /// What it needs of others and the Metal compiler does not have built in.
    pub(super) imported: Vec<Vec<u8>>,
}

impl<'a> Unit<'a> {
    /// Reads a module.
    ///
    /// # Errors
    /// If it cannot be read, or does not say what the library's header needs.
    pub(super) fn read(reader: &mut HeadReader, name: &str, bytes: &'a [u8]) -> Result<Self> {
        let wrong = |source| wrong(name, source);
        let bytes = as_stored(name, bytes)?;
        let head = reader.read(&bytes).map_err(wrong)?;
        let traits = Traits::of(name, &head)?;
        let entry = |entry: &air_bitcode::EntryPoint<'_>| Entry {
            name: entry.name.to_vec(),
            kind: entry.kind,
            value: entry.value,
        };
        let mut entries: Vec<Entry> = head.entries.iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.kind);
        let module = Module::parse(&bytes).map_err(wrong)?;
        let (symbols, single) = match entries.as_slice() {
            [entry] => {
                let air = module.air_metadata().map_err(wrong)?;
                let symbols = Symbols::of(air.globals());
                (symbols, Some(Single::of(&module, air, entry).map_err(wrong)?))
            }
            _ => (Symbols::of(&module.globals().map_err(wrong)?), None),
        };
        Ok(Self { name: name.to_owned(), traits, entries, symbols, single, bytes })
    }
}

impl Single {
    fn of(module: &Module<'_>, air: AirMetadata<'_>, entry: &Entry) -> air_bitcode::Result<Self> {
        let is_linked = is_linked(module, &air, entry)?;
        let derived = match derive::entries_of(module, air) {
            Ok(all) => {
                let one = <[Derived<'_>; 1]>::try_from(all).ok();
                one.map(|[derived]| Ok(derived.into_owned()))
            }
            Err(error) => Some(Err(error)),
        };
        Ok(Self { is_linked, derived })
    }
}

/// The list that says where a module's source was; linked modules have none.
const SOURCE_LIST: &str = "air.source_file_name";

/// Whether a module of one entry point is one that a linker made: its source is called as the
/// function is (in old modules it has no name), and it does not say where the source was. A
/// module of Core Image says that, but gives its source no name.
///
/// The linker leaves more in some modules than the function uses, so that splitting them again
/// would change them.
fn is_linked(
    module: &Module<'_>,
    air: &AirMetadata<'_>,
    entry: &Entry,
) -> air_bitcode::Result<bool> {
    let source = module.source_file_name()?.unwrap_or_default();
    if source.is_empty() && entry.kind == EntryKind::CoreImage {
        return Ok(true);
    }
    if !source.is_empty() && source.as_bytes() != entry.name {
        return Ok(false);
    }
    Ok(air.metadata().named(SOURCE_LIST).is_none())
}

impl Symbols {
    fn of(globals: &[Global<'_>]) -> Self {
        let mut symbols = Self::default();
        for global in globals {
            let name = global.name.to_vec();
            if global.is_definition {
                let is_offered =
                    global.linkage.is_visible() && global.linkage != Linkage::AvailableExternally;
                symbols.defined.extend(is_offered.then_some(name));
            } else if ImportKind::of(&name) == ImportKind::Other {
                symbols.imported.push(name);
            }
        }
        symbols
    }
}

impl Entry {
    /// Its name, for messages.
    pub(super) fn printable(&self) -> String {
        printable(&self.name)
    }
}

/// The module in the form that libraries have: a wrapper of 20 bytes in front of it, zeros up
/// to a multiple of 16 bytes behind it. Nearly all `.air` files have it.
fn as_stored<'a>(name: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>> {
    let Envelope { wrapper, stream, tail, .. } =
        Envelope::parse(bytes).map_err(|source| wrong(name, source))?;
    let is_usual = wrapper.is_some_and(|wrapper| {
        (wrapper.version, wrapper.offset, wrapper.cpu_type)
            == (0, air_bitcode::WRAPPER_SIZE, u32::MAX)
    });
    let is_padded = bytes.len().is_multiple_of(16) && tail.len() < 16;
    if is_usual && is_padded && tail.iter().all(|&byte| byte == 0) {
        return Ok(Cow::Borrowed(bytes));
    }
    let wrapped = metallib::wrap(stream).map(Cow::Owned);
    wrapped.ok_or_else(|| Error::refused(format!("{name}: the module has 4 GiB or more")))
}

/// An error of a module.
pub(super) fn wrong(name: &str, source: air_bitcode::Error) -> Error {
    Error::Module { input: name.to_owned(), place: "module".to_owned(), source }
}
