//! Source archives of all inputs: equal ones once, clashing ids renumbered.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use metallib::{Archive, ArchiveId, Dialect, Sources};

use super::Part;

/// For each input, the index in the output of each of its archives.
pub(crate) type ArchiveMaps = Vec<Vec<u32>>;

/// Unites the archives in an order that keeps that of every input: an archive that an
/// input has in front of one that is already there goes in front of it.
pub(super) fn combine<'a>(
    parts: &[Part<'_, 'a>],
    dialect: Dialect,
    notes: &mut Vec<String>,
) -> metallib::Result<(Vec<Archive<'a>>, ArchiveMaps)> {
    let mut united = United::default();
    let mut ids = Ids { dialect, taken: HashSet::new(), highest: None, numbers: HashMap::new() };
    let mut keys: Vec<Vec<usize>> = Vec::with_capacity(parts.len());
    for part in parts {
        let first_new = united.archives.len();
        let own = united.add(part);
        let id_of = |key: &usize| united.archives.get(*key).map(Archive::id).unwrap_or_default();
        let new = own.iter().copied().filter(|key| *key >= first_new);
        let (clashing, free): (Vec<_>, Vec<_>) = new.partition(|key| ids.has(id_of(key)));
        // Ids that are free are claimed first, so that no new id takes one of them.
        free.iter().for_each(|key| ids.take(id_of(key)));
        for key in clashing {
            let Some(archive) = united.archives.get_mut(key) else { continue };
            let id = ids.free(archive.id());
            let (old, new) = (String::from_utf8_lossy(archive.id()), String::from_utf8_lossy(&id));
            notes.push(format!("{}: source archive `{old}` is now `{new}`", part.name));
            *archive = archive.with_id(&id)?;
            ids.take(&id);
        }
        keys.push(own);
    }
    Ok(united.finish(&keys))
}

pub(super) fn sources_of<'p, 'a>(part: &'p Part<'_, 'a>) -> Option<&'p Sources<'a>> {
    part.content.extension.as_ref()?.sources()
}

/// Archives of the output, as a linked list: others are put in front of any of them.
#[derive(Default)]
struct United<'a> {
    /// The archives; the index of one is its key.
    archives: Vec<Archive<'a>>,
    /// For each key the key in front of it, and at the end the last key of the list.
    previous: Vec<Option<usize>>,
    last: Option<usize>,
    /// Keys by a hash of what the archives hold: all of it, and the data alone.
    whole: HashMap<u64, Vec<usize>>,
    data: HashMap<u64, Vec<usize>>,
    hasher: RandomState,
}

impl<'a> United<'a> {
    /// Adds what is new of one input; gives the keys of all its archives in their order.
    ///
    /// Two archives of one input never become one, even if they are equal.
    fn add(&mut self, part: &Part<'_, 'a>) -> Vec<usize> {
        let archives = sources_of(part).map_or(&[][..], |sources| &sources.archives);
        let used: HashSet<usize> =
            part.content.functions.iter().filter_map(|f| f.archive).map(ArchiveId::index).collect();
        let mut keys = Vec::with_capacity(archives.len());
        let mut matched = Matched::default();
        let mut added = Vec::new();
        let mut behind = None;
        // From the back, so that the place in front of the next known one is at hand.
        for (index, archive) in archives.iter().enumerate().rev() {
            let key = match self.find(archive, used.contains(&index), &mut matched) {
                Some(key) => key,
                None => {
                    added.push(self.archives.len());
                    self.insert(archive.clone(), behind)
                }
            };
            behind = Some(key);
            keys.push(key);
        }
        added.into_iter().for_each(|key| self.index(key));
        keys.reverse();
        keys
    }

    /// An archive of an earlier input that is the same and was not found before: an archive
    /// that no function refers to (a linked runtime library) if its data is the same, any
    /// other if its id is too.
    fn find(&self, archive: &Archive<'a>, used: bool, matched: &mut Matched) -> Option<usize> {
        let get = |key: &usize| self.archives.get(*key);
        let whole = self.hasher.hash_one(archive.tags.as_bytes());
        let same = |key: &usize| get(key) == Some(archive);
        if let Some(key) = matched.next(whole, self.whole.get(&whole), same) {
            return Some(key);
        }
        let data = self.hasher.hash_one(archive.data());
        let same = |key: &usize| get(key).is_some_and(|known| known.data() == archive.data());
        if used { None } else { matched.next(data, self.data.get(&data), same) }
    }

    /// Puts an archive in front of another, or at the end; gives its key.
    fn insert(&mut self, archive: Archive<'a>, behind: Option<usize>) -> usize {
        let key = self.archives.len();
        self.archives.push(archive);
        let link = match behind {
            Some(behind) => self.previous.get_mut(behind),
            None => Some(&mut self.last),
        };
        let previous = link.and_then(|link| link.replace(key));
        self.previous.push(previous);
        key
    }

    /// Lets later inputs find an archive.
    fn index(&mut self, key: usize) {
        let Some(archive) = self.archives.get(key) else { return };
        let whole = self.hasher.hash_one(archive.tags.as_bytes());
        let data = self.hasher.hash_one(archive.data());
        self.whole.entry(whole).or_default().push(key);
        self.data.entry(data).or_default().push(key);
    }

    /// The archives in order, and for each input where its own are.
    fn finish(self, keys: &[Vec<usize>]) -> (Vec<Archive<'a>>, ArchiveMaps) {
        let mut order: Vec<usize> =
            std::iter::successors(self.last, |key| self.previous.get(*key).copied().flatten())
                .collect();
        order.reverse();
        let mut places = vec![0; order.len()];
        for (place, key) in (0..).zip(&order) {
            if let Some(slot) = places.get_mut(*key) {
                *slot = place;
            }
        }
        let mut archives: Vec<_> = self.archives.into_iter().map(Some).collect();
        let archives = order.iter().filter_map(|key| archives.get_mut(*key)?.take()).collect();
        let place = |key: &usize| places.get(*key).copied().unwrap_or(u32::MAX);
        (archives, keys.iter().map(|own| own.iter().map(place).collect()).collect())
    }
}

/// What one input has found among the archives of those before it.
#[derive(Default)]
struct Matched {
    keys: HashSet<usize>,
    /// How many keys of a hash are done, counted from the last.
    done: HashMap<u64, usize>,
}

impl Matched {
    /// The last of these keys that is the same and was not given before.
    fn next(
        &mut self,
        hash: u64,
        keys: Option<&Vec<usize>>,
        same: impl Fn(&usize) -> bool,
    ) -> Option<usize> {
        let done = self.done.entry(hash).or_insert(0);
        for key in keys?.iter().rev().skip(*done) {
            *done += 1;
            if same(key) && self.keys.insert(*key) {
                return Some(*key);
            }
        }
        None
    }
}

/// Ids of the output's archives.
struct Ids {
    dialect: Dialect,
    taken: HashSet<Vec<u8>>,
    /// The highest id that is a number.
    highest: Option<u64>,
    /// The number that was last put behind each id.
    numbers: HashMap<Vec<u8>, u64>,
}

impl Ids {
    fn has(&self, id: &[u8]) -> bool {
        self.taken.contains(id)
    }

    fn take(&mut self, id: &[u8]) {
        let number = std::str::from_utf8(id).ok().and_then(|id| id.parse::<u64>().ok());
        self.highest = self.highest.max(number);
        self.taken.insert(id.to_vec());
    }

    /// An id that is not taken: the next number (linker), or the id with a number behind it
    /// (archiver, and where there is no next number).
    fn free(&mut self, id: &[u8]) -> Vec<u8> {
        let next = self.highest.map_or(Some(1), |highest| highest.checked_add(1));
        if let (Dialect::Linker, Some(next)) = (self.dialect, next) {
            return next.to_string().into_bytes();
        }
        let number = self.numbers.entry(id.to_vec()).or_insert(1);
        loop {
            *number += 1;
            let candidate = [id, format!(".{number}").as_bytes()].concat();
            if !self.taken.contains(&candidate) {
                return candidate;
            }
        }
    }
}
