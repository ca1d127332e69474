//! Buffer lists: reflection (RLST) and scripts (SLST).
//!
//! `u32 count`, then groups with a size word that counts itself. A group holds one
//! buffer tag (RBUF or SBUF, with a u32 length): zeros up to an offset in the file
//! that is a multiple of 16, then a flatbuffer. The length counts the zeros.

use std::borrow::Cow;

use crate::FourCc;
use crate::buffer_patch::BufferPatch;
use crate::cursor::Cursor;
use crate::error::Result;
use crate::group::{SizeWord, group_size, read_list};
use crate::irregular::Irregularities;
use crate::tags::{Tag, TagList, tag_size};

/// Buffers begin at an offset in the file that is a multiple of this.
pub const BUFFER_ALIGNMENT: u64 = 16;

/// One group of a buffer list.
#[derive(Clone, Debug)]
pub struct BufferEntry<'a> {
    /// Tags in order; the payload of RBUF or SBUF begins with [`padding`](Self::padding) zeros.
    pub tags: TagList<'a>,
    /// Zeros in front of the flatbuffer as the entry stands in the input.
    pub padding: u8,
    /// Changes to the buffer of the only aligned tag.
    patch: Option<Box<BufferPatch>>,
}

/// Two entries are equal if their tags are, whatever padding they needed.
impl PartialEq for BufferEntry<'_> {
    fn eq(&self, other: &Self) -> bool {
        let mut ours = self.tags.iter();
        let mut theirs = other.tags.iter();
        loop {
            match (ours.next(), theirs.next()) {
                (None, None) => return true,
                (Some(a), Some(b)) if a.id == b.id && self.content(&a) == other.content(&b) => {}
                _ => return false,
            }
        }
    }
}

impl Eq for BufferEntry<'_> {}

/// An entry of tags without padding.
impl<'a> From<TagList<'a>> for BufferEntry<'a> {
    fn from(tags: TagList<'a>) -> Self {
        Self { tags, padding: 0, patch: None }
    }
}

impl<'a> BufferEntry<'a> {
    /// A new entry around a flatbuffer; `id` is RBUF or SBUF.
    ///
    /// # Errors
    /// If the buffer is larger than 4 GiB.
    pub fn new(id: FourCc, buffer: &[u8]) -> Result<Self> {
        let mut tags = TagList::new();
        tags.push(id, buffer)?;
        Ok(tags.into())
    }

    /// The flatbuffer of the first aligned buffer tag, without padding.
    #[must_use]
    pub fn buffer(&self) -> Option<Cow<'_, [u8]>> {
        self.tags.iter().find(|tag| is_aligned(tag.id)).map(|tag| self.content(&tag))
    }

    /// This entry with its buffer changed; `None` if it has not exactly one.
    #[must_use]
    pub fn patched(&self, patch: BufferPatch) -> Option<BufferEntry<'a>> {
        let mut aligned = self.tags.iter().filter(|tag| is_aligned(tag.id));
        let (tag, None) = (aligned.next()?, aligned.next()) else { return None };
        let patch = match &self.patch {
            None => patch,
            // A second patch is rare: it takes the whole buffer, made anew.
            Some(first) => {
                let twice = patch.apply(&first.apply(self.stored(&tag)));
                BufferPatch::new(Vec::new(), 0, twice)
            }
        };
        let (tags, patch) = (self.tags.clone(), Some(Box::new(patch)));
        Some(Self { tags, padding: self.padding, patch })
    }

    /// A tag's payload without the padding.
    #[must_use]
    pub fn content<'t>(&'t self, tag: &Tag<'t>) -> Cow<'t, [u8]> {
        match self.patch_of(tag) {
            Some(patch) => Cow::Owned(patch.apply(self.stored(tag))),
            None => Cow::Borrowed(self.stored(tag)),
        }
    }

    /// What [`content`](Self::content) gives, in parts and without copying.
    pub fn content_parts<'t>(&'t self, tag: &Tag<'t>) -> impl Iterator<Item = &'t [u8]> {
        let stored = self.stored(tag);
        let patch = self.patch_of(tag);
        let parts = patch.map(|patch| patch.parts(stored));
        parts.into_iter().flatten().chain(patch.is_none().then_some(stored))
    }

    /// Size of what [`content`](Self::content) gives, in bytes.
    #[must_use]
    pub fn content_size(&self, tag: &Tag<'_>) -> usize {
        self.patch_of(tag).map_or_else(|| self.stored(tag).len(), BufferPatch::size)
    }

    fn patch_of(&self, tag: &Tag<'_>) -> Option<&BufferPatch> {
        self.patch.as_deref().filter(|_| is_aligned(tag.id))
    }

    /// A tag's payload in the input, without the padding.
    fn stored<'t>(&self, tag: &Tag<'t>) -> &'t [u8] {
        let skip = if is_aligned(tag.id) { usize::from(self.padding) } else { 0 };
        tag.payload.get(skip..).unwrap_or(tag.payload)
    }

    /// Size of the encoded group if it begins at `start`.
    #[must_use]
    pub fn size_at(&self, start: u64) -> u64 {
        let mut size = group_size(self.tags.as_bytes().len() as u64) - u64::from(self.padding);
        if let Some(patch) = &self.patch
            && let Some(tag) = self.tags.iter().find(|tag| is_aligned(tag.id))
        {
            size = size - self.stored(&tag).len() as u64 + patch.size() as u64;
        }
        size + u64::from(self.padding_at(start))
    }

    /// Zeros that the flatbuffer needs if the group begins at `start`.
    #[must_use]
    pub fn padding_at(&self, start: u64) -> u8 {
        // The first aligned tag lies behind the size word and the tags in front of it.
        let mut position = start + 4;
        for tag in self.tags.iter() {
            if is_aligned(tag.id) {
                return padding_to_alignment(position + 8);
            }
            position += tag_size(tag.id, tag.payload.len() as u64);
        }
        0
    }
}

/// Whether the tag's payload is aligned in the file.
#[must_use]
pub fn is_aligned(id: FourCc) -> bool {
    id == FourCc::RBUF || id == FourCc::SBUF
}

fn padding_to_alignment(position: u64) -> u8 {
    let padding = position.next_multiple_of(BUFFER_ALIGNMENT) - position;
    u8::try_from(padding).unwrap_or_default()
}

/// Content of section RLST or SLST.
#[derive(Clone, Debug, Default)]
pub struct BufferList<'a> {
    entries: Vec<BufferEntry<'a>>,
    /// Offset of each entry's size word in the section, as read.
    starts: Vec<u64>,
}

impl<'a> BufferList<'a> {
    /// The entries, in order.
    #[must_use]
    pub fn entries(&self) -> &[BufferEntry<'a>] {
        &self.entries
    }

    /// The entries, to change them.
    pub fn entries_mut(&mut self) -> &mut [BufferEntry<'a>] {
        &mut self.entries
    }

    /// Appends an entry.
    pub fn push(&mut self, entry: BufferEntry<'a>) {
        self.entries.push(entry);
    }

    /// Index of the entry whose size word stands at this offset of the section.
    pub(crate) fn find(&self, start: u64) -> Option<usize> {
        self.starts.binary_search(&start).ok()
    }

    pub(crate) fn read(
        cursor: &mut Cursor<'a>,
        irregular: &mut Irregularities,
    ) -> Result<BufferList<'a>> {
        let mut list = Self::default();
        let mut unaligned = Irregularities::default();
        let base = cursor.offset();
        let rule = SizeWord::Inclusive;
        read_list(cursor, "buffer", rule, irregular, |_, start, tags| {
            let entry = entry_from(tags, start, &mut unaligned);
            list.entries.push(entry);
            list.starts.push(start - base);
            Ok(())
        })?;
        irregular.append(unaligned);
        Ok(list)
    }
}

/// Finds out how many of the payload's first bytes are padding.
fn entry_from<'a>(
    tags: TagList<'a>,
    start: u64,
    irregular: &mut Irregularities,
) -> BufferEntry<'a> {
    let mut entry = BufferEntry::from(tags);
    let expected = entry.padding_at(start);
    let mut aligned = entry.tags.iter().filter(|tag| is_aligned(tag.id));
    let first = aligned.next().map(|tag| {
        let zeros = tag.payload.get(..usize::from(expected));
        (tag.id, tag.offset, zeros.is_some_and(|zeros| zeros.iter().all(|&byte| byte == 0)))
    });
    if let Some(tag) = aligned.next() {
        irregular.note(tag.offset, format!("{} occurs twice in one entry", tag.id));
    }
    drop(aligned);
    match first {
        Some((_, _, true)) => entry.padding = expected,
        Some((id, offset, false)) => {
            irregular.note(offset, format!("{id} is not aligned to 16 bytes"));
        }
        None => {}
    }
    entry
}
