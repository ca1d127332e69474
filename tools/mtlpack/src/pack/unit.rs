//! One module among the inputs, read as far as the linker has to know it.

use std::borrow::Cow;

use air_bitcode::{EntryKind, Envelope, Global, HeadReader, ImportKind, Linkage, Module};
use metallib::printable;

use super::traits::Traits;
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
    pub(super) fn read(name: &str, bytes: &'a [u8]) -> Result<Self> {
        let wrong = |source| wrong(name, source);
        let bytes = as_stored(name, bytes)?;
        let head = HeadReader::new().read(&bytes).map_err(wrong)?;
        let traits = Traits::of(name, &head)?;
        let entry = |entry: &air_bitcode::EntryPoint<'_>| Entry {
            name: entry.name.to_vec(),
            kind: entry.kind,
            value: entry.value,
        };
        let mut entries: Vec<Entry> = head.entries.iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.kind);
        let globals = Module::parse(&bytes).and_then(|module| module.globals()).map_err(wrong)?;
        let symbols = Symbols::of(&globals);
        Ok(Self { name: name.to_owned(), traits, entries, symbols, bytes })
    }
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
