//! Blocks that hold one blob, as STRTAB and SYMTAB do.

use std::borrow::Cow;

use crate::abbrev::{Definition, FIRST_ID, Scalar, Tail, read_blob};
use crate::bits::{BitReader, BitWriter, low_word};
use crate::block::{Block, DEFINE};
use crate::error::Result;
use crate::ids;

/// A block of the form that LLVM writes: one abbreviation of a blob, and one record in it.
#[derive(Clone, Debug)]
pub(crate) struct Blob<'a> {
    /// The body.
    source: BitReader<'a>,
    /// Bits of the body before the blob's size.
    before: u64,
    /// The blob; it may be another than that of the body.
    pub(crate) bytes: Cow<'a, [u8]>,
    /// What follows the blob's padding.
    rest: &'a [u8],
}

impl<'a> Blob<'a> {
    /// Reads a block up to its blob; none if it is of another form, or damaged.
    pub(crate) fn of(block: &Block<'a>) -> Option<Self> {
        let source = block.stored()?;
        let mut reader = source;
        let id = |reader: &mut BitReader<'a>| {
            reader.fixed(block.width(), "abbreviation id").ok().map(low_word)
        };
        if id(&mut reader)? != DEFINE {
            return None;
        }
        let found = Definition::scan(&mut reader).ok()?.get().ok()?;
        let is_blob = found.code() == Scalar::Literal(ids::BLOB.into())
            && found.scalars().is_empty()
            && found.tail() == Tail::Blob;
        if !is_blob || id(&mut reader)? != FIRST_ID {
            return None;
        }
        let before = reader.position();
        let bytes = Cow::Borrowed(read_blob(&mut reader).ok()?);
        Some(Self { source, before, bytes, rest: reader.rest() })
    }

    /// The same block with another blob.
    pub(crate) fn with(self, bytes: Cow<'a, [u8]>) -> Self {
        Self { bytes, ..self }
    }

    /// Writes the body, from a 32-bit border on.
    pub(crate) fn write(&self, writer: &mut BitWriter<'_>) -> Result<()> {
        writer.copy(&mut { self.source }, self.before)?;
        writer.vbr(self.bytes.len() as u64, 6);
        writer.align();
        writer.aligned_bytes(&self.bytes);
        writer.aligned_bytes(self.rest);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::abbrev::{Abbreviation, Values};
    use crate::block::{Body, Item};
    use crate::blockinfo::BlockInfo;
    use crate::ids::block;
    use crate::record::Record;
    use crate::stream::Stream;
    use crate::write::WriteOptions;

    /// A stream of one block, which holds a blob in an abbreviation with these scalars.
    fn stream(scalars: Vec<Scalar>, blob: &[u8], behind: Option<Record<'static>>) -> Vec<u8> {
        let literal = Scalar::Literal(ids::BLOB.into());
        let operands = vec![5; scalars.len()];
        let abbreviation = Abbreviation::new(literal, scalars, Tail::Blob).unwrap();
        let values = Values { operands, blob: Some(Cow::Owned(blob.to_vec())) };
        let found = Arc::new(abbreviation.clone());
        let record = Record::with_abbreviation(FIRST_ID, found, ids::BLOB, values).unwrap();
        let mut items = vec![Item::Define(Definition::new(abbreviation)), Item::Record(record)];
        items.extend(behind.map(Item::Record));
        let blocks = vec![Block::new(block::STRTAB, 3, items)];
        let mut bytes = Vec::new();
        Stream { blocks }.write(&mut bytes, WriteOptions::default()).unwrap();
        bytes
    }

    /// What is written, with another blob put into the record, or into the block.
    fn with(bytes: &[u8], blob: &[u8]) -> [Vec<u8>; 2] {
        let mut decoded = Stream::parse(bytes, 0).unwrap();
        let items = decoded.blocks[0].open(&mut BlockInfo::default()).unwrap();
        let Item::Record(record) = &mut items[1] else { panic!("no record") };
        record.set(Values { operands: Vec::new(), blob: Some(blob.to_vec().into()) });
        let mut edited = Stream::parse(bytes, 0).unwrap();
        let found = Blob::of(&edited.blocks[0]).unwrap().with(blob.to_vec().into());
        edited.blocks[0].body = Body::Blob(Box::new(found));
        [decoded, edited].map(|stream| {
            let mut written = Vec::new();
            stream.write(&mut written, WriteOptions::default()).unwrap();
            written
        })
    }

    #[test]
    fn another_blob_is_written_as_in_the_decoded_block() {
        for behind in [None, Some(Record::new(9, vec![1, 2, 300]))] {
            for (old, new) in [(0, 1), (1, 0), (5, 31), (31, 32), (32, 5000), (5000, 3)] {
                let bytes = stream(Vec::new(), &vec![7; old], behind.clone());
                assert_eq!(
                    Stream::parse(&bytes, 0).unwrap().blob(block::STRTAB).unwrap().unwrap(),
                    vec![7; old]
                );
                let [decoded, edited] = with(&bytes, &vec![9; new]);
                assert_eq!(edited, decoded);
            }
        }
    }

    #[test]
    fn another_form_is_left_to_others() {
        let bytes = stream(vec![Scalar::Vbr(6)], b"text", None);
        let stream = Stream::parse(&bytes, 0).unwrap();
        assert!(Blob::of(&stream.blocks[0]).is_none());
        assert_eq!(stream.blob(block::STRTAB).unwrap().unwrap(), b"text");
    }
}
