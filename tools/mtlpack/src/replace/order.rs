//! Putting what was united into the places that it had in the library.
//!
//! The union has what stays of the library in front, and what came in behind it. Functions
//! go to their places. Source archives and reflection entries keep the order of the library;
//! those that came in stand where those of the replaced functions stood.

use std::collections::HashSet;

use metallib::{
    ArchiveId, BufferId, ExtensionValue, Function, Library, LibraryBuilder, Section, Sources,
};

use crate::permute::{entries_mut, new_ids, permuted};

/// Where the functions of the union belong, in their order: first those that stayed.
#[derive(Clone, Copy)]
pub(super) struct Places<'p> {
    pub(super) places: &'p [usize],
    /// How many stayed.
    pub(super) kept: usize,
}

/// What elements are sorted by: behind which element of the library (0 for none, 1 for the
/// first), whether it came in, and for which function.
type Key = (usize, bool, usize);

const LAST: Key = (usize::MAX, true, usize::MAX);

/// Sorts functions, source archives and reflection entries of `union`. `own_archives` says
/// where those archives of `host` went that stayed.
pub(super) fn restore(
    union: &mut LibraryBuilder<'_>,
    host: &Library<'_>,
    places: Places<'_>,
    own_archives: &[u32],
) {
    restore_archives(union, host, places, own_archives);
    restore_entries(union, host, places);
    let functions = std::mem::take(&mut union.functions);
    let mut placed: Vec<_> = places.places.iter().zip(functions).collect();
    placed.sort_by_key(|(place, _)| **place);
    union.functions = placed.into_iter().map(|(_, function)| function).collect();
}

fn restore_archives(
    union: &mut LibraryBuilder<'_>,
    host: &Library<'_>,
    places: Places<'_>,
    own: &[u32],
) {
    let id = |function: &Function<'_>| function.archive.map(ArchiveId::index);
    let stayed = places.stayed(host, host.sources().map_or(0, |s| s.archives.len()), id);
    let Some(sources) = sources_mut(union) else { return };
    let archives = std::mem::take(&mut sources.archives);
    let own = own.iter().map(|id| *id as usize).zip(stayed);
    let order = places.order(host, &union.functions, archives.len(), own, id);
    if let Some(sources) = sources_mut(union) {
        sources.archives = permuted(archives, &order);
    }
    let new = new_ids(&order);
    for function in &mut union.functions {
        let id = function.archive.and_then(|old| new.get(old.index()).copied());
        function.archive = id.map(ArchiveId::from_index);
    }
}

fn restore_entries(union: &mut LibraryBuilder<'_>, host: &Library<'_>, places: Places<'_>) {
    let id = |function: &Function<'_>| function.reflection.map(BufferId::index);
    let count = host.reflection().map_or(0, |list| list.entries().len());
    let used: HashSet<usize> = host.functions().iter().filter_map(id).collect();
    let free = (0..count).filter(|index| !used.contains(index));
    let Some(list) = entries_mut(union) else { return };
    let entries = std::mem::take(list).entries().to_vec();
    // The union has those that functions refer to in front of those that none does.
    let first_free = union.functions.iter().filter_map(id).max().map_or(0, |last| last + 1);
    let stayed = union.functions.iter().zip(places.places).take(places.kept);
    let stayed = stayed
        .filter_map(|(function, &place)| Some((id(function)?, id(host.functions().get(place)?)?)));
    let own: Vec<_> = stayed.chain((first_free..).zip(free)).collect();
    let order = places.order(host, &union.functions, entries.len(), own.into_iter(), id);
    if let Some(list) = entries_mut(union) {
        permuted(entries, &order).into_iter().for_each(|entry| list.push(entry));
    }
    let new = new_ids(&order);
    for function in &mut union.functions {
        let id = function.reflection.and_then(|old| new.get(old.index()).copied());
        function.reflection = id.map(BufferId::from_index);
    }
}

impl Places<'_> {
    /// Which of `count` elements of the library stayed: those that a function refers to that
    /// stayed, or none does.
    fn stayed(
        self,
        host: &Library<'_>,
        count: usize,
        id: impl Fn(&Function<'_>) -> Option<usize>,
    ) -> Vec<usize> {
        let own = self.places.iter().take(self.kept);
        let used: HashSet<usize> =
            own.filter_map(|&place| id(host.functions().get(place)?)).collect();
        let gone = self.places.iter().skip(self.kept);
        let gone: HashSet<usize> =
            gone.filter_map(|&place| id(host.functions().get(place)?)).collect();
        (0..count).filter(|index| used.contains(index) || !gone.contains(index)).collect()
    }

    /// The order of `count` elements of the union: the old index at each new place. `own`
    /// says which elements of the library are among them.
    fn order(
        self,
        host: &Library<'_>,
        functions: &[Function<'_>],
        count: usize,
        own: impl Iterator<Item = (usize, usize)>,
        id: impl Fn(&Function<'_>) -> Option<usize>,
    ) -> Vec<usize> {
        let mut keys: Vec<Option<Key>> = vec![None; count];
        let anchors = anchors(host, &id);
        for (function, &place) in functions.iter().zip(self.places).skip(self.kept) {
            let slot = id(function).and_then(|id| keys.get_mut(id));
            let anchor = anchors.get(place).copied();
            if let (Some(slot), Some(anchor)) = (slot, anchor) {
                let key = (anchor, true, place);
                *slot = Some(slot.map_or(key, |known| known.min(key)));
            }
        }
        for (element, original) in own {
            if let Some(slot) = keys.get_mut(element) {
                *slot = Some((original + 1, false, 0));
            }
        }
        // What came in for no function stays in front of what it came in front of.
        let mut next = LAST;
        for key in keys.iter_mut().rev() {
            next = *key.get_or_insert(next);
        }
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|index| keys.get(*index).copied().flatten());
        order
    }
}

/// For each function of the library its element or else that of the last function in front
/// of it that has one, counted from 1.
fn anchors(host: &Library<'_>, id: impl Fn(&Function<'_>) -> Option<usize>) -> Vec<usize> {
    let mut last = 0;
    let anchor = |function: &Function<'_>| {
        last = id(function).map_or(last, |id| id + 1);
        last
    };
    host.functions().iter().map(anchor).collect()
}

fn sources_mut<'u, 'a>(union: &'u mut LibraryBuilder<'a>) -> Option<&'u mut Sources<'a>> {
    union.extension.as_mut()?.tags.iter_mut().find_map(|tag| match &mut tag.value {
        ExtensionValue::Section(Section::Sources(sources)) => Some(sources),
        _ => None,
    })
}
