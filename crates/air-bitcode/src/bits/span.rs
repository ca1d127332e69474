//! Some of the input's bits.

use super::{BitReader, size};

/// Bits that were read: what they stand in, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span<'a> {
    data: &'a [u8],
    base: u64,
    start: u64,
    end: u64,
}

impl<'a> Span<'a> {
    /// Bits from `start` to `end` of `data`, whose first bit has the absolute offset `base`.
    #[inline(always)]
    pub(super) fn new(data: &'a [u8], base: u64, start: u64, end: u64) -> Self {
        Self { data, base, start, end }
    }

    /// The first bit, and the last + 1.
    #[inline]
    pub(crate) fn range(&self) -> (u64, u64) {
        (self.start, self.end)
    }

    /// How many bits there are.
    pub(crate) fn bits(&self) -> u64 {
        self.end - self.start
    }

    /// A reader that stands at the first bit, and sees what follows the last.
    #[inline]
    pub(crate) fn reader(&self) -> BitReader<'a> {
        BitReader::new_at(self.data, self.base, self.start)
    }

    /// A reader that stands at a bit of the span, by its position in what it stands in.
    #[inline]
    pub(crate) fn reader_at(&self, position: u64) -> BitReader<'a> {
        BitReader::new_at(self.data, self.base, position)
    }

    /// A reader of the last words alone, which begin on a byte border.
    #[inline]
    pub(crate) fn last_words(&self, words: u32) -> BitReader<'a> {
        let end = size(self.end / 8);
        let start = end.saturating_sub(words as usize * 4);
        BitReader::new(self.data.get(start..end).unwrap_or_default(), self.base + start as u64 * 8)
    }

    /// Whether it stands in what the reader reads.
    #[inline]
    pub(crate) fn is_in(&self, source: &BitReader<'_>) -> bool {
        std::ptr::eq(self.data, source.data())
    }
}
