//! Ids that are in use.

/// Ids that are in use, and those of them whose own references were not followed yet.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    pub(crate) used: Vec<bool>,
    pending: Vec<usize>,
}

impl Marks {
    pub(crate) fn new(count: usize) -> Self {
        Self { used: vec![false; count], pending: Vec::new() }
    }

    /// Ids that do not exist are left to who writes the record anew.
    pub(crate) fn mark(&mut self, id: u64) {
        let id = crate::bits::size(id);
        if let Some(used) = self.used.get_mut(id)
            && !std::mem::replace(used, true)
        {
            self.pending.push(id);
        }
    }

    /// Has all be in use, none of which is followed.
    pub(crate) fn mark_all(&mut self) {
        self.used.fill(true);
    }

    /// An id whose references are to be followed.
    pub(crate) fn next(&mut self) -> Option<usize> {
        self.pending.pop()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.used.len()
    }

    pub(crate) fn unused(&self) -> usize {
        self.used.iter().filter(|used| !**used).count()
    }
}
