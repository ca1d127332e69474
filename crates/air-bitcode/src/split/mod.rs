//! The module of one function, out of a module of several.
//!
//! What Apple's linker makes of a compiled file: for each entry point a module of its own, with
//! that function, internal copies of what it reaches, the declarations that it needs, and
//! nothing else.
//!
//! * Roots are the function and the nodes of named metadata. A node in a list of entry points
//!   stays if it is that of the function; a node of another list that names globals, such as
//!   those of `air.function_constants` and `air.sampler_states`, stays if something else uses
//!   them all; `air.source_file_name` goes.
//! * What these do not lead to goes: globals with their bodies and symbols, constants, metadata,
//!   types, attributes, names of sections. All other ids are written anew by `renumber`.
//! * Initializers and lists of used globals stay, unless they are there for other entry points
//!   alone.
//! * Functions and variables that stay beside it become internal, but for those that `llvm.used`
//!   names.
//! * The name of the source file is the function's.
//!
//! What stays keeps its order and its abbreviations. So the module of one function that holds
//! what it uses is the same before and after, but for the names of its source.

mod linkage;
mod quick;
mod symbols;

pub use quick::Keeper;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use crate::edited::Edited;
use crate::entry::EntryKind;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::module as codes;
use crate::module::Module;
use crate::renumber::{self, Collected, Found, Numbers, Offer, Stay};
use crate::symbols::{Global, GlobalKind, Linkage};

/// The list that says where the source was, which a linked module has not.
const SOURCE_LIST: &[u8] = b"air.source_file_name";

/// What is not in the module of one function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptReport {
    /// Functions with their bodies, and variables.
    pub definitions: usize,
    /// Declarations.
    pub declarations: usize,
    /// Constants of the module and of functions.
    pub constants: usize,
    /// Strings, values and nodes of metadata, of the module and of functions.
    pub metadata: usize,
    /// Nodes of named metadata, each as often as it is named.
    pub listed: usize,
    /// Types.
    pub types: usize,
    /// Lists of attributes, and groups of them.
    pub attributes: usize,
    /// Names of sections.
    pub sections: usize,
    /// Functions and variables that became internal.
    pub internal: usize,
    /// Names of the source file that are others, or that went.
    pub sources: usize,
}

/// The module of one function, to be written.
pub type Kept<'a> = Edited<'a, KeptReport>;

/// A module that was read once, to take any number of its functions out.
///
/// Each takes time by what the module declares and what the function reaches, not by the bodies
/// of the others.
#[derive(Debug)]
pub struct Splitter<'m, 'a> {
    module: &'m Module<'a>,
    globals: Vec<Global<'a>>,
    numbers: Numbers<'m, 'a>,
    /// Globals by their names; the second of two has none.
    names: HashMap<Vec<u8>, usize>,
    /// Globals that `llvm.used` and other lists name, for something that no module sees.
    listed: HashSet<usize>,
}

impl<'a> Module<'a> {
    /// Reads all of the module, to take functions out of it.
    ///
    /// ```
    /// use air_bitcode::Module;
    /// # fn split(bytes: &[u8]) -> air_bitcode::Result<Vec<Vec<u8>>> {
    /// let mut module = Module::parse(bytes)?;
    /// let entries = module.air_info()?.entries;
    /// let splitter = module.splitter()?;
    /// entries.iter().map(|entry| splitter.keep(&entry.name)?.to_bytes()).collect()
    /// # }
    /// # assert!(split(b"MTLB").is_err());
    /// ```
    ///
    /// # Errors
    /// If the module holds a hash of itself or comdats, has a block or record whose ids are not
    /// known ([`ErrorKind::Unknown`]), or a part of it cannot be read.
    pub fn splitter<'m>(&'m mut self) -> Result<Splitter<'m, 'a>> {
        Splitter::new(self)
    }

    /// The module of one of its functions, as Apple's linker makes it: the function, internal
    /// copies of what it reaches, the declarations that it needs, nothing else, and the
    /// function's name as that of its source. What the function is in the lists of entry points
    /// it is afterwards; that a library wants it to be in one of them is its business.
    ///
    /// ```
    /// # use air_bitcode::Module;
    /// # fn split(bytes: &[u8]) -> air_bitcode::Result<Vec<u8>> {
    /// Module::parse(bytes)?.keep_entry(b"blur")?.to_bytes()
    /// # }
    /// # assert!(split(b"MTLB").is_err());
    /// ```
    ///
    /// # Errors
    /// If there is no function of this name, or it has no body; as [`Module::splitter`]; if of
    /// what initializers set or a list of used globals names (`llvm.global_ctors`, `llvm.used`)
    /// this entry point uses a part, and others use the rest: they are not split. Of what it uses
    /// nothing of, they go; of what it uses all of, they stay.
    pub fn keep_entry(mut self, name: &[u8]) -> Result<Kept<'a>> {
        self.splitter()?.keep(name)
    }
}

impl<'m, 'a> Splitter<'m, 'a> {
    fn new(module: &'m mut Module<'a>) -> Result<Self> {
        refuse(module, codes::HASH, "the module holds a hash of itself")?;
        refuse(module, codes::COMDAT, "comdat, whose members cannot be split")?;
        let globals = module.globals()?;
        module.open_module()?;
        let module: &'m Module<'a> = module;
        let numbers = Numbers::of(module).within(|| "MODULE")?;
        let (mut names, mut listed) = (HashMap::new(), HashSet::new());
        for (index, global) in globals.iter().enumerate() {
            names.entry(global.name.to_vec()).or_insert(index);
            if global.linkage == Linkage::Appending {
                listed.extend(renumber::elements(&numbers, index).within(|| "MODULE")?);
            }
        }
        Ok(Self { module, globals, numbers, names, listed })
    }

    /// The module of the function of this name.
    ///
    /// # Errors
    /// As [`Module::keep_entry`].
    pub fn keep(&self, name: &[u8]) -> Result<Kept<'a>> {
        let entry = self.find(name)?;
        let is_appending = |global: &Global<'_>| global.linkage == Linkage::Appending;
        let kinds = EntryKind::ALL.map(|kind| kind.list().as_bytes());
        let others = Cell::new(false);
        let stay = |list: &[u8], globals: &[usize]| match globals.first() {
            _ if list == SOURCE_LIST => Stay::Never,
            Some(&first) if kinds.contains(&list) && first != entry => {
                others.set(true);
                Stay::Never
            }
            Some(_) if !kinds.contains(&list) => Stay::WithGlobals,
            _ => Stay::Always,
        };
        let may_go =
            |global: usize| global != entry && !self.globals.get(global).is_some_and(is_appending);
        let offer = Offer { global: &may_go, tables: true, node: Some(&stay) };
        let mut found = renumber::search(self.module, &self.numbers, offer)?;
        if others.get() && self.globals.iter().any(is_appending) {
            let alone = Offer { global: &|global| global != entry, ..offer };
            let alone = renumber::search(self.module, &self.numbers, alone)?;
            let idle = self.idle_lists(&alone.collected)?;
            if !idle.is_empty() {
                let may_go = |global: usize| may_go(global) || idle.contains(&global);
                let offer = Offer { global: &may_go, ..offer };
                found = renumber::search(self.module, &self.numbers, offer)?;
            }
            self.refuse_shared(&found.collected, &alone.collected)?;
        }
        self.take(name, found, |global| global != entry && !self.listed.contains(&global))
    }

    /// The module with all of its functions, as a dynamic library holds it: `source` is the name
    /// of its source, and where that was is not said. Constants and metadata that nothing uses go.
    ///
    /// # Errors
    /// If a part of the module cannot be read.
    pub fn keep_all(&self, source: &[u8]) -> Result<Kept<'a>> {
        let stay = |list: &[u8], _: &[usize]| match list == SOURCE_LIST {
            true => Stay::Never,
            false => Stay::Always,
        };
        let offer = Offer { global: &|_| false, tables: false, node: Some(&stay) };
        let found = renumber::search(self.module, &self.numbers, offer)?;
        self.take(source, found, |_| false)
    }

    /// Initializers and lists of used globals that are for other functions alone: what they name
    /// or set, this function does not use. `alone` is what goes if there are no lists.
    fn idle_lists(&self, alone: &Collected) -> Result<Vec<usize>> {
        let gone: HashSet<usize> = alone.globals.iter().copied().collect();
        let mut idle = Vec::new();
        for (list, global) in self.globals.iter().enumerate() {
            if global.linkage == Linkage::Appending && self.is_idle(list, &gone)? {
                idle.push(list);
            }
        }
        Ok(idle)
    }

    fn is_idle(&self, list: usize, gone: &HashSet<usize>) -> Result<bool> {
        let named = renumber::elements(&self.numbers, list).within(|| "MODULE")?;
        if named.iter().any(|global| !gone.contains(global)) {
            return Ok(false);
        }
        let stay = |_: &[u8], globals: &[usize]| match globals.is_empty() {
            true => Stay::Always,
            false => Stay::WithGlobals,
        };
        let offer = Offer { global: &|global| global != list, tables: true, node: Some(&stay) };
        let found = renumber::search(self.module, &self.numbers, offer)?;
        let beside: HashSet<usize> = found.collected.globals.into_iter().collect();
        for (index, global) in self.globals.iter().enumerate() {
            let in_both = !beside.contains(&index) && !gone.contains(&index);
            if in_both && global.kind == GlobalKind::Variable && !self.is_constant(index)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Refuses what only initializers and lists of used globals keep, unless it is sure to be what
    /// this function needs: variables that initializers set for others stay with them alone.
    fn refuse_shared(&self, with: &Collected, without: &Collected) -> Result<()> {
        let with: HashSet<usize> = with.globals.iter().copied().collect();
        for &global in without.globals.iter().filter(|global| !with.contains(global)) {
            let Some(found) = self.globals.get(global) else { continue };
            let is_set = found.kind == GlobalKind::Variable && !self.is_constant(global)?;
            let is_listed = self.listed.contains(&global);
            if found.linkage != Linkage::Appending && (is_set || is_listed) {
                let what = format!(
                    "initializers or a list of used globals that several functions share keep {}, \
                     which this one does not use; they cannot be split",
                    found.name_text()
                );
                return Err(Error::nowhere(ErrorKind::Value { what }));
            }
        }
        Ok(())
    }

    /// Whether a variable never changes.
    fn is_constant(&self, global: usize) -> Result<bool> {
        let Some(record) = self.numbers.globals.get(global) else { return Ok(false) };
        let (first, _) = record.first::<4>()?;
        let flags = if self.numbers.tables.version >= 2 { first[3] } else { first[1] };
        Ok(flags & 1 != 0)
    }

    /// Makes the module of what was found to stay; `is_internal` says which globals are not to be
    /// seen by others.
    fn take(
        &self,
        source: &[u8],
        found: Found,
        is_internal: impl Fn(usize) -> bool,
    ) -> Result<Kept<'a>> {
        let Found { mut maps, collected, dropped } = found;
        let is_gone = |index: usize| maps.bodies.get(index).is_some_and(|body| body.gone);
        let mut module = self.module.without_bodies(is_gone);
        maps.bodies.retain(|body| !body.gone);
        let mut report = self.report(&collected);
        let is_kept = |global: usize| collected.globals.binary_search(&global).is_err();
        let internal = linkage::make_internal(&mut module, &self.globals, |global| {
            is_kept(global) && is_internal(global)
        })?;
        report.internal = internal.len();
        if collected != Collected::default() {
            renumber::remove_from_lists(&mut module, &dropped)?;
            renumber::apply(&mut module, &self.numbers.tables, &maps).within(|| "MODULE")?;
        }
        let gone = collected.globals.iter().filter_map(|&global| self.globals.get(global));
        let edit = symbols::Edit { source, gone: gone.collect(), internal };
        report.sources = edit.apply(&mut module)?;
        Ok(Edited { module, report })
    }

    fn report(&self, collected: &Collected) -> KeptReport {
        let gone = collected.globals.iter().filter_map(|&global| self.globals.get(global));
        let declarations = gone.filter(|global| global.is_import()).count();
        KeptReport {
            definitions: collected.globals.len() - declarations,
            declarations,
            constants: collected.constants,
            metadata: collected.metadata,
            listed: collected.listed,
            types: collected.types,
            attributes: collected.attributes,
            sections: collected.sections,
            ..KeptReport::default()
        }
    }

    /// The function of this name, which must have a body.
    fn find(&self, name: &[u8]) -> Result<usize> {
        let text = || String::from_utf8_lossy(name).into_owned();
        let found = self.names.get(name).and_then(|&index| Some((index, self.globals.get(index)?)));
        let what = match found {
            Some((index, global))
                if global.kind == GlobalKind::Function && global.is_definition =>
            {
                return Ok(index);
            }
            Some((_, global)) if global.kind == GlobalKind::Function => {
                format!("{} is only declared in the module, expected its body", text())
            }
            Some(_) => format!("{} is no function", text()),
            None => format!("no function {} in the module", text()),
        };
        Err(Error::nowhere(ErrorKind::Value { what }))
    }
}

/// Refuses a module that has such a record.
fn refuse(module: &Module<'_>, code: u32, what: &str) -> Result<()> {
    match module.record(code) {
        Some(record) => Err(record.error(what)),
        None => Ok(()),
    }
}
