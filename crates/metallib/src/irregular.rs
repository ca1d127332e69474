//! Why a library is not laid out as Apple's tools lay them out.

use std::fmt;

/// One reason why a new layout of the library would not give back its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Irregularity {
    /// Absolute offset in bytes.
    pub offset: u64,
    /// What was found there and what the canonical layout has.
    pub what: String,
}

impl fmt::Display for Irregularity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (offset {:#x})", self.what, self.offset)
    }
}

/// The most reasons that are kept; more are only counted.
const KEPT: usize = 64;

/// Reasons found so far, bounded so that a hostile file cannot make them many.
#[derive(Clone, Debug, Default)]
pub struct Irregularities {
    kept: Vec<Irregularity>,
    count: usize,
}

impl Irregularities {
    /// Whether the library is canonical.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many reasons there are, also those that were not kept.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The first reasons, 64 at the most.
    pub fn iter(&self) -> impl Iterator<Item = &Irregularity> {
        self.kept.iter()
    }

    pub(crate) fn append(&mut self, other: Irregularities) {
        self.count += other.count;
        let room = KEPT.saturating_sub(self.kept.len());
        self.kept.extend(other.kept.into_iter().take(room));
    }

    pub(crate) fn note(&mut self, offset: u64, what: impl Into<String>) {
        self.count += 1;
        if self.kept.len() < KEPT {
            self.kept.push(Irregularity { offset, what: what.into() });
        }
    }
}
