//! Changes to a buffer that leave most of it as it is.

/// A buffer's new words, and what stands behind its kept part.
///
/// The reflection list of a large library takes 20 MB. What an edit changes in it are a few
/// bytes of each buffer, so only those are held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferPatch {
    /// Positions, ascending, and new values.
    words: Box<[(u32, [u8; 4])]>,
    kept: usize,
    tail: Box<[u8]>,
}

impl BufferPatch {
    /// A patch that keeps the first `kept` bytes but for `words`, which must lie in them one
    /// behind the other, and has `tail` behind them.
    pub(crate) fn new(mut words: Vec<(u32, u32)>, kept: usize, tail: Vec<u8>) -> Self {
        words.sort_unstable();
        let words = words.into_iter().map(|(at, value)| (at, value.to_le_bytes())).collect();
        Self { words, kept, tail: tail.into() }
    }

    /// Size of the patched buffer, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.kept + self.tail.len()
    }

    /// The patched buffer in parts, most of which are parts of `buffer`.
    pub fn parts<'p>(&'p self, buffer: &'p [u8]) -> impl Iterator<Item = &'p [u8]> {
        let mut start = 0;
        let words = self.words.iter().flat_map(move |(at, word)| {
            let at = *at as usize;
            let between = buffer.get(start..at).unwrap_or_default();
            start = at + word.len();
            [between, word]
        });
        let last = self.words.last().map_or(0, |(at, word)| *at as usize + word.len());
        let rest = buffer.get(last..self.kept).unwrap_or_default();
        words.chain([rest, &self.tail])
    }

    /// The patched buffer.
    #[must_use]
    pub fn apply(&self, buffer: &[u8]) -> Vec<u8> {
        let mut patched = Vec::with_capacity(self.size());
        self.parts(buffer).for_each(|part| patched.extend_from_slice(part));
        patched
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_end_are_replaced() {
        let buffer: Vec<u8> = (0..20).collect();
        let patch = BufferPatch::new(vec![(8, 0xffff_ffff), (0, 0)], 16, vec![7; 3]);
        let expected = [&[0; 4][..], &[4, 5, 6, 7], &[255; 4], &[12, 13, 14, 15], &[7; 3]];
        assert_eq!(patch.apply(&buffer), expected.concat());
        assert_eq!(patch.size(), 19);
        assert_eq!(BufferPatch::new(Vec::new(), 20, Vec::new()).apply(&buffer), buffer);
    }
}
