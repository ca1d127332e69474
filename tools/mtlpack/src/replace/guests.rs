//! The functions that come in from one library, under their new names.

use std::collections::{BTreeMap, HashSet};

use metallib::{FourCc, LibraryBuilder, Subset};

use super::choose::Choice;
use crate::edited::Named;
use crate::error::{Error, Result};
use crate::merge;

/// Takes the chosen functions out of `source`, in the order of `choices`.
pub(super) fn take<'a>(
    input: Named<'_, 'a>,
    source: Named<'_, 'a>,
    choices: &[&Choice],
    new_layout: bool,
    notes: &mut Vec<String>,
) -> Result<LibraryBuilder<'a>> {
    let wrong = || Error::library(source.name);
    let indices: Vec<usize> = choices.iter().map(|choice| choice.function).collect();
    let mut part = Subset::new(source.library, new_layout)
        .and_then(|subset| subset.of(&indices))
        .map_err(wrong())?;
    separate(&mut part).map_err(wrong())?;
    if let Some(extension) = &mut part.extension {
        // It speaks of the other library.
        extension.remove(FourCc::UUID);
    }
    if input.library.sources().is_none() && source.library.sources().is_some() {
        crate::strip_source::remove_sources(&mut part);
        let (to, from) = (input.name, source.name);
        notes.push(format!("{to} embeds no sources, so those of {from} are left out"));
    }
    let names: BTreeMap<usize, Vec<u8>> = choices
        .iter()
        .enumerate()
        .filter_map(|(index, choice)| {
            let old = input.library.functions().get(choice.at)?;
            Some((index, old.name_bytes().to_vec()))
        })
        .collect();
    merge::rename_part(source.name, part, &names, notes)
}

/// Gives every function a module of its own, where one was taken several times, and a
/// reflection entry: they get different names.
fn separate(part: &mut LibraryBuilder<'_>) -> metallib::Result<()> {
    let mut functions = std::mem::take(&mut part.functions);
    let mut seen = HashSet::new();
    for function in &mut functions {
        let Some(id) = function.module else { continue };
        if seen.insert(id) {
            continue;
        }
        if let Some(module) = part.modules.get(id.index()).cloned() {
            function.module = Some(part.add_module(module)?);
        }
        let entries = part.extension.as_ref().and_then(|e| e.buffers(FourCc::RLST));
        let entry = entries.and_then(|list| list.entries().get(function.reflection?.index()));
        if let Some(entry) = entry.cloned() {
            function.reflection = Some(part.add_buffer(FourCc::RLST, entry)?);
        }
    }
    part.functions = functions;
    Ok(())
}
