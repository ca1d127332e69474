//! Finds places for names in STRTAB, or makes them at its end.

use std::borrow::Cow;

use super::targets::{Entry, Target};
use crate::error::{Error, ErrorKind, Result};
use crate::symtab::Pair;

/// Bytes that are searched for strings that earlier renames appended, for all names of a
/// rename together. What is not found by then is appended.
pub(super) const SEARCHED: usize = 1 << 26;

/// STRTAB while names are placed in it, in the order of their values.
pub(super) struct Places<'s> {
    pub(super) table: Cow<'s, [u8]>,
    /// Where the names of values stand, by value.
    ranges: Vec<(usize, usize)>,
    /// Where the last name of the values from this one on ends, by value.
    ends: Vec<usize>,
    /// Values up to here were passed, and the last of their names ends there.
    passed: (usize, usize),
    /// Where the last name that did not stand between its neighbours ends.
    cursor: usize,
    /// Bytes that may still be searched.
    budget: usize,
}

impl<'s> Places<'s> {
    /// Begins with STRTAB as it is.
    pub(super) fn new(strings: &'s [u8], entries: &[Entry<'_>]) -> Self {
        let ranges: Vec<_> = entries.iter().map(|entry| entry.range).collect();
        let mut ends: Vec<_> = ranges.iter().map(|range| range.1).collect();
        let mut last = 0;
        for end in ends.iter_mut().rev() {
            last = last.max(*end);
            *end = last;
        }
        let table = Cow::Borrowed(strings);
        Self { table, ranges, ends, passed: (0, 0), cursor: usize::MAX, budget: SEARCHED }
    }

    /// Finds or makes the place of a target's new name.
    pub(super) fn place(&mut self, target: &Target<'_>) -> Result<Pair> {
        let name = target.rename.new;
        let offset = match self.between(target.value, name) {
            Some(offset) => offset,
            None => {
                let found = self.behind(target.value, name);
                let offset = found.unwrap_or_else(|| self.append(name));
                self.cursor = offset + name.len();
                offset
            }
        };
        if let Some(range) = self.ranges.get_mut(target.value) {
            *range = (offset, offset + name.len());
        }
        let pair = u32::try_from(offset).ok().zip(u32::try_from(name.len()).ok());
        pair.filter(|_| u32::try_from(self.table.len()).is_ok()).ok_or_else(|| {
            let (what, size, limit) = ("STRTAB", self.table.len() as u64, u32::MAX.into());
            Error::nowhere(ErrorKind::TooLarge { what, size, limit })
        })
    }

    fn append(&mut self, name: &[u8]) -> usize {
        let offset = self.table.len();
        if let Cow::Borrowed(strings) = self.table {
            // Room for a few names, or for the growth that many bring.
            let mut table = Vec::with_capacity(offset + name.len() + offset / 4);
            table.extend_from_slice(strings);
            self.table = Cow::Owned(table);
        }
        self.table.to_mut().extend_from_slice(name);
        offset
    }

    /// Finds a name where LLVM would have put it, between the names of the values before and
    /// after, so that renaming back gives the record that was there.
    fn between(&self, value: usize, name: &[u8]) -> Option<usize> {
        let before = match value.checked_sub(1) {
            None => Some(0),
            Some(before) => self.ranges.get(before).map(|range| range.1),
        };
        let after = self.ranges.get(value + 1).and_then(|after| after.0.checked_sub(name.len()));
        let is_at = |&at: &usize| self.is_at(at, name);
        before.filter(is_at).or(after.filter(is_at))
    }

    fn is_at(&self, at: usize, name: &[u8]) -> bool {
        self.table.get(at..).is_some_and(|rest| rest.starts_with(name))
    }

    /// Finds a name behind the names of all other values, where an earlier rename appended
    /// it: behind the one that was found last, else anywhere.
    fn behind(&mut self, value: usize, name: &[u8]) -> Option<usize> {
        if self.is_at(self.cursor, name) {
            return Some(self.cursor);
        }
        let (next, mut end) = self.passed;
        let passed = self.ranges.get(next..value).unwrap_or_default();
        end = passed.iter().fold(end, |end, range| end.max(range.1));
        self.passed = (value, end);
        let start = end.max(self.ends.get(value + 1).copied().unwrap_or(0));
        let rest = self.table.get(start..)?;
        self.budget = self.budget.checked_sub(rest.len())?;
        last(rest, name).map(|at| start + at)
    }
}

/// Where a name, which is not empty, stands last.
pub(super) fn last(strings: &[u8], name: &[u8]) -> Option<usize> {
    let first = name.first()?;
    let starts = strings.get(..=strings.len().checked_sub(name.len())?)?;
    let is_at = |at: &usize| strings.get(*at..).is_some_and(|rest| rest.starts_with(name));
    (0..starts.len()).rev().filter(|&at| starts.get(at) == Some(first)).find(is_at)
}
