//! Typed views of tags that others report and no measured file has.
//!
//! The layouts are second-hand: `None` means that the payload does not have the
//! reported shape, which may well be the report's fault. The tags are carried as bytes.

use crate::cursor::Cursor;
use crate::function::Function;
use crate::{BufferEntry, FourCc, Tag};

/// Tag ALIS: another name for a function. Two strings, each with its NUL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias<'t> {
    /// The other name, without NUL.
    pub alias: &'t [u8],
    /// Name of the function it stands for, without NUL.
    pub function: &'t [u8],
}

/// Tag SPCI: a specialised function. Name with NUL, 32-byte hash, u64 offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Specialization<'t> {
    /// Name, without NUL.
    pub name: &'t [u8],
    /// HASH of the base function's module.
    pub base_hash: &'t [u8],
    /// Offset in the script list.
    pub script: u64,
}

/// Tag STCI: a stitched function. u64 offset, then 32-byte hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stitching<'t> {
    /// Offset in the script list.
    pub script: u64,
    /// `HASH` of each function that is stitched, 32 bytes each.
    pub functions: Vec<&'t [u8]>,
}

impl Function<'_> {
    /// Tag ALIS, if it has the reported shape.
    #[must_use]
    pub fn alias(&self) -> Option<Alias<'_>> {
        let mut cursor = view(self.tags.get(FourCc::ALIS)?);
        let alias = cursor.cstr("alias").ok()?;
        let function = cursor.cstr("function name").ok()?;
        cursor.rest().is_empty().then_some(Alias { alias, function })
    }

    /// Tag SPCI, if it has the reported shape.
    #[must_use]
    pub fn specialization(&self) -> Option<Specialization<'_>> {
        let mut cursor = view(self.tags.get(FourCc::SPCI)?);
        let name = cursor.cstr("name").ok()?;
        let base_hash = cursor.take(32, "hash").ok()?;
        let script = cursor.u64("script offset").ok()?;
        cursor.rest().is_empty().then_some(Specialization { name, base_hash, script })
    }

    /// Tag STCI, if it has the reported shape.
    #[must_use]
    pub fn stitching(&self) -> Option<Stitching<'_>> {
        let mut cursor = view(self.tags.get(FourCc::STCI)?);
        let script = cursor.u64("script offset").ok()?;
        let hashes = cursor.rest().chunks_exact(32);
        let whole = hashes.remainder().is_empty();
        whole.then(|| Stitching { script, functions: hashes.collect() })
    }

    /// Tag ARGC or AGPC of the public group: a u16 count of older libraries.
    #[must_use]
    pub fn legacy_count(&self, id: FourCc) -> Option<u16> {
        match (id, self.public.payload(id)?) {
            (FourCc::ARGC | FourCc::AGPC, &[low, high]) => Some(u16::from_le_bytes([low, high])),
            _ => None,
        }
    }
}

impl BufferEntry<'_> {
    /// Tag RBSZ or SBSZ: size of the compressed buffer RBUZ or SBUZ when unpacked, in bytes.
    #[must_use]
    pub fn unpacked_size(&self) -> Option<u32> {
        let tag = self.tags.get(FourCc::RBSZ).or_else(|| self.tags.get(FourCc::SBSZ))?;
        tag.payload.try_into().ok().map(u32::from_le_bytes)
    }
}

fn view(tag: Tag<'_>) -> Cursor<'_> {
    Cursor::new(tag.payload, tag.offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TagList;

    fn with(id: FourCc, payload: &[u8]) -> Function<'static> {
        let mut tags = TagList::new();
        tags.push(id, payload).unwrap();
        Function { tags: tags.clone(), public: tags, ..Function::default() }
    }

    #[test]
    fn an_alias_is_two_strings() {
        let expected = Alias { alias: b"other", function: b"real" };
        assert_eq!(with(FourCc::ALIS, b"other\0real\0").alias(), Some(expected));
        assert_eq!(with(FourCc::ALIS, b"other\0real").alias(), None);
        assert_eq!(with(FourCc::ALIS, b"other\0real\0x").alias(), None);
    }

    #[test]
    fn a_specialization_is_name_hash_and_offset() {
        let payload = [b"f\0".as_slice(), &[7; 32], &9_u64.to_le_bytes()].concat();
        let function = with(FourCc::SPCI, &payload);
        let found = function.specialization().unwrap();
        assert_eq!((found.name, found.base_hash, found.script), (&b"f"[..], &[7; 32][..], 9));
        assert_eq!(with(FourCc::SPCI, &payload[..41]).specialization(), None);
    }

    #[test]
    fn a_stitched_function_is_an_offset_and_hashes() {
        let payload = [5_u64.to_le_bytes().as_slice(), &[1; 32], &[2; 32]].concat();
        let function = with(FourCc::STCI, &payload);
        let found = function.stitching().unwrap();
        assert_eq!((found.script, found.functions.len()), (5, 2));
        assert_eq!(with(FourCc::STCI, &payload[..50]).stitching(), None);
    }

    #[test]
    fn legacy_counts_are_words() {
        assert_eq!(with(FourCc::ARGC, &[3, 1]).legacy_count(FourCc::ARGC), Some(0x103));
        assert_eq!(with(FourCc::NAME, &[3, 1]).legacy_count(FourCc::NAME), None);
    }

    #[test]
    fn a_compressed_buffer_says_its_size() {
        let mut entry = BufferEntry::new(FourCc::RBUZ, b"packed").unwrap();
        assert_eq!(entry.unpacked_size(), None);
        entry.tags.push(FourCc::RBSZ, &77_u32.to_le_bytes()).unwrap();
        assert_eq!(entry.unpacked_size(), Some(77));
    }
}
