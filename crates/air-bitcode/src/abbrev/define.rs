//! Definitions of abbreviations, as they stand in a block.

use std::sync::Arc;

use super::{Abbreviation, Scalar, Tail};
use crate::bits::{BitReader, BitWriter, low_word};
use crate::error::{Error, ErrorKind, Result};

/// Operands that a definition may have; LLVM's own have at most about twenty.
pub const MAX_OPERANDS: u64 = 4096;

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

    /// What the definition stands in, its first bit and its last bit + 1, with the id of
    /// `width` bits that announces it; none if it was read or made.
    pub(crate) fn extent(&self, width: u32) -> Option<(&'a [u8], u64, u64)> {
        match &self.0 {
            State::Stored(reader, bits) => {
                let start = reader.position();
                Some((reader.data(), start.checked_sub(width.into())?, start + bits))
            }
            State::Known(_) => None,
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

impl Abbreviation {
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

fn bad(reader: &BitReader<'_>, what: impl Into<String>) -> Error {
    reader.error(ErrorKind::Abbreviation { what: what.into() })
}
