//! Copies a stream, with other bits in between.

use super::frame::Span;
use crate::bits::{BitReader, BitWriter};
use crate::block::ENTER_BLOCK;

/// A copy that has come to some bit of the stream.
pub(crate) struct Splice<'b, 'a> {
    pub(crate) writer: BitWriter<'b>,
    source: BitReader<'a>,
}

impl<'b, 'a> Splice<'b, 'a> {
    pub(crate) fn new(source: BitReader<'a>, out: &'b mut Vec<u8>) -> Self {
        Self { writer: BitWriter::new(out), source: source.at(0) }
    }

    /// Copies up to a bit.
    pub(crate) fn to(&mut self, position: u64) -> Option<()> {
        let bits = position.checked_sub(self.source.position())?;
        self.writer.copy(&mut self.source, bits).ok()
    }

    /// Passes over what something else was written for.
    pub(crate) fn skip_to(&mut self, position: u64) -> Option<()> {
        let bits = position.checked_sub(self.source.position())?;
        self.source.skip(bits, "bits").ok()
    }

    /// Where a bit that is still to come will be in the output, if all up to it is copied.
    pub(crate) fn place(&self, position: u64) -> Option<u64> {
        Some(self.writer.position() + position.checked_sub(self.source.position())?)
    }

    /// As [`Splice::place`], in words from an origin; none if it is on no 32-bit border.
    pub(crate) fn word(&self, position: u64, origin: u64) -> Option<u64> {
        let bits = self.place(position)?.checked_sub(origin)?;
        bits.is_multiple_of(32).then_some(bits / 32)
    }

    /// Writes what is around the body of a block up to its length.
    pub(crate) fn head(&mut self, outer: u32, id: u32, width: u32) {
        self.writer.fixed(ENTER_BLOCK.into(), outer);
        self.writer.vbr(id.into(), 8);
        self.writer.vbr(width.into(), 4);
        self.writer.align();
    }

    /// Copies up to a block's length, for which zeros are written; gives their place.
    pub(crate) fn open(&mut self, block: Span) -> Option<u64> {
        self.to(block.length)?;
        let place = self.writer.position();
        self.field()?;
        Some(place)
    }

    /// Writes zeros in place of a field of 32 bits.
    pub(crate) fn field(&mut self) -> Option<()> {
        self.writer.fixed(0, 32);
        self.source.skip(32, "field").ok()
    }

    /// Writes the length of a block over zeros, once nothing in it will change any more.
    pub(crate) fn close(&mut self, block: Span, place: u64) -> Option<()> {
        let bits = self.place(block.end)?.checked_sub(place + 32)?;
        let words = u32::try_from(bits / 32).ok().filter(|_| bits.is_multiple_of(32))?;
        self.writer.patch(place, words.into(), 32);
        Some(())
    }
}
