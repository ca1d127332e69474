//! Abbreviations in a form that takes no heap: they are read anew for every module.

use crate::bits::{BitReader, low_word};

/// Operands behind the code that are kept; LLVM's abbreviations for modules have at most 8.
const MOST: usize = 12;

/// Room of one value.
#[derive(Clone, Copy, Debug)]
enum Room {
    Fixed(u8),
    Vbr(u8),
}

/// What the code of the record is, or its room.
#[derive(Clone, Copy, Debug)]
enum Code {
    Literal(u64),
    Room(Room),
}

#[derive(Clone, Copy, Debug)]
enum Tail {
    None,
    Array(Room),
    Blob,
}

/// An abbreviation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short {
    code: Code,
    rooms: [Room; MOST],
    count: usize,
    tail: Tail,
}

impl Short {
    /// Reads a definition; none if it is of another form, or makes no sense.
    pub(super) fn read(reader: &mut BitReader<'_>) -> Option<Self> {
        let mut left = reader.vbr(5, "number of abbreviation operands").ok()?.checked_sub(1)?;
        let code = Code::read(reader)?;
        let mut short = Self { code, rooms: [Room::Fixed(0); MOST], count: 0, tail: Tail::None };
        while left > 0 {
            left -= 1;
            if reader.fixed(1, "abbreviation operand").ok()? == 1 {
                // Takes no bits; its value is asked for by nobody.
                reader.vbr(8, "literal of an abbreviation").ok()?;
                short.push(Room::Fixed(0))?;
                continue;
            }
            match reader.fixed(3, "encoding of an abbreviation").ok()? {
                3 if left == 1 => {
                    left = 0;
                    short.tail = Tail::Array(element(reader)?);
                }
                5 if left == 0 => short.tail = Tail::Blob,
                encoding => short.push(room(encoding, reader)?)?,
            }
        }
        Some(short)
    }

    fn push(&mut self, room: Room) -> Option<()> {
        *self.rooms.get_mut(self.count)? = room;
        self.count += 1;
        Some(())
    }

    /// The code of a record.
    pub(super) fn code(&self, reader: &mut BitReader<'_>) -> Option<u64> {
        match self.code {
            Code::Literal(code) => Some(code),
            Code::Room(room) => room.value(reader),
        }
    }

    /// Gives the values of a record to `each`, as long as it takes them.
    #[inline]
    pub(super) fn values(
        &self,
        reader: &mut BitReader<'_>,
        mut each: impl FnMut(u64) -> Option<()>,
    ) -> Option<()> {
        for room in self.rooms.iter().take(self.count) {
            each(room.value(reader)?)?;
        }
        if let Tail::Array(element) = self.tail {
            let count = reader.vbr(6, "array length").ok()?;
            // The two that matter, in loops of their own.
            match element {
                Room::Vbr(6) => {
                    for _ in 0..count {
                        each(reader.vbr(6, "array element").ok()?)?;
                    }
                }
                Room::Fixed(8) => {
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

    /// Passes over the values of a record.
    pub(super) fn skip(&self, reader: &mut BitReader<'_>) -> Option<()> {
        self.skip_fields(reader)?;
        match self.tail {
            Tail::None => {}
            Tail::Array(element) => {
                let count = reader.vbr(6, "array length").ok()?;
                match element {
                    Room::Fixed(width) => {
                        reader.skip(count.checked_mul(width.into())?, "array").ok()?;
                    }
                    Room::Vbr(6) => reader.skip_vbr6(count, "array element").ok()?,
                    Room::Vbr(width) => {
                        for _ in 0..count {
                            reader.skip_vbr(width.into(), "array element").ok()?;
                        }
                    }
                }
            }
            Tail::Blob => drop(blob(reader)?),
        }
        Some(())
    }

    fn skip_fields(&self, reader: &mut BitReader<'_>) -> Option<()> {
        self.rooms.iter().take(self.count).try_for_each(|room| match room {
            Room::Fixed(width) => reader.skip((*width).into(), "operand").ok(),
            Room::Vbr(width) => reader.skip_vbr((*width).into(), "operand").ok(),
        })
    }

    /// The blob of a record.
    pub(super) fn blob<'a>(&self, reader: &mut BitReader<'a>) -> Option<&'a [u8]> {
        self.skip_fields(reader)?;
        matches!(self.tail, Tail::Blob).then(|| blob(reader))?
    }
}

impl Room {
    #[inline]
    fn value(self, reader: &mut BitReader<'_>) -> Option<u64> {
        match self {
            Self::Fixed(width) => reader.fixed(width.into(), "operand").ok(),
            Self::Vbr(width) => reader.vbr(width.into(), "operand").ok(),
        }
    }
}

impl Code {
    fn read(reader: &mut BitReader<'_>) -> Option<Self> {
        if reader.fixed(1, "abbreviation operand").ok()? == 1 {
            return reader.vbr(8, "literal of an abbreviation").ok().map(Self::Literal);
        }
        room(reader.fixed(3, "encoding of an abbreviation").ok()?, reader).map(Self::Room)
    }
}

fn element(reader: &mut BitReader<'_>) -> Option<Room> {
    let bits = reader.fixed(4, "abbreviation operand").ok()?;
    // The lowest bit would make it a literal.
    room(bits >> 1, reader).filter(|_| bits & 1 == 0)
}

fn room(encoding: u64, reader: &mut BitReader<'_>) -> Option<Room> {
    let mut width = |from, to| {
        let width = reader.vbr(5, "width of an abbreviation").ok()?;
        let [low, ..] = low_word(width).to_le_bytes();
        (from..=to).contains(&width).then_some(low)
    };
    match encoding {
        1 => width(0, 64).map(Room::Fixed),
        2 => width(2, 32).map(Room::Vbr),
        4 => Some(Room::Fixed(6)),
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
