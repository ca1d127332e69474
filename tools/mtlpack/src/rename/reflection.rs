//! The names in reflection entries.

use std::collections::{HashMap, HashSet};
use std::panic::resume_unwind;
use std::thread;

use metallib::{
    BufferEntry, BufferId, BufferList, ExtensionValue, FourCc, LibraryBuilder, Reflection, Section,
};

use super::Change;
use crate::edited::Named;
use crate::error::{Error, Result};

/// Changes of functions whose reflection is one entry, for which there is more than one only in
/// dynamic libraries.
type Group<'c, 'n, 'a> = &'c [(BufferId, Change<'n, 'a>)];

/// Entries that one thread renames at least: a thread for fewer takes longer to begin.
const FEW: usize = 2000;

/// Renames the functions in the reflection entries they refer to.
///
/// # Errors
/// If an entry cannot be read, or names other functions but not this one.
pub(super) fn rename(
    input: Named<'_, '_>,
    builder: &mut LibraryBuilder<'_>,
    changes: &[Change<'_, '_>],
    threads: usize,
) -> Result<()> {
    let Some(list) = list_mut(builder) else { return Ok(()) };
    let mut entries: Vec<(BufferId, Change<'_, '_>)> =
        changes.iter().filter_map(|change| Some((change.function.reflection?, *change))).collect();
    entries.sort_by_key(|(id, _)| *id);
    let groups: Vec<Group<'_, '_, '_>> = entries.chunk_by(|(a, _), (b, _)| a == b).collect();
    let old = list.entries();
    let all = |groups: &[Group<'_, '_, '_>]| -> Result<Vec<_>> {
        groups.iter().filter_map(|group| of_group(input, old, group).transpose()).collect()
    };
    let part = groups.len().div_ceil(threads.max(1)).max(FEW);
    let renamed: Vec<_> = thread::scope(|scope| {
        let mut parts = groups.chunks(part);
        let first = parts.next();
        let others: Vec<_> = parts.map(|part| scope.spawn(move || all(part))).collect();
        let first = first.map(all);
        let others =
            others.into_iter().map(|part| part.join().unwrap_or_else(|p| resume_unwind(p)));
        first.into_iter().chain(others).collect::<Result<_>>()
    })?;
    for (id, entry) in renamed.into_iter().flatten() {
        if let Some(place) = list.entries_mut().get_mut(id.index()) {
            *place = entry;
        }
    }
    Ok(())
}

/// The entry of some functions with their new names, if it has any.
fn of_group<'a>(
    input: Named<'_, '_>,
    entries: &[BufferEntry<'a>],
    group: Group<'_, '_, '_>,
) -> Result<Option<(BufferId, BufferEntry<'a>)>> {
    let Some((id, _)) = group.first() else { return Ok(None) };
    let Some(entry) = entries.get(id.index()) else { return Ok(None) };
    let changes: Vec<&Change<'_, '_>> = group.iter().map(|(_, change)| change).collect();
    Ok(renamed(input, entry, &changes)?.map(|renamed| (*id, renamed)))
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
