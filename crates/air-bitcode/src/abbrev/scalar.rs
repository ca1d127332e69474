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
    /// Whether a value in this layout is always the same and stands nowhere.
    pub(super) fn takes_no_bits(self) -> bool {
        matches!(self, Self::Literal(_) | Self::Fixed(0) | Self::Vbr(0))
    }

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
    #[inline(always)]
    pub(super) fn value(self, reader: &mut BitReader<'_>) -> Result<u64> {
        match self {
            Self::Literal(value) => Ok(value),
            Self::Fixed(width) => reader.fixed(width, "operand"),
            Self::Vbr(0) => Ok(0),
            Self::Vbr(width) => reader.vbr(width, "operand"),
            Self::Char6 => Ok(character(reader.fixed(6, "character")?).into()),
        }
    }

    #[inline(always)]
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

    /// Writes values one after the other.
    pub(super) fn write_values(self, writer: &mut BitWriter<'_>, values: &[u64]) {
        let Self::Char6 = self else {
            return values.iter().for_each(|&value| self.write_value(writer, value));
        };
        // Five at a time.
        for part in values.chunks(5) {
            let bits = part.iter().rev().fold(0, |bits, &c| bits << 6 | char6(c).unwrap_or(0));
            writer.fixed(bits, crate::bits::low_word(part.len() as u64 * 6));
        }
    }

    /// Whether a value can be written in this way.
    #[inline]
    pub(crate) fn has_room(self, value: u64) -> bool {
        matches!(self, Self::Vbr(2..)) || self.bits(value).is_some()
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

/// The character with a number of six bits.
#[inline(always)]
pub(crate) fn character(number: u64) -> u8 {
    CHAR6.get(crate::bits::size(number)).copied().unwrap_or(0)
}

/// Number of a six-bit character, if it is one.
#[inline]
pub(crate) fn char6(value: u64) -> Option<u64> {
    let number = *NUMBERS.get(crate::bits::size(value))?;
    (number < 64).then_some(number.into())
}

/// Numbers of six-bit characters by character; 64 for others.
static NUMBERS: [u8; 256] = numbers();

#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn numbers() -> [u8; 256] {
    let mut numbers = [64; 256];
    let mut number = 0;
    while number < 64 {
        numbers[CHAR6[number as usize] as usize] = number;
        number += 1;
    }
    numbers
}

/// Bits that an integer takes in chunks of `width` bits.
pub(crate) fn vbr_bits(value: u64, width: u32) -> u64 {
    let significant = u64::from(64 - value.leading_zeros()).max(1);
    significant.div_ceil(u64::from(width - 1)) * u64::from(width)
}
