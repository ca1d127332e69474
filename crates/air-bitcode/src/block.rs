//! Blocks: raw bytes until something asks for their items.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::abbrev::{Abbreviation, Definition, FIRST_ID};
use crate::bits::{BitReader, BitWriter, low_word, size};
use crate::blockinfo::{BlockInfo, Inherited, check_count};
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{block, block_name};
use crate::positions;
use crate::record::{Record, UNABBREVIATED};

/// Blocks may be nested this deep to be decoded; LLVM's own are at most four deep.
pub const MAX_DEPTH: usize = 64;

/// Items that a block may hold beside one for each of its bytes, to bound memory.
const SPARE_ITEMS: usize = 64;

pub(crate) const END_BLOCK: u64 = 0;
pub(crate) const ENTER_BLOCK: u64 = 1;
const DEFINE: u64 = 2;

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
    body: Body<'a>,
}

#[derive(Clone, Debug)]
enum Body<'a> {
    /// Everything behind the length word, `END_BLOCK` and padding included.
    Stored(BitReader<'a>),
    /// Items, and what was not decoded.
    Open(Box<Open<'a>>),
}

#[derive(Clone, Debug)]
struct Open<'a> {
    items: Vec<Item<'a>>,
    inherited: Inherited,
    /// The undecoded end, `END_BLOCK` included; begins on a 32-bit border. None if all is decoded.
    rest: Option<&'a [u8]>,
}

/// How a stream is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Compute positions (VSTOFFSET, FNENTRY, `METADATA_INDEX_OFFSET`, `METADATA_INDEX`) that
    /// decoded blocks hold, instead of writing what is there.
    pub positions: bool,
    /// Decode and encode every record of decoded blocks, instead of copying its bits.
    pub records: bool,
}

/// What writing a block needs to know of what is around it.
#[derive(Clone, Copy)]
pub(crate) struct Writing {
    pub(crate) options: WriteOptions,
    /// Bit position that word offsets of the current module count from.
    pub(crate) origin: u64,
}

impl<'a> Block<'a> {
    /// A new block; its abbreviation ids take `width` bits, 2 to 32. Abbreviations that its
    /// records use must be among its items, before them.
    #[must_use]
    pub fn new(id: u32, width: u32, items: Vec<Item<'a>>) -> Self {
        let open = Open { items, inherited: Inherited::default(), rest: None };
        Self { id, width, body: Body::Open(Box::new(open)) }
    }

    /// Reads a block behind the id that announces it. Its content is not looked at.
    #[inline]
    pub(crate) fn read(reader: &mut BitReader<'a>) -> Result<Self> {
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
        let found = reader.fixed(32, "block length")? * 4;
        let available = reader.remaining() / 8;
        if found > available {
            return Err(before.error(ErrorKind::BlockTooLong { found, available }))
                .within(|| block_name(id));
        }
        let body = Body::Stored(reader.slice(found, "block")?);
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
    pub fn stored(&self) -> Option<&BitReader<'a>> {
        match &self.body {
            Body::Stored(reader) => Some(reader),
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

    /// Decodes the block's items; nested blocks stay bytes. BLOCKINFO is taken into `info`.
    ///
    /// # Errors
    /// If the content makes no sense; the block is then as it was.
    pub fn open(&mut self, info: &mut BlockInfo<'a>) -> Result<&mut Vec<Item<'a>>> {
        self.open_until(info, |_| false)
    }

    /// Decodes items up to the first that `last` says yes to and that ends on a 32-bit
    /// border (a block, or a record with a blob). What follows stays bytes.
    ///
    /// # Errors
    /// As [`Block::open`].
    pub fn open_until(
        &mut self,
        info: &mut BlockInfo<'a>,
        last: impl FnMut(&Item<'a>) -> bool,
    ) -> Result<&mut Vec<Item<'a>>> {
        if let Body::Stored(reader) = self.body {
            self.body = Body::Open(Box::new(self.decode(&reader, info.get(self.id)?, last)?));
            for item in self.items().unwrap_or_default() {
                if let Item::Block(inner) = item
                    && inner.id == block::BLOCKINFO
                {
                    info.add(inner);
                }
            }
        }
        match &mut self.body {
            Body::Open(open) => Ok(&mut open.items),
            Body::Stored(_) => Err(Error::nowhere(ErrorKind::Missing { what: "decoded block" })),
        }
    }

    fn decode(
        &self,
        reader: &BitReader<'a>,
        inherited: Inherited,
        mut last: impl FnMut(&Item<'a>) -> bool,
    ) -> Result<Open<'a>> {
        let mut found = Items::new(self, inherited.clone());
        let limit = reader.data().len() + SPARE_ITEMS;
        let mut items = Vec::with_capacity((reader.data().len() / 4).min(48));
        let mut rest = None;
        while let Some(item) = found.next()? {
            if items.len() == limit {
                let (what, limit) = ("items in a block of so many bytes", limit as u64);
                return Err(reader.error(ErrorKind::TooMany { what, found: limit + 1, limit }));
            }
            let stop = found.aligned && last(&item);
            items.push(item);
            if stop {
                rest = Some(found.reader.rest());
                break;
            }
        }
        Ok(Open { items, inherited, rest })
    }

    /// Decodes the block and all blocks in it.
    ///
    /// # Errors
    /// If anything in it makes no sense, or blocks are nested more than [`MAX_DEPTH`] deep.
    pub fn open_all(&mut self, info: &mut BlockInfo<'a>) -> Result<()> {
        self.open_deep(info, 1)
    }

    fn open_deep(&mut self, info: &mut BlockInfo<'a>, depth: usize) -> Result<()> {
        if let Body::Stored(reader) = self.body {
            if depth > MAX_DEPTH {
                return Err(reader.error(ErrorKind::TooDeep { limit: MAX_DEPTH }));
            }
            let open = self.decode(&reader, info.get(self.id)?, |_| false)?;
            self.body = Body::Open(Box::new(open));
        }
        let mut counts = BTreeMap::new();
        for item in self.items_mut().into_iter().flatten() {
            let Item::Block(inner) = item else { continue };
            if inner.id == block::BLOCKINFO {
                info.add(inner);
            }
            let count = counts.entry(inner.id).or_insert(0u32);
            let name = block_name(inner.id);
            inner.open_deep(info, depth + 1).within(|| format!("{name} {count}"))?;
            *count += 1;
        }
        Ok(())
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
        let all = open.inherited.iter().cloned().map(Ok).chain(own);
        (FIRST_ID..).zip(all).map(|(id, found)| Ok((id, found?))).collect()
    }

    /// Writes the block, with the id that announces it in `outer` bits.
    pub(crate) fn write(&self, writer: &mut BitWriter<'_>, outer: u32, to: Writing) -> Result<()> {
        writer.fixed(ENTER_BLOCK, outer);
        writer.vbr(self.id.into(), 8);
        writer.vbr(self.width.into(), 4);
        writer.align();
        let length = writer.position();
        writer.fixed(0, 32);
        match &self.body {
            Body::Stored(reader) => writer.aligned_bytes(reader.data()),
            Body::Open(open) => self.write_open(open, writer, to)?,
        }
        let bytes = (writer.position() - length) / 8 - 4;
        let words = u32::try_from(bytes / 4).map_err(|_| {
            let (what, limit) = ("a block", u64::from(u32::MAX) * 4);
            Error::nowhere(ErrorKind::TooLarge { what, size: bytes, limit })
        })?;
        writer.patch(length, words.into(), 32);
        Ok(())
    }

    fn write_open(&self, open: &Open<'a>, writer: &mut BitWriter<'_>, to: Writing) -> Result<()> {
        let patches = match self.id {
            block::MODULE if to.options.positions => positions::module(self, writer, to)?,
            block::METADATA if to.options.positions => positions::metadata(self, writer, to)?,
            _ => {
                self.write_items(writer, to)?;
                None
            }
        };
        match open.rest {
            None => {
                writer.fixed(END_BLOCK, self.width);
                writer.align();
            }
            Some(rest) if writer.position().is_multiple_of(32) => writer.aligned_bytes(rest),
            Some(_) => {
                let what = "items put behind a block's decoded part do not end on a 32-bit border";
                return Err(Error::nowhere(ErrorKind::Value { what: what.to_owned() }));
            }
        }
        if let Some((position, value, width)) = patches {
            writer.patch(position, value, width);
        }
        Ok(())
    }

    fn write_items(&self, writer: &mut BitWriter<'_>, to: Writing) -> Result<()> {
        self.items()
            .unwrap_or_default()
            .iter()
            .try_for_each(|item| item.write(writer, self.width, to))
    }
}

impl Item<'_> {
    /// Writes the item in a block whose abbreviation ids take `width` bits.
    pub(crate) fn write(&self, writer: &mut BitWriter<'_>, width: u32, to: Writing) -> Result<()> {
        match self {
            Item::Define(definition) => {
                writer.fixed(DEFINE, width);
                definition.write(writer, to.options.records)
            }
            Item::Record(record) => record.write(writer, width, to.options.records),
            Item::Block(block) => block.write(writer, width, to),
        }
    }
}

/// Reads a block's items one by one, without keeping them.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    reader: BitReader<'a>,
    id: u32,
    width: u32,
    inherited: Inherited,
    own: Vec<Definition<'a>>,
    records: u64,
    aligned: bool,
    done: bool,
}

impl<'a> Items<'a> {
    /// Items of a block that is not decoded; none of one that is.
    pub(crate) fn new(block: &Block<'a>, inherited: Inherited) -> Self {
        let done = block.stored().is_none();
        let reader = block.stored().copied().unwrap_or(BitReader::new(&[], 0));
        let Block { id, width, .. } = *block;
        let own = Vec::new();
        Self { reader, id, width, inherited, own, records: 0, aligned: true, done }
    }

    /// Abbreviations in effect for the next item, with their ids.
    pub(crate) fn abbreviations(&self) -> Result<Vec<(u32, Arc<Abbreviation>)>> {
        let own = self.own.iter().map(Definition::get);
        let all = self.inherited.iter().cloned().map(Ok).chain(own);
        (FIRST_ID..).zip(all).map(|(id, found)| Ok((id, found?))).collect()
    }

    /// The next item; none behind the last.
    ///
    /// # Errors
    /// If the bits make no sense, or the block's end is not where its length says.
    #[allow(clippy::should_implement_trait, reason = "as fallible as a cursor")]
    pub fn next(&mut self) -> Result<Option<Item<'a>>> {
        if self.done {
            return Ok(None);
        }
        let record = self.records;
        match self.item() {
            Ok(Some(item)) => Ok(Some(item)),
            Ok(None) => {
                self.done = true;
                Ok(None)
            }
            Err(error) if error.place().is_empty() => Err(error.within(format!("record {record}"))),
            Err(error) => Err(error),
        }
    }

    /// The next record; definitions and blocks before it are passed over.
    ///
    /// # Errors
    /// As [`Items::next`].
    pub fn next_record(&mut self) -> Result<Option<Record<'a>>> {
        while let Some(item) = self.next()? {
            if let Item::Record(record) = item {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    #[inline(always)]
    fn item(&mut self) -> Result<Option<Item<'a>>> {
        let start = self.reader.position();
        self.aligned = false;
        let id = self.reader.fixed(self.width, "abbreviation id")?;
        Ok(match id {
            END_BLOCK => {
                self.reader.align()?;
                let left = self.reader.remaining() / 8;
                if left > 0 {
                    return Err(self.reader.error(ErrorKind::BlockLength { left }));
                }
                None
            }
            ENTER_BLOCK => {
                self.aligned = true;
                Some(Item::Block(Block::read(&mut self.reader)?))
            }
            DEFINE => Some(Item::Define(self.define()?)),
            _ => Some(Item::Record(self.record(start, low_word(id))?)),
        })
    }

    fn define(&mut self) -> Result<Definition<'a>> {
        let definition = Definition::scan(&mut self.reader)?;
        if self.id != block::BLOCKINFO {
            check_count(self.inherited.len() + self.own.len())?;
            self.own.push(definition.clone());
        }
        Ok(definition)
    }

    #[inline(always)]
    fn record(&mut self, start: u64, id: u32) -> Result<Record<'a>> {
        self.records += 1;
        if id == UNABBREVIATED {
            return Record::scan(&mut self.reader, start, id, None);
        }
        let index = size((id - FIRST_ID).into());
        let inherited = self.inherited.len();
        let last = inherited + self.own.len() + 3;
        let abbreviation = match self.inherited.get(index) {
            Some(found) => found,
            None => match self.own.get_mut(index.wrapping_sub(inherited)) {
                Some(definition) => definition.resolve()?,
                None => return Err(self.reader.error(ErrorKind::UnknownAbbreviation { id, last })),
            },
        };
        let record = Record::scan(&mut self.reader, start, id, Some(abbreviation))?;
        self.aligned = record.ends_aligned();
        Ok(record)
    }
}
