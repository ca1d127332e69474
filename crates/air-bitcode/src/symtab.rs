//! The symbol table that LLVM's linkers read (irsymtab), versions 0 to 3.
//!
//! Little-endian words. Strings are pairs (offset, size) into STRTAB, ranges are pairs
//! (offset, count) into the table itself:
//!
//! | byte | field |
//! |---|---|
//! | 0 | version |
//! | 4 | producer (string) |
//! | 12, 20, 28, 36 | modules, comdats, symbols, uncommons (ranges of 12, 8 or 12, 24, 24 bytes each) |
//! | 44, 52, 60 | triple, source file name, linker options (strings) |
//! | 68 | dependent libraries (range of strings; from version 2 on) |
//!
//! A symbol is its name, its name in the module (strings), comdat index, flags.

use crate::bits::size;
use crate::error::{Error, ErrorKind, Result};

/// Byte position of the producer.
pub(crate) const PRODUCER: usize = 4;
pub(crate) const MODULES: usize = 12;
pub(crate) const COMDATS: usize = 20;
pub(crate) const SYMBOLS: usize = 28;
pub(crate) const UNCOMMONS: usize = 36;
/// Byte position of the target triple.
pub(crate) const TRIPLE: usize = 44;
const SOURCE: usize = 52;
const OPTIONS: usize = 60;
pub(crate) const LIBRARIES: usize = 68;
pub(crate) const MODULE_SIZE: usize = 12;
pub(crate) const SYMBOL_SIZE: usize = 24;
pub(crate) const UNCOMMON_SIZE: usize = 24;
/// The newest version whose layout is known.
const NEWEST: u32 = 3;

/// Flag of a symbol that is not defined in the module.
const UNDEFINED: u32 = 1 << 3;

/// Flag of a symbol that has an entry among the uncommons.
pub(crate) const HAS_UNCOMMON: u32 = 1 << 2;

/// A view of the symbol table.
#[derive(Clone, Copy, Debug)]
pub struct SymbolTable<'a> {
    table: &'a [u8],
    strings: &'a [u8],
}

/// One symbol of the symbol table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSymbol<'a> {
    /// Its name for linkers.
    pub name: &'a [u8],
    /// The name of its value in the module; empty if it comes from assembly.
    pub ir_name: &'a [u8],
    /// Flags as they are.
    pub flags: u32,
}

impl TableSymbol<'_> {
    /// Whether the module only needs it.
    #[must_use]
    pub fn is_undefined(&self) -> bool {
        self.flags & UNDEFINED != 0
    }
}

/// Offset and size of a string.
pub(crate) type Pair = (u32, u32);

pub(crate) fn word(table: &[u8], at: usize) -> Result<u32> {
    let bytes = table.get(at..).and_then(|rest| rest.first_chunk::<4>());
    bytes.map(|bytes| u32::from_le_bytes(*bytes)).ok_or_else(|| {
        let what = format!("symbol table of {} bytes, a field at {at} is outside", table.len());
        Error::nowhere(ErrorKind::Value { what }).within("SYMTAB")
    })
}

/// The pair at a byte of the table.
pub(crate) fn pair(table: &[u8], at: usize) -> Result<Pair> {
    Ok((word(table, at)?, word(table, at + 4)?))
}

/// Writes a pair at a byte of the table.
pub(crate) fn set_pair(table: &mut [u8], at: usize, pair: Pair) {
    let bytes = u64::from(pair.1) << 32 | u64::from(pair.0);
    if let Some(field) = table.get_mut(at..at + 8) {
        field.copy_from_slice(&bytes.to_le_bytes());
    }
}

/// Writes a word at a byte of the table.
pub(crate) fn set_word(table: &mut [u8], at: usize, word: u32) {
    if let Some(field) = table.get_mut(at..at + 4) {
        field.copy_from_slice(&word.to_le_bytes());
    }
}

/// Byte positions of the items of a range, which must lie in the table.
pub(crate) fn range(
    table: &[u8],
    at: usize,
    item: usize,
) -> Result<impl Iterator<Item = usize> + use<>> {
    let (start, count) = pair(table, at)?;
    let (start, count) = (start as usize, count as usize);
    let end = count.checked_mul(item).and_then(|bytes| bytes.checked_add(start));
    if end.is_none_or(|end| end > table.len()) {
        let what = format!("symbol table: {count} items at {start}, it has {} bytes", table.len());
        return Err(Error::nowhere(ErrorKind::Value { what }).within("SYMTAB"));
    }
    Ok((0..count).map(move |index| start + index * item))
}

/// Byte positions of (name, name in the module) of each symbol.
pub(crate) fn symbol_fields(table: &[u8]) -> Result<impl Iterator<Item = (usize, usize)> + use<>> {
    check_version(table)?;
    Ok(range(table, SYMBOLS, SYMBOL_SIZE)?.map(|at| (at, at + 8)))
}

/// Byte position of the source file's name.
pub(crate) const SOURCE_FIELD: usize = SOURCE;

/// Byte positions of the strings that are texts: no names of symbols, and not the triple.
pub(crate) fn text_fields(table: &[u8]) -> Result<Vec<usize>> {
    let mut fields = vec![PRODUCER, SOURCE, OPTIONS];
    if check_version(table)? >= 2 {
        fields.extend(range(table, LIBRARIES, 8)?);
    }
    Ok(fields)
}

/// Byte positions of every string in the table.
pub(crate) fn string_fields(table: &[u8]) -> Result<Vec<usize>> {
    let version = check_version(table)?;
    let mut fields = vec![PRODUCER, TRIPLE, SOURCE, OPTIONS];
    let comdat = if version >= 3 { 12 } else { 8 };
    fields.extend(range(table, COMDATS, comdat)?);
    fields.extend(range(table, SYMBOLS, SYMBOL_SIZE)?.flat_map(|at| [at, at + 8]));
    fields.extend(range(table, UNCOMMONS, UNCOMMON_SIZE)?.flat_map(|at| [at + 8, at + 16]));
    if version >= 2 {
        fields.extend(range(table, LIBRARIES, 8)?);
    }
    Ok(fields)
}

pub(crate) fn check_version(table: &[u8]) -> Result<u32> {
    let version = word(table, 0)?;
    if version <= NEWEST {
        return Ok(version);
    }
    let what = format!("symbol table of version {version}, versions 0 to {NEWEST} are known");
    Err(Error::nowhere(ErrorKind::Value { what }).within("SYMTAB"))
}

impl<'a> SymbolTable<'a> {
    /// A view of a table and of the strings it points into.
    ///
    /// # Errors
    /// If its version is unknown.
    pub fn new(table: &'a [u8], strings: &'a [u8]) -> Result<Self> {
        check_version(table)?;
        Ok(Self { table, strings })
    }

    /// Version of its layout, 0 to 3.
    ///
    /// # Errors
    /// If the table is cut.
    pub fn version(&self) -> Result<u32> {
        word(self.table, 0)
    }

    /// The compiler's version, such as `32023.35`.
    ///
    /// # Errors
    /// If it lies outside STRTAB.
    pub fn producer(&self) -> Result<&'a [u8]> {
        self.string(PRODUCER)
    }

    /// The target triple.
    ///
    /// # Errors
    /// If it lies outside STRTAB.
    pub fn triple(&self) -> Result<&'a [u8]> {
        self.string(TRIPLE)
    }

    /// The source file's name.
    ///
    /// # Errors
    /// If it lies outside STRTAB.
    pub fn source_file_name(&self) -> Result<&'a [u8]> {
        self.string(SOURCE)
    }

    /// The symbols, in order.
    ///
    /// # Errors
    /// If the table is cut, or a name lies outside STRTAB.
    pub fn symbols(&self) -> Result<Vec<TableSymbol<'a>>> {
        let symbol = |(name, ir_name)| {
            let flags = word(self.table, name + 20)?;
            Ok(TableSymbol { name: self.string(name)?, ir_name: self.string(ir_name)?, flags })
        };
        symbol_fields(self.table)?.map(symbol).collect()
    }

    fn string(&self, at: usize) -> Result<&'a [u8]> {
        let (offset, length) = pair(self.table, at)?;
        string(self.strings, offset.into(), length.into())
    }
}

/// A string of STRTAB.
pub(crate) fn string(strings: &[u8], offset: u64, length: u64) -> Result<&[u8]> {
    let found = strings.get(size(offset)..).and_then(|rest| rest.get(..size(length)));
    found.ok_or_else(|| {
        let total = strings.len();
        let what = format!("string of {length} bytes at {offset} of STRTAB, which has {total}");
        Error::nowhere(ErrorKind::Value { what })
    })
}
