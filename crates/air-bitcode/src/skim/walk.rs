//! Walks over the items of a block; nothing is kept of them.

use super::definitions::Definitions;
use super::short::Short;
use crate::abbrev::FIRST_ID;
use crate::bits::{BitReader, low_word, size};
use crate::block::{DEFINE, END_BLOCK, ENTER_BLOCK};
use crate::record::UNABBREVIATED;

/// A block inside another, or of the stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inner<'a> {
    pub(crate) id: u32,
    pub(crate) width: u32,
    pub(crate) body: BitReader<'a>,
}

impl<'a> Inner<'a> {
    /// Reads a block behind the id that announces it.
    #[inline(always)]
    pub(crate) fn read(reader: &mut BitReader<'a>) -> Option<Self> {
        let id = u32::try_from(reader.vbr(8, "block id").ok()?).ok()?;
        let width = low_word(reader.vbr(4, "width of abbreviation ids").ok()?);
        reader.align().ok()?;
        let size = reader.fixed(32, "block length").ok()? * 4;
        let body = reader.slice(size, "block").ok()?;
        (2..=32).contains(&width).then_some(Self { id, width, body })
    }
}

/// What comes next in a block.
pub(crate) enum Step<'a> {
    Block(Inner<'a>),
    /// A record with its code; its values are asked of the walk.
    Record(u32),
    End,
}

/// A walk; what gives an `Option` gives none where the bits are of another form, or damaged.
pub(crate) struct Walk<'a, 'd> {
    reader: BitReader<'a>,
    width: u32,
    /// Items that may follow: no more than one for each byte.
    left: usize,
    inherited: &'d [Short],
    own: &'d mut Definitions,
    /// Bits in front of the record.
    start: u64,
    pending: Pending,
}

#[derive(Clone, Copy)]
enum Pending {
    Nothing,
    Plain,
    /// What is left of a record without abbreviation: so many operands.
    Rest(u64),
    /// With this abbreviation.
    Short(usize),
}

impl<'a, 'd> Walk<'a, 'd> {
    pub(crate) fn new(block: &Inner<'a>, inherited: &'d [Short], own: &'d mut Definitions) -> Self {
        own.begin();
        let (reader, width, left) = (block.body, block.width, block.body.data().len());
        Self { reader, width, left, inherited, own, start: 0, pending: Pending::Nothing }
    }

    /// Passes over what is left of the record.
    #[inline]
    fn end_record(&mut self) -> Option<()> {
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => {}
            Pending::Plain => {
                let count = self.reader.vbr(6, "number of operands").ok()?;
                self.reader.skip_vbr6(count, "operands").ok()?;
            }
            Pending::Rest(count) => self.reader.skip_vbr6(count, "operands").ok()?,
            Pending::Short(index) => {
                let mut reader = self.reader;
                self.short(index)?.skip(&mut reader)?;
                self.reader = reader;
            }
        }
        Some(())
    }

    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Step<'a>> {
        self.end_record()?;
        loop {
            self.start = self.reader.position();
            self.left = self.left.checked_sub(1)?;
            match self.reader.fixed(self.width, "abbreviation id").map(low_word).ok()? {
                END_BLOCK => {
                    self.reader.align().ok()?;
                    return (self.reader.remaining() == 0).then_some(Step::End);
                }
                ENTER_BLOCK => return Inner::read(&mut self.reader).map(Step::Block),
                DEFINE => self.own.define(&mut self.reader)?,
                UNABBREVIATED => {
                    self.pending = Pending::Plain;
                    let code = self.reader.vbr(6, "record code").ok()?;
                    return u32::try_from(code).ok().map(Step::Record);
                }
                id => {
                    let index = size((id - FIRST_ID).into());
                    let mut reader = self.reader;
                    let code = self.short(index)?.code(&mut reader)?;
                    self.reader = reader;
                    self.pending = Pending::Short(index);
                    return u32::try_from(code).ok().map(Step::Record);
                }
            }
        }
    }

    /// The abbreviation that is the index-th in effect.
    #[inline]
    fn short(&self, index: usize) -> Option<&Short> {
        match self.inherited.get(index) {
            Some(short) => Some(short),
            None => self.own.get(index.checked_sub(self.inherited.len())?),
        }
    }

    /// Whether definitions were passed since they were moved last.
    pub(crate) fn has_definitions(&self) -> bool {
        self.own.iter().next().is_some()
    }

    /// Moves the definitions passed since this was asked last; records cannot use them any more.
    pub(crate) fn take_definitions(&mut self, to: &mut Vec<Short>) {
        self.own.move_to(to);
    }

    /// Bits of the block in front of the record.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// Bits of the block in front of what follows the record.
    pub(crate) fn end(&self) -> Option<u64> {
        let (mut reader, short) = self.values()?;
        match short {
            Some(short) => short.skip(&mut reader)?,
            None => {
                let count = reader.vbr(6, "number of operands").ok()?;
                reader.skip_vbr6(count, "operands").ok()?;
            }
        }
        Some(reader.position())
    }

    /// A reader of the record's values, and the abbreviation that they are laid out by. None
    /// if some were given as [`Walk::fields`].
    pub(crate) fn values(&self) -> Option<(BitReader<'a>, Option<&Short>)> {
        match self.pending {
            Pending::Nothing | Pending::Rest(_) => None,
            Pending::Plain => Some((self.reader, None)),
            Pending::Short(index) => Some((self.reader, Some(self.short(index)?))),
        }
    }

    /// Bits of the block in front of the record's operands; none if it is abbreviated.
    pub(crate) fn operands_start(&self) -> Option<u64> {
        matches!(self.pending, Pending::Plain).then(|| self.reader.position())
    }

    /// Gives the record's operands to `each`.
    pub(crate) fn operands(&self, each: impl FnMut(u64) -> Option<()>) -> Option<()> {
        let mut reader = self.reader;
        match &self.pending {
            Pending::Nothing | Pending::Rest(_) => None,
            Pending::Plain => {
                let count = reader.vbr(6, "number of operands").ok()?;
                reader.each_vbr6(count, each)
            }
            Pending::Short(index) => self.short(*index)?.values(&mut reader, each),
        }
    }

    /// The first operands of the record, zeros for what it has not. They are not given again.
    #[inline]
    pub(crate) fn fields<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut fields = [0; N];
        match self.pending {
            Pending::Plain => {
                let count = self.reader.vbr(6, "number of operands").ok()?;
                let mut slots = fields.iter_mut();
                self.reader.each_vbr6(count.min(N as u64), |operand| {
                    *slots.next()? = operand;
                    Some(())
                })?;
                self.pending = Pending::Rest(count.saturating_sub(N as u64));
            }
            _ => {
                let mut slots = fields.iter_mut();
                let all = self.operands(|operand| {
                    *slots.next()? = operand;
                    (slots.len() > 0).then_some(())
                });
                // It ends with the last one that is asked for.
                all.or((slots.len() == 0).then_some(()))?;
            }
        }
        Some(fields)
    }

    /// Reads all operands of the record, which ends with that. A blob is left out.
    #[inline]
    pub(crate) fn take(&mut self, to: &mut Vec<u64>) -> Option<()> {
        let mut reader = self.reader;
        let mut push = |operand| {
            to.push(operand);
            Some(())
        };
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing | Pending::Rest(_) => return None,
            Pending::Plain => {
                let count = reader.vbr(6, "number of operands").ok()?;
                reader.each_vbr6(count, push)?;
            }
            Pending::Short(index) => {
                let short = self.short(index)?;
                short.values(&mut reader, &mut push)?;
                short.skip_blob(&mut reader)?;
            }
        }
        self.reader = reader;
        Some(())
    }

    /// Bits of the block in front of what is read next.
    pub(crate) fn position(&self) -> u64 {
        self.reader.position()
    }

    /// The number of the abbreviation in effect that the record is written with, if it is.
    pub(crate) fn abbreviation(&self) -> Option<usize> {
        match self.pending {
            Pending::Short(index) => Some(index),
            _ => None,
        }
    }

    /// The first operand of the record.
    pub(crate) fn first(&self) -> Option<u64> {
        let mut first = None;
        // It ends with the first, or there is none.
        let _ = self.operands(|operand| {
            first = Some(operand);
            None
        });
        first
    }

    /// The bytes of a text.
    pub(crate) fn text(&self, text: &mut Vec<u8>) -> Option<()> {
        text.clear();
        if let Pending::Short(index) = &self.pending
            && let Some(found) = self.short(*index)?.bytes(&mut { self.reader }, text)
        {
            return found;
        }
        self.operands(|operand| {
            text.push(u8::try_from(operand).ok()?);
            Some(())
        })
    }

    /// The blob of the record.
    pub(crate) fn blob(&self) -> Option<&'a [u8]> {
        match &self.pending {
            Pending::Short(index) => self.short(*index)?.blob(&mut { self.reader }),
            _ => None,
        }
    }

    /// Ends the record, and passes over bits behind it.
    pub(crate) fn jump(&mut self, bits: impl FnOnce(u64) -> u64) -> Option<()> {
        self.end_record()?;
        let to = bits(self.reader.position());
        self.reader.skip(to, "items").ok()
    }
}
