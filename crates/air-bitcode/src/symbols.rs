//! Global values: what a module defines and what it needs from elsewhere.

use std::borrow::Cow;

use crate::bits::size;
use crate::error::Result;
use crate::ids::{module, vst};
use crate::record::Record;
use crate::symtab::string;

/// What a global value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GlobalKind {
    /// A variable or constant.
    Variable,
    /// A function.
    Function,
    /// An alias.
    Alias,
    /// An indirect function.
    IndirectFunction,
}

/// Who sees a global value, and what becomes of it where two modules have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are LLVM's")]
pub enum Linkage {
    External,
    Appending,
    Internal,
    ExternWeak,
    Common,
    Private,
    AvailableExternally,
    WeakAny,
    WeakOdr,
    LinkOnceAny,
    LinkOnceOdr,
    /// A number that has no meaning.
    Unknown(u64),
}

impl Linkage {
    /// The linkage that a record's number stands for.
    #[must_use]
    pub fn from_code(code: u64) -> Self {
        match code {
            0 | 5 | 6 => Self::External,
            1 | 16 => Self::WeakAny,
            2 => Self::Appending,
            3 => Self::Internal,
            4 | 18 => Self::LinkOnceAny,
            7 => Self::ExternWeak,
            8 => Self::Common,
            9 | 13 | 14 => Self::Private,
            10 | 17 => Self::WeakOdr,
            11 | 15 | 19 => Self::LinkOnceOdr,
            12 => Self::AvailableExternally,
            other => Self::Unknown(other),
        }
    }

    /// Whether other modules can see the value.
    #[must_use]
    pub fn is_visible(self) -> bool {
        !matches!(self, Self::Internal | Self::Private)
    }
}

/// A global value of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global<'a> {
    /// Its number among the module's values: globals are counted in their order from 0.
    pub value: u32,
    /// What it is.
    pub kind: GlobalKind,
    /// Its name, which need not be UTF-8; empty if it has none.
    pub name: Cow<'a, [u8]>,
    /// Its linkage.
    pub linkage: Linkage,
    /// Whether the module holds its body or initial value.
    pub is_definition: bool,
}

impl Global<'_> {
    /// The name as text.
    #[must_use]
    pub fn name_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.name)
    }

    /// Whether it is a function without body: one that the module imports.
    #[must_use]
    pub fn is_import(&self) -> bool {
        self.kind == GlobalKind::Function && !self.is_definition
    }
}

/// Where imported functions come from, by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ImportKind {
    /// `air.*`: built in by the Metal compiler.
    Air,
    /// `llvm.*`: LLVM's own intrinsics.
    Llvm,
    /// Anything else: dynamic libraries.
    Other,
}

impl ImportKind {
    /// The kind of a name.
    #[must_use]
    pub fn of(name: &[u8]) -> Self {
        match name {
            [b'a', b'i', b'r', b'.', ..] => Self::Air,
            [b'l', b'l', b'v', b'm', b'.', ..] => Self::Llvm,
            _ => Self::Other,
        }
    }
}

/// Whether a record of the module block makes a value.
pub(crate) fn is_global(code: u32) -> bool {
    kind(code).is_some()
}

fn kind(code: u32) -> Option<GlobalKind> {
    Some(match code {
        module::GLOBALVAR => GlobalKind::Variable,
        module::FUNCTION => GlobalKind::Function,
        module::ALIAS | module::ALIAS_OLD => GlobalKind::Alias,
        module::IFUNC => GlobalKind::IndirectFunction,
        _ => return None,
    })
}

/// Which operands of a record of the module block, in version 2, are the offset of a string in
/// STRTAB, which its size follows: the name, and the partition.
pub(crate) fn string_operands(code: u32) -> impl Iterator<Item = usize> + use<> {
    let partition = match code {
        module::GLOBALVAR => Some(16),
        module::FUNCTION => Some(19),
        module::ALIAS => Some(11),
        module::IFUNC => Some(7),
        _ => None,
    };
    let name = (is_global(code) || code == module::COMDAT).then_some(0);
    name.into_iter().chain(partition)
}

/// First and last byte + 1 of the strings in STRTAB that a record of the module block names.
pub(crate) fn string_ranges(record: &Record<'_>) -> Result<Vec<(u64, u64)>> {
    let mut fields = string_operands(record.code()).peekable();
    if fields.peek().is_none() {
        return Ok(Vec::new());
    }
    let operands = record.values()?.operands;
    let range = |at: usize| {
        let (offset, size) = (*operands.get(at)?, *operands.get(at + 1)?);
        Some((offset, offset.saturating_add(size)))
    };
    Ok(fields.filter_map(range).collect())
}

/// Whether a FUNCTION record has a body in the module.
pub(crate) fn defines_body(record: &Record<'_>, version: u64) -> Result<bool> {
    let (operands, count) = record.first::<5>()?;
    let prototype = if version >= 2 { operands[4] } else { operands[2] };
    Ok(prototype == 0 && count > 2)
}

/// A global value's record, decoded as far as its name.
pub(crate) struct GlobalName {
    pub(crate) kind: GlobalKind,
    /// Offset and size of its name in STRTAB, in modules of version 2.
    name: (u64, u64),
}

impl GlobalName {
    /// Reads a record of the module block; none if it makes no value.
    pub(crate) fn read(record: &Record<'_>, version: u64) -> Result<Option<Self>> {
        let Some(kind) = kind(record.code()) else { return Ok(None) };
        let ([offset, size], _) = if version >= 2 { record.first()? } else { ([0, 0], 0) };
        Ok(Some(Self { kind, name: (offset, size) }))
    }

    /// Its name, in modules of version 2.
    pub(crate) fn name_in<'a>(&self, strings: &'a [u8]) -> Result<&'a [u8]> {
        string(strings, self.name.0, self.name.1)
    }

    /// Where its name begins and ends in STRTAB.
    pub(crate) fn range(&self) -> (usize, usize) {
        let start = size(self.name.0);
        (start, start.saturating_add(size(self.name.1)))
    }
}

/// A global value's record, decoded as far as it says what every kind has.
pub(crate) struct GlobalRecord {
    name: GlobalName,
    linkage: u64,
    is_definition: bool,
}

impl AsRef<GlobalName> for GlobalName {
    fn as_ref(&self) -> &GlobalName {
        self
    }
}

impl AsRef<GlobalName> for GlobalRecord {
    fn as_ref(&self) -> &GlobalName {
        &self.name
    }
}

impl GlobalRecord {
    /// Reads a record of the module block; none if it makes no value.
    pub(crate) fn read(record: &Record<'_>, version: u64) -> Result<Option<Self>> {
        if !is_global(record.code()) {
            return Ok(None);
        }
        let (first, _) = record.first::<6>()?;
        Ok(Self::of(record.code(), first, version))
    }

    /// Takes the first operands of a record of the module block; none if it makes no value.
    #[inline]
    pub(crate) fn of(code: u32, first: [u64; 6], version: u64) -> Option<Self> {
        let kind = kind(code)?;
        // Version 1 has no offset and size before the rest.
        let [a, b, c, d, e, f] = first;
        let (name, [_, _, two, linkage]) =
            if version >= 2 { ((a, b), [c, d, e, f]) } else { ((0, 0), [a, b, c, d]) };
        let (linkage, is_definition) = match kind {
            // type, calling convention, prototype, linkage
            GlobalKind::Function => (linkage, two == 0),
            // type, flags, initial value + 1, linkage
            GlobalKind::Variable => (linkage, two != 0),
            // type, aliased value, linkage; newer: type, address space, value, linkage
            _ if code == module::ALIAS_OLD => (two, true),
            _ => (linkage, true),
        };
        Some(Self { name: GlobalName { kind, name }, linkage, is_definition })
    }

    /// Its name, in modules of version 2.
    pub(crate) fn name_in<'a>(&self, strings: &'a [u8]) -> Result<&'a [u8]> {
        self.name.name_in(strings)
    }

    /// The view of it.
    pub(crate) fn global<'a>(&self, value: u32, name: Cow<'a, [u8]>) -> Global<'a> {
        let linkage = Linkage::from_code(self.linkage);
        let (kind, is_definition) = (self.name.kind, self.is_definition);
        Global { value, kind, name, linkage, is_definition }
    }
}

/// Index of the first character of a name in a record of the value symbol table.
pub(crate) fn name_index(code: u32) -> Option<usize> {
    match code {
        vst::ENTRY => Some(1),
        vst::FNENTRY => Some(2),
        _ => None,
    }
}
