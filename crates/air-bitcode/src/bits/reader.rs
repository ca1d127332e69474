//! Reads bits, and knows where in the input they stand.

use super::{Span, low_word, size};
use crate::error::{Error, ErrorKind, Result};

/// Bits that one look at the data gives at least, wherever it begins.
const WINDOW: u64 = 57;

/// Chunks of 6 bits in one look, and the bits that say whether more chunks follow.
const CHUNKS_OF_6: u64 = 9;
const MORE_IN_6: u64 = 0b100_000_100_000_100_000_100_000_100_000_100_000_100_000_100_000_100_000;

/// Bits of eight chunks of 6.
const EIGHT_CHUNKS: u64 = (1 << 48) - 1;

/// Reads a slice bit by bit. A copy reads on independently.
#[derive(Clone, Copy, Debug)]
pub struct BitReader<'a> {
    data: &'a [u8],
    position: u64,
    base: u64,
}

impl<'a> BitReader<'a> {
    /// Reads `data`, whose first bit has the absolute offset `base` in bits.
    #[must_use]
    pub fn new(data: &'a [u8], base: u64) -> Self {
        Self { data, position: 0, base }
    }

    /// Reads on from a position in `data`.
    #[inline(always)]
    pub(super) fn new_at(data: &'a [u8], base: u64, position: u64) -> Self {
        Self { data, position, base }
    }

    /// A reader of the same data at another position.
    #[inline(always)]
    pub(crate) fn at(self, position: u64) -> Self {
        Self { position, ..self }
    }

    /// The bits from an earlier position to this one.
    #[inline(always)]
    pub(crate) fn span(&self, start: u64) -> Span<'a> {
        Span::new(self.data, self.base, start, self.position)
    }

    /// All the data, wherever the reader is.
    #[must_use]
    #[inline(always)]
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The data from the byte on in which the reader stands.
    #[must_use]
    #[inline(always)]
    pub fn rest(&self) -> &'a [u8] {
        self.data.get(size(self.position / 8)..).unwrap_or_default()
    }

    /// Bits read so far.
    #[must_use]
    #[inline(always)]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Absolute offset of the next bit.
    #[must_use]
    #[inline(always)]
    pub fn offset(&self) -> u64 {
        self.base + self.position
    }

    /// Bits that are left.
    #[must_use]
    #[inline(always)]
    pub fn remaining(&self) -> u64 {
        (self.data.len() as u64 * 8).saturating_sub(self.position)
    }

    /// An error at this position.
    #[cold]
    pub(crate) fn error(self, kind: ErrorKind) -> Error {
        Error::new(kind, self.offset())
    }

    /// An error at an earlier position.
    #[cold]
    pub(crate) fn error_at(self, position: u64, kind: ErrorKind) -> Error {
        Error::new(kind, self.base + position)
    }

    #[cold]
    fn truncated(self, what: &'static str, needed: u64) -> Error {
        self.error(ErrorKind::Truncated { what, needed, available: self.remaining() })
    }

    /// At least [`WINDOW`] bits from here on; zeros behind the end.
    #[inline(always)]
    fn peek(self) -> u64 {
        let byte = size(self.position / 8);
        let word = match self.data.get(byte..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => self.peek_end(byte),
        };
        word >> (self.position % 8)
    }

    #[cold]
    fn peek_end(self, byte: usize) -> u64 {
        let rest = self.data.get(byte..).unwrap_or_default();
        rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    }

    /// Bits that [`BitReader::look`] shows at least.
    pub(crate) const LOOK: u64 = WINDOW;

    /// The next bits, without passing them; zeros behind the end.
    #[inline(always)]
    pub(crate) fn look(&self) -> u64 {
        self.peek()
    }

    /// The next `width` bits; `width` is at most 64.
    ///
    /// # Errors
    /// If fewer are left.
    #[inline(always)]
    pub fn fixed(&mut self, width: u32, what: &'static str) -> Result<u64> {
        let end = self.position + u64::from(width);
        if u64::from(width) > WINDOW || end > self.data.len() as u64 * 8 {
            let (value, position) = self.fixed_slow(width, what)?;
            self.position = position;
            return Ok(value);
        }
        let value = self.peek() & ((1 << width) - 1);
        self.position = end;
        Ok(value)
    }

    /// The value, and the position behind it.
    #[inline(never)]
    fn fixed_slow(mut self, width: u32, what: &'static str) -> Result<(u64, u64)> {
        if u64::from(width) > self.remaining() {
            return Err(self.truncated(what, u64::from(width)));
        }
        let low = self.fixed(32, what)?;
        Ok((self.fixed(width - 32, what)? << 32 | low, self.position))
    }

    /// An integer in chunks of `width` bits (2 to 64), whose highest bit says that more follow.
    ///
    /// # Errors
    /// If the bits end, the value needs more than 64, or it has a needless last chunk.
    #[inline(always)]
    pub fn vbr(&mut self, width: u32, what: &'static str) -> Result<u64> {
        let more = 1u64 << (width - 1);
        let end = self.position + 2 * u64::from(width);
        if end <= self.data.len() as u64 * 8 && width * 2 <= 56 {
            let window = self.peek();
            let first = window & (more * 2 - 1);
            if first < more {
                self.position += u64::from(width);
                return Ok(first);
            }
            let second = window >> width & (more * 2 - 1);
            if second < more && second != 0 {
                self.position = end;
                return Ok(first & (more - 1) | second << (width - 1));
            }
        }
        let (value, position) = self.vbr_slow(width, what)?;
        self.position = position;
        Ok(value)
    }

    /// The value, and the position behind it.
    #[inline(never)]
    fn vbr_slow(mut self, width: u32, what: &'static str) -> Result<(u64, u64)> {
        let more = 1u64 << (width - 1);
        // As many chunks as one look shows, which is nearly always enough.
        let window = self.peek();
        let (mut value, mut passed) = (0, 0);
        while passed + u64::from(width) <= WINDOW.min(self.remaining()) {
            let chunk = window >> passed;
            value |= (chunk & (more - 1)) << (passed - passed / u64::from(width));
            passed += u64::from(width);
            if chunk & more == 0 {
                if chunk & (more - 1) == 0 && passed > u64::from(width) {
                    break;
                }
                return Ok((value, self.position + passed));
            }
        }
        let start = self.position;
        let (mut value, mut shift) = (0, 0);
        loop {
            let chunk = self.fixed(width, what)?;
            let payload = chunk & (more - 1);
            let shifted = payload.checked_shl(shift).unwrap_or(0);
            if shift >= 64 || shifted >> shift != payload {
                return Err(self.error_at(start, ErrorKind::VbrOverflow { what }));
            }
            value |= shifted;
            if chunk & more == 0 {
                if payload == 0 && shift > 0 {
                    return Err(self.error_at(start, ErrorKind::VbrNotCanonical { what }));
                }
                return Ok((value, self.position));
            }
            shift += width - 1;
        }
    }

    /// Gives `count` integers in chunks of 6 bits to `each`, as long as it takes them; none if it
    /// did not take them all, or they are damaged.
    #[inline(always)]
    pub(crate) fn each_vbr6(
        &mut self,
        mut count: u64,
        mut each: impl FnMut(u64) -> Option<()>,
    ) -> Option<()> {
        while count > 0 {
            // One look shows several integers of one or two chunks, as nearly all are.
            let (mut word, mut passed) = (self.peek(), 0);
            while count > 0 && passed + 12 <= WINDOW.min(self.remaining()) {
                let (first, second) = (word & 0x3f, word >> 6 & 0x3f);
                let (value, length) = match (first < 32, second.wrapping_sub(1) < 31) {
                    (true, _) => (first, 6),
                    (false, true) => (first & 31 | second << 5, 12),
                    (false, false) => break,
                };
                word >>= length;
                passed += length;
                count -= 1;
                each(value)?;
            }
            self.position += passed;
            if passed == 0 {
                count -= 1;
                each(self.vbr(6, "operand").ok()?)?;
            }
        }
        Some(())
    }

    /// Passes over `count` integers in chunks of 6 bits without looking at their values.
    ///
    /// # Errors
    /// If the bits end.
    #[inline(always)]
    pub fn skip_vbr6(&mut self, count: u64, what: &'static str) -> Result<()> {
        self.position = self.behind_vbr6(count, what)?;
        Ok(())
    }

    /// The position behind so many integers in chunks of 6 bits.
    fn behind_vbr6(mut self, mut count: u64, what: &'static str) -> Result<u64> {
        while count > 32
            && let Some(ends) = self.ends_in_24_bytes()
        {
            count -= ends;
            self.position += 24 * 8;
        }
        while count > 0 {
            if self.remaining() < WINDOW {
                (0..count).try_for_each(|_| self.skip_vbr(6, what))?;
                break;
            }
            let mut ends = !self.peek() & MORE_IN_6;
            let found = sum_of_6(ends >> 5);
            if found < count {
                self.position += CHUNKS_OF_6 * 6;
                count -= found;
                continue;
            }
            for _ in 1..count {
                ends &= ends - 1;
            }
            self.position += u64::from(ends.trailing_zeros()) + 1;
            break;
        }
        Ok(self.position)
    }

    /// How many integers in chunks of 6 bits end in the next 24 bytes; none near the end.
    #[inline(always)]
    fn ends_in_24_bytes(self) -> Option<u64> {
        let data = self.data.get(size(self.position / 8)..)?.first_chunk::<26>()?;
        let shift = self.position % 8;
        // Eight chunks are six bytes, so they begin at the same bit of a byte.
        let ends = |at: usize| {
            let bytes = data.get(at..).and_then(|rest| rest.first_chunk::<8>());
            let word = bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
            (!(word >> shift) & MORE_IN_6 & EIGHT_CHUNKS) >> 5
        };
        Some(sum_of_6(ends(0) + ends(6) + ends(12) + ends(18)))
    }

    /// Passes over one integer in chunks of `width` bits.
    ///
    /// # Errors
    /// If the bits end.
    #[inline(always)]
    pub fn skip_vbr(&mut self, width: u32, what: &'static str) -> Result<()> {
        while self.fixed(width, what)? >> (width - 1) != 0 {}
        Ok(())
    }

    /// Passes over `bits` bits.
    ///
    /// # Errors
    /// If fewer are left.
    #[inline(always)]
    pub fn skip(&mut self, bits: u64, what: &'static str) -> Result<()> {
        if bits > self.remaining() {
            return Err(self.truncated(what, bits));
        }
        self.position += bits;
        Ok(())
    }

    /// Goes on to the next 32-bit border of the data, over zeros.
    ///
    /// # Errors
    /// If the bits end, or one of them is not zero.
    #[inline(always)]
    pub fn align(&mut self) -> Result<()> {
        let start = self.position;
        let width = low_word(start.wrapping_neg()) % 32;
        if self.fixed(width, "padding")? == 0 {
            Ok(())
        } else {
            Err(self.error_at(start, ErrorKind::Padding))
        }
    }

    /// The next `count` bytes; the reader must stand on a byte border.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn bytes(&mut self, count: u64, what: &'static str) -> Result<&'a [u8]> {
        match self.rest().get(..size(count)) {
            Some(bytes) => {
                self.position += bytes.len() as u64 * 8;
                Ok(bytes)
            }
            None => Err(self.truncated(what, count.saturating_mul(8))),
        }
    }

    /// A reader of the next `count` bytes alone, which keeps absolute offsets.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn slice(&mut self, count: u64, what: &'static str) -> Result<BitReader<'a>> {
        let base = self.offset();
        Ok(BitReader::new(self.bytes(count, what)?, base))
    }
}

/// The sum of nine numbers of six bits, each, which is less than 64.
#[inline(always)]
fn sum_of_6(numbers: u64) -> u64 {
    // A product of this kind is quick on every processor; not each counts bits.
    numbers.wrapping_mul(MORE_IN_6 >> 5) >> 48 & 0x3f
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitWriter;

    fn reader(data: &[u8]) -> BitReader<'_> {
        BitReader::new(data, 160)
    }

    #[test]
    fn skipping_ends_where_reading_ends() {
        let few = [0, 31, 32, 1 << 40, 7, u64::MAX, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000];
        let values: Vec<u64> = few.into_iter().cycle().take(100).collect();
        for count in 0..=values.len() {
            for lead in 0..40 {
                let mut bytes = Vec::new();
                let mut writer = BitWriter::new(&mut bytes);
                writer.fixed(0, lead);
                values.iter().for_each(|&value| writer.vbr(value, 6));
                writer.align();
                let mut read = reader(&bytes);
                read.skip(u64::from(lead), "x").unwrap();
                let mut skipped = read;
                for &value in values.iter().take(count) {
                    assert_eq!(read.vbr(6, "x").unwrap(), value);
                }
                let mut given = skipped;
                let mut expected = values.iter();
                let each = |value| (expected.next() == Some(&value)).then_some(());
                given.each_vbr6(count as u64, each).unwrap();
                assert_eq!((given.position(), expected.len()), (read.position(), 100 - count));
                skipped.skip_vbr6(count as u64, "x").unwrap();
                assert_eq!(read.position(), skipped.position());
            }
        }
    }

    #[test]
    fn a_needless_chunk_is_an_error() {
        let error = reader(&[0b0010_0001, 0, 0]).vbr(6, "operand").unwrap_err();
        assert_eq!(
            error.to_string(),
            "operand is a variable-width integer with a needless last chunk of zero (bit 160)"
        );
        assert!(reader(&[0b0010_0001, 0, 0]).each_vbr6(1, |_| Some(())).is_none());
    }

    #[test]
    fn more_than_64_bits_are_an_error() {
        let error = reader(&[0xff; 20]).vbr(6, "operand").unwrap_err();
        assert_eq!(
            error.to_string(),
            "operand is a variable-width integer of more than 64 bits (bit 160)"
        );
    }

    #[test]
    fn the_end_is_an_error() {
        let mut reader = reader(&[1, 2]);
        assert_eq!(reader.fixed(9, "x").unwrap(), 1);
        let error = reader.fixed(8, "operand").unwrap_err();
        assert_eq!(error.to_string(), "operand needs 8 bits, 7 are left (bit 169)");
    }

    #[test]
    fn padding_must_be_zero() {
        let mut reader = reader(&[1, 0, 0, 0x80]);
        reader.skip(2, "x").unwrap();
        assert_eq!(
            reader.align().unwrap_err().to_string(),
            "padding to the next 32-bit border is not zero (bit 162)"
        );
    }
}
