//! Writing blocks: what was not edited is copied, in pieces as long as possible.

use crate::abbrev::Inherited;
use crate::bits::{BitReader, BitWriter};
use crate::block::{Block, Body, DEFINE, END_BLOCK, ENTER_BLOCK, Item, Open};
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::block_name;
use crate::items::Items;
use crate::positions::{Positions, Step};

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

/// Writes a block, with the id that announces it in `outer` bits.
pub(crate) fn block(
    block: &Block<'_>,
    writer: &mut BitWriter<'_>,
    outer: u32,
    to: Writing,
) -> Result<()> {
    framed(block, writer, outer, |writer| match &block.body {
        Body::Stored(stored) => {
            writer.aligned_bytes(stored.body().data());
            Ok(())
        }
        Body::Blob(blob) => blob.write(writer),
        Body::Open(open) => {
            let positions = match to.options.positions {
                true => Positions::of(block.id(), &open.items, to.origin),
                false => Positions::None,
            };
            write_open(open, block.width(), writer, to, positions)
        }
    })
}

/// Writes a block whose items hold positions that are known from outside.
fn positioned<'i, 'a>(
    block: &'i Block<'a>,
    writer: &mut BitWriter<'_>,
    outer: u32,
    to: Writing,
    (positions, inherited): (Positions<'i, 'a>, Inherited),
) -> Result<()> {
    framed(block, writer, outer, |writer| {
        let Body::Open(open) = &block.body else {
            let source = block.stored().unwrap_or(BitReader::new(&[], 0));
            let mut body = BodyWriter::new(writer, block.width(), to, source, positions);
            let mut items = Items::new(block, inherited);
            while let Some(item) = items.next()? {
                body.item(&item)?;
            }
            return body.end(None);
        };
        write_open(open, block.width(), writer, to, positions)
    })
}

/// Writes what is around a block's body: the head with its length.
fn framed(
    block: &Block<'_>,
    writer: &mut BitWriter<'_>,
    outer: u32,
    body: impl FnOnce(&mut BitWriter<'_>) -> Result<()>,
) -> Result<()> {
    head(block, writer, outer);
    let length = writer.position();
    writer.fixed(0, 32);
    body(writer)?;
    let bytes = (writer.position() - length) / 8 - 4;
    let words = u32::try_from(bytes / 4).map_err(|_| {
        let (what, limit) = ("a block", u64::from(u32::MAX) * 4);
        Error::nowhere(ErrorKind::TooLarge { what, size: bytes, limit })
    })?;
    writer.patch(length, words.into(), 32);
    Ok(())
}

/// Writes what is before a block's length.
fn head(block: &Block<'_>, writer: &mut BitWriter<'_>, outer: u32) {
    writer.fixed(ENTER_BLOCK.into(), outer);
    writer.vbr(block.id().into(), 8);
    writer.vbr(block.width().into(), 4);
    writer.align();
}

fn write_open<'i, 'a>(
    open: &'i Open<'a>,
    width: u32,
    writer: &mut BitWriter<'_>,
    to: Writing,
    positions: Positions<'i, 'a>,
) -> Result<()> {
    let mut body = BodyWriter::new(writer, width, to, open.source, positions);
    for item in &open.items {
        if !body.lengthen(item) {
            body.item(item)?;
        }
    }
    body.end(open.rest)
}

/// Writes the body of a block.
struct BodyWriter<'w, 'b, 'i, 'a> {
    writer: &'w mut BitWriter<'b>,
    width: u32,
    to: Writing,
    source: BitReader<'a>,
    /// Bits of the source that come next: the first, and the last + 1.
    run: Option<(u64, u64)>,
    positions: Positions<'i, 'a>,
}

impl<'w, 'b, 'i, 'a> BodyWriter<'w, 'b, 'i, 'a> {
    fn new(
        writer: &'w mut BitWriter<'b>,
        width: u32,
        to: Writing,
        source: BitReader<'a>,
        positions: Positions<'i, 'a>,
    ) -> Self {
        Self { writer, width, to, source, run: None, positions }
    }

    /// Takes an item into the run, if it is one that simply follows, as nearly all do.
    #[inline(always)]
    fn lengthen(&mut self, item: &Item<'a>) -> bool {
        let Some((first, end)) = self.run else { return false };
        if self.to.options.records || self.positions.know(item) {
            return false;
        }
        let moved = !(self.writer.position() ^ first).is_multiple_of(32);
        match item.extent(&self.source, self.width) {
            Some((start, behind)) if start == end && !(moved && item.is_aligned()) => {
                self.run = Some((first, behind));
                true
            }
            _ => false,
        }
    }

    fn item(&mut self, item: &Item<'a>) -> Result<()> {
        let extent = match self.to.options.records {
            true => None,
            false => item.extent(&self.source, self.width),
        };
        // An item behind the run lengthens it; anything else ends it.
        let here = match (self.run, extent) {
            (Some((first, end)), Some((start, _))) if start == end => {
                self.writer.position() + (start - first)
            }
            _ => {
                self.flush()?;
                self.writer.position()
            }
        };
        match (self.positions.step(item, here)?, item) {
            (Step::Values, Item::Record(record)) => {
                self.flush()?;
                record.write_with(self.writer, self.width, self.positions.values())?;
                self.positions.behind(self.writer.position());
                Ok(())
            }
            (Step::Pair(pair), Item::Record(record)) => {
                self.flush()?;
                if !record.write_pair(self.writer, self.width, pair) {
                    record.write_with(self.writer, self.width, self.positions.values())?;
                }
                Ok(())
            }
            (Step::Inside(positions, inherited), Item::Block(inner)) => {
                self.flush()?;
                let inside = (positions, inherited);
                positioned(inner, self.writer, self.width, self.to, inside)
                    .within(|| block_name(inner.id()))
            }
            _ => match extent {
                Some((start, end)) => self.copy(item, start, end),
                None => self.encode(item),
            },
        }
    }

    /// Takes an item into the run.
    fn copy(&mut self, item: &Item<'a>, start: u64, end: u64) -> Result<()> {
        let first = self.run.map_or(start, |(first, _)| first);
        let moved = !(self.writer.position() ^ first).is_multiple_of(32);
        match item {
            // From its length word on it stands on borders again.
            Item::Block(inner) if moved => {
                self.flush()?;
                head(inner, self.writer, self.width);
                let words = inner.stored().map_or(0, |body| body.data().len() as u64 * 8);
                self.run = Some((end - words - 32, end));
            }
            Item::Record(record) if moved && record.ends_aligned() => {
                self.flush()?;
                self.encode(item)?;
            }
            _ => self.run = Some((first, end)),
        }
        Ok(())
    }

    fn encode(&mut self, item: &Item<'a>) -> Result<()> {
        let records = self.to.options.records;
        match item {
            Item::Define(definition) => {
                self.writer.fixed(DEFINE.into(), self.width);
                definition.write(self.writer, records)
            }
            Item::Record(record) => record.write(self.writer, self.width, records),
            Item::Block(inner) => block(inner, self.writer, self.width, self.to),
        }
    }

    /// Copies the run.
    fn flush(&mut self) -> Result<()> {
        let Some((start, end)) = self.run.take() else { return Ok(()) };
        let mut bits = self.source;
        bits.skip(start, "bits to copy")?;
        self.writer.copy(&mut bits, end - start)
    }

    /// Writes the end, which may not be decoded.
    fn end(mut self, rest: Option<&[u8]>) -> Result<()> {
        self.flush()?;
        match rest {
            None => {
                self.writer.fixed(END_BLOCK.into(), self.width);
                self.writer.align();
            }
            Some(rest) if self.writer.position().is_multiple_of(32) => {
                self.writer.aligned_bytes(rest);
            }
            Some(_) => {
                let what = "items put behind a block's decoded part do not end on a 32-bit border";
                return Err(Error::nowhere(ErrorKind::Value { what: what.to_owned() }));
            }
        }
        if let Some((position, value, width)) = self.positions.patch() {
            self.writer.patch(position, value, width);
        }
        Ok(())
    }
}
