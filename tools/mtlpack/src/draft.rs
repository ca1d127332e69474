//! Drafts: libraries whose modules are edited while they are written.
//!
//! An edit of the inside of all modules would need as much memory as the library if its
//! result were kept. A draft holds everything else, and what is to be done with which module;
//! [`stream::write_draft`](crate::stream::write_draft) does it batch by batch.

use std::collections::BTreeMap;

use air_bitcode::{Module, Rename, RenameReport, Renamer};
use metallib::{Function, FunctionType, LibraryBuilder, ModuleId, printable};
use metallib_write::{UuidAction, module_hash};

use crate::edited::{Edited, Renaming};
use crate::error::{Error, Result};
use crate::retarget::ModuleTarget;
use crate::strip::{ModuleStrip, StrippedModule};
use crate::text::plural;

/// A function's old and new name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NameChange {
    pub(crate) old: Vec<u8>,
    pub(crate) new: Vec<u8>,
}

/// Renames of functions by module, in the order of the modules.
///
/// There may be one for each of thousands of modules, so all names are in one vector.
#[derive(Clone, Debug, Default)]
struct Renames {
    names: Vec<u8>,
    changes: Vec<Change>,
}

/// Where the old name of a function is in [`Renames`]; the new one follows it.
#[derive(Clone, Copy, Debug)]
struct Change {
    module: ModuleId,
    start: usize,
    old: usize,
    new: usize,
}

impl Renames {
    fn new(renames: BTreeMap<ModuleId, Vec<NameChange>>) -> Self {
        let mut made = Self::default();
        for (module, changes) in renames {
            for NameChange { old, new } in changes {
                let start = made.names.len();
                made.names.extend_from_slice(&old);
                made.names.extend_from_slice(&new);
                made.changes.push(Change { module, start, old: old.len(), new: new.len() });
            }
        }
        made
    }

    /// Those of one module.
    fn of(&self, module: ModuleId) -> impl Iterator<Item = Rename<'_>> {
        let start = self.changes.partition_point(|change| change.module < module);
        let changes = self.changes.get(start..).unwrap_or_default();
        let name = |start: usize, size| self.names.get(start..start + size).unwrap_or_default();
        changes.iter().take_while(move |change| change.module == module).map(move |change| {
            let Change { start, old, new, .. } = *change;
            Rename { old: name(start, old), new: name(start + old, new) }
        })
    }
}

/// What is to be done with the modules of a library.
#[derive(Clone, Debug)]
enum Edits {
    /// Functions get other names.
    Renames(Renames),
    /// The same is removed from each of some modules, which are in order.
    Strips(ModuleStrip, Vec<ModuleId>),
    /// Some modules, which are in order, say another target.
    Retargets(Vec<(ModuleId, ModuleTarget)>),
}

impl Edits {
    fn are_none(&self) -> bool {
        match self {
            Self::Renames(renames) => renames.changes.is_empty(),
            Self::Strips(_, modules) => modules.is_empty(),
            Self::Retargets(targets) => targets.is_empty(),
        }
    }

    /// Whether this module is to be edited.
    fn has(&self, module: ModuleId) -> bool {
        match self {
            Self::Renames(renames) => renames.of(module).next().is_some(),
            Self::Strips(_, modules) => modules.binary_search(&module).is_ok(),
            Self::Retargets(targets) => target_of(targets, module).is_some(),
        }
    }

    /// Edits a module; the result goes behind what `out` holds.
    fn apply(
        &self,
        id: ModuleId,
        module: &[u8],
        renamer: &mut Renamer,
        out: &mut Vec<u8>,
        totals: &mut EditTotals,
    ) -> air_bitcode::Result<()> {
        match self {
            Self::Renames(renames) => {
                let renames: Vec<Rename<'_>> = renames.of(id).collect();
                totals.take(&renamer.rename(module, &renames, out)?);
            }
            Self::Strips(strip, _) => {
                let start = out.len();
                let StrippedModule { debug_info, texts } = strip.apply(module, out)?;
                totals.texts += texts as u64;
                totals.without_debug_info += u64::from(debug_info);
                let made = out.len().saturating_sub(start);
                totals.shrunk += module.len().saturating_sub(made) as u64;
            }
            Self::Retargets(targets) => {
                let Some(target) = target_of(targets, id) else { return Ok(()) };
                let made = Module::parse(module)?.retarget(&target.target())?;
                made.write(out)?;
                totals.retargeted += 1;
            }
        }
        Ok(())
    }
}

/// The target that a module gets.
fn target_of(targets: &[(ModuleId, ModuleTarget)], module: ModuleId) -> Option<&ModuleTarget> {
    let found = targets.binary_search_by_key(&module, |(id, _)| *id).ok()?;
    targets.get(found).map(|(_, target)| target)
}

/// What there is to know of a module that was edited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EditedModule {
    /// Whether the stored HASH of its functions stays.
    pub(crate) keeps_hash: bool,
}

/// What editing modules did, all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EditTotals {
    /// Bytes by which string tables grew.
    pub(crate) string_growth: u64,
    /// Names in debug information that could not follow.
    pub(crate) debug_names_kept: u64,
    /// Modules whose HASH stays, for it follows no known formula.
    pub(crate) hashes_kept: u64,
    /// Texts with paths that are others now.
    pub(crate) texts: u64,
    /// Modules that lost debug information.
    pub(crate) without_debug_info: u64,
    /// Bytes by which stripped modules shrank.
    pub(crate) shrunk: u64,
    /// Modules that say another target.
    pub(crate) retargeted: u64,
}

impl EditTotals {
    fn take(&mut self, report: &RenameReport) {
        self.string_growth += report.string_growth;
        self.debug_names_kept += u64::from(report.debug_names_kept);
    }

    /// Adds those of other modules.
    pub(crate) fn add(&mut self, other: &Self) {
        self.string_growth += other.string_growth;
        self.debug_names_kept += other.debug_names_kept;
        self.hashes_kept += other.hashes_kept;
        self.texts += other.texts;
        self.without_debug_info += other.without_debug_info;
        self.shrunk += other.shrunk;
        self.retargeted += other.retargeted;
    }

    /// What there is to say of them, one sentence each.
    pub(crate) fn notes(&self) -> Vec<String> {
        let sentence = |count: u64, text: String| (count > 0).then_some(text);
        let Self { string_growth, debug_names_kept, hashes_kept, .. } = *self;
        let strings = format!(
            "string tables grew by {}: the old names stay in them, where nothing uses them",
            plural(string_growth, "byte")
        );
        let debug = format!(
            "{debug_names_kept} names in debug information stay, since something else uses the \
             same strings"
        );
        let stripped = format!(
            "debug information removed from {}, which are {} smaller",
            plural(self.without_debug_info, "module"),
            plural(self.shrunk, "byte")
        );
        let hashes =
            format!("HASH of {hashes_kept} Core Image modules follows no known formula, and stays");
        [
            sentence(string_growth, strings),
            sentence(debug_names_kept, debug),
            sentence(hashes_kept, hashes),
            sentence(self.texts, format!("texts with paths in modules: {}", self.texts)),
            sentence(self.without_debug_info, stripped),
            sentence(self.retargeted, format!("modules for another target: {}", self.retargeted)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// An edited library whose modules are still to be edited.
///
/// [`Draft::finish`] edits them in memory; [`stream::write_draft`](crate::stream::write_draft)
/// does it while it writes.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    input: String,
    edited: Edited<'a>,
    edits: Edits,
    /// Stored HASH of the modules of Core Image that are to be edited.
    extern_hashes: BTreeMap<ModuleId, [u8; 32]>,
}

impl<'a> From<Edited<'a>> for Draft<'a> {
    /// A library without modules to edit.
    fn from(edited: Edited<'a>) -> Self {
        let (input, edits) = (String::new(), Edits::Renames(Renames::default()));
        Self { input, edited, edits, extern_hashes: BTreeMap::new() }
    }
}

impl<'a> Draft<'a> {
    /// A draft of a library that is edited but for the names in its modules.
    pub(crate) fn new(
        input: &str,
        edited: Edited<'a>,
        renames: BTreeMap<ModuleId, Vec<NameChange>>,
    ) -> Self {
        Self::with(input, edited, Edits::Renames(Renames::new(renames)))
    }

    /// A draft of a library that is edited but inside of these modules, given in order.
    pub(crate) fn strip(
        input: &str,
        edited: Edited<'a>,
        strip: ModuleStrip,
        modules: Vec<ModuleId>,
    ) -> Self {
        Self::with(input, edited, Edits::Strips(strip, modules))
    }

    /// A draft of a library that is edited but for the targets of these modules, given in order.
    pub(crate) fn retarget(
        input: &str,
        edited: Edited<'a>,
        targets: Vec<(ModuleId, ModuleTarget)>,
    ) -> Self {
        Self::with(input, edited, Edits::Retargets(targets))
    }

    fn with(input: &str, edited: Edited<'a>, edits: Edits) -> Self {
        let of_core_image = |function: &Function<'_>| {
            let is_extern = function.function_type() == Some(FunctionType::EXTERN);
            let module = function.module.filter(|id| is_extern && edits.has(*id))?;
            Some((module, *function.hash()?))
        };
        let extern_hashes = edited.library.functions().iter().filter_map(of_core_image).collect();
        Self { input: input.to_owned(), edited, edits, extern_hashes }
    }

    /// What the operation decided on the user's behalf, one sentence each. Editing the
    /// modules may add to it.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.edited.notes
    }

    /// Functions that get other names; a rename lists them only if its options say so.
    #[must_use]
    pub fn renames(&self) -> &[Renaming] {
        &self.edited.renames
    }

    /// The notes, for more of them.
    pub(crate) fn notes_mut(&mut self) -> &mut Vec<String> {
        &mut self.edited.notes
    }

    /// Says what becomes of the UUID.
    pub(crate) fn set_uuid(&mut self, uuid: UuidAction) {
        self.edited.uuid = uuid;
    }

    /// Lists the functions that get other names.
    pub(crate) fn set_renames(&mut self, renames: Vec<Renaming>) {
        self.edited.renames = renames;
    }

    /// Edits the modules in memory.
    ///
    /// # Errors
    /// If a module cannot be read or edited.
    pub fn finish(self) -> Result<Edited<'a>> {
        let mut totals = EditTotals::default();
        let mut modules = self.edited.library.modules().to_vec();
        let mut renamer = Renamer::new();
        for (index, module) in (0..).zip(&mut modules) {
            let mut bytes = Vec::new();
            let id = ModuleId::from_index(index);
            let made = self.edit(id, module.bytes(), &mut renamer, &mut bytes, &mut totals)?;
            let Some(made) = made else { continue };
            *module = module.with_bytes(bytes, made.keeps_hash);
        }
        if self.is_finished() {
            return Ok(self.edited);
        }
        let Self { input, mut edited, .. } = self;
        let finish = || {
            let builder = edited.library.edit(false)?;
            LibraryBuilder { modules, ..builder }.finish()
        };
        edited.library = finish().map_err(Error::library(input))?;
        edited.notes.extend(totals.notes());
        Ok(edited)
    }

    /// The library with its modules as they were, unless [`Draft::is_finished`].
    pub(crate) fn edited(&self) -> &Edited<'a> {
        &self.edited
    }

    /// Whether no module is to be edited.
    pub(crate) fn is_finished(&self) -> bool {
        self.edits.are_none()
    }

    /// Whether this module is to be edited.
    pub(crate) fn is_to_edit(&self, module: ModuleId) -> bool {
        self.edits.has(module)
    }

    /// Edits a module whose bytes are `module`; the result goes behind what `out` holds.
    /// `None` if there is nothing to do with it.
    pub(crate) fn edit(
        &self,
        id: ModuleId,
        module: &[u8],
        renamer: &mut Renamer,
        out: &mut Vec<u8>,
        totals: &mut EditTotals,
    ) -> Result<Option<EditedModule>> {
        if !self.edits.has(id) {
            return Ok(None);
        }
        let applied = self.edits.apply(id, module, renamer, out, totals);
        applied.map_err(|source| self.wrong(id, source))?;
        // Newer Core Image libraries hash something else than the module, and it is not known
        // what: such a HASH is kept, as it is when the module is not edited.
        let keeps_hash =
            self.extern_hashes.get(&id).is_some_and(|stored| *stored != module_hash(module));
        totals.hashes_kept += u64::from(keeps_hash);
        Ok(Some(EditedModule { keeps_hash }))
    }

    fn wrong(&self, id: ModuleId, source: air_bitcode::Error) -> Error {
        let library = &self.edited.library;
        let index = library.functions().iter().position(|f| f.module == Some(id));
        let name = index.and_then(|index| library.functions().get(index));
        let name = name.map_or(&b""[..], Function::name_bytes);
        // By its old name, which the user knows.
        let old = match &self.edits {
            Edits::Renames(renames) => renames.of(id).next().map_or(name, |rename| rename.old),
            Edits::Strips(..) | Edits::Retargets(_) => name,
        };
        let offset = library.modules().get(id.index()).map_or(0, metallib::Module::offset);
        let index = index.map_or_else(String::new, |index| format!("{index} "));
        let place = format!("function {index}`{}`, module at offset {offset:#x}", printable(old));
        Error::Module { input: self.input.clone(), place, source }
    }
}
