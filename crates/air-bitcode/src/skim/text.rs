//! Texts: records that are arrays of characters and nothing else.

use super::short::{ASCII, BYTE, CHARACTER, Room, Short, Tail};
use crate::abbrev::{char6, character};
use crate::bits::{BitReader, BitWriter, low_word};

/// How a text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Text(Room);

impl Short {
    /// The layout, if it is that of a text.
    pub(crate) fn text(&self) -> Option<Text> {
        match (self.rooms(), self.tail()) {
            ([], Tail::Array(room @ (CHARACTER | ASCII | BYTE))) => Some(Text(room)),
            _ => None,
        }
    }
}

impl Text {
    /// Whether the text that the reader stands at is this one.
    pub(crate) fn is(self, reader: &mut BitReader<'_>, text: &[u8]) -> Option<bool> {
        if reader.vbr(6, "array length").ok()? != text.len() as u64 {
            return Some(false);
        }
        // As many as one look at the data gives.
        for part in text.chunks(7) {
            let width = self.width();
            let mut bits = reader.fixed(low_word(part.len() as u64) * width, "characters").ok()?;
            for &byte in part {
                let number = bits & crate::bits::mask(width);
                let found = if self.0 == CHARACTER { character(number).into() } else { number };
                if found != u64::from(byte) {
                    return Some(false);
                }
                bits >>= width;
            }
        }
        Some(true)
    }

    /// Whether a text can be laid out so.
    pub(crate) fn fits(self, text: &[u8]) -> bool {
        match self.0 {
            CHARACTER => text.iter().all(|&byte| char6(byte.into()).is_some()),
            ASCII => text.is_ascii(),
            _ => true,
        }
    }

    /// Writes a text that fits.
    pub(crate) fn write(self, writer: &mut BitWriter<'_>, text: &[u8]) {
        writer.vbr(text.len() as u64, 6);
        let number = |byte: &u8| match self.0 {
            CHARACTER => char6((*byte).into()).unwrap_or(0),
            _ => (*byte).into(),
        };
        for part in text.chunks(4) {
            let bits = part.iter().rev().fold(0, |bits, byte| bits << self.width() | number(byte));
            writer.fixed(bits, low_word(part.len() as u64) * self.width());
        }
    }

    fn width(self) -> u32 {
        match self.0 {
            CHARACTER => 6,
            ASCII => 7,
            _ => 8,
        }
    }
}
