//! Buffer lists: reflection (RLST) and scripts (SLST).
//!
//! `u32 count`, then groups with a size word that counts itself. A group holds one
//! buffer tag (RBUF or SBUF, with a u32 length): zeros up to an offset in the file
//! that is a multiple of 16, then a flatbuffer. The length counts the zeros.

use crate::FourCc;
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

impl BufferEntry<'_> {
    /// A new entry around a flatbuffer; `id` is RBUF or SBUF.
    ///
    /// # Errors
    /// If the buffer is larger than 4 GiB.
    pub fn new(id: FourCc, buffer: &[u8]) -> Result<Self> {
        let mut tags = TagList::new();
        tags.push(id, buffer)?;
        Ok(Self { tags, padding: 0 })
    }

    /// The flatbuffer of the first aligned buffer tag, without padding.
    #[must_use]
    pub fn buffer(&self) -> Option<&[u8]> {
        self.tags.iter().find(|tag| is_aligned(tag.id)).map(|tag| self.content(&tag))
    }

    /// This entry around another flatbuffer: the content of its first aligned buffer tag
    /// is replaced, all else stays. As it is if it has no such tag.
    ///
    /// # Errors
    /// If the buffer is larger than 4 GiB.
    pub fn with_buffer(&self, buffer: &[u8]) -> Result<BufferEntry<'static>> {
        // Entries are many and large, and kept: of the exact size.
        let replaced = self.buffer().map_or(0, |buffer| buffer.len() + usize::from(self.padding));
        let size = (self.tags.as_bytes().len() - replaced).saturating_add(buffer.len());
        let mut tags = TagList::with_capacity(size);
        let mut done = false;
        for tag in self.tags.iter() {
            let replace = !done && is_aligned(tag.id);
            tags.push(tag.id, if replace { buffer } else { tag.payload })?;
            done |= replace;
        }
        Ok(BufferEntry { tags, padding: 0 })
    }

    /// A tag's payload without the padding.
    #[must_use]
    pub fn content<'t>(&self, tag: &Tag<'t>) -> &'t [u8] {
        let skip = if is_aligned(tag.id) { usize::from(self.padding) } else { 0 };
        tag.payload.get(skip..).unwrap_or(tag.payload)
    }

    /// Size of the encoded group if it begins at `start`.
    #[must_use]
    pub fn size_at(&self, start: u64) -> u64 {
        let stored = group_size(self.tags.as_bytes().len() as u64);
        stored - u64::from(self.padding) + u64::from(self.padding_at(start))
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
    let mut entry = BufferEntry { tags, padding: 0 };
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
