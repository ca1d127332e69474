//! Abbreviations: how a record's values are laid out in bits.
//!
//! A definition is a list of scalars, the first of which is the record's code, and behind
//! them an array, a blob, or nothing.

mod define;
mod list;
mod memo;
mod scalar;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::bits::{BitReader, BitWriter, low_word};
use crate::error::Result;

pub use define::{Definition, MAX_FREE_OPERANDS, MAX_OPERANDS};
pub use list::MAX_ABBREVIATIONS;
pub(crate) use list::{Inherited, check_count};
pub use scalar::Scalar;
pub(crate) use scalar::{char6, character, vbr_bits};

/// The first abbreviation id that a block's definitions take.
pub const FIRST_ID: u32 = 4;

/// What follows the scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    None,
    /// A count, then so many values.
    Array(Scalar),
    /// A count, padding, so many bytes, padding.
    Blob,
}

/// The values of a record behind its code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values<'a> {
    /// Integers, array elements included.
    pub operands: Vec<u64>,
    /// Bytes of the blob, if the record's abbreviation ends in one.
    pub blob: Option<Cow<'a, [u8]>>,
}

impl Values<'_> {
    /// Makes room for operands, as far as the bits that are left can hold them.
    pub(crate) fn reserve(&mut self, count: u64, reader: &BitReader<'_>) {
        self.operands.reserve(crate::bits::size(count.min(reader.remaining())));
    }
}

/// The definition of an abbreviation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abbreviation {
    code: Scalar,
    scalars: Vec<Scalar>,
    tail: Tail,
}

impl Abbreviation {
    /// An abbreviation from its parts; none if an array's elements would take no bits.
    #[must_use]
    pub fn new(code: Scalar, scalars: Vec<Scalar>, tail: Tail) -> Option<Self> {
        let useless = matches!(tail, Tail::Array(element) if element.takes_no_bits());
        (!useless).then_some(Self { code, scalars, tail })
    }

    /// Layout of the code.
    #[must_use]
    pub fn code(&self) -> Scalar {
        self.code
    }

    /// Layouts of the values behind the code.
    #[must_use]
    pub fn scalars(&self) -> &[Scalar] {
        &self.scalars
    }

    /// What follows the scalars.
    #[must_use]
    pub fn tail(&self) -> Tail {
        self.tail
    }

    /// Reads a record's code.
    #[inline(always)]
    pub(crate) fn read_code(&self, reader: &mut BitReader<'_>) -> Result<u64> {
        self.code.value(reader)
    }

    /// Layouts of the values, if there are always two.
    pub(crate) fn pair(&self) -> Option<[Scalar; 2]> {
        match (&self.scalars[..], self.tail) {
            (&[first, second], Tail::None) => Some([first, second]),
            _ => None,
        }
    }

    /// Reads the values of a record that always has two, behind its code.
    pub(crate) fn read_pair(&self, reader: &mut BitReader<'_>) -> Result<Option<[u64; 2]>> {
        let Some([first, second]) = self.pair() else { return Ok(None) };
        Ok(Some([first.value(reader)?, second.value(reader)?]))
    }

    /// Writes a record of two values, behind its id.
    pub(crate) fn write_pair(&self, writer: &mut BitWriter<'_>, code: u32, values: [u64; 2]) {
        self.code.write_value(writer, code.into());
        self.scalars
            .iter()
            .zip(values)
            .for_each(|(scalar, value)| scalar.write_value(writer, value));
    }

    /// The position behind a record's values, which `reader` stands at.
    pub(crate) fn behind(&self, mut reader: BitReader<'_>) -> Result<u64> {
        for scalar in &self.scalars {
            scalar.skip(&mut reader)?;
        }
        match self.tail {
            Tail::None => {}
            Tail::Array(element) => {
                let count = reader.vbr(6, "array length")?;
                match element {
                    Scalar::Vbr(6) => reader.skip_vbr6(count, "array element")?,
                    Scalar::Fixed(width) => {
                        reader.skip(count.saturating_mul(width.into()), "array")?;
                    }
                    Scalar::Char6 => reader.skip(count.saturating_mul(6), "array")?,
                    _ => (0..count).try_for_each(|_| element.skip(&mut reader))?,
                }
            }
            Tail::Blob => read_blob(&mut reader).map(|_| ())?,
        }
        Ok(reader.position())
    }

    /// Reads a record's values, behind its code.
    pub(crate) fn read_values<'a>(
        &self,
        reader: &mut BitReader<'a>,
        values: &mut Values<'a>,
    ) -> Result<()> {
        values.operands.reserve(self.scalars.len());
        for scalar in &self.scalars {
            values.operands.push(scalar.value(reader)?);
        }
        match self.tail {
            Tail::None => {}
            Tail::Array(element) => {
                let count = reader.vbr(6, "array length")?;
                values.reserve(count, reader);
                for _ in 0..count {
                    values.operands.push(element.value(reader)?);
                }
            }
            Tail::Blob => values.blob = Some(Cow::Borrowed(read_blob(reader)?)),
        }
        Ok(())
    }

    /// Calls `each` with one operand after the other, behind the code, until it says no.
    #[inline]
    pub(crate) fn walk(
        &self,
        reader: &mut BitReader<'_>,
        mut each: impl FnMut(u64) -> Result<bool>,
    ) -> Result<()> {
        for scalar in &self.scalars {
            if !each(scalar.value(reader)?)? {
                return Ok(());
            }
        }
        if let Tail::Array(element) = self.tail {
            for _ in 0..reader.vbr(6, "array length")? {
                if !each(element.value(reader)?)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Reads a record's values, behind its code, if the layout is six-bit characters alone.
    pub(crate) fn characters(&self, reader: &mut BitReader<'_>, to: &mut Vec<u8>) -> Result<bool> {
        if !self.scalars.is_empty() || self.tail != Tail::Array(Scalar::Char6) {
            return Ok(false);
        }
        let mut left = reader.vbr(6, "array length")?;
        while left > 0 {
            // As many as one look shows.
            let count = left.min(9);
            let bits = reader.fixed(low_word(count * 6), "characters")?;
            to.extend((0..count).map(|index| scalar::character(bits >> (index * 6) & 63)));
            left -= count;
        }
        Ok(true)
    }

    /// Reads a record's blob, behind its code; none if the layout has none.
    pub(crate) fn blob<'a>(&self, reader: &mut BitReader<'a>) -> Result<Option<&'a [u8]>> {
        if self.tail != Tail::Blob {
            return Ok(None);
        }
        self.scalars.iter().try_for_each(|scalar| scalar.skip(reader))?;
        read_blob(reader).map(Some)
    }

    /// Bits that a record takes in this layout, without its id; none if it does not fit.
    /// Padding around a blob is not counted.
    #[must_use]
    pub fn bits(&self, code: u32, values: &Values<'_>) -> Option<u64> {
        let (fixed, rest) = values.operands.split_at_checked(self.scalars.len())?;
        let scalars = self
            .scalars
            .iter()
            .zip(fixed)
            .try_fold(0, |sum, (scalar, &value)| Some(sum + scalar.bits(value)?))?;
        let tail = match (self.tail, &values.blob) {
            (Tail::None, None) => rest.is_empty().then_some(0)?,
            (Tail::Array(element), None) => {
                rest.iter().try_fold(vbr_bits(rest.len() as u64, 6), |sum, &value| {
                    Some(sum + element.bits(value)?)
                })?
            }
            (Tail::Blob, Some(blob)) => {
                let size = blob.len() as u64;
                rest.is_empty().then_some(vbr_bits(size, 6) + size * 8)?
            }
            _ => return None,
        };
        Some(self.code.bits(code.into())? + scalars + tail)
    }

    /// Writes a record that fits, behind its id.
    pub(crate) fn write_record(&self, writer: &mut BitWriter<'_>, code: u32, values: &Values<'_>) {
        self.code.write_value(writer, code.into());
        let mut operands = values.operands.iter();
        for (scalar, &value) in self.scalars.iter().zip(operands.by_ref()) {
            scalar.write_value(writer, value);
        }
        match self.tail {
            Tail::None => {}
            Tail::Array(element) => {
                writer.vbr(operands.len() as u64, 6);
                element.write_values(writer, operands.as_slice());
            }
            Tail::Blob => {
                let blob = values.blob.as_deref().unwrap_or_default();
                writer.vbr(blob.len() as u64, 6);
                writer.align();
                writer.aligned_bytes(blob);
            }
        }
    }
}

/// Reads a blob from its size on, and its padding.
#[inline(always)]
pub(crate) fn read_blob<'a>(reader: &mut BitReader<'a>) -> Result<&'a [u8]> {
    let size = reader.vbr(6, "blob length")?;
    reader.align()?;
    let blob = reader.bytes(size, "blob")?;
    reader.align()?;
    Ok(blob)
}
