//! The strings of metadata: which of them changes, and what it becomes.

use crate::abbrev::vbr_bits;
use crate::bits::{BitReader, size};
use crate::rename::strings::{SCOPES, scopes_name};
use crate::rename::targets::Rename;
use crate::skim::Splice;
use crate::strings::Strings;

/// A record of strings one of which is that of the function's alias scopes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Where its values stand, in bits of the stream.
    pub(super) values: u64,
    /// Where the padding behind its blob ends.
    pub(super) end: u64,
    /// How many strings there are.
    count: u64,
    /// Bytes of the blob in front of the characters.
    lengths: usize,
    /// Which string changes.
    index: u64,
    /// Where among the characters it begins.
    start: usize,
    /// Bits of all new lengths.
    bits: u64,
    /// How many characters there are, before the change.
    characters: usize,
}

/// Lengths below 32 of strings that may have to change, a bit for each.
pub(super) fn short_lengths(old: &[u8]) -> u32 {
    let bit = |length| u32::try_from(length).ok().and_then(|n| 1_u32.checked_shl(n)).unwrap_or(0);
    bit(old.len()) | bit(old.len() + SCOPES.len() + 1)
}

/// A record's strings.
struct Read<'a> {
    count: u64,
    lengths: usize,
    blob: &'a [u8],
    end: u64,
}

impl<'a> Read<'a> {
    /// Reads the values of a record: two integers in chunks of six bits, and a blob.
    fn new(mut values: BitReader<'a>) -> Option<Self> {
        let count = values.vbr(6, "number of strings").ok()?;
        let lengths = size(values.vbr(6, "offset of characters").ok()?);
        let bytes = values.vbr(6, "blob length").ok()?;
        values.align().ok()?;
        let blob = values.bytes(bytes, "blob").ok()?;
        values.align().ok()?;
        Some(Self { count, lengths, blob, end: values.offset() })
    }

    fn strings(&self) -> Option<Strings<'a>> {
        Strings::of(([self.count, self.lengths as u64, 0], 2), Some(self.blob)).ok()
    }
}

/// Searches for the string of the function's alias scopes. None if a string is the name
/// itself, so that debug information may use it, or if there are several.
pub(super) fn search(
    values: BitReader<'_>,
    Rename { old, new }: Rename<'_>,
    short: u32,
) -> Option<Option<Hit>> {
    let read = Read::new(values)?;
    let strings = read.strings()?;
    let (mut hits, mut is_name) = (0_u32, false);
    let scopes = old.len() + SCOPES.len() + 1;
    let searched = strings.walk_some(
        short,
        |length| length == old.len() || length == scopes,
        |string| {
            is_name |= string == old;
            hits += u32::from(scopes_name(string) == Some(old));
        },
    );
    match (searched.is_ok() && !is_name, hits) {
        (true, 0) => Some(None),
        (true, 1) => hit(&read, values.offset(), old, new).map(Some),
        _ => None,
    }
}

/// What is to be known of the string that changes and of all lengths.
fn hit(read: &Read<'_>, values: u64, old: &[u8], new: &[u8]) -> Option<Hit> {
    let (mut number, mut place) = (0, None);
    let (mut characters, mut bits) = (0, 0);
    let walked = read.strings()?.walk(|string| {
        let mut length = string.len();
        if scopes_name(string) == Some(old) {
            place = Some((number, characters));
            length = length - old.len() + new.len();
        }
        number += 1;
        characters += string.len();
        bits += vbr_bits(length as u64, 6);
    });
    walked.ok()?;
    let (index, start) = place?;
    let Read { count, lengths, end, .. } = *read;
    Some(Hit { values, end, count, lengths, index, start, bits, characters })
}

impl Hit {
    /// Writes the record's values with the new name.
    pub(super) fn write(
        self,
        splice: &mut Splice<'_, '_>,
        stream: BitReader<'_>,
        rename: Rename<'_>,
    ) -> Option<()> {
        let Rename { old, new } = rename;
        splice.to(self.values)?;
        let writer = &mut splice.writer;
        let lengths = self.bits.div_ceil(32) * 4;
        let characters = self.characters.checked_sub(old.len())? + new.len();
        [self.count, lengths, lengths + characters as u64]
            .into_iter()
            .for_each(|value| writer.vbr(value, 6));
        writer.align();
        let read = Read::new(stream.at(self.values))?;
        let mut number = 0;
        let walked = read.strings()?.walk(|string| {
            let grown = if number == self.index {
                string.len() - old.len() + new.len()
            } else {
                string.len()
            };
            writer.vbr(grown as u64, 6);
            number += 1;
        });
        walked.ok()?;
        writer.align();
        let (_, all) = read.blob.split_at_checked(self.lengths)?;
        let (before, rest) = all.get(..self.characters)?.split_at_checked(self.start)?;
        let after = rest.get(SCOPES.len() + old.len() + 1..)?;
        writer.aligned_parts(&[before, SCOPES, new, b")", after]);
        splice.skip_to(self.end)
    }
}
