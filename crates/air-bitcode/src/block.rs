//! Blocks: raw bytes until something asks for their items.

use std::sync::Arc;

use crate::abbrev::{Abbreviation, Definition, FIRST_ID, Inherited};
use crate::bits::{BitReader, low_word, size};
use crate::error::{ErrorKind, Result, Within};
use crate::ids::{block, block_name};
use crate::record::Record;

pub(crate) const END_BLOCK: u64 = 0;
pub(crate) const ENTER_BLOCK: u64 = 1;
pub(crate) const DEFINE: u64 = 2;

/// One thing in a block.
#[derive(Clone, Debug)]
pub enum Item<'a> {
    /// An abbreviation for what follows; in BLOCKINFO, for other blocks.
    Define(Definition<'a>),
    /// A record.
    Record(Record<'a>),
    /// A block.
    Block(Block<'a>),
}

/// A block of the stream.
#[derive(Clone, Debug)]
pub struct Block<'a> {
    id: u32,
    width: u32,
    pub(crate) body: Body<'a>,
}

#[derive(Clone, Debug)]
pub(crate) enum Body<'a> {
    Stored(Stored<'a>),
    Open(Box<Open<'a>>),
}

/// A block as it stands in the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored<'a> {
    /// What it stands in, from the id that announces it on.
    outer: BitReader<'a>,
    /// Bits from there to the body, which is everything behind the length word, `END_BLOCK`
    /// and padding included.
    head: u32,
    /// Words of the body.
    words: u32,
}

/// Items, and what was not decoded.
#[derive(Clone, Debug)]
pub(crate) struct Open<'a> {
    pub(crate) items: Vec<Item<'a>>,
    pub(crate) inherited: Inherited,
    /// The body that was decoded.
    pub(crate) source: BitReader<'a>,
    /// The undecoded end, `END_BLOCK` included; begins on a 32-bit border. None if all is decoded.
    pub(crate) rest: Option<&'a [u8]>,
}

impl<'a> Block<'a> {
    /// A new block; its abbreviation ids take `width` bits, 2 to 32. Abbreviations that its
    /// records use must be among its items, before them.
    #[must_use]
    pub fn new(id: u32, width: u32, items: Vec<Item<'a>>) -> Self {
        let source = BitReader::new(&[], 0);
        let open = Open { items, inherited: Inherited::default(), source, rest: None };
        Self { id, width, body: Body::Open(Box::new(open)) }
    }

    /// Reads a block behind the id that announces it, whose bits begin at `outer`. Its content
    /// is not looked at.
    #[inline]
    pub(crate) fn read(outer: BitReader<'a>, reader: &mut BitReader<'a>) -> Result<Self> {
        let start = *reader;
        let id = reader.vbr(8, "block id")?;
        let id = u32::try_from(id).map_err(|_| {
            let what = format!("block id {id}, expected at most 32 bits");
            start.error(ErrorKind::Value { what })
        })?;
        let before = *reader;
        let width = match reader.vbr(4, "width of abbreviation ids")? {
            width @ 2..=32 => low_word(width),
            found => return Err(before.error(ErrorKind::IdWidth { found })),
        };
        reader.align()?;
        let before = *reader;
        let words = reader.fixed(32, "block length")?;
        let head = low_word(reader.position() - outer.position());
        if reader.skip(words * 32, "block").is_err() {
            let (found, available) = (words * 4, reader.remaining() / 8);
            return Err(before.error(ErrorKind::BlockTooLong { found, available }))
                .within(|| block_name(id));
        }
        let body = Body::Stored(Stored { outer, head, words: low_word(words) });
        Ok(Self { id, width, body })
    }

    /// Which kind of block it is.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Bits of an abbreviation id in this block.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The body as it stands in the input; none once the block is decoded.
    #[must_use]
    #[inline]
    pub fn stored(&self) -> Option<BitReader<'a>> {
        match &self.body {
            Body::Stored(stored) => Some(stored.body()),
            Body::Open(_) => None,
        }
    }

    /// The items, if the block is decoded, as far as it is.
    #[must_use]
    pub fn items(&self) -> Option<&[Item<'a>]> {
        match &self.body {
            Body::Stored(_) => None,
            Body::Open(open) => Some(&open.items),
        }
    }

    /// The items for editing, if the block is decoded, as far as it is.
    #[must_use]
    pub fn items_mut(&mut self) -> Option<&mut Vec<Item<'a>>> {
        match &mut self.body {
            Body::Stored(_) => None,
            Body::Open(open) => Some(&mut open.items),
        }
    }

    /// Abbreviations at the end of the decoded items, with their ids.
    ///
    /// # Errors
    /// If a definition makes no sense.
    pub fn abbreviations(&self) -> Result<Vec<(u32, Arc<Abbreviation>)>> {
        let Body::Open(open) = &self.body else { return Ok(Vec::new()) };
        let own = open.items.iter().filter_map(|item| match item {
            Item::Define(definition) if self.id != block::BLOCKINFO => Some(definition.get()),
            _ => None,
        });
        let all = open.inherited.as_slice().iter().cloned().map(Ok).chain(own);
        (FIRST_ID..).zip(all).map(|(id, found)| Ok((id, found?))).collect()
    }
}

impl<'a> Stored<'a> {
    /// The body.
    #[inline]
    pub(crate) fn body(&self) -> BitReader<'a> {
        let start = self.outer.position() + u64::from(self.head);
        let length = self.words as usize * 4;
        let body = self.outer.data().get(size(start / 8)..).unwrap_or_default();
        let base = self.outer.offset() + u64::from(self.head);
        BitReader::new(body.get(..length).unwrap_or_default(), base)
    }
}

impl<'a> Item<'a> {
    /// Where the item stands in a body whose abbreviation ids take `width` bits: first bit and
    /// last bit + 1. None if it is decoded or edited, or stands somewhere else.
    #[inline]
    pub(crate) fn extent(&self, source: &BitReader<'a>, width: u32) -> Option<(u64, u64)> {
        let (of, start, end) = match self {
            Item::Define(definition) => definition.extent(width)?,
            Item::Record(record) => record.extent()?,
            Item::Block(Block { body: Body::Stored(stored), .. }) => stored.extent(),
            Item::Block(_) => return None,
        };
        std::ptr::eq(of, source.data()).then_some((start, end))
    }
}

impl<'a> Stored<'a> {
    /// What it stands in, its first bit and its last bit + 1.
    fn extent(&self) -> (&'a [u8], u64, u64) {
        let start = self.outer.position();
        let end = start + u64::from(self.head) + u64::from(self.words) * 32;
        (self.outer.data(), start, end)
    }
}
