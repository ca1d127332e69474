//! Abbreviations: how a record's values are laid out in bits.
//!
//! A definition is a list of scalars, the first of which is the record's code, and behind
//! them an array, a blob, or nothing.

use std::borrow::Cow;
use std::sync::Arc;

use crate::bits::{BitReader, BitWriter, low_word};
use crate::error::{ErrorKind, Result};

/// Operands that a definition may have; LLVM's own have at most about twenty.
pub const MAX_OPERANDS: u64 = 4096;

/// The first abbreviation id that a block's definitions take.
pub const FIRST_ID: u32 = 4;

const CHAR6: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

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

impl Scalar {
    fn write(self, writer: &mut BitWriter<'_>) {
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
    fn value(self, reader: &mut BitReader<'_>) -> Result<u64> {
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

    fn skip(self, reader: &mut BitReader<'_>) -> Result<()> {
        match self {
            Self::Literal(_) | Self::Vbr(0) => Ok(()),
            Self::Fixed(width) => reader.skip(u64::from(width), "operand"),
            Self::Vbr(width) => reader.skip_vbr(width, "operand"),
            Self::Char6 => reader.skip(6, "character"),
        }
    }

    fn write_value(self, writer: &mut BitWriter<'_>, value: u64) {
        match self {
            Self::Literal(_) | Self::Vbr(0) => {}
            Self::Fixed(width) => writer.fixed(value, width),
            Self::Vbr(width) => writer.vbr(value, width),
            Self::Char6 => writer.fixed(char6(value).unwrap_or(0), 6),
        }
    }

    /// Bits that a value takes, or none if it cannot be written in this way.
    fn bits(self, value: u64) -> Option<u64> {
        match self {
            Self::Literal(literal) => (literal == value).then_some(0),
            Self::Fixed(width) => (value & !crate::bits::mask(width) == 0).then_some(width.into()),
            Self::Vbr(0) => (value == 0).then_some(0),
            Self::Vbr(width) => Some(vbr_bits(value, width)),
            Self::Char6 => char6(value).map(|_| 6),
        }
    }
}

/// The definition of an abbreviation in a block: its bits until something uses it.
#[derive(Clone, Debug)]
pub struct Definition<'a>(State<'a>);

#[derive(Clone, Debug)]
enum State<'a> {
    /// Where it begins, and how many bits it takes.
    Stored(BitReader<'a>, u64),
    Known(Arc<Abbreviation>),
}

impl<'a> Definition<'a> {
    /// A definition to put into a block.
    #[must_use]
    pub fn new(abbreviation: Abbreviation) -> Self {
        Self(State::Known(Arc::new(abbreviation)))
    }

    /// Finds the bits of a definition, behind the id that announces it.
    pub(crate) fn scan(reader: &mut BitReader<'a>) -> Result<Self> {
        let start = *reader;
        Abbreviation::skip_definition(reader)?;
        Ok(Self(State::Stored(start, reader.position() - start.position())))
    }

    /// The abbreviation.
    ///
    /// # Errors
    /// If the definition makes no sense.
    pub fn get(&self) -> Result<Arc<Abbreviation>> {
        match &self.0 {
            State::Known(abbreviation) => Ok(abbreviation.clone()),
            State::Stored(reader, _) => Abbreviation::read(&mut reader.clone()).map(Arc::new),
        }
    }

    /// As [`Definition::get`], and what was read is kept.
    pub(crate) fn resolve(&mut self) -> Result<&Arc<Abbreviation>> {
        if let State::Stored(..) = self.0 {
            self.0 = State::Known(self.get()?);
        }
        match &self.0 {
            State::Known(abbreviation) => Ok(abbreviation),
            State::Stored(reader, _) => Err(bad(reader, "not resolved")),
        }
    }

    /// Writes the definition, behind the id that announces it; with `anew` not its bits, but
    /// what they say.
    pub(crate) fn write(&self, writer: &mut BitWriter<'_>, anew: bool) -> Result<()> {
        match &self.0 {
            State::Stored(reader, bits) if !anew => writer.copy(&mut reader.clone(), *bits),
            _ => {
                self.get()?.write(writer);
                Ok(())
            }
        }
    }
}

/// One operand of a definition.
enum Token {
    Scalar(Scalar),
    Array,
    Blob,
}

impl Token {
    #[inline]
    fn read(reader: &mut BitReader<'_>) -> Result<Self> {
        if reader.fixed(1, "abbreviation operand")? == 1 {
            let value = reader.vbr(8, "literal of an abbreviation")?;
            return Ok(Self::Scalar(Scalar::Literal(value)));
        }
        let start = *reader;
        Ok(match reader.fixed(3, "encoding of an abbreviation")? {
            1 => match reader.vbr(5, "width of an abbreviation")? {
                bits @ 0..=64 => Self::Scalar(Scalar::Fixed(low_word(bits))),
                bits => return Err(bad(&start, format!("fixed width of {bits} bits, at most 64"))),
            },
            2 => match reader.vbr(5, "width of an abbreviation")? {
                bits @ (0 | 2..=32) => Self::Scalar(Scalar::Vbr(low_word(bits))),
                bits => {
                    let what = format!("variable width of {bits} bits, expected 2 to 32 (or 0)");
                    return Err(bad(&start, what));
                }
            },
            3 => Self::Array,
            4 => Self::Scalar(Scalar::Char6),
            5 => Self::Blob,
            other => return Err(bad(&start, format!("encoding {other}, expected 1 to 5"))),
        })
    }
}

fn char6(value: u64) -> Option<u64> {
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

fn bad(reader: &BitReader<'_>, what: impl Into<String>) -> crate::Error {
    reader.error(ErrorKind::Abbreviation { what: what.into() })
}

impl Abbreviation {
    /// An abbreviation from its parts; none if an array's elements would take no bits.
    #[must_use]
    pub fn new(code: Scalar, scalars: Vec<Scalar>, tail: Tail) -> Option<Self> {
        let empty = |scalar| matches!(scalar, Scalar::Literal(_) | Scalar::Fixed(0) | Scalar::Vbr(0));
        let useless = matches!(tail, Tail::Array(element) if empty(element));
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

    /// Reads a definition, behind the id that announces it.
    ///
    /// # Errors
    /// If the bits end, or the definition makes no sense.
    pub fn read(reader: &mut BitReader<'_>) -> Result<Self> {
        let start = *reader;
        let mut left = read_count(&start, reader)?;
        let mut code = None;
        // A count that is a lie is at most MAX_OPERANDS, and the bits end soon.
        let mut scalars = Vec::with_capacity(crate::bits::size(left.min(16).saturating_sub(1)));
        let mut tail = Tail::None;
        while left > 0 {
            left -= 1;
            let here = *reader;
            match Token::read(reader)? {
                Token::Scalar(scalar) if code.is_none() => code = Some(scalar),
                Token::Scalar(scalar) => scalars.push(scalar),
                Token::Blob if left == 0 => tail = Tail::Blob,
                Token::Blob => return Err(bad(&here, "blob that is not the last operand")),
                Token::Array if left == 1 => {
                    left = 0;
                    tail = Tail::Array(read_element(reader)?);
                }
                Token::Array => {
                    return Err(bad(&here, "array that is not the last operand but one"));
                }
            }
        }
        let code = code.ok_or_else(|| bad(&start, "no operand for the record's code"))?;
        Self::new(code, scalars, tail)
            .ok_or_else(|| bad(&start, "array whose elements take no bits"))
    }

    /// Passes over a definition without looking whether it makes sense.
    fn skip_definition(reader: &mut BitReader<'_>) -> Result<()> {
        let start = *reader;
        for _ in 0..read_count(&start, reader)? {
            if reader.fixed(1, "abbreviation operand")? == 1 {
                reader.vbr(8, "literal of an abbreviation")?;
            } else if matches!(reader.fixed(3, "encoding of an abbreviation")?, 1 | 2) {
                reader.vbr(5, "width of an abbreviation")?;
            }
        }
        Ok(())
    }

    /// Writes the definition, behind the id that announces it.
    pub fn write(&self, writer: &mut BitWriter<'_>) {
        let tail = match self.tail {
            Tail::None => 0,
            Tail::Array(_) => 2,
            Tail::Blob => 1,
        };
        writer.vbr(self.scalars.len() as u64 + 1 + tail, 5);
        self.code.write(writer);
        self.scalars.iter().for_each(|scalar| scalar.write(writer));
        match self.tail {
            Tail::None => {}
            Tail::Array(element) => {
                writer.fixed(3 << 1, 4);
                element.write(writer);
            }
            Tail::Blob => writer.fixed(5 << 1, 4),
        }
    }

    /// Reads a record's code.
    pub(crate) fn read_code(&self, reader: &mut BitReader<'_>) -> Result<u64> {
        self.code.value(reader)
    }

    /// Passes over a record's values, behind its code.
    pub(crate) fn skip(&self, reader: &mut BitReader<'_>) -> Result<()> {
        for scalar in &self.scalars {
            scalar.skip(reader)?;
        }
        match self.tail {
            Tail::None => Ok(()),
            Tail::Array(element) => {
                let count = reader.vbr(6, "array length")?;
                match element {
                    Scalar::Vbr(6) => reader.skip_vbr6(count, "array element"),
                    Scalar::Fixed(width) => {
                        reader.skip(count.saturating_mul(width.into()), "array")
                    }
                    Scalar::Char6 => reader.skip(count.saturating_mul(6), "array"),
                    _ => (0..count).try_for_each(|_| element.skip(reader)),
                }
            }
            Tail::Blob => read_blob(reader).map(|_| ()),
        }
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

    /// Bits that a record takes in this layout, without its id; none if it does not fit.
    /// Padding around a blob is not counted.
    #[must_use]
    pub fn bits(&self, code: u32, values: &Values<'_>) -> Option<u64> {
        let (fixed, rest) = values.operands.split_at_checked(self.scalars.len())?;
        let scalars = self.scalars.iter().zip(fixed).try_fold(0, |sum, (scalar, &value)| {
            Some(sum + scalar.bits(value)?)
        })?;
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
    pub(crate) fn write_record(
        &self,
        writer: &mut BitWriter<'_>,
        code: u32,
        values: &Values<'_>,
    ) {
        self.code.write_value(writer, code.into());
        let mut operands = values.operands.iter();
        for (scalar, &value) in self.scalars.iter().zip(operands.by_ref()) {
            scalar.write_value(writer, value);
        }
        match self.tail {
            Tail::None => {}
            Tail::Array(element) => {
                writer.vbr(operands.len() as u64, 6);
                operands.for_each(|&value| element.write_value(writer, value));
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

fn read_count(start: &BitReader<'_>, reader: &mut BitReader<'_>) -> Result<u64> {
    let count = reader.vbr(5, "number of abbreviation operands")?;
    if count <= MAX_OPERANDS {
        return Ok(count);
    }
    let (what, limit) = ("abbreviation operands", MAX_OPERANDS);
    Err(start.error(ErrorKind::TooMany { what, found: count, limit }))
}

fn read_element(reader: &mut BitReader<'_>) -> Result<Scalar> {
    let start = *reader;
    match Token::read(reader)? {
        Token::Scalar(Scalar::Literal(_)) => Err(bad(&start, "array of a literal")),
        Token::Scalar(scalar) => Ok(scalar),
        Token::Array => Err(bad(&start, "array of arrays")),
        Token::Blob => Err(bad(&start, "array of blobs")),
    }
}

fn read_blob<'a>(reader: &mut BitReader<'a>) -> Result<&'a [u8]> {
    let size = reader.vbr(6, "blob length")?;
    reader.align()?;
    let blob = reader.bytes(size, "blob")?;
    reader.align()?;
    Ok(blob)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(write: impl FnOnce(&mut BitWriter<'_>)) -> Result<Abbreviation> {
        let mut bytes = Vec::new();
        let mut writer = BitWriter::new(&mut bytes);
        write(&mut writer);
        writer.align();
        Abbreviation::read(&mut BitReader::new(&bytes, 0))
    }

    fn message(write: impl FnOnce(&mut BitWriter<'_>)) -> String {
        definition(write).unwrap_err().to_string()
    }

    #[test]
    fn definitions_come_back() {
        let scalars = vec![Scalar::Fixed(64), Scalar::Vbr(32), Scalar::Char6, Scalar::Fixed(0)];
        for tail in [Tail::None, Tail::Blob, Tail::Array(Scalar::Vbr(6))] {
            let made = Abbreviation::new(Scalar::Literal(u64::MAX), scalars.clone(), tail).unwrap();
            assert_eq!(definition(|writer| made.write(writer)).unwrap(), made);
        }
    }

    #[test]
    fn every_six_bit_character_comes_back() {
        for (index, &c) in CHAR6.iter().enumerate() {
            assert_eq!(char6(c.into()), Some(index as u64));
        }
        let others = (0..300).filter(|value| !CHAR6.iter().any(|&c| u64::from(c) == *value));
        assert_eq!(others.filter_map(char6).count(), 0);
    }

    #[test]
    fn senseless_definitions_are_refused() {
        let array = 3 << 1;
        let blob = 5 << 1;
        assert_eq!(
            message(|w| w.vbr(1 << 60, 5)),
            "1152921504606846976 abbreviation operands, at most 4096 are decoded (bit 0)"
        );
        assert_eq!(
            message(|w| w.vbr(0, 5)),
            "abbreviation: no operand for the record's code (bit 0)"
        );
        assert_eq!(
            message(|w| {
                w.vbr(1, 5);
                w.fixed(1 << 1, 4);
                w.vbr(65, 5);
            }),
            "abbreviation: fixed width of 65 bits, at most 64 (bit 6)"
        );
        assert_eq!(
            message(|w| {
                w.vbr(3, 5);
                w.fixed(4 << 1, 4);
                w.fixed(array, 4);
                w.fixed(array, 4);
            }),
            "abbreviation: array of arrays (bit 13)"
        );
        assert_eq!(
            message(|w| {
                w.vbr(2, 5);
                w.fixed(blob, 4);
            }),
            "abbreviation: blob that is not the last operand (bit 5)"
        );
        assert_eq!(
            message(|w| {
                w.vbr(3, 5);
                w.fixed(4 << 1, 4);
                w.fixed(array, 4);
                w.fixed(1 << 1, 4);
                w.vbr(0, 5);
            }),
            "abbreviation: array whose elements take no bits (bit 0)"
        );
    }

    #[test]
    fn what_does_not_fit_has_no_size() {
        let name = Abbreviation::new(Scalar::Literal(16), vec![], Tail::Array(Scalar::Char6));
        let values = |text: &str| Values {
            operands: text.bytes().map(u64::from).collect(),
            blob: None,
        };
        let name = name.unwrap();
        assert_eq!(name.bits(16, &values("a_b")), Some(24));
        assert_eq!(name.bits(16, &values("a:b")), None);
        assert_eq!(name.bits(17, &values("a_b")), None);
    }
}
