//! The names in reflection entries.

use std::collections::HashMap;

use metallib::{
    BufferEntry, BufferId, BufferList, ExtensionValue, FourCc, LibraryBuilder, Reflection, Section,
};

use super::Change;
use crate::edited::Named;
use crate::error::{Error, Result};

/// Renames the functions in the reflection entries they refer to.
///
/// # Errors
/// If an entry cannot be read, or names other functions but not this one.
pub(super) fn rename(
    input: Named<'_, '_>,
    builder: &mut LibraryBuilder<'_>,
    changes: &[Change<'_, '_>],
) -> Result<()> {
    let Some(list) = list_mut(builder) else { return Ok(()) };
    let mut scratch = Vec::new();
    let mut entries: Vec<(BufferId, Change<'_, '_>)> =
        changes.iter().filter_map(|change| Some((change.function.reflection?, *change))).collect();
    entries.sort_by_key(|(id, _)| *id);
    for of_entry in entries.chunk_by(|(a, _), (b, _)| a == b) {
        let Some((id, first)) = of_entry.first() else { continue };
        let Some(entry) = list.entries_mut().get_mut(id.index()) else { continue };
        let changes: Vec<&Change<'_, '_>> = of_entry.iter().map(|(_, change)| change).collect();
        scratch.clear();
        if renamed(input, entry, &changes, &mut scratch)? {
            let made = entry.with_buffer(&scratch).map_err(|e| e.within(first.place()));
            *entry = made.map_err(Error::library(input.name))?;
        }
    }
    Ok(())
}

fn list_mut<'b, 'a>(builder: &'b mut LibraryBuilder<'a>) -> Option<&'b mut BufferList<'a>> {
    let tags = &mut builder.extension.as_mut()?.tags;
    tags.iter_mut().find_map(|tag| match &mut tag.value {
        ExtensionValue::Section(Section::Buffers(list)) if tag.id == FourCc::RLST => Some(list),
        _ => None,
    })
}

/// Writes an entry's buffer with the new names to `out`; tells whether there are any: the
/// buffer of a dynamic library names no function.
fn renamed(
    input: Named<'_, '_>,
    entry: &BufferEntry<'_>,
    changes: &[&Change<'_, '_>],
    out: &mut Vec<u8>,
) -> Result<bool> {
    let Some(first) = changes.first() else { return Ok(false) };
    let refuse = |change: &Change<'_, '_>, why: &str| {
        let place = change.place();
        let offset = entry.tags.offset();
        Error::refused(format!(
            "{}: the reflection of {place} {why} (offset {offset:#x}, section RLST), so it cannot \
             be renamed there",
            input.name
        ))
    };
    let reflection = entry
        .buffer()
        .and_then(Reflection::new)
        .ok_or_else(|| refuse(first, "is no buffer of a known kind"))?;
    let mut known = reflection.function_names().peekable();
    if known.peek().is_none() {
        return Ok(false);
    }
    if let [only] = changes {
        // As in every executable: no map is needed.
        let count = reflection.rename_into(|name| (name == only.old()).then_some(only.new), out);
        return match count {
            Some(0) => Err(refuse(only, "does not name it")),
            Some(_) => Ok(true),
            None => Err(refuse(only, "would be too large")),
        };
    }
    let names: HashMap<&[u8], &[u8]> =
        changes.iter().map(|change| (change.old(), change.new)).collect();
    let known: std::collections::HashSet<&[u8]> = known.collect();
    if let Some(change) = changes.iter().find(|change| !known.contains(change.old())) {
        return Err(refuse(change, "does not name it"));
    }
    let made = reflection.rename_into(|name| names.get(name).copied(), out);
    made.map(|_| true).ok_or_else(|| refuse(first, "would be too large"))
}
