//! Blocks: raw bytes until something asks for their items.

use std::sync::Arc;

use crate::abbrev::{Abbreviation, Definition, FIRST_ID, Inherited};
use crate::bits::{BitReader, Span, low_word};
use crate::blob::Blob;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{block, block_name};
use crate::record::Record;

pub(crate) const END_BLOCK: u32 = 0;
pub(crate) const ENTER_BLOCK: u32 = 1;
pub(crate) const DEFINE: u32 = 2;

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
    /// Another blob was put into it.
    Blob(Box<Blob<'a>>),
}

/// A block as it stands in the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored<'a> {
    /// From the id that announces it to its end.
    span: Span<'a>,
    /// Words of the body, which is everything behind the length word, `END_BLOCK` and padding
    /// included.
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

    /// Reads a block behind the id that announces it, which begins at `start`. Its content
    /// is not looked at.
    #[inline(always)]
    pub(crate) fn read(reader: &mut BitReader<'a>, start: u64) -> Result<Self> {
        let here = reader.position();
        let id = reader.vbr(8, "block id")?;
        let id = u32::try_from(id).map_err(|_| {
            let what = format!("block id {id}, expected at most 32 bits");
            reader.error_at(here, ErrorKind::Value { what })
        })?;
        let here = reader.position();
        let width = match reader.vbr(4, "width of abbreviation ids")? {
            width @ 2..=32 => low_word(width),
            found => return Err(reader.error_at(here, ErrorKind::IdWidth { found })),
        };
        reader.align()?;
        let words = low_word(reader.fixed(32, "block length")?);
        let bits = u64::from(words) * 32;
        if bits > reader.remaining() {
            return Err(too_long(reader, id, bits / 8));
        }
        reader.skip(bits, "block")?;
        let body = Body::Stored(Stored { span: reader.span(start), words });
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
            Body::Open(_) | Body::Blob(_) => None,
        }
    }

    /// The items, if the block is decoded, as far as it is.
    #[must_use]
    pub fn items(&self) -> Option<&[Item<'a>]> {
        match &self.body {
            Body::Stored(_) | Body::Blob(_) => None,
            Body::Open(open) => Some(&open.items),
        }
    }

    /// The items for editing, if the block is decoded, as far as it is.
    #[must_use]
    pub fn items_mut(&mut self) -> Option<&mut Vec<Item<'a>>> {
        match &mut self.body {
            Body::Stored(_) | Body::Blob(_) => None,
            Body::Open(open) => Some(&mut open.items),
        }
    }

    /// A copy without the items that `keep` says no to, which are not copied either.
    pub(crate) fn clone_some(&self, keep: impl FnMut(&&Item<'a>) -> bool) -> Self {
        let Body::Open(open) = &self.body else { return self.clone() };
        let items = open.items.iter().filter(keep).cloned().collect();
        let (inherited, source) = (open.inherited.clone(), open.source);
        let open = Open { items, inherited, source, rest: open.rest };
        Self { body: Body::Open(Box::new(open)), ..*self }
    }

    /// How many abbreviations the block has before its first definition.
    pub(crate) fn inherited_count(&self) -> usize {
        match &self.body {
            Body::Open(open) => open.inherited.as_slice().len(),
            Body::Stored(_) | Body::Blob(_) => 0,
        }
    }

    /// Absolute offset of its body in the input, in bits; none for a block that was made.
    pub(crate) fn source(&self) -> Option<u64> {
        match &self.body {
            Body::Open(open) => (!open.source.data().is_empty()).then(|| open.source.offset()),
            Body::Stored(stored) => Some(stored.body().offset()),
            Body::Blob(_) => None,
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

#[cold]
fn too_long(reader: &BitReader<'_>, id: u32, found: u64) -> Error {
    let available = reader.remaining() / 8;
    let kind = ErrorKind::BlockTooLong { found, available };
    reader.error_at(reader.position() - 32, kind).within(block_name(id))
}

impl<'a> Stored<'a> {
    /// The body.
    #[inline]
    pub(crate) fn body(&self) -> BitReader<'a> {
        self.span.last_words(self.words)
    }
}

impl Item<'_> {
    /// Whether a part of it begins on a 32-bit border, wherever it begins itself.
    #[inline]
    pub(crate) fn is_aligned(&self) -> bool {
        match self {
            Item::Define(_) => false,
            Item::Record(record) => record.ends_aligned(),
            Item::Block(_) => true,
        }
    }

    /// Where the item stands in a body whose abbreviation ids take `width` bits: first bit and
    /// last bit + 1. None if it is decoded or edited, or stands somewhere else.
    #[inline]
    pub(crate) fn extent(&self, source: &BitReader<'_>, width: u32) -> Option<(u64, u64)> {
        let (span, id) = match self {
            // The span of a definition is without its id.
            Item::Define(definition) => (definition.span()?, width),
            Item::Record(record) => (record.span()?, 0),
            Item::Block(Block { body: Body::Stored(stored), .. }) => (&stored.span, 0),
            Item::Block(_) => return None,
        };
        let (start, end) = span.range();
        span.is_in(source).then_some((start.checked_sub(id.into())?, end))
    }
}
