//! Whether new names can be given: every fault is listed, not only the first.

use std::collections::HashSet;

use metallib::FourCc;

use super::Change;
use crate::edited::Named;
use crate::error::{Error, Result};
use crate::names::{escape, fault};
use crate::text::lines;

/// Refuses what [`faults`] finds, and libraries that refer to functions in ways that are not
/// known.
pub(super) fn check(input: Named<'_, '_>, changes: &[Change<'_, '_>]) -> Result<()> {
    crate::filter::refuse_scripts(input)?;
    let mut functions = input.library.functions().iter().enumerate();
    if let Some((index, function)) = functions.find(|(_, f)| f.tags.get(FourCc::ALIS).is_some()) {
        return Err(Error::refused(format!(
            "{}: {} has tag ALIS, which holds names of functions; renaming in such a library is \
             not supported",
            input.name,
            function.place(index)
        )));
    }
    let mut faults = faults(input, changes);
    faults.extend(imported(input, changes));
    if faults.is_empty() { Ok(()) } else { Err(Error::refused(faults.join("\n"))) }
}

/// Names that no function can have, and those that several would: a list for each of both
/// that there are.
pub(super) fn faults(input: Named<'_, '_>, changes: &[Change<'_, '_>]) -> Vec<String> {
    let wrong: Vec<String> = changes.iter().filter_map(wrong_name).collect();
    let clashes = if wrong.is_empty() {
        clashes(input, changes)
    } else {
        // Of names that cannot be, it says nothing that several functions would have them.
        let is_possible = |change: &&Change<'_, '_>| wrong_name(change).is_none();
        let possible: Vec<_> = changes.iter().filter(is_possible).copied().collect();
        clashes(input, &possible)
    };
    let list = |what: &str, items: Vec<String>| {
        let heading = || format!("functions of {} {what}:", input.name);
        (!items.is_empty()).then(|| heading() + &lines(items))
    };
    let wrong = list("cannot be renamed", wrong);
    let clashes = list("would get names that others have or get", clashes);
    wrong.into_iter().chain(clashes).collect()
}

/// Names that the library imports from others: what it means by one of them would change.
fn imported(input: Named<'_, '_>, changes: &[Change<'_, '_>]) -> Option<String> {
    let imports: HashSet<&[u8]> = input.library.imports()?.names().collect();
    let is_imported =
        |change: &&Change<'_, '_>| imports.contains(change.old()) || imports.contains(change.new);
    let found: Vec<String> = changes
        .iter()
        .filter(is_imported)
        .map(|change| format!("`{}` to `{}`", escape(change.old()), escape(change.new)))
        .collect();
    let what = "have, or would get, a name that the library also imports (section ILST), so what \
                it means by it would change; leave them out, or rename before they are merged";
    (!found.is_empty()).then(|| format!("functions of {} {what}:{}", input.name, lines(found)))
}

fn wrong_name(change: &Change<'_, '_>) -> Option<String> {
    let what = if change.old().is_empty() {
        "it has no name that could be changed"
    } else if change.new.is_empty() {
        "a name must not be empty"
    } else {
        fault(change.new)?
    };
    Some(format!("{} to `{}`: {what}", change.place(), escape(change.new)))
}

/// Names that several functions would have of which one gets it, with their old names.
/// Functions of one name that get the same new name do not clash more than before.
fn clashes(input: Named<'_, '_>, changes: &[Change<'_, '_>]) -> Vec<String> {
    let functions = input.library.functions();
    let mut names: Vec<(&[u8], &[u8])> = Vec::with_capacity(functions.len());
    let mut renamed = changes.iter().peekable();
    for (index, function) in functions.iter().enumerate() {
        let old = function.name_bytes();
        let change = renamed.next_if(|change| change.index == index);
        names.push((change.map_or(old, |change| change.new), old));
    }
    // Nearly always all are different, and sorting thousands of names takes its time.
    let mut seen = HashSet::with_capacity(names.len());
    if names.iter().all(|(new, _)| seen.insert(*new)) {
        return Vec::new();
    }
    names.sort_unstable();
    names.dedup();
    let clash = |group: &[(&[u8], &[u8])]| {
        let (new, _) = *group.first().filter(|_| group.len() > 1)?;
        let others = group.iter().filter(|(_, old)| *old != new);
        let others: Vec<String> = others.map(|(_, old)| format!("`{}`", escape(old))).collect();
        let is_taken = others.len() < group.len();
        let taken = if is_taken { "; a function has this name already" } else { "" };
        Some(format!("`{}` for {}{taken}", escape(new), others.join(", ")))
    };
    names.chunk_by(|(a, _), (b, _)| a == b).filter_map(clash).collect()
}
