//! Renames functions inside a module, everywhere the name stands.
//!
//! | place | what is done |
//! |---|---|
//! | STRTAB (version 2) | the new name is appended, or found; the old one stays: strings are shared |
//! | FUNCTION record (version 2) | points at the new name |
//! | value symbol table (version 1) | the entry's name |
//! | SYMTAB | name and name in the module; source file name where it equals the old name |
//! | `SOURCE_FILENAME` | where it equals the old name |
//! | metadata strings | `air-alias-scopes(NAME)`; names of debug information |
//!
//! Positions, wrapper size and padding follow. Function bodies are not decoded.
//!
//! Renaming back gives the original but for STRTAB: every record, symbol and string is the
//! original's, and the appended name stays at STRTAB's end ([`RenameReport::string_growth`]),
//! until [`Module::trim_strings`] removes it; then all bytes are the original's. That holds
//! where the module is as LLVM writes it: names lie in STRTAB in the order of the values, and
//! text has the shortest abbreviation that fits.
//!
//! What stays: strings that only happen to equal the name. Metal calls the value that a
//! fragment function returns as the function (`air.arg_name`); a program does not look for it.

mod debug;
mod names;
mod strings;

use std::borrow::Cow;

use crate::block::WriteOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{block, module as codes};
use crate::module::Module;
use crate::symbols::{Global, GlobalKind, ImportKind};

/// One function's old and new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rename<'n> {
    /// The name it has.
    pub old: &'n [u8],
    /// The name it gets.
    pub new: &'n [u8],
}

impl<'n> Rename<'n> {
    /// Renames `old` to `new`.
    #[must_use]
    pub fn new(old: &'n (impl AsRef<[u8]> + ?Sized), new: &'n (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self { old: old.as_ref(), new: new.as_ref() }
    }

    fn refuse(&self, reason: impl Into<String>) -> Error {
        let text = |name| String::from_utf8_lossy(name).into_owned();
        let (old, new, reason) = (text(self.old), text(self.new), reason.into());
        Error::nowhere(ErrorKind::Rename { old, new, reason })
    }
}

/// What a rename changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RenameReport {
    /// Functions that have another name now.
    pub functions: u32,
    /// Bytes appended to STRTAB. They stay when the function is renamed back.
    pub string_growth: u64,
    /// Symbols of SYMTAB that have another name now.
    pub symbols: u32,
    /// Whether the source file's name was the function's, and follows it.
    pub source_file_name: bool,
    /// Strings `air-alias-scopes(NAME)` that follow.
    pub alias_scopes: u32,
    /// Names in debug information that follow.
    pub debug_names: u32,
    /// Names in debug information that could not follow: something else uses the string too.
    pub debug_names_kept: u32,
}

/// A module whose functions are renamed, to be written.
#[derive(Clone, Debug)]
pub struct Renamed<'a> {
    module: Module<'a>,
    report: RenameReport,
}

impl Renamed<'_> {
    /// What was changed.
    #[must_use]
    pub fn report(&self) -> &RenameReport {
        &self.report
    }

    /// Writes wrapper, bitstream and padding behind what `bytes` holds.
    ///
    /// # Errors
    /// If positions cannot be computed or a block is too large.
    pub fn write(&self, bytes: &mut Vec<u8>) -> Result<()> {
        let positions = self.report != RenameReport::default();
        self.module.write(bytes, WriteOptions { positions, records: false })
    }

    /// The module's bytes.
    ///
    /// # Errors
    /// As [`Renamed::write`].
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        Ok(bytes)
    }
}

/// A function to rename.
struct Target<'n> {
    rename: Rename<'n>,
    /// Index in the list of globals, which is its value id.
    value: usize,
}

impl<'a> Module<'a> {
    /// Renames functions, all at once: two may swap their names.
    ///
    /// Renaming to the same name changes nothing.
    ///
    /// # Errors
    /// If there is no such function, the new name is taken or given twice, a name is empty,
    /// holds NUL, or is one of the compiler's own (`llvm.*`, `air.*`), or the module's parts
    /// cannot be read.
    pub fn rename(mut self, renames: &[Rename<'_>]) -> Result<Renamed<'a>> {
        // Decoded here, for it will be edited.
        let strings = match self.blob_record(block::STRTAB)?.map(|record| record.blob()) {
            Some(blob) => match blob? {
                Some(Cow::Borrowed(strings)) => strings,
                _ => &[],
            },
            None => &[],
        };
        let entries = self.global_entries()?;
        let targets = targets(&self.named(&entries, strings)?, renames)?;
        let mut report = RenameReport::default();
        if let (Some(target), Some(_)) = (targets.first(), self.record(codes::HASH)) {
            return Err(target.rename.refuse("the module holds a hash of itself"));
        }
        if !targets.is_empty() {
            report.functions = u32::try_from(targets.len()).unwrap_or(u32::MAX);
            names::rename(&mut self, strings, &entries, &targets, &mut report)?;
            strings::rename(&mut self, &targets, &mut report)?;
        }
        Ok(Renamed { module: self, report })
    }
}

/// Finds the functions, in the order of their values, and checks the new names.
fn targets<'n>(globals: &[Global<'_>], renames: &[Rename<'n>]) -> Result<Vec<Target<'n>>> {
    let mut targets: Vec<Target<'n>> = Vec::with_capacity(renames.len());
    for &rename in renames {
        let Some(value) = globals.iter().position(|global| global.name == rename.old) else {
            return Err(rename.refuse("there is no such function"));
        };
        let function = globals.get(value).is_some_and(|g| g.kind == GlobalKind::Function);
        check_names(&rename, function)?;
        if targets.iter().any(|other| other.value == value) {
            return Err(rename.refuse("it is renamed twice"));
        }
        targets.push(Target { rename, value });
    }
    for (index, Target { rename, .. }) in targets.iter().enumerate() {
        if targets.iter().take(index).any(|other| other.rename.new == rename.new) {
            return Err(rename.refuse("another function gets the same name"));
        }
        let taken = globals.iter().position(|global| global.name == rename.new);
        if taken.is_some_and(|taken| !targets.iter().any(|other| other.value == taken)) {
            return Err(rename.refuse("the module has that name already"));
        }
    }
    targets.retain(|target| target.rename.old != target.rename.new);
    targets.sort_by_key(|target| target.value);
    Ok(targets)
}

fn check_names(rename: &Rename<'_>, function: bool) -> Result<()> {
    if !function {
        return Err(rename.refuse("it is no function"));
    }
    if rename.new.is_empty() || rename.new.contains(&0) {
        return Err(rename.refuse("a name must not be empty or hold NUL"));
    }
    if [rename.old, rename.new].into_iter().any(|name| ImportKind::of(name) != ImportKind::Other) {
        return Err(rename.refuse("names with llvm. or air. belong to the compiler"));
    }
    Ok(())
}
