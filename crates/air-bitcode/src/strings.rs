//! `METADATA_STRINGS`: all strings of a metadata block in one record.
//!
//! Operands: how many strings, and where in the blob their characters begin. The blob is
//! the lengths as 6-bit variable-width integers, padded to 32 bits, then the characters.

use std::borrow::Cow;

use crate::abbrev::Values;
use crate::bits::{BitReader, BitWriter, size};
use crate::error::{Error, ErrorKind, Result};

/// The bits of chunks of 6 that say whether more chunks follow, of as many as one look shows.
const LONGER: u64 = 0o40_40_40_40_40_40_40_40_40;

/// The strings of a `METADATA_STRINGS` record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strings<'v> {
    count: u64,
    lengths: &'v [u8],
    characters: &'v [u8],
}

impl<'v> Strings<'v> {
    /// The strings of a record with these first operands, so many in all, and this blob.
    pub(crate) fn of(
        ([count, offset, _], found): ([u64; 3], usize),
        blob: Option<&'v [u8]>,
    ) -> Result<Self> {
        let (Some(blob), 2) = (blob, found) else {
            return Err(bad("METADATA_STRINGS that is not two operands and a blob"));
        };
        match blob.split_at_checked(size(offset)) {
            Some((lengths, characters)) => Ok(Self { count, lengths, characters }),
            None => Err(bad(format!("characters at {offset}, the blob has {} bytes", blob.len()))),
        }
    }

    /// How many strings there are, as far as there is room for their lengths.
    pub(crate) fn expected(&self) -> usize {
        size(self.count).min(self.lengths.len() * 2)
    }

    /// Calls `each` with each string.
    pub(crate) fn walk(self, each: impl FnMut(&'v [u8])) -> Result<()> {
        self.walk_some(u32::MAX, |_| true, each)
    }

    /// Calls `each` with each string whose length is wanted. `short` says it of lengths below
    /// 32, as nearly all are: a bit for each.
    #[inline]
    pub(crate) fn walk_some(
        self,
        short: u32,
        is_wanted: impl Fn(usize) -> bool,
        mut each: impl FnMut(&'v [u8]),
    ) -> Result<()> {
        let mut reader = BitReader::new(self.lengths, 0);
        let mut left = self.characters;
        let mut count = self.count;
        while count > 0 {
            // Lengths of one chunk, as many as one look shows, and one longer.
            let (mut lengths, shown) = (reader.look(), reader.remaining().min(BitReader::LOOK));
            let longer = u64::from((lengths & LONGER).trailing_zeros());
            let chunks = (longer.min(shown) / 6).min(count);
            for _ in 0..chunks {
                let length = lengths & 31;
                let (string, rest) = split(left, size(length))?;
                if short >> length & 1 != 0 {
                    each(string);
                }
                (left, lengths) = (rest, lengths >> 6);
            }
            reader.skip(chunks * 6, "length of a string")?;
            count -= chunks;
            if count > 0 {
                let length = size(reader.vbr(6, "length of a string")?);
                let (string, rest) = split(left, length)?;
                if is_wanted(length) {
                    each(string);
                }
                (left, count) = (rest, count - 1);
            }
        }
        Ok(())
    }
}

#[inline(always)]
fn split(left: &[u8], length: usize) -> Result<(&[u8], &[u8])> {
    left.split_at_checked(length).ok_or_else(|| {
        let left = left.len();
        bad(format!("string of {length} bytes, {left} are left in the blob"))
    })
}

#[cold]
fn bad(what: impl Into<String>) -> Error {
    Error::nowhere(ErrorKind::Value { what: what.into() })
}

/// The values of a `METADATA_STRINGS` record of these strings.
pub(crate) fn encode(strings: &[impl AsRef<[u8]>]) -> Values<'static> {
    let total = strings.iter().map(|string| string.as_ref().len()).sum::<usize>();
    let mut blob = Vec::with_capacity(total + strings.len() * 2 + 4);
    let mut writer = BitWriter::new(&mut blob);
    strings.iter().for_each(|string| writer.vbr(string.as_ref().len() as u64, 6));
    writer.align();
    let offset = blob.len() as u64;
    strings.iter().for_each(|string| blob.extend_from_slice(string.as_ref()));
    Values { operands: vec![strings.len() as u64, offset], blob: Some(Cow::Owned(blob)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(values: &Values<'_>) -> Result<Vec<Vec<u8>>> {
        let mut strings = Vec::new();
        let operands = [values.operands[0], values.operands[1], 0];
        Strings::of((operands, 2), values.blob.as_deref())?
            .walk(|string| strings.push(string.to_vec()))?;
        Ok(strings)
    }

    #[test]
    fn strings_come_back() {
        let strings: Vec<Vec<u8>> = (0..40).map(|n| vec![b'x'; n * 7]).collect();
        let values = encode(&strings);
        assert_eq!(values.operands, [40, 60]);
        assert_eq!(decode(&values).unwrap(), strings);
    }

    #[test]
    fn a_string_behind_the_end_is_an_error() {
        let mut values = encode(&["abc"]);
        values.operands[0] = 2;
        assert_eq!(decode(&values).unwrap(), [b"abc".as_slice(), b""]);
        values.operands[1] = 5;
        assert_eq!(
            decode(&values).unwrap_err().to_string(),
            "string of 3 bytes, 2 are left in the blob"
        );
    }
}
