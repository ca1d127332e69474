//! Abbreviations in a form that takes no heap: they are read anew for every module.

use crate::abbrev::{MAX_FREE_OPERANDS, character};
use crate::bits::{BitReader, BitWriter, low_word, mask};

/// Operands behind the code that are kept; LLVM's abbreviations for modules have at most 8.
const MOST: usize = 12;

/// Room of one value: its width in bits, with the highest bit set if it is variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room(u8);

const VARIABLE: u8 = 0x80;
/// A literal takes no bits, and is not asked for its value if that is not zero; a character has
/// six.
const LITERAL: Room = Room(VARIABLE - 1);
pub(super) const CHARACTER: Room = Room(VARIABLE - 2);
pub(super) const ASCII: Room = Room(7);
pub(super) const BYTE: Room = Room(8);
pub(crate) const WORD: Room = Room(32);
pub(crate) const VBR6: Room = Room(VARIABLE | 6);

/// What the code of the record is, or its room.
#[derive(Clone, Copy, Debug)]
enum Code {
    Literal(u32),
    Room(Room),
}

/// What follows the operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tail {
    #[default]
    None,
    Array(Room),
    Blob,
}

/// An abbreviation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Short {
    code: Code,
    rooms: [Room; MOST],
    count: u8,
    tail: Tail,
}

impl Short {
    /// Before its definition is read into it.
    pub(crate) const EMPTY: Self =
        Self { code: Code::Literal(0), rooms: [Room(0); MOST], count: 0, tail: Tail::None };

    /// Reads a definition; none if it is of another form, or makes no sense.
    pub(crate) fn read(&mut self, reader: &mut BitReader<'_>) -> Option<()> {
        let mut left = reader.vbr(5, "number of abbreviation operands").ok()?.checked_sub(1)?;
        self.code = Code::read(reader)?;
        while left > 0 {
            left -= 1;
            if reader.fixed(1, "abbreviation operand").ok()? == 1 {
                let literal = reader.vbr(8, "literal of an abbreviation").ok()?;
                // A literal zero reads as a number without bits does.
                self.push(if literal == 0 { Room(0) } else { LITERAL })?;
                continue;
            }
            match reader.fixed(3, "encoding of an abbreviation").ok()? {
                3 if left == 1 => {
                    left = 0;
                    self.tail = Tail::Array(element(reader)?);
                }
                5 if left == 0 => self.tail = Tail::Blob,
                encoding => self.push(room(encoding, reader)?)?,
            }
        }
        let free = self.rooms().iter().filter(|room| matches!(**room, LITERAL | Room(0)));
        (free.count() <= MAX_FREE_OPERANDS).then_some(())
    }

    /// The code, if it is always the same.
    pub(crate) fn literal(&self) -> Option<u32> {
        match self.code {
            Code::Literal(code) => Some(code),
            Code::Room(_) => None,
        }
    }

    /// Rooms of the operands in front of the tail.
    pub(crate) fn rooms(&self) -> &[Room] {
        self.rooms.get(..self.count.into()).unwrap_or_default()
    }

    pub(crate) fn tail(&self) -> Tail {
        self.tail
    }

    fn push(&mut self, room: Room) -> Option<()> {
        *self.rooms.get_mut(usize::from(self.count))? = room;
        self.count += 1;
        Some(())
    }

    /// The code of a record.
    pub(crate) fn code(&self, reader: &mut BitReader<'_>) -> Option<u64> {
        match self.code {
            Code::Literal(code) => Some(code.into()),
            Code::Room(room) => room.value(reader),
        }
    }

    /// Gives the values of a record to `each`, as long as it takes them.
    #[inline]
    pub(crate) fn values(
        &self,
        reader: &mut BitReader<'_>,
        mut each: impl FnMut(u64) -> Option<()>,
    ) -> Option<()> {
        for room in self.rooms() {
            each(room.value(reader)?)?;
        }
        if let Tail::Array(element) = self.tail {
            let count = reader.vbr(6, "array length").ok()?;
            // The two that matter, in loops of their own.
            match element {
                VBR6 => reader.each_vbr6(count, each)?,
                BYTE => {
                    for _ in 0..count {
                        each(reader.fixed(8, "array element").ok()?)?;
                    }
                }
                _ => {
                    for _ in 0..count {
                        each(element.value(reader)?)?;
                    }
                }
            }
        }
        Some(())
    }

    /// The values of a record if it is an array of bytes and nothing else.
    pub(crate) fn bytes(
        &self,
        reader: &mut BitReader<'_>,
        bytes: &mut Vec<u8>,
    ) -> Option<Option<()>> {
        matches!((self.count, self.tail), (0, Tail::Array(BYTE))).then(|| {
            let mut left = reader.vbr(6, "array length").ok()?;
            while left > 0 {
                // As many as one look at the data gives.
                let count = left.min(7);
                let word = reader.fixed(low_word(count * 8), "array").ok()?.to_le_bytes();
                bytes.extend_from_slice(word.get(..crate::bits::size(count))?);
                left -= count;
            }
            Some(())
        })
    }

    /// Passes over the values of a record.
    pub(crate) fn skip(&self, reader: &mut BitReader<'_>) -> Option<()> {
        self.skip_fields(reader)?;
        match self.tail {
            Tail::None => {}
            Tail::Array(element) => {
                let count = reader.vbr(6, "array length").ok()?;
                match element.fixed() {
                    Some(width) => reader.skip(count.checked_mul(width)?, "array").ok()?,
                    None if element == VBR6 => reader.skip_vbr6(count, "array element").ok()?,
                    None => (0..count).try_for_each(|_| element.skip(reader))?,
                }
            }
            Tail::Blob => drop(blob(reader)?),
        }
        Some(())
    }

    fn skip_fields(&self, reader: &mut BitReader<'_>) -> Option<()> {
        self.rooms().iter().try_for_each(|room| room.skip(reader))
    }

    /// Passes over the blob behind the operands, if there is one.
    pub(crate) fn skip_blob(&self, reader: &mut BitReader<'_>) -> Option<()> {
        match self.tail {
            Tail::Blob => blob(reader).map(drop),
            _ => Some(()),
        }
    }

    /// The blob of a record.
    pub(crate) fn blob<'a>(&self, reader: &mut BitReader<'a>) -> Option<&'a [u8]> {
        self.skip_fields(reader)?;
        matches!(self.tail, Tail::Blob).then(|| blob(reader))?
    }
}

impl Room {
    #[inline]
    pub(crate) fn value(self, reader: &mut BitReader<'_>) -> Option<u64> {
        match self.0 {
            width if width <= 64 => reader.fixed(width.into(), "operand").ok(),
            width if width > VARIABLE => reader.vbr((width - VARIABLE).into(), "operand").ok(),
            _ if self == CHARACTER => {
                reader.fixed(6, "character").ok().map(|number| character(number).into())
            }
            _ => None,
        }
    }

    #[inline]
    fn skip(self, reader: &mut BitReader<'_>) -> Option<()> {
        match self.fixed() {
            Some(width) => reader.skip(width, "operand").ok(),
            None => reader.skip_vbr((self.0 - VARIABLE).into(), "operand").ok(),
        }
    }

    /// Writes a value, if there is room for it.
    #[inline]
    pub(crate) fn write(self, writer: &mut BitWriter<'_>, value: u64) -> Option<()> {
        match self.0 {
            width if width <= 64 => {
                let width = width.into();
                (value & !mask(width) == 0).then(|| writer.fixed(value, width))
            }
            width if width > VARIABLE => {
                writer.vbr(value, (width - VARIABLE).into());
                Some(())
            }
            _ => None,
        }
    }

    /// Bits that every value takes.
    fn fixed(self) -> Option<u64> {
        match self {
            LITERAL => Some(0),
            CHARACTER => Some(6),
            Self(width) => (width < VARIABLE).then_some(width.into()),
        }
    }
}

impl Code {
    fn read(reader: &mut BitReader<'_>) -> Option<Self> {
        if reader.fixed(1, "abbreviation operand").ok()? == 1 {
            let code = reader.vbr(8, "literal of an abbreviation").ok()?;
            return u32::try_from(code).ok().map(Self::Literal);
        }
        room(reader.fixed(3, "encoding of an abbreviation").ok()?, reader).map(Self::Room)
    }
}

fn element(reader: &mut BitReader<'_>) -> Option<Room> {
    let bits = reader.fixed(4, "abbreviation operand").ok()?;
    // The lowest bit would make it a literal. What takes no bits has no end.
    room(bits >> 1, reader).filter(|room| bits & 1 == 0 && *room != Room(0))
}

fn room(encoding: u64, reader: &mut BitReader<'_>) -> Option<Room> {
    let mut width = |from, to| {
        let width = reader.vbr(5, "width of an abbreviation").ok()?;
        let [low, ..] = low_word(width).to_le_bytes();
        (from..=to).contains(&width).then_some(low)
    };
    match encoding {
        1 => width(0, 64).map(Room),
        2 => width(2, 32).map(|width| Room(VARIABLE | width)),
        4 => Some(CHARACTER),
        _ => None,
    }
}

fn blob<'a>(reader: &mut BitReader<'a>) -> Option<&'a [u8]> {
    let size = reader.vbr(6, "blob length").ok()?;
    reader.align().ok()?;
    let blob = reader.bytes(size, "blob").ok()?;
    reader.align().ok()?;
    Some(blob)
}
