//! Source archives of all inputs: equal ones once, clashing ids renumbered.

use std::collections::HashSet;

use metallib::{Archive, ArchiveId, Dialect, Sources};

use super::Part;

/// For each input, the index in the output of each of its archives.
pub(super) type ArchiveMaps = Vec<Vec<u32>>;

/// An archive of the output; the key stays while others are put in front of it.
struct Entry<'a> {
    key: usize,
    archive: Archive<'a>,
}

/// Unites the archives in an order that keeps that of every input: an archive that an
/// input has in front of one that is already there goes in front of it.
pub(super) fn combine<'a>(
    parts: &[Part<'_, 'a>],
    dialect: Dialect,
    notes: &mut Vec<String>,
) -> metallib::Result<(Vec<Archive<'a>>, ArchiveMaps)> {
    let mut united: Vec<Entry<'a>> = Vec::new();
    let mut taken: HashSet<Vec<u8>> = HashSet::new();
    let mut keys: Vec<Vec<usize>> = Vec::new();
    for part in parts {
        let first_new = united.len();
        let own = unite(&mut united, part);
        let new = |entry: &&mut Entry<'a>| entry.key >= first_new;
        // Ids that are free are claimed first, so that no new id takes one of them.
        let (clashing, free): (Vec<_>, Vec<_>) =
            united.iter_mut().filter(new).partition(|entry| taken.contains(entry.archive.id()));
        taken.extend(free.iter().map(|entry| entry.archive.id().to_vec()));
        for entry in clashing {
            let id = free_id(entry.archive.id(), &taken, dialect);
            let (old, new) =
                (String::from_utf8_lossy(entry.archive.id()), String::from_utf8_lossy(&id));
            notes.push(format!("{}: source archive `{old}` is now `{new}`", part.name));
            entry.archive = entry.archive.with_id(&id)?;
            taken.insert(id);
        }
        keys.push(own);
    }
    let place = |key: &usize| {
        let index = united.iter().position(|entry| entry.key == *key).unwrap_or_default();
        u32::try_from(index).unwrap_or(u32::MAX)
    };
    let maps = keys.iter().map(|own| own.iter().map(place).collect()).collect();
    Ok((united.into_iter().map(|entry| entry.archive).collect(), maps))
}

/// Adds what is new of one input; gives the keys of all its archives in their order.
fn unite<'a>(united: &mut Vec<Entry<'a>>, part: &Part<'_, 'a>) -> Vec<usize> {
    let archives = sources_of(part).map_or(&[][..], |sources| &sources.archives);
    let used: HashSet<usize> =
        part.content.functions.iter().filter_map(|f| f.archive).map(ArchiveId::index).collect();
    let mut keys = Vec::with_capacity(archives.len());
    let mut insert_at = united.len();
    // From the back, so that the place in front of the next known one is at hand.
    for (index, archive) in archives.iter().enumerate().rev() {
        let known = united.iter().position(|e| same(&e.archive, archive, used.contains(&index)));
        let key = match known.and_then(|position| united.get(position)) {
            Some(entry) => {
                insert_at = known.unwrap_or(insert_at);
                entry.key
            }
            None => {
                let key = united.len();
                united.insert(insert_at, Entry { key, archive: archive.clone() });
                key
            }
        };
        keys.push(key);
    }
    keys.reverse();
    keys
}

pub(super) fn sources_of<'p, 'a>(part: &'p Part<'_, 'a>) -> Option<&'p Sources<'a>> {
    part.content.extension.as_ref()?.sources()
}

/// Whether two archives are stored once: an archive that no function refers to (a
/// linked runtime library) if its data is the same, any other if its id is too.
fn same(known: &Archive<'_>, archive: &Archive<'_>, used: bool) -> bool {
    known == archive || (!used && known.data() == archive.data())
}

/// An id that is not taken: the next number (linker), or the name with a number
/// behind it (archiver).
fn free_id(id: &[u8], taken: &HashSet<Vec<u8>>, dialect: Dialect) -> Vec<u8> {
    let number = |id: &Vec<u8>| std::str::from_utf8(id).ok()?.parse::<u64>().ok();
    let highest = taken.iter().filter_map(number).max().unwrap_or_default();
    let candidate = |n: u64| match dialect {
        Dialect::Linker => highest.saturating_add(n).to_string().into_bytes(),
        Dialect::Archiver => [id, format!(".{}", n + 1).as_bytes()].concat(),
    };
    (1..).map(candidate).find(|id| !taken.contains(id)).unwrap_or_default()
}
