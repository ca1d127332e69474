//! Takes debug information, and lists that hold paths, out of a module, so that the bytes go.
//!
//! | what | what is done |
//! |---|---|
//! | `llvm.dbg.*`, `llvm.gcov` and the lists asked for | the named metadata goes |
//! | `Debug Info Version`, `Dwarf Version` | go from `llvm.module.flags` |
//! | `DEBUG_LOC`, `DEBUG_LOC_AGAIN` | go |
//! | attachments `dbg`, `heapallocsite`, `DIAssignID` | go, of instructions, functions and globals |
//! | attachments `llvm.loop` | lose the places in the source; those of nothing else go |
//! | calls of `llvm.dbg.*` | go; they give no value |
//! | declarations of `llvm.dbg.*` | go, from the module, its names and SYMTAB |
//! | metadata and constants that nobody refers to then | go, and all others are renumbered |
//! | STRTAB | loses what nothing points at |
//!
//! Positions, wrapper size and padding follow. Everything else is the module's as it was: the
//! order of records, their abbreviations, types and attributes, of which some may be without
//! use. This is LLVM's `-strip-debug`, which keeps the flags.
//!
//! What is kept alive by metadata that is no debug information stays, whatever it is: an own
//! list of a front end may name a function's debug information.

mod bodies;
pub(crate) mod compact;
mod kinds;
mod lists;
mod look;
mod loops;
mod report;
mod symbols;
mod table;

use std::collections::HashSet;

use crate::edited::Edited;
use crate::error::{Result, Within};
use crate::module::Module;
use crate::renumber::{self, Offer};
use crate::symbols::Global;
use kinds::Kinds;

pub use report::StripReport;
pub(crate) use symbols::symbols as symbols_of;
pub(crate) use table::without;

/// Named metadata that holds paths of the machine on which a module was built.
pub const PATH_LISTS: [&str; 3] =
    ["llvm_utils.workingdir", "llvm.commandline", "air.source_file_name"];

/// What is taken out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strip<'o> {
    /// Debug information.
    pub debug_info: bool,
    /// Lists of named metadata that go, such as [`PATH_LISTS`].
    pub lists: &'o [&'o str],
}

/// A module without what was taken out, to be written.
pub type Stripped<'a> = Edited<'a, StripReport>;

impl<'a> Module<'a> {
    /// Takes debug information or lists of named metadata out, and all that only they use.
    ///
    /// A module that has none of it is not decoded further than to see that.
    ///
    /// ```
    /// use air_bitcode::{Module, PATH_LISTS, Strip};
    /// # fn strip(bytes: &[u8]) -> air_bitcode::Result<Option<Vec<u8>>> {
    /// let all = Strip { debug_info: true, lists: &PATH_LISTS };
    /// let stripped = Module::parse(bytes)?.strip(&all)?;
    /// stripped.is_changed().then(|| stripped.to_bytes()).transpose()
    /// # }
    /// # assert!(strip(b"MTLB").is_err());
    /// ```
    ///
    /// # Errors
    /// If the module holds a hash of itself, has a block or record whose ids are not known
    /// ([`ErrorKind::Unknown`](crate::ErrorKind::Unknown)), or a part of it cannot be read.
    pub fn strip(mut self, what: &Strip<'_>) -> Result<Stripped<'a>> {
        let mut report = StripReport::default();
        if !look::has(&self, what)? {
            return Ok(Edited { module: self, report });
        }
        look::refuse_hash(&self)?;
        let metadata = self.metadata()?;
        let globals = self.globals()?;
        self.open_module()?;
        let kinds = Kinds::of(&self)?;
        lists::remove(&mut self, what, &kinds, &metadata, &mut report).within(|| "MODULE")?;
        let is_debug = |name: &[u8]| what.debug_info && name.starts_with(b"llvm.dbg.");
        let intrinsics: Vec<bool> =
            globals.iter().map(|global| global.is_import() && is_debug(&global.name)).collect();
        if what.debug_info {
            loops::clear(&mut self, &kinds, &mut report).within(|| "MODULE")?;
            bodies::clear(&mut self, &kinds, &intrinsics, &mut report).within(|| "MODULE")?;
        }
        let offered = |global| intrinsics.get(global).copied().unwrap_or_default();
        collect(&mut self, &globals, offered, false, &mut report)?;
        Ok(Edited { module: self, report })
    }

    /// Takes out what nothing uses: globals that `may_go` says yes to (functions with their bodies),
    /// constants and metadata.
    ///
    /// Named metadata, such as the list of kernels, uses what it names. What is visible to other
    /// modules may be used by these, which only the caller knows. Lists such as `llvm.used`, of
    /// linkage [`Appending`](crate::Linkage::Appending), keep what they name only if they stay.
    ///
    /// ```
    /// # use air_bitcode::{Module, Strip};
    /// # fn unused(bytes: &[u8]) -> air_bitcode::Result<Vec<u8>> {
    /// let module = Module::parse(bytes)?;
    /// module.remove_unused(|global| global.is_import() || !global.linkage.is_visible())?.to_bytes()
    /// # }
    /// # assert!(unused(b"MTLB").is_err());
    /// ```
    ///
    /// # Errors
    /// As [`Module::strip`].
    pub fn remove_unused(mut self, may_go: impl Fn(&Global<'a>) -> bool) -> Result<Stripped<'a>> {
        look::refuse_hash(&self)?;
        let globals = self.globals()?;
        self.open_module()?;
        let mut report = StripReport::default();
        let offered = |global: usize| globals.get(global).is_some_and(&may_go);
        collect(&mut self, &globals, offered, true, &mut report)?;
        Ok(Edited { module: self, report })
    }

    /// Whether the module has debug information: its lists, flags or intrinsics, or nodes of it.
    /// Function bodies are not looked at: what they have is named by these.
    ///
    /// # Errors
    /// If metadata or names cannot be read.
    pub fn has_debug_info(&self) -> Result<bool> {
        look::has(self, &Strip { debug_info: true, lists: &[] })
    }
}

/// Takes out what nothing uses any more, with the symbols and names of globals.
fn collect<'a>(
    module: &mut Module<'a>,
    globals: &[Global<'a>],
    offered: impl Fn(usize) -> bool,
    tables: bool,
    report: &mut StripReport,
) -> Result<()> {
    let offer = Offer { global: &offered, tables, node: None };
    let collected = renumber::collect(module, offer)?;
    let gone: Vec<_> = collected.globals.iter().filter_map(|&id| globals.get(id)).collect();
    report.declarations = gone.iter().filter(|global| global.is_import()).count();
    report.definitions = gone.len() - report.declarations;
    report.constants = collected.constants;
    report.metadata = collected.metadata;
    report.types = collected.types;
    report.attributes = collected.attributes;
    report.sections = collected.sections;
    if *report != StripReport::default() {
        let names: HashSet<&[u8]> = gone.iter().map(|global| &*global.name).collect();
        symbols::remove(module, &names)?;
    }
    Ok(())
}
