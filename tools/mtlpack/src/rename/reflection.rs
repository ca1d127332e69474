//! The names in reflection entries.

use std::collections::{HashMap, HashSet};

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
    let mut entries: Vec<(BufferId, Change<'_, '_>)> =
        changes.iter().filter_map(|change| Some((change.function.reflection?, *change))).collect();
    entries.sort_by_key(|(id, _)| *id);
    for of_entry in entries.chunk_by(|(a, _), (b, _)| a == b) {
        let Some((id, _)) = of_entry.first() else { continue };
        let Some(entry) = list.entries_mut().get_mut(id.index()) else { continue };
        let changes: Vec<&Change<'_, '_>> = of_entry.iter().map(|(_, change)| change).collect();
        if let Some(renamed) = renamed(input, entry, &changes)? {
            *entry = renamed;
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

/// An entry with the new names in its buffer; `None` if there are none, as in dynamic
/// libraries.
fn renamed<'a>(
    input: Named<'_, '_>,
    entry: &BufferEntry<'a>,
    changes: &[&Change<'_, '_>],
) -> Result<Option<BufferEntry<'a>>> {
    let refuse = |change: &Change<'_, '_>, why: &str| {
        let offset = entry.tags.offset();
        Error::refused(format!(
            "{}: the reflection entry of {} {why}, so it cannot follow (offset {offset:#x}, \
             section RLST)",
            input.name,
            change.place()
        ))
    };
    let Some(first) = changes.first() else { return Ok(None) };
    let buffer = entry.buffer().unwrap_or_default();
    let unknown = || refuse(first, "is of a kind that is not known");
    let reflection = Reflection::new(&buffer).ok_or_else(unknown)?;
    if reflection.function_names().next().is_none() {
        return Ok(None);
    }
    let made = match changes {
        // As in every executable, where a map for each function would cost more than the rest.
        [only] => reflection.rename(|name| (name == only.old()).then_some(only.new)),
        _ => {
            let known: HashSet<&[u8]> = reflection.function_names().collect();
            if let Some(change) = changes.iter().find(|change| !known.contains(change.old())) {
                return Err(refuse(change, "describes other functions"));
            }
            let names: HashMap<&[u8], &[u8]> =
                changes.iter().map(|change| (change.old(), change.new)).collect();
            reflection.rename(|name| names.get(name).copied())
        }
    };
    let (count, patch) = made.ok_or_else(|| refuse(first, "would be too large"))?;
    if count == 0 {
        return Err(refuse(first, "describes other functions"));
    }
    entry.patched(patch).map(Some).ok_or_else(unknown)
}
