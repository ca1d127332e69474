//! How an edited buffer differs from the one in the library.

use std::collections::BTreeMap;

use metallib::BufferId;

/// Bytes of a field that is written over.
const FIELD: usize = 4;

/// A buffer that is mostly another one: fields of four bytes written over, and another end.
///
/// What stays is copied by range when the buffer is written, so that thousands of edited
/// buffers take little memory.
///
/// ```
/// use metallib_write::BufferDelta;
///
/// let delta = BufferDelta::between(b"aaaabbbbcc", b"aaaaBBBBcc and more");
/// assert_eq!(delta.size(), 19);
/// assert_eq!(delta.apply(b"aaaabbbbcc"), b"aaaaBBBBcc and more");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferDelta {
    /// Offsets of fields, ascending, and what they hold now.
    fields: Box<[(usize, [u8; FIELD])]>,
    /// Bytes of the old buffer that stay, but for the fields.
    kept: usize,
    /// What follows them.
    appended: Box<[u8]>,
}

impl BufferDelta {
    /// What makes `new` of `old`.
    #[must_use]
    pub fn between(old: &[u8], new: &[u8]) -> Self {
        let whole = old.len().min(new.len()) / FIELD * FIELD;
        let mut fields = Vec::new();
        let pairs = old.chunks_exact(FIELD).zip(new.chunks_exact(FIELD));
        for (index, (old, new)) in pairs.enumerate() {
            if let (true, Some(field)) = (old != new, new.first_chunk()) {
                fields.push((index * FIELD, *field));
            }
        }
        let rest = |of: &[u8]| of.get(whole..).unwrap_or_default().to_vec();
        let same = rest(old).iter().zip(rest(new)).take_while(|(a, b)| **a == *b).count();
        let kept = whole + same;
        let appended = new.get(kept..).unwrap_or_default().into();
        Self { fields: fields.into(), kept, appended }
    }

    /// Bytes of the new buffer.
    #[must_use]
    pub fn size(&self) -> u64 {
        (self.kept + self.appended.len()) as u64
    }

    /// The new buffer.
    #[must_use]
    pub fn apply(&self, old: &[u8]) -> Vec<u8> {
        let mut new = Vec::with_capacity(self.kept + self.appended.len());
        self.parts(old).for_each(|part| new.extend_from_slice(part.bytes()));
        new
    }

    /// The new buffer in parts.
    pub(crate) fn parts<'b>(&'b self, old: &'b [u8]) -> impl Iterator<Item = Part<'b>> {
        let ends = self.fields.iter().map(|(at, _)| *at).chain([self.kept]);
        let starts = std::iter::once(0).chain(self.fields.iter().map(|(at, _)| at + FIELD));
        let kept =
            starts.zip(ends).map(|(start, end)| Part::Old(old.get(start..end).unwrap_or_default()));
        let fields = self.fields.iter().map(|(_, field)| Part::New(field));
        let new = fields.chain([Part::New(&self.appended)]);
        kept.zip(new).flat_map(|(old, new)| [old, new])
    }
}

/// Some bytes of a new buffer.
pub(crate) enum Part<'b> {
    /// Of the old one.
    Old(&'b [u8]),
    New(&'b [u8]),
}

impl<'b> Part<'b> {
    fn bytes(&self) -> &'b [u8] {
        match self {
            Self::Old(bytes) | Self::New(bytes) => bytes,
        }
    }
}

/// Deltas of entries of the reflection list.
pub type BufferDeltas = BTreeMap<BufferId, BufferDelta>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_buffer_is_made_of_any_other() {
        let texts: [&[u8]; 9] = [
            b"",
            b"a",
            b"abcd",
            b"abcde",
            b"abcdefgh",
            b"abxdefgh",
            b"abcdefghijk",
            b"zzzz",
            b"abcdxfghijklmno",
        ];
        for old in texts {
            for new in texts {
                let delta = BufferDelta::between(old, new);
                assert_eq!(delta.apply(old), new);
                assert_eq!(delta.size(), new.len() as u64);
            }
        }
    }

    #[test]
    fn what_is_the_same_is_not_stored() {
        let old = [7; 1000];
        let mut new = old.to_vec();
        new[500] = 8;
        new.extend_from_slice(b"end");
        let delta = BufferDelta::between(&old, &new);
        assert_eq!((delta.fields.len(), delta.kept), (1, 1000));
        assert_eq!(&delta.appended[..], b"end");
    }
}
