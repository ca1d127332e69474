//! Tag lists: the ordered, lossless core of every part of a library.
//!
//! A tag is four bytes of name, a length (u16, or u32 for buffers and archives) and
//! the payload; a list ends with `ENDT`. A [`TagList`] keeps the bytes of all its
//! tags, so unknown ones and their order survive whatever is done to the others.

use std::borrow::Cow;

use crate::FourCc;
use crate::cursor::Cursor;
use crate::error::{Error, ErrorKind, Result};

/// One tag as it stands in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'t> {
    /// Name of the tag.
    pub id: FourCc,
    /// Its payload, without name and length.
    pub payload: &'t [u8],
    /// Absolute offset of the payload in the input; counted from the start of the
    /// list if the list was made or edited.
    pub offset: u64,
}

/// Tags in order, without the closing `ENDT`: borrowed from the input until edited.
///
/// ```
/// use metallib::{FourCc, TagList};
///
/// let mut tags = TagList::new();
/// tags.push(FourCc::TYPE, &[2])?;
/// tags.push(FourCc::new(*b"ABCD"), b"unknown")?;
/// tags.set(FourCc::TYPE, &[4])?;
/// assert_eq!(tags.payload(FourCc::TYPE), Some(&[4u8][..]));
/// assert_eq!(tags.iter().count(), 2);
/// # Ok::<(), metallib::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TagList<'a> {
    bytes: Cow<'a, [u8]>,
    offset: u64,
}

/// Two lists are equal if their bytes are, wherever they stood.
impl PartialEq for TagList<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for TagList<'_> {}

impl<'a> TagList<'a> {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads tags up to and with `ENDT`.
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let start = *cursor;
        loop {
            let bytes = cursor.since(&start);
            match next_tag(cursor)? {
                Some(_) => {}
                None => return Ok(Self { bytes: Cow::Borrowed(bytes), offset: start.offset() }),
            }
        }
    }

    /// The encoded tags, without `ENDT`.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Absolute offset of the first tag in the input; 0 if the list was made.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether there is no tag.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The tags in order.
    pub fn iter(&self) -> impl Iterator<Item = Tag<'_>> {
        let mut rest: &[u8] = &self.bytes;
        let mut offset = self.offset;
        // The bytes were checked when they were read or made, so they end with a tag.
        std::iter::from_fn(move || {
            let (id, head, payload) = split_tag(rest)?;
            let tag = Tag { id, payload, offset: offset + head as u64 };
            let size = head + payload.len();
            rest = rest.get(size..)?;
            offset += size as u64;
            Some(tag)
        })
    }

    /// The first tag of this name.
    #[must_use]
    pub fn get(&self, id: FourCc) -> Option<Tag<'_>> {
        self.iter().find(|tag| tag.id == id)
    }

    /// Payload of the first tag of this name.
    #[must_use]
    pub fn payload(&self, id: FourCc) -> Option<&[u8]> {
        self.get(id).map(|tag| tag.payload)
    }

    /// Appends a tag.
    ///
    /// # Errors
    /// If the payload is longer than the tag's length field can say.
    pub fn push(&mut self, id: FourCc, payload: &[u8]) -> Result<()> {
        encode_tag(self.bytes.to_mut(), id, payload)
    }

    /// Replaces the first tag of this name in its place, or appends it.
    ///
    /// # Errors
    /// If the payload is longer than the tag's length field can say.
    pub fn set(&mut self, id: FourCc, payload: &[u8]) -> Result<()> {
        let range = self.get(id).map(|tag| {
            let end = tag.offset - self.offset + tag.payload.len() as u64;
            let start = end - tag_size(tag.id, tag.payload.len() as u64);
            usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0)
        });
        let range = range.unwrap_or(self.bytes.len()..self.bytes.len());
        let before = self.bytes.get(..range.start).unwrap_or_default();
        let after = self.bytes.get(range.end..).unwrap_or_default();
        // Of the exact size: a library may have thousands of these.
        let size = tag_size(id, payload.len() as u64) + (before.len() + after.len()) as u64;
        let mut edited = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        edited.extend_from_slice(before);
        encode_tag(&mut edited, id, payload)?;
        edited.extend_from_slice(after);
        self.replace_bytes(edited);
        Ok(())
    }

    /// Keeps the tags for which `keep` says yes; tells whether any went.
    pub fn retain(&mut self, mut keep: impl FnMut(&Tag<'_>) -> bool) -> bool {
        let mut edited = Vec::new();
        let mut removed = false;
        for tag in self.iter() {
            if keep(&tag) {
                // A tag that was read fits its own length field.
                let _ = encode_tag(&mut edited, tag.id, tag.payload);
            } else {
                removed = true;
            }
        }
        if removed {
            self.replace_bytes(edited);
        }
        removed
    }

    /// Brings the tags named in `order` into that order.
    ///
    /// A tag that `order` does not name stays behind the tag it followed.
    pub fn reorder(&mut self, order: &[FourCc]) {
        let mut runs: Vec<(usize, Vec<u8>)> = vec![(0, Vec::new())];
        for tag in self.iter() {
            if let Some(rank) = order.iter().position(|&id| id == tag.id) {
                runs.push((rank + 1, Vec::new()));
            }
            if let Some((_, run)) = runs.last_mut() {
                let _ = encode_tag(run, tag.id, tag.payload);
            }
        }
        runs.sort_by_key(|(rank, _)| *rank);
        let edited: Vec<u8> = runs.into_iter().flat_map(|(_, run)| run).collect();
        if edited != *self.bytes {
            self.replace_bytes(edited);
        }
    }

    fn replace_bytes(&mut self, bytes: Vec<u8>) {
        self.bytes = Cow::Owned(bytes);
        self.offset = 0;
    }
}

/// Takes the tag at the start of `bytes` apart: name, size of name and length, payload.
/// `None` if the bytes end before it does.
#[inline]
fn split_tag(bytes: &[u8]) -> Option<(FourCc, usize, &[u8])> {
    let (name, rest) = bytes.split_first_chunk::<4>()?;
    let id = FourCc::new(*name);
    let (head, length) = if id.has_wide_length() {
        (8, u32::from_le_bytes(*rest.first_chunk()?) as usize)
    } else {
        (6, usize::from(u16::from_le_bytes(*rest.first_chunk()?)))
    };
    Some((id, head, bytes.get(head..)?.get(..length)?))
}

/// Reads a tag; `None` for `ENDT`.
pub(crate) fn next_tag<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Tag<'a>>> {
    if cursor.rest().starts_with(&FourCc::ENDT.bytes()) {
        cursor.take(4, "tag")?;
        return Ok(None);
    }
    let Some((id, head, payload)) = split_tag(cursor.rest()) else {
        return Err(cut_tag(cursor));
    };
    let offset = cursor.offset() + head as u64;
    cursor.take((head + payload.len()) as u64, "tag")?;
    Ok(Some(Tag { id, payload, offset }))
}

/// The error for a tag that the list ends in.
#[cold]
fn cut_tag(cursor: &mut Cursor<'_>) -> Error {
    let start = cursor.offset();
    let Ok(name) = cursor.take(4, "tag") else {
        return Error::new(ErrorKind::MissingEnd, start);
    };
    let id = FourCc::new(name.try_into().unwrap_or_default());
    let length = if id.has_wide_length() {
        cursor.u32("tag length").map(u64::from)
    } else {
        cursor.u16("tag length").map(u64::from)
    };
    match length.and_then(|length| cursor.take(length, "tag payload")) {
        Err(error) => error.within(format_args!("tag {id}")),
        Ok(_) => Error::new(ErrorKind::MissingEnd, start),
    }
}

/// Appends an encoded tag.
pub(crate) fn encode_tag(out: &mut Vec<u8>, id: FourCc, payload: &[u8]) -> Result<()> {
    let limit = if id.has_wide_length() { u32::MAX } else { u16::MAX.into() };
    let length = u32::try_from(payload.len()).ok().filter(|&length| length <= limit);
    let length = length.ok_or_else(|| {
        let (what, size, limit) = ("tag payload", payload.len() as u64, limit.into());
        Error::new(ErrorKind::TooLarge { what, size, limit }, 0).within(format_args!("tag {id}"))
    })?;
    let width = if id.has_wide_length() { 4 } else { 2 };
    out.extend_from_slice(&id.bytes());
    out.extend_from_slice(length.to_le_bytes().get(..width).unwrap_or_default());
    out.extend_from_slice(payload);
    Ok(())
}

/// Size of an encoded tag with this payload, in bytes.
pub(crate) fn tag_size(id: FourCc, payload: u64) -> u64 {
    payload + if id.has_wide_length() { 8 } else { 6 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: FourCc = FourCc::new(*b"XXXX");

    fn list(tags: &[(FourCc, &[u8])]) -> TagList<'static> {
        let mut list = TagList::new();
        tags.iter().for_each(|(id, payload)| list.push(*id, payload).unwrap());
        list
    }

    fn read(bytes: &[u8]) -> Result<TagList<'_>> {
        TagList::read(&mut Cursor::new(bytes, 0x100))
    }

    #[test]
    fn reading_borrows_and_knows_offsets() {
        let bytes = b"TYPE\x01\0\x02SARC\x03\0\0\0abcENDTrest";
        let tags = read(bytes).unwrap();
        assert_eq!(tags.as_bytes(), &bytes[..18]);
        let found: Vec<_> = tags.iter().collect();
        assert_eq!(found[0], Tag { id: FourCc::TYPE, payload: &[2], offset: 0x106 });
        assert_eq!(found[1], Tag { id: FourCc::SARC, payload: b"abc", offset: 0x10f });
    }

    #[test]
    fn a_list_without_end_is_an_error() {
        for (bytes, message) in [
            (&b""[..], "tag list ends without ENDT (offset 0x100)"),
            (b"TYPE\x01\0\x02", "tag list ends without ENDT (offset 0x107)"),
            (b"TYPE\x01\0\x02END", "tag list ends without ENDT (offset 0x107)"),
            (b"TYPE\x01", "tag length needs 2 bytes, 1 are left (offset 0x104, tag TYPE)"),
            (b"TYPE\x05\0\x02", "tag payload needs 5 bytes, 1 are left (offset 0x106, tag TYPE)"),
            (
                b"RBUF\x05\0\0\x01\x02",
                "tag payload needs 16777221 bytes, 1 are left (offset 0x108, tag RBUF)",
            ),
        ] {
            assert_eq!(read(bytes).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn setting_replaces_the_first_in_its_place() {
        let mut tags = list(&[(X, b"1"), (FourCc::TYPE, &[0]), (X, b"2")]);
        tags.set(X, b"new").unwrap();
        assert_eq!(tags, list(&[(X, b"new"), (FourCc::TYPE, &[0]), (X, b"2")]));
        tags.set(FourCc::LAYR, &[33]).unwrap();
        assert_eq!(tags.iter().last().unwrap().id, FourCc::LAYR);
    }

    #[test]
    fn retaining_everything_changes_nothing() {
        let bytes = b"TYPE\x01\0\x02ENDT";
        let mut tags = read(bytes).unwrap();
        assert!(!tags.retain(|_| true));
        assert_eq!(tags.offset(), 0x100);
        assert!(tags.retain(|tag| tag.id != FourCc::TYPE));
        assert!(tags.is_empty());
    }

    #[test]
    fn reordering_keeps_unknown_tags_behind_what_they_followed() {
        let order = [FourCc::NAME, FourCc::TYPE];
        let front = (X, &b"front"[..]);
        let mut tags = list(&[
            front,
            (FourCc::TYPE, &[1]),
            (X, b"type"),
            (FourCc::NAME, b"n\0"),
            (X, b"name"),
        ]);
        tags.reorder(&order);
        let expected = list(&[
            front,
            (FourCc::NAME, b"n\0"),
            (X, b"name"),
            (FourCc::TYPE, &[1]),
            (X, b"type"),
        ]);
        assert_eq!(tags, expected);
    }

    #[test]
    fn a_payload_longer_than_its_length_field_is_refused() {
        let mut tags = TagList::new();
        let error = tags.push(FourCc::NAME, &vec![0; 65_536]).unwrap_err();
        let message = "tag payload is 65536 bytes, the format allows 65535 (offset 0x0, tag NAME)";
        assert_eq!(error.to_string(), message);
        assert!(tags.is_empty());
        tags.push(FourCc::RBUF, &vec![0; 65_536]).unwrap();
        assert_eq!(tags.as_bytes().len(), 65_544);
    }
}
