//! Writes bits behind the bytes of a buffer.

use super::{BitReader, low_word, mask, size};
use crate::error::Result;

/// Appends bits to a buffer. Positions count from where the writer began.
#[derive(Debug)]
pub struct BitWriter<'b> {
    bytes: &'b mut Vec<u8>,
    start: usize,
    pending: u64,
    count: u32,
}

impl<'b> BitWriter<'b> {
    /// Writes behind what `bytes` holds.
    #[must_use]
    pub fn new(bytes: &'b mut Vec<u8>) -> Self {
        let start = bytes.len();
        Self { bytes, start, pending: 0, count: 0 }
    }

    /// Bits written so far.
    #[must_use]
    pub fn position(&self) -> u64 {
        (self.bytes.len() - self.start) as u64 * 8 + u64::from(self.count)
    }

    /// The low `width` bits of a value; `width` is at most 64.
    #[inline(always)]
    pub fn fixed(&mut self, value: u64, width: u32) {
        if width > 32 {
            self.put(value, 32);
            return self.put(value >> 32, width - 32);
        }
        self.put(value, width);
    }

    /// At most 32 bits.
    #[inline(always)]
    fn put(&mut self, value: u64, width: u32) {
        self.pending |= (value & ((1 << width) - 1)) << self.count;
        self.count += width;
        if self.count >= 32 {
            self.put_word();
        }
    }

    fn put_word(&mut self) {
        self.bytes.extend_from_slice(&low_word(self.pending).to_le_bytes());
        self.pending >>= 32;
        self.count -= 32;
    }

    /// A value in as many chunks of `width` bits (2 to 64) as it needs.
    #[inline(always)]
    pub fn vbr(&mut self, value: u64, width: u32) {
        if value < 1 << (width - 1) {
            return self.fixed(value, width);
        }
        self.vbr_long(value, width);
    }

    fn vbr_long(&mut self, mut value: u64, width: u32) {
        let more = 1u64 << (width - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(value, width);
    }

    /// Zeros up to the next 32-bit border, counted from the writer's start.
    pub fn align(&mut self) {
        if self.count > 0 {
            self.fixed(0, 32 - self.count);
        }
    }

    /// Whole bytes; the writer must stand on a 32-bit border and stands on one after.
    pub fn aligned_bytes(&mut self, bytes: &[u8]) {
        self.aligned_parts(&[bytes]);
    }

    /// As [`BitWriter::aligned_bytes`], of bytes in several parts.
    pub(crate) fn aligned_parts(&mut self, parts: &[&[u8]]) {
        debug_assert_eq!(self.count, 0);
        parts.iter().for_each(|bytes| self.bytes.extend_from_slice(bytes));
        self.bytes.resize(self.start + (self.bytes.len() - self.start).next_multiple_of(4), 0);
    }

    /// The next `bits` bits of a reader.
    ///
    /// # Errors
    /// If the reader has fewer.
    pub fn copy(&mut self, from: &mut BitReader<'_>, bits: u64) -> Result<()> {
        let what = "bits to copy";
        // Up to a border of the output, words, and the rest.
        let lead = bits.min(u64::from((32 - self.count) % 32));
        self.fixed(from.fixed(low_word(lead), what)?, low_word(lead));
        let words = (bits - lead) / 32;
        let (source, shift) = (from.rest(), low_word(from.position() % 8));
        from.skip(words * 32, what)?;
        self.words(source, shift, size(words));
        let rest = low_word((bits - lead) % 32);
        self.fixed(from.fixed(rest, what)?, rest);
        Ok(())
    }

    /// Words that begin `shift` bits behind the first bit of `source`, and end in it.
    fn words(&mut self, source: &[u8], shift: u32, count: usize) {
        if shift == 0 {
            self.bytes.extend_from_slice(source.get(..count * 4).unwrap_or_default());
            return;
        }
        let start = self.bytes.len();
        self.bytes.resize(start + count * 4, 0);
        let output = self.bytes.get_mut(start..).unwrap_or_default();
        let above = source.get(8..).unwrap_or_default().iter().step_by(8);
        let pairs = output.chunks_exact_mut(8).zip(source.chunks_exact(8)).zip(above);
        let mut done = 0;
        for ((to, from), &above) in pairs {
            let low = from.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            let both = low >> shift | u64::from(above) << (64 - shift);
            to.copy_from_slice(&both.to_le_bytes());
            done += 8;
        }
        let neighbours = source.iter().zip(source.get(1..).unwrap_or_default()).skip(done);
        for (to, (&low, &above)) in output.iter_mut().skip(done).zip(neighbours) {
            let [byte, _] = ((u16::from(above) << 8 | u16::from(low)) >> shift).to_le_bytes();
            *to = byte;
        }
    }

    /// Writes a value of `width` bits (at most 64) over zeros at an earlier position.
    ///
    /// All of it must lie before the last 32-bit border that the writer passed.
    pub fn patch(&mut self, position: u64, value: u64, width: u32) {
        let first = self.start + size(position / 8);
        let shifted = u128::from(value & mask(width)) << (position % 8);
        let bytes = self.bytes.get_mut(first..).unwrap_or_default();
        for (byte, patch) in bytes.iter_mut().zip(shifted.to_le_bytes()) {
            *byte |= patch;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = vec![9];
        let mut writer = BitWriter::new(&mut bytes);
        writer.fixed(5, 3);
        writer.fixed(0, 64);
        writer.vbr(u64::MAX, 6);
        writer.fixed(u64::MAX, 64);
        let end = writer.position();
        writer.align();
        writer.patch(3, 0x1234_5678_9abc_def0, 64);
        writer.aligned_bytes(b"abc");
        assert_eq!(writer.position(), end.next_multiple_of(32) + 32);
        let mut reader = BitReader::new(&bytes[1..], 0);
        assert_eq!(reader.fixed(3, "").unwrap(), 5);
        assert_eq!(reader.fixed(64, "").unwrap(), 0x1234_5678_9abc_def0);
        assert_eq!(reader.vbr(6, "").unwrap(), u64::MAX);
        assert_eq!(reader.fixed(64, "").unwrap(), u64::MAX);
        reader.align().unwrap();
        assert_eq!(reader.bytes(4, "").unwrap(), b"abc\0");
    }

    #[test]
    fn copied_bits_are_the_same() {
        let source: Vec<u8> = (0..=255).collect();
        for lead in 0..33 {
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            writer.fixed(0, lead);
            writer.copy(&mut BitReader::new(&source, 0), 2048).unwrap();
            writer.align();
            let mut reader = BitReader::new(&bytes, 0);
            reader.skip(u64::from(lead), "").unwrap();
            for &byte in &source {
                assert_eq!(reader.fixed(8, "").unwrap(), u64::from(byte));
            }
        }
    }

    /// From every bit to every bit, of every length around the borders.
    #[test]
    fn copied_pieces_are_the_same() {
        let source: Vec<u8> = (0..40u8).map(|byte| byte.wrapping_mul(151) ^ 0x5a).collect();
        for lead in 0..33 {
            for skip in 0..33 {
                for bits in (0..140).chain([320 - skip]) {
                    let mut bytes = Vec::new();
                    let mut writer = BitWriter::new(&mut bytes);
                    writer.fixed(0, lead);
                    let mut from = BitReader::new(&source, 0);
                    from.skip(skip, "").unwrap();
                    let mut expected = from;
                    writer.copy(&mut from, bits).unwrap();
                    assert_eq!(from.position(), skip + bits);
                    assert_eq!(writer.position(), u64::from(lead) + bits);
                    writer.align();
                    let mut reader = BitReader::new(&bytes, 0);
                    reader.skip(u64::from(lead), "").unwrap();
                    for _ in 0..bits {
                        assert_eq!(reader.fixed(1, "").unwrap(), expected.fixed(1, "").unwrap());
                    }
                }
            }
        }
        let mut bytes = Vec::new();
        let mut from = BitReader::new(&source, 0);
        assert!(BitWriter::new(&mut bytes).copy(&mut from, 321).is_err());
    }
}
