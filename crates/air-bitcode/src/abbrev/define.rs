//! Definitions of abbreviations, as they stand in a block.

use std::sync::Arc;

use super::{Abbreviation, Scalar, Tail, memo};
use crate::bits::{BitReader, BitWriter, Span, low_word};
use crate::error::{Error, ErrorKind, Result};

/// Operands that a definition may have; LLVM's own have at most about twenty.
pub const MAX_OPERANDS: u64 = 4096;

/// Most operands of an abbreviation that take no bits, the code not counted: literals and
/// fields of width 0. A record has them for nothing, so more of them would let a few bits
/// become any number of values. LLVM's abbreviations have three at most.
pub const MAX_FREE_OPERANDS: usize = 4;

/// The definition of an abbreviation in a block: its bits until something uses it.
#[derive(Clone, Debug)]
pub struct Definition<'a>(State<'a>);

#[derive(Clone, Debug)]
enum State<'a> {
    /// Its bits.
    Stored(Span<'a>),
    Known(Arc<Abbreviation>),
}

impl<'a> Definition<'a> {
    /// A definition to put into a block.
    #[must_use]
    pub fn new(abbreviation: Abbreviation) -> Self {
        Self(State::Known(Arc::new(abbreviation)))
    }

    /// Finds the bits of a definition, behind the id that announces it.
    #[inline(always)]
    pub(crate) fn scan(reader: &mut BitReader<'a>) -> Result<Self> {
        let start = reader.position();
        let end = Abbreviation::behind_definition(*reader)?;
        reader.skip(end - start, "definition")?;
        Ok(Self(State::Stored(reader.span(start))))
    }

    /// The abbreviation.
    ///
    /// # Errors
    /// If the definition makes no sense.
    pub fn get(&self) -> Result<Arc<Abbreviation>> {
        match &self.0 {
            State::Known(abbreviation) => Ok(abbreviation.clone()),
            State::Stored(span) => memo::read(span),
        }
    }

    /// As [`Definition::get`], and what was read is kept.
    pub(crate) fn resolve(&mut self) -> Result<&Arc<Abbreviation>> {
        if let State::Stored(..) = self.0 {
            self.0 = State::Known(self.get()?);
        }
        match &self.0 {
            State::Known(abbreviation) => Ok(abbreviation),
            State::Stored(span) => Err(bad_at(&span.reader(), span.range().0, "not resolved")),
        }
    }

    /// Its bits, without the id that announces it; none if it was read or made.
    #[inline]
    pub(crate) fn span(&self) -> Option<&Span<'a>> {
        match &self.0 {
            State::Stored(span) => Some(span),
            State::Known(_) => None,
        }
    }

    /// Writes the definition, behind the id that announces it; with `anew` not its bits, but
    /// what they say.
    pub(crate) fn write(&self, writer: &mut BitWriter<'_>, anew: bool) -> Result<()> {
        match &self.0 {
            State::Stored(span) if !anew => writer.copy(&mut span.reader(), span.bits()),
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
        let start = reader.position();
        Ok(match reader.fixed(3, "encoding of an abbreviation")? {
            1 => match reader.vbr(5, "width of an abbreviation")? {
                bits @ 0..=64 => Self::Scalar(Scalar::Fixed(low_word(bits))),
                bits => {
                    return Err(bad_at(
                        reader,
                        start,
                        format!("fixed width of {bits} bits, at most 64"),
                    ));
                }
            },
            2 => match reader.vbr(5, "width of an abbreviation")? {
                bits @ (0 | 2..=32) => Self::Scalar(Scalar::Vbr(low_word(bits))),
                bits => {
                    let what = format!("variable width of {bits} bits, expected 2 to 32 (or 0)");
                    return Err(bad_at(reader, start, what));
                }
            },
            3 => Self::Array,
            4 => Self::Scalar(Scalar::Char6),
            5 => Self::Blob,
            other => {
                return Err(bad_at(reader, start, format!("encoding {other}, expected 1 to 5")));
            }
        })
    }
}

impl Abbreviation {
    /// Reads a definition, behind the id that announces it.
    ///
    /// # Errors
    /// If the bits end, or the definition makes no sense.
    pub fn read(reader: &mut BitReader<'_>) -> Result<Self> {
        let start = reader.position();
        let mut left = read_count(reader)?;
        let mut code = None;
        // A count that is a lie is at most MAX_OPERANDS, and the bits end soon.
        let mut scalars = Vec::with_capacity(crate::bits::size(left.min(16).saturating_sub(1)));
        let mut tail = Tail::None;
        while left > 0 {
            left -= 1;
            let here = reader.position();
            match Token::read(reader)? {
                Token::Scalar(scalar) if code.is_none() => code = Some(scalar),
                Token::Scalar(scalar) => scalars.push(scalar),
                Token::Blob if left == 0 => tail = Tail::Blob,
                Token::Blob => {
                    return Err(bad_at(reader, here, "blob that is not the last operand"));
                }
                Token::Array if left == 1 => {
                    left = 0;
                    tail = Tail::Array(read_element(reader)?);
                }
                Token::Array => {
                    return Err(bad_at(reader, here, "array that is not the last operand but one"));
                }
            }
        }
        let code = code.ok_or_else(|| bad_at(reader, start, "no operand for the record's code"))?;
        let free = scalars.iter().filter(|scalar| scalar.takes_no_bits()).count();
        if free > MAX_FREE_OPERANDS {
            let what = "abbreviation operands that take no bits";
            let (found, limit) = (free as u64, MAX_FREE_OPERANDS as u64);
            return Err(reader.error_at(start, ErrorKind::TooMany { what, found, limit }));
        }
        Self::new(code, scalars, tail)
            .ok_or_else(|| bad_at(reader, start, "array whose elements take no bits"))
    }

    /// The position behind a definition. Whether it makes sense is not looked at.
    fn behind_definition(mut reader: BitReader<'_>) -> Result<u64> {
        let mut left = read_count(&mut reader)?;
        while left > 0 {
            // Operands of nine bits at most, as nearly all are, as many as one look shows.
            let mut bits = reader.look();
            let shown = reader.remaining().min(BitReader::LOOK);
            let mut passed = 0;
            while left > 0 && passed + 9 <= shown {
                let size = match (bits & 1, bits >> 1 & 7, bits >> 8 & 1) {
                    (1, _, 0) | (0, 1 | 2, 0) => 9,
                    (0, 0 | 3.., _) => 4,
                    _ => break,
                };
                bits >>= size;
                passed += size;
                left -= 1;
            }
            reader.skip(passed, "abbreviation operand")?;
            if left > 0 && passed == 0 {
                skip_operand(&mut reader)?;
                left -= 1;
            }
        }
        Ok(reader.position())
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

#[inline(always)]
fn read_count(reader: &mut BitReader<'_>) -> Result<u64> {
    let start = reader.position();
    let count = reader.vbr(5, "number of abbreviation operands")?;
    if count <= MAX_OPERANDS {
        return Ok(count);
    }
    let (what, limit) = ("abbreviation operands", MAX_OPERANDS);
    Err(reader.error_at(start, ErrorKind::TooMany { what, found: count, limit }))
}

/// Passes over one operand of any size.
fn skip_operand(reader: &mut BitReader<'_>) -> Result<()> {
    if reader.fixed(1, "abbreviation operand")? == 1 {
        reader.vbr(8, "literal of an abbreviation")?;
    } else if matches!(reader.fixed(3, "encoding of an abbreviation")?, 1 | 2) {
        reader.vbr(5, "width of an abbreviation")?;
    }
    Ok(())
}

fn read_element(reader: &mut BitReader<'_>) -> Result<Scalar> {
    let start = reader.position();
    match Token::read(reader)? {
        Token::Scalar(Scalar::Literal(_)) => Err(bad_at(reader, start, "array of a literal")),
        Token::Scalar(scalar) => Ok(scalar),
        Token::Array => Err(bad_at(reader, start, "array of arrays")),
        Token::Blob => Err(bad_at(reader, start, "array of blobs")),
    }
}

#[cold]
fn bad_at(reader: &BitReader<'_>, position: u64, what: impl Into<String>) -> Error {
    reader.error_at(position, ErrorKind::Abbreviation { what: what.into() })
}
