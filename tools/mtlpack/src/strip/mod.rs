//! Removing from a library what is not needed to run it, one kind named by one.
//!
//! | named | what goes | what it costs |
//! |---|---|---|
//! | `source` | embedded sources, SOFF, DEPF | sources in debuggers; the companion keeps them |
//! | `paths` | folders of the build machine: of absolute paths only the file's name stays, or what a rule says | debuggers find sources by their paths |
//! | `debug_info` | debug information of modules, lists that say where they were built, DEBI | lines in debuggers and profilers |
//! | `reflection` | RLST, RFLT | tools that read reflection from the file |
//! | `unused` | source archives and reflection entries that no function refers to | the archive of a linked runtime library is one |

mod archives;
mod bare;
mod module;
mod outside;
mod untyped;
mod unused;

use metallib::{FileType, FourCc, Function, Library, LibraryBuilder, ModuleId, TagList, printable};
use metallib_write::UuidAction;

use crate::draft::Draft;
use crate::edited::{Edited, Named};
use crate::error::{Error, Result};
use crate::io::Input;
use crate::modules::{self, Users};
use crate::paths::{Form, PathRules, spans};
use crate::strip_source::{has_sources, remove_sources};
use crate::text::plural;
pub use bare::{StrippedBitcode, strip_bitcode};
use module::Refusal;
pub(crate) use module::{ModuleStrip, StrippedModule};
use outside::{Changed, Job};
pub(crate) use unused::remove_reflection;

/// What becomes of the UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UuidPolicy {
    /// It stays, so that the library can be matched with its companion.
    Keep,
    /// It is computed from what is left.
    Recompute,
}

/// What is removed. Each is for itself.
#[derive(Clone, Debug, Default)]
pub struct StripOptions {
    /// Embedded sources, as [`strip_source`](crate::strip_source) does.
    pub source: bool,
    /// Absolute paths, and what becomes of them.
    pub paths: Option<PathRules>,
    /// Folders in the names that dynamic libraries are found by; only with `paths`.
    pub install_names: bool,
    /// Times in source archives, which Apple's tools leave zero; only with `paths`.
    pub archive_times: bool,
    /// Debug information: inside of modules, with lists that only say where they were built,
    /// and DEBI.
    pub debug_info: bool,
    /// Reflection.
    pub reflection: bool,
    /// Source archives and reflection entries that no function refers to.
    pub unused: bool,
    /// What becomes of the UUID; by default it stays if nothing but sources goes.
    pub uuid: Option<UuidPolicy>,
    /// Whether an irregular input may be laid out anew.
    pub new_layout: bool,
    /// Threads that look into modules.
    pub threads: usize,
}

impl StripOptions {
    /// Whether nothing is named.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        !self.source && self.is_source_at_most()
    }

    /// Whether nothing but the sources is named.
    const fn is_source_alone(&self) -> bool {
        self.source && self.is_source_at_most()
    }

    const fn is_source_at_most(&self) -> bool {
        self.paths.is_none() && !self.debug_info && !self.reflection && !self.unused
    }

    fn uuid(&self) -> UuidPolicy {
        let by_default =
            if self.is_source_alone() { UuidPolicy::Keep } else { UuidPolicy::Recompute };
        self.uuid.unwrap_or(by_default)
    }
}

/// Removes what the options name from a library.
///
/// A library in which nothing is to be removed comes back byte for byte, with its UUID.
///
/// # Errors
/// If nothing is named; if the library is irregular while `new_layout` is false; if it is a
/// companion whose sources are to go; if scripts may refer to what is to go; if a path stands
/// where it cannot be rewritten, which is so in tags and sections that are not known; if a module or a source archive cannot be read.
pub fn strip<'a>(
    input: &Input,
    library: &Library<'a>,
    options: &StripOptions,
) -> Result<Draft<'a>> {
    let (mut draft, changed) = removed(input, library, options)?;
    if options.paths.is_some() && !options.install_names {
        note_install_names(library, draft.notes_mut());
    }
    if !changed {
        draft.notes_mut().push(format!("{} holds nothing of what is to go", input.name()));
    }
    Ok(draft)
}

/// Removes it, and says whether anything changed.
pub(crate) fn removed<'a>(
    input: &Input,
    library: &Library<'a>,
    options: &StripOptions,
) -> Result<(Draft<'a>, bool)> {
    let named = Named { name: input.name(), library };
    check(named, options)?;
    let wrong = || Error::library(input.name());
    let mut builder = library.clone().edit(options.new_layout).map_err(wrong())?;
    let mut notes = Vec::new();
    let mut changed = outside(named, options, &mut builder, &mut notes)?;
    let inside = ModuleStrip { debug_info: options.debug_info, paths: options.paths.clone() };
    let modules = to_edit(input, library, &inside, options.threads)?;
    changed |= !modules.is_empty();
    let unused = options.paths.iter().flat_map(PathRules::unused);
    notes.extend(unused.map(|rule| format!("--map `{rule}`: no path begins so")));
    if !changed {
        let mut unchanged = Edited::nothing_to_change(named, options.new_layout)?;
        unchanged.notes.extend(notes);
        return Ok((unchanged.into(), false));
    }
    let mut edited = Edited::unchanged(builder.finish().map_err(wrong())?);
    edited.notes = notes;
    match options.uuid() {
        UuidPolicy::Recompute => {
            if library.identity().file_type() == FileType::SymbolCompanion {
                edited.notes.push(format!(
                    "{} is a symbol companion, and with another UUID it no longer belongs to its \
                     library; --uuid keep keeps it",
                    named.name
                ));
            }
            edited.compute_uuid(named)?;
        }
        UuidPolicy::Keep => edited.uuid = UuidAction::Keep,
    }
    Ok((Draft::strip(named.name, edited, inside, modules), true))
}

/// A source archive without the folders of its paths, as [`normalize`](crate::normalize) makes it;
/// nothing if there is nothing to change.
///
/// # Errors
/// If it cannot be read, or not be packed again.
pub(crate) fn archive_without_paths(
    input: &str,
    rules: &PathRules,
    index: usize,
    archive: &metallib::Archive<'_>,
    budget: &mut crate::archive::Budget,
) -> Result<Option<metallib::Archive<'static>>> {
    let job = Job { input, rules, install_names: false, clear_times: true };
    archives::rewrite(job, index, archive, budget)
}

/// Refuses what cannot be done rightly.
fn check(input: Named<'_, '_>, options: &StripOptions) -> Result<()> {
    let (name, library) = (input.name, input.library);
    if options.is_nothing() {
        return Err(Error::refused(
            "nothing to strip is named: --source, --paths, --debug-info, --reflection, \
             --unused, or --all",
        ));
    }
    if options.source && library.identity().file_type() == FileType::SymbolCompanion {
        return Err(Error::refused(format!(
            "{name} is a symbol companion, which is there to keep the sources, so --source and \
             --all are refused; `strip --paths --debug-info --uuid keep` removes all else from it, \
             and stripped of the same its library still belongs to it"
        )));
    }
    let has_script = |function: &Function<'_>| {
        [FourCc::SPCI, FourCc::STCI].iter().any(|id| function.tags.get(*id).is_some())
    };
    let has_scripts = library.scripts().is_some() || library.functions().iter().any(has_script);
    let option = if options.reflection { "--reflection" } else { "--unused" };
    if has_scripts && (options.reflection || options.unused) {
        return Err(Error::refused(format!(
            "{name} has scripts (section SLST or tags SPCI, STCI), and it is not known what of \
             the library they refer to: {option} is refused"
        )));
    }
    Ok(())
}

/// Removes all but what is inside of modules; says whether anything changed.
fn outside(
    input: Named<'_, '_>,
    options: &StripOptions,
    builder: &mut LibraryBuilder<'_>,
    notes: &mut Vec<String>,
) -> Result<bool> {
    let before = notes.len();
    if options.source && has_sources(input.library) {
        remove_sources(builder);
        notes.push("sources removed".to_owned());
    }
    if options.debug_info && remove_debug_tags(builder) {
        notes.push("tags DEBI removed".to_owned());
    }
    if options.reflection && unused::remove_reflection(builder) {
        notes.push("reflection removed".to_owned());
    }
    if options.unused {
        let unused::Removed { archives, buffers } = unused::remove_unused(builder);
        let some = |count: usize, what| (count > 0).then(|| plural(count as u64, what));
        let all = [some(archives, "source archive"), some(buffers, "reflection entry")];
        let all: Vec<String> = all.into_iter().flatten().collect();
        if !all.is_empty() {
            notes.push(format!("not referred to, and removed: {}", all.join(", ")));
        }
    }
    if let Some(rules) = &options.paths {
        let (install_names, clear_times) = (options.install_names, options.archive_times);
        let job = Job { input: input.name, rules, install_names, clear_times };
        let changed = job.rewrite(builder)?;
        untyped::check(input, builder)?;
        if !changed.is_nothing() {
            let Changed { texts, archives } = changed;
            notes.push(format!("texts with paths outside of modules: {texts}, source archives packed again: {archives}"));
        }
    }
    Ok(notes.len() > before)
}

/// Removes DEBI, which functions have whose modules have debug information; says whether there
/// was any.
fn remove_debug_tags(library: &mut LibraryBuilder<'_>) -> bool {
    let mut removed = false;
    for function in &mut library.functions {
        for tags in [&mut function.public, &mut function.private] {
            removed |= tags.retain(|tag| tag.id != FourCc::DEBI);
        }
    }
    removed
}

/// The modules in which there is something to remove, in order.
fn to_edit(
    input: &Input,
    library: &Library<'_>,
    strip: &ModuleStrip,
    threads: usize,
) -> Result<Vec<ModuleId>> {
    let mut found = Vec::new();
    if strip.is_nothing() {
        return Ok(found);
    }
    let each = |some: &mut Vec<Result<ModuleId, _>>, index: usize, bytes: &[u8]| {
        let id = ModuleId::from_index(u32::try_from(index).unwrap_or(u32::MAX));
        match strip.changes(bytes) {
            Ok(false) => {}
            Ok(true) => some.push(Ok(id)),
            Err(error) => some.push(Err((index, error))),
        }
    };
    modules::fold(input, library, threads, each, |some| {
        for id in some {
            found.push(id.map_err(|(index, why)| refused(input, library, index, why))?);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Why nothing is stripped, for the module of this index.
fn refused(input: &Input, library: &Library<'_>, index: usize, why: Refusal) -> Error {
    let place = modules::place(library, &Users::new(library), index);
    match why {
        Refusal::Bitcode(source) => Error::Module { input: input.name().to_owned(), place, source },
        Refusal::Path(found) => {
            let start = library.modules().get(index).map_or(0, metallib::Module::offset);
            let what = Refusal::of_path(&found, start);
            Error::refused(format!("{}: {place}: {what}", input.name()))
        }
    }
}

/// Says which install names keep their folders.
fn note_install_names(library: &Library<'_>, notes: &mut Vec<String>) {
    for tag in library.dynamic_header().into_iter().flat_map(TagList::iter) {
        let is_name = matches!(tag.id, FourCc::NAME | FourCc::DYNL);
        let text = tag.payload.split(|&byte| byte == 0).next().unwrap_or_default();
        if is_name && spans(text, Form::File).next().is_some() {
            notes.push(format!(
                "`{}` (section HDYN: {}) stays, for libraries are found by it; --install-name \
                 changes it",
                printable(text),
                tag.id
            ));
        }
    }
}
