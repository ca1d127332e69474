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
    #[inline]
    pub fn fixed(&mut self, value: u64, width: u32) {
        if width > 32 {
            self.fixed(value, 32);
            return self.fixed(value >> 32, width - 32);
        }
        self.pending |= (value & ((1 << width) - 1)) << self.count;
        self.count += width;
        if self.count >= 32 {
            self.bytes.extend_from_slice(&low_word(self.pending).to_le_bytes());
            self.pending >>= 32;
            self.count -= 32;
        }
    }

    /// A value in as many chunks of `width` bits (2 to 64) as it needs.
    #[inline]
    pub fn vbr(&mut self, mut value: u64, width: u32) {
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
        debug_assert_eq!(self.count, 0);
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.start + (self.bytes.len() - self.start).next_multiple_of(4), 0);
    }

    /// The next `bits` bits of a reader.
    ///
    /// # Errors
    /// If the reader has fewer.
    pub fn copy(&mut self, from: &mut BitReader<'_>, bits: u64) -> Result<()> {
        let words = size(bits / 32);
        let (source, shift) = (from.rest(), from.position() % 8);
        from.skip(bits / 32 * 32, "bits to copy")?;
        let start = self.bytes.len();
        self.bytes.resize(start + words * 4, 0);
        let words = self.bytes.get_mut(start..).unwrap_or_default().chunks_exact_mut(4);
        for (index, word) in words.enumerate() {
            let window = source.get(index * 4..).unwrap_or_default();
            let window = match window.first_chunk::<8>() {
                Some(bytes) => u64::from_le_bytes(*bytes),
                None => window.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
            };
            self.pending |= (window >> shift & u64::from(u32::MAX)) << self.count;
            word.copy_from_slice(&low_word(self.pending).to_le_bytes());
            self.pending >>= 32;
        }
        let rest = low_word(bits % 32);
        self.fixed(from.fixed(rest, "bits to copy")?, rest);
        Ok(())
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
}
