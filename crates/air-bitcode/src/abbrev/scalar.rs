//! Layouts of single values.

use crate::bits::{BitReader, BitWriter};
use crate::error::Result;

/// Characters that take six bits.
pub(super) const CHAR6: &[u8; 64] =
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

/// How one value is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Takes no bits: the value is always this one.
    Literal(u64),
    /// As many bits as it says, at most 64.
    Fixed(u32),
    /// Chunks of as many bits as it says: 2 to 32, or 0 for a value that is always 0.
    Vbr(u32),
    /// Six bits: a letter, a digit, `.` or `_`.
    Char6,
}

impl Scalar {
    pub(super) fn write(self, writer: &mut BitWriter<'_>) {
        let encoding = |writer: &mut BitWriter<'_>, encoding: u64| writer.fixed(encoding << 1, 4);
        match self {
            Self::Literal(value) => {
                writer.fixed(1, 1);
                writer.vbr(value, 8);
            }
            Self::Fixed(width) => {
                encoding(writer, 1);
                writer.vbr(u64::from(width), 5);
            }
            Self::Vbr(width) => {
                encoding(writer, 2);
                writer.vbr(u64::from(width), 5);
            }
            Self::Char6 => encoding(writer, 4),
        }
    }

    /// Reads one value.
    pub(super) fn value(self, reader: &mut BitReader<'_>) -> Result<u64> {
        match self {
            Self::Literal(value) => Ok(value),
            Self::Fixed(width) => reader.fixed(width, "operand"),
            Self::Vbr(0) => Ok(0),
            Self::Vbr(width) => reader.vbr(width, "operand"),
            Self::Char6 => {
                let index = reader.fixed(6, "character")?;
                Ok(CHAR6.get(crate::bits::size(index)).copied().map_or(0, u64::from))
            }
        }
    }

    pub(super) fn skip(self, reader: &mut BitReader<'_>) -> Result<()> {
        match self {
            Self::Literal(_) | Self::Vbr(0) => Ok(()),
            Self::Fixed(width) => reader.skip(u64::from(width), "operand"),
            Self::Vbr(width) => reader.skip_vbr(width, "operand"),
            Self::Char6 => reader.skip(6, "character"),
        }
    }

    pub(super) fn write_value(self, writer: &mut BitWriter<'_>, value: u64) {
        match self {
            Self::Literal(_) | Self::Vbr(0) => {}
            Self::Fixed(width) => writer.fixed(value, width),
            Self::Vbr(width) => writer.vbr(value, width),
            Self::Char6 => writer.fixed(char6(value).unwrap_or(0), 6),
        }
    }

    /// Bits that a value takes, or none if it cannot be written in this way.
    pub(super) fn bits(self, value: u64) -> Option<u64> {
        match self {
            Self::Literal(literal) => (literal == value).then_some(0),
            Self::Fixed(width) => (value & !crate::bits::mask(width) == 0).then_some(width.into()),
            Self::Vbr(0) => (value == 0).then_some(0),
            Self::Vbr(width) => Some(vbr_bits(value, width)),
            Self::Char6 => char6(value).map(|_| 6),
        }
    }
}

/// Number of a six-bit character, if it is one.
pub(super) fn char6(value: u64) -> Option<u64> {
    Some(match u8::try_from(value).ok()? {
        c @ b'a'..=b'z' => u64::from(c - b'a'),
        c @ b'A'..=b'Z' => u64::from(c - b'A') + 26,
        c @ b'0'..=b'9' => u64::from(c - b'0') + 52,
        b'.' => 62,
        b'_' => 63,
        _ => return None,
    })
}

/// Bits that an integer takes in chunks of `width` bits.
pub(crate) fn vbr_bits(value: u64, width: u32) -> u64 {
    let significant = u64::from(64 - value.leading_zeros()).max(1);
    significant.div_ceil(u64::from(width - 1)) * u64::from(width)
}
