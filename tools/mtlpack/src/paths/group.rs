//! Equal paths in equal places, as one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PathOccurrence;

/// A path, and how often it stands in places of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathGroup {
    /// How often.
    pub count: u64,
    /// The first of them, in the order of the library.
    pub first: PathOccurrence,
}

impl PathGroup {
    /// Groups what is given one by one, in the order of paths and places.
    #[must_use]
    pub fn collect(occurrences: impl IntoIterator<Item = PathOccurrence>) -> Vec<Self> {
        let mut groups = Groups::default();
        occurrences.into_iter().for_each(|occurrence| groups.add(occurrence));
        groups.finish()
    }
}

/// Groups that grow: there are thousands of occurrences for each of them.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    groups: BTreeMap<(Vec<u8>, Arc<str>), PathGroup>,
}

impl Groups {
    /// Adds one more.
    pub(crate) fn add(&mut self, occurrence: PathOccurrence) {
        let key = (occurrence.path.clone(), Arc::clone(&occurrence.place));
        let new = PathGroup { count: 0, first: occurrence };
        self.groups.entry(key).or_insert(new).count += 1;
    }

    /// All of them, in the order of paths and places.
    pub(crate) fn finish(self) -> Vec<PathGroup> {
        self.groups.into_values().collect()
    }
}
