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
//! Positions, wrapper size and padding follow. Function bodies are not decoded. The time is
//! linear in the module and the number of names: a module of a dynamic library has thousands.
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
pub(crate) mod head;
pub(crate) mod names;
mod place;
mod quick;
mod report;
pub(crate) mod strings;
mod targets;

use crate::edited::Edited;
use crate::error::Result;
use crate::ids::module as codes;
use crate::module::Module;
use crate::symbols::GlobalName;

pub use quick::Renamer;
pub use report::RenameReport;
pub use targets::Rename;
use targets::{Entry, Targets};

/// A module whose functions are renamed, to be written.
pub type Renamed<'a> = Edited<'a, RenameReport>;

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
        let version = self.version()?;
        let strings = if version >= 2 { self.strings()? } else { &[] };
        let mut entries = Vec::with_capacity(16);
        self.each_global(version, strings, GlobalName::read, |item, found, name| {
            let range = found.range();
            entries.push(Entry { item, kind: found.kind, range, name });
        })?;
        let targets = Targets::new(&entries, renames)?;
        let mut report = RenameReport::default();
        if let Some(target) = targets.list.first() {
            if self.record(codes::HASH).is_some() {
                return Err(target.rename.refuse("the module holds a hash of itself"));
            }
            report.functions = u32::try_from(targets.list.len()).unwrap_or(u32::MAX);
            if version >= 2 {
                names::in_strings(&mut self, strings, &entries, &targets, &mut report)?;
            } else {
                names::in_values(&mut self, &targets)?;
            }
            names::source_file(&mut self, &targets, &mut report)?;
            strings::rename(&mut self, &targets, &mut report)?;
        }
        Ok(Edited { module: self, report })
    }
}
