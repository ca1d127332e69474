//! Reflection buffers: the flatbuffers of section RLST, identifier `AIRR`.
//!
//! The root table's slot 6 is the vector of nodes. A node is a table: slot 4 its type
//! (u32), slot 6 its body. Bodies of functions (types 1 to 8) have their name in slot 4.
//! Everything else is carried as bytes: encoding a flatbuffer anew would not give the
//! same bytes.

use byteorder::{ByteOrder, LittleEndian};

use crate::buffer_patch::BufferPatch;

/// Bytes 4 to 8 of a reflection buffer.
pub const REFLECTION_IDENTIFIER: [u8; 4] = *b"AIRR";

/// Slots of the tables, as byte offsets in the vtable.
const ROOT_NODES: usize = 6;
const NODE_TYPE: usize = 4;
const NODE_BODY: usize = 6;
const BODY_NAME: usize = 4;

/// Node types of functions: fragment, kernel, vertex, visible, intersection, mesh,
/// object, Core Image.
const FUNCTION_NODES: std::ops::RangeInclusive<u32> = 1..=8;

/// A read-only view of a reflection buffer.
///
/// Offsets are checked as they are followed; what leads out of the buffer is not there.
#[derive(Clone, Copy, Debug)]
pub struct Reflection<'a> {
    buffer: &'a [u8],
}

/// Where a function's name is said: the field that points at it, and the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NameField<'a> {
    position: usize,
    string: usize,
    text: &'a [u8],
}

impl<'a> Reflection<'a> {
    /// A view of a buffer; `None` if it does not have the identifier.
    #[must_use]
    pub fn new(buffer: &'a [u8]) -> Option<Self> {
        (buffer.get(4..8) == Some(&REFLECTION_IDENTIFIER)).then_some(Self { buffer })
    }

    /// Names of the functions that the buffer describes, in the order of their nodes.
    pub fn function_names(&self) -> impl Iterator<Item = &'a [u8]> {
        self.name_fields().map(|field| field.text)
    }

    /// The buffer with functions named `old` called `new`; `None` if there is none.
    #[must_use]
    pub fn renamed(&self, old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
        let (count, patch) = self.rename(|name| (name == old).then_some(new))?;
        (count > 0).then(|| patch.apply(self.buffer))
    }

    /// What gives the functions other names, all at once, so that two may swap theirs.
    /// `new` says the new name of a function, or `None` if it keeps its own. Gives the number
    /// of functions for which there was one; `None` if the buffer would be too large.
    ///
    /// A new name is appended, unless the buffer holds it already. An old name is removed if it
    /// is the last thing in the buffer and no word of it seems to point there; nothing else
    /// moves. So renaming back gives the buffer of an executable's function as it was, unless a
    /// word only seemed to point at the name in between: then that stays behind.
    pub fn rename<'n>(
        &self,
        new: impl Fn(&'a [u8]) -> Option<&'n [u8]>,
    ) -> Option<(usize, BufferPatch)> {
        let named = |field: NameField<'a>| Some((field, new(field.text)?));
        let mut fields: Vec<_> = self.name_fields().filter_map(named).collect();
        let count = fields.len();
        fields.retain(|(field, new)| field.text != *new);
        // In the order of their strings, for which renaming back appends them in that order.
        fields.sort_by_key(|(field, _)| field.string);
        let used = self.used(&fields);
        let kept = Self { buffer: self.buffer.get(..used)? };
        let mut words = Vec::with_capacity(fields.len());
        let mut tail = Vec::with_capacity(fields.iter().map(|(_, new)| new.len() + 11).sum());
        if !fields.is_empty() {
            tail.resize(used.next_multiple_of(4) - used, 0);
        }
        for (field, new) in fields {
            let string = match kept.find_string(field.position + 4, new) {
                Some(position) => position,
                None => {
                    let position = used + tail.len();
                    append_string(&mut tail, new)?;
                    position
                }
            };
            let distance = u32::try_from(string.checked_sub(field.position)?).ok()?;
            words.push((u32::try_from(field.position).ok()?, distance));
        }
        Some((count, BufferPatch::new(words, used, tail)))
    }

    /// Length of the buffer without the names that end it and that only `fields`, in the
    /// order of their strings, point at.
    fn used(&self, fields: &[(NameField<'a>, &[u8])]) -> usize {
        let mut end = self.buffer.len();
        for (field, _) in fields.iter().rev() {
            let string = field.string;
            let is_ours = |at| fields.iter().any(|(field, _)| field.position == at);
            let text_end = string + 4 + field.text.len();
            let is_last = (text_end + 1).next_multiple_of(4) == end
                && string.is_multiple_of(4)
                && self
                    .buffer
                    .get(text_end..end)
                    .is_some_and(|zeros| zeros.iter().all(|&b| b == 0));
            let points = |&(at, word): &(usize, u32)| usize::try_from(word) == Ok(string - at);
            let mut others = self.words(0, string).filter(points);
            if string < end && is_last && others.all(|(at, _)| is_ours(at)) {
                end = string;
            } else if string < end {
                break;
            }
        }
        end
    }

    fn name_fields(&self) -> impl Iterator<Item = NameField<'a>> {
        let this = *self;
        let nodes = this.root().and_then(|root| this.vector(this.field(root, ROOT_NODES)?));
        nodes.into_iter().flatten().filter_map(move |position| {
            let node = this.follow(position)?;
            let kind = this.u32(this.field(node, NODE_TYPE)?)?;
            FUNCTION_NODES.contains(&kind).then_some(())?;
            let body = this.follow(this.field(node, NODE_BODY)?)?;
            let position = this.field(body, BODY_NAME)?;
            let string = this.follow(position)?;
            Some(NameField { position, string, text: this.string(string)? })
        })
    }

    fn root(&self) -> Option<usize> {
        self.follow(0)
    }

    fn u32(&self, position: usize) -> Option<u32> {
        Some(u32::from_le_bytes(*self.buffer.get(position..)?.first_chunk()?))
    }

    fn u16(&self, position: usize) -> Option<usize> {
        Some(usize::from(u16::from_le_bytes(*self.buffer.get(position..)?.first_chunk()?)))
    }

    /// Where the offset at this position points.
    fn follow(&self, position: usize) -> Option<usize> {
        position.checked_add(usize::try_from(self.u32(position)?).ok()?)
    }

    /// Position of a table's field; `None` if the table does not have it.
    fn field(&self, table: usize, slot: usize) -> Option<usize> {
        let back = i64::from(self.u32(table)?.cast_signed());
        let vtable = usize::try_from(i64::try_from(table).ok()? - back).ok()?;
        (slot < self.u16(vtable)?).then_some(())?;
        let offset = self.u16(vtable.checked_add(slot)?)?;
        (offset != 0).then(|| table + offset)
    }

    /// Positions of the elements of the vector of offsets that a field points at.
    fn vector(&self, field: usize) -> Option<impl Iterator<Item = usize> + use<'a>> {
        let start = self.follow(field)?;
        let count = usize::try_from(self.u32(start)?).ok()?;
        let room = self.buffer.len().saturating_sub(start) / 4;
        Some((1..=count.min(room)).map(move |index| start + 4 * index))
    }

    fn string(&self, position: usize) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u32(position)?).ok()?;
        self.buffer.get(position.checked_add(4)?..)?.get(..length)
    }

    /// Position of a string, 4-aligned as they all are, from `first` on.
    fn find_string(&self, first: usize, text: &[u8]) -> Option<usize> {
        let length = u32::try_from(text.len()).ok()?;
        let is_at = |start: usize| {
            let rest = self.buffer.get(start + 4..).and_then(|rest| rest.strip_prefix(text));
            rest.is_some_and(|rest| rest.starts_with(&[0]))
        };
        let words = self.words(first.next_multiple_of(4), self.buffer.len());
        words.filter(|(_, word)| *word == length).map(|(at, _)| at).find(|&at| is_at(at))
    }

    /// Whole words from `start`, a multiple of 4, to `end`, with their positions.
    fn words(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, u32)> {
        let words = self.buffer.get(start..end).unwrap_or_default().chunks_exact(4);
        (start..).step_by(4).zip(words.map(LittleEndian::read_u32))
    }
}

/// Appends a string to what is to stand at a multiple of 4: u32 length, text, NUL, zeros to
/// a multiple of 4.
fn append_string(out: &mut Vec<u8>, text: &[u8]) -> Option<()> {
    out.extend_from_slice(&u32::try_from(text.len()).ok()?.to_le_bytes());
    out.extend_from_slice(text);
    out.push(0);
    let zeros = (text.len() + 1).next_multiple_of(4) - text.len() - 1;
    out.resize(out.len() + zeros, 0);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root with one kernel node called `name`, made by hand.
    fn kernel(name: &[u8]) -> Vec<u8> {
        let mut buffer = Vec::new();
        let word =
            |buffer: &mut Vec<u8>, value: u32| buffer.extend_from_slice(&value.to_le_bytes());
        let half =
            |buffer: &mut Vec<u8>, value: u16| buffer.extend_from_slice(&value.to_le_bytes());
        word(&mut buffer, 20); // root table
        buffer.extend_from_slice(b"AIRR");
        // Root's vtable at 8: size 8, table 8, no version, nodes at 4.
        for value in [8, 8, 0, 4] {
            half(&mut buffer, value);
        }
        word(&mut buffer, 0); // padding, at 16
        word(&mut buffer, 12); // root at 20: vtable 12 bytes back
        word(&mut buffer, 4); // nodes: vector at 28
        word(&mut buffer, 1); // one node
        word(&mut buffer, 12); // node table at 44
        for value in [8, 12, 4, 8] {
            half(&mut buffer, value); // node's vtable at 36
        }
        word(&mut buffer, 8); // node at 44
        word(&mut buffer, 2); // kernel
        word(&mut buffer, 12); // body at 64
        for value in [6, 8, 4, 0] {
            half(&mut buffer, value); // body's vtable at 56
        }
        word(&mut buffer, 8); // body at 64
        word(&mut buffer, 4); // name at 72
        append_string(&mut buffer, name).unwrap();
        buffer
    }

    fn names(buffer: &[u8]) -> Vec<&[u8]> {
        Reflection::new(buffer).unwrap().function_names().collect()
    }

    #[test]
    fn a_name_is_found_and_replaced() {
        let buffer = kernel(b"add");
        assert_eq!(names(&buffer), [b"add"]);
        let reflection = Reflection::new(&buffer).unwrap();
        assert_eq!(reflection.renamed(b"other", b"x"), None);
        let renamed = reflection.renamed(b"add", b"ns::a longer name").unwrap();
        assert_eq!(names(&renamed), [b"ns::a longer name"]);
        assert_eq!(renamed.len() % 4, 0);
        let back =
            Reflection::new(&renamed).unwrap().renamed(b"ns::a longer name", b"add").unwrap();
        assert_eq!(back, buffer);
    }

    #[test]
    fn renaming_to_the_same_name_is_the_identity() {
        let buffer = kernel(b"add");
        assert_eq!(Reflection::new(&buffer).unwrap().renamed(b"add", b"add"), Some(buffer));
    }

    /// Whatever a byte says, nothing is read outside the buffer.
    #[test]
    fn every_changed_byte_is_survived() {
        let buffer = kernel(b"add");
        for index in 0..buffer.len() {
            for value in 0..=u8::MAX {
                let mut changed = buffer.clone();
                changed[index] = value;
                if let Some(reflection) = Reflection::new(&changed) {
                    let _ = reflection.function_names().count();
                    let _ = reflection.renamed(b"add", b"new");
                }
            }
        }
    }
}
