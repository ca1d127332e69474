//! Whether new names can be given: every fault is listed, not only the first.

use std::collections::HashSet;

use air_bitcode::ImportKind;
use metallib::FourCc;

use super::Change;
use crate::edited::Named;
use crate::error::{Error, Result};
use crate::names::escape;
use crate::text::lines;

/// Refuses names that no function can have, and those that several would; libraries that
/// refer to functions in ways that are not known.
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
    let wrong: Vec<String> = changes.iter().filter_map(wrong_name).collect();
    if !wrong.is_empty() {
        let what = format!("functions of {} cannot be renamed:{}", input.name, lines(wrong));
        return Err(Error::refused(what));
    }
    let clashes = clashes(input, changes);
    if !clashes.is_empty() {
        let what = format!(
            "functions of {} would get names that others have or get:{}",
            input.name,
            lines(clashes)
        );
        return Err(Error::refused(what));
    }
    Ok(())
}

fn wrong_name(change: &Change<'_, '_>) -> Option<String> {
    let what = if change.old().is_empty() {
        "it has no name that could be changed"
    } else if change.new.is_empty() || change.new.contains(&0) {
        "a name must not be empty or hold NUL"
    } else if ImportKind::of(change.new) != ImportKind::Other {
        "names with llvm. or air. belong to the compiler"
    } else {
        return None;
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
        let olds: Vec<String> = group.iter().map(|(_, old)| format!("`{}`", escape(old))).collect();
        Some(format!("`{}` for {}", escape(new), olds.join(", ")))
    };
    names.chunk_by(|(a, _), (b, _)| a == b).filter_map(clash).collect()
}
