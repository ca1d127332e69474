//! Giving functions other names, in the library and inside their modules.
//!
//! | place | what is done |
//! |---|---|
//! | tag NAME | the new name, with a NUL behind it where the old one had it |
//! | reflection entry | the name of its function; buffers of dynamic libraries name none |
//! | module | as [`air_bitcode::Module::rename`] does, while the library is written |
//! | HASH, MDSZ, OFFT | follow the modules |
//! | UUID | computed anew |
//!
//! Embedded sources and symbol companions keep the old names, and so do the imports of other
//! libraries. A function without module (no OFFT) has its name in the list and in the
//! reflection only; one without NAME has none to change and is refused.

mod check;
mod modules;
mod pattern;
mod reflection;
mod rules;

pub use rules::RenameRules;

use std::collections::BTreeMap;

use metallib::{FourCc, Function, LibraryBuilder, ModuleId};

use crate::draft::{Draft, NameChange};
use crate::edited::{Edited, Named, Renaming};
use crate::error::{Error, Result};
use crate::text::lines;
use rules::Applied;

/// A function that gets another name.
#[derive(Clone, Copy)]
struct Change<'n, 'a> {
    index: usize,
    function: &'n Function<'a>,
    new: &'n [u8],
}

impl Change<'_, '_> {
    fn old(&self) -> &[u8] {
        self.function.name_bytes()
    }

    fn place(&self) -> String {
        self.function.place(self.index)
    }
}

/// How functions are renamed.
#[derive(Clone, Copy, Debug, Default)]
pub struct RenameOptions {
    /// Whether an irregular input may be laid out anew.
    pub new_layout: bool,
    /// Whether the result lists all functions with their old and new names: it needs memory
    /// for thousands of them.
    pub list_renames: bool,
    /// Threads that may be used; none is one.
    pub threads: usize,
}

/// Renames functions by rules.
///
/// # Errors
/// If a rule renames no function, or two give a function different names; else as
/// [`rename_functions`]. All that is wrong with rules and names is listed.
pub fn rename<'a>(
    input: Named<'_, 'a>,
    rules: &RenameRules,
    options: &RenameOptions,
) -> Result<Draft<'a>> {
    let Applied { names, twice, unused } = rules.apply(input)?;
    if !twice.is_empty() || !unused.is_empty() {
        return Err(wrong_rules(input, &names, twice, unused));
    }
    let mut draft = draft(input, &names, (options.new_layout, options.threads))?;
    if options.list_renames {
        let renaming = |change: Change<'_, '_>| Renaming {
            input: input.name.to_owned(),
            old: change.old().to_vec(),
            new: change.new.to_vec(),
        };
        draft.set_renames(changes(input, &names)?.into_iter().map(renaming).collect());
    }
    Ok(draft)
}

/// What is wrong with rules, and with the names that they give. It is no error but a "no" if
/// some rename nothing and all else is well.
fn wrong_rules(
    input: Named<'_, '_>,
    names: &BTreeMap<usize, Vec<u8>>,
    twice: Vec<String>,
    unused: Vec<String>,
) -> Error {
    let mut faults = Vec::new();
    if !twice.is_empty() {
        faults.push(format!("two new names for one function:{}", lines(twice)));
    }
    match changes(input, names) {
        Ok(changes) => faults.extend(check::faults(input, &changes)),
        Err(error) => return error,
    }
    let is_no = faults.is_empty();
    if !unused.is_empty() {
        faults.push(format!("rules that rename no function of {}:{}", input.name, lines(unused)));
    }
    let what = faults.join("\n");
    if is_no { Error::NoMatch { what } } else { Error::Refused { what } }
}

/// Renames functions, given by their indices; two may swap their names.
///
/// If all have their new names already, the library is given back as it is. Else its UUID is
/// computed anew: the SHA-256 form, or the MD5 form where the library's own follows it.
///
/// # Errors
/// If there is no such function or it has no name; if new names are empty, hold NUL, belong
/// to the compiler (`air.*`, `llvm.*`), or would be those of several functions, all of which
/// are listed; if the reflection of a function does not know it; if the library holds scripts
/// or aliases, or is irregular while `new_layout` is false.
pub fn rename_functions<'a>(
    input: Named<'_, 'a>,
    names: &BTreeMap<usize, Vec<u8>>,
    new_layout: bool,
) -> Result<Draft<'a>> {
    draft(input, names, (new_layout, 1))
}

fn draft<'a>(
    input: Named<'_, 'a>,
    names: &BTreeMap<usize, Vec<u8>>,
    (new_layout, threads): (bool, usize),
) -> Result<Draft<'a>> {
    match Renamed::new(input, names, (new_layout, threads))? {
        Some(mut renamed) => {
            renamed.edited.compute_uuid(input)?;
            Ok(renamed.draft(input.name))
        }
        None => {
            let mut edited = Edited::nothing_to_change(input, new_layout)?;
            edited.notes.insert(0, format!("no name of {} changes", input.name));
            Ok(edited.into())
        }
    }
}

/// A library with other names outside of its modules, and what is to be done with these.
pub(crate) struct Renamed<'a> {
    /// The library, with its old UUID.
    edited: Edited<'a>,
    modules: BTreeMap<ModuleId, Vec<NameChange>>,
}

impl<'a> Renamed<'a> {
    /// Renames all but inside of modules; `None` if all have their new names already.
    pub(crate) fn new(
        input: Named<'_, 'a>,
        names: &BTreeMap<usize, Vec<u8>>,
        (new_layout, threads): (bool, usize),
    ) -> Result<Option<Self>> {
        let changes = changes(input, names)?;
        if changes.is_empty() {
            return Ok(None);
        }
        check::check(input, &changes)?;
        let modules = modules::renames(input, &changes)?;
        let wrong = || Error::library(input.name);
        let mut builder = input.library.clone().edit(new_layout).map_err(wrong())?;
        set_names(&mut builder, &changes).map_err(wrong())?;
        reflection::rename(input, &mut builder, &changes, threads)?;
        let mut edited = Edited::unchanged(builder.finish().map_err(wrong())?);
        if input.library.sources().is_some() {
            let note = format!("the embedded sources of {} keep the old names", input.name);
            edited.notes.push(note);
        }
        Ok(Some(Self { edited, modules }))
    }

    /// The library, to be written.
    pub(crate) fn draft(self, input: &str) -> Draft<'a> {
        Draft::new(input, self.edited, self.modules)
    }
}

/// The functions whose names really change, in order.
fn changes<'n, 'a>(
    input: Named<'n, 'a>,
    names: &'n BTreeMap<usize, Vec<u8>>,
) -> Result<Vec<Change<'n, 'a>>> {
    let mut changes = Vec::with_capacity(names.len());
    for (&index, new) in names {
        let function = input.library.functions().get(index).ok_or_else(|| {
            let count = input.library.functions().len();
            Error::refused(format!("{} has no function {index}, only {count}", input.name))
        })?;
        if function.name_bytes() != new {
            changes.push(Change { index, function, new });
        }
    }
    Ok(changes)
}

/// Sets the tags NAME.
fn set_names(builder: &mut LibraryBuilder<'_>, changes: &[Change<'_, '_>]) -> metallib::Result<()> {
    let mut name = Vec::new();
    for change in changes {
        let Some(function) = builder.functions.get_mut(change.index) else { continue };
        let terminated = function.tags.payload(FourCc::NAME).is_some_and(|n| n.ends_with(&[0]));
        name.clear();
        name.extend_from_slice(change.new);
        name.extend(terminated.then_some(0));
        function.tags.set(FourCc::NAME, &name).map_err(|e| e.within(change.place()))?;
    }
    Ok(())
}
