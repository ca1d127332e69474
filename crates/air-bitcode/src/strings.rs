//! `METADATA_STRINGS`: all strings of a metadata block in one record.
//!
//! Operands: how many strings, and where in the blob their characters begin. The blob is
//! the lengths as 6-bit variable-width integers, padded to 32 bits, then the characters.

use std::borrow::Cow;

use crate::abbrev::Values;
use crate::bits::{BitReader, BitWriter, size};
use crate::error::{Error, ErrorKind, Result};

/// The strings of a `METADATA_STRINGS` record.
pub(crate) fn decode<'v>(values: &'v Values<'_>) -> Result<Vec<&'v [u8]>> {
    let mut strings = Vec::new();
    walk(values, |_| true, |string| strings.push(string))?;
    Ok(strings)
}

/// Calls `each` with each string whose length is wanted.
pub(crate) fn walk<'v>(
    values: &'v Values<'_>,
    is_wanted: impl Fn(usize) -> bool,
    each: impl FnMut(&'v [u8]),
) -> Result<()> {
    walk_blob(&values.operands, values.blob.as_deref(), is_wanted, each)
}

/// Calls `each` with strings that live as long as the input; none if the record was edited.
pub(crate) fn walk_stored<'a>(values: &Values<'a>, each: impl FnMut(&'a [u8])) -> Result<()> {
    match values.blob {
        Some(Cow::Borrowed(blob)) => walk_blob(&values.operands, Some(blob), |_| true, each),
        _ => Ok(()),
    }
}

fn walk_blob<'v>(
    operands: &[u64],
    blob: Option<&'v [u8]>,
    is_wanted: impl Fn(usize) -> bool,
    mut each: impl FnMut(&'v [u8]),
) -> Result<()> {
    let bad = |what: String| Error::nowhere(ErrorKind::Value { what });
    let (&[count, offset], Some(blob)) = (operands, blob) else {
        let found = operands.len();
        return Err(bad(format!("METADATA_STRINGS has {found} operands, expected 2 and a blob")));
    };
    let Some((lengths, characters)) = blob.split_at_checked(size(offset)) else {
        return Err(bad(format!("characters at {offset}, the blob has {} bytes", blob.len())));
    };
    let mut reader = BitReader::new(lengths, 0);
    let mut start = 0;
    for _ in 0..count {
        let length = size(reader.vbr(6, "length of a string")?);
        let left = characters.len() - start;
        if length > left {
            return Err(bad(format!("string of {length} bytes, {left} are left in the blob")));
        }
        if is_wanted(length) {
            each(characters.get(start..start + length).unwrap_or_default());
        }
        start += length;
    }
    Ok(())
}

/// The values of a `METADATA_STRINGS` record of these strings.
pub(crate) fn encode(strings: &[impl AsRef<[u8]>]) -> Values<'static> {
    let mut blob = Vec::new();
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
