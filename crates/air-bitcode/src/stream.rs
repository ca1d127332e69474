//! The stream: a magic number, then blocks.

use std::borrow::Cow;

use crate::abbrev::Inherited;
use crate::bits::{BitReader, BitWriter};
use crate::blob::Blob;
use crate::block::{Block, ENTER_BLOCK, Item};
use crate::blockinfo::BlockInfo;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{self, MAGIC, block, block_name};
use crate::items::Items;
use crate::record::Record;
use crate::write::{self, WriteOptions, Writing};

/// Bits of an abbreviation id between the blocks of the stream.
pub(crate) const WIDTH: u32 = 2;

/// Blocks that room is made for at first.
const FIRST_BLOCKS: usize = 5;

/// The blocks of a bitstream, in order.
#[derive(Clone, Debug)]
pub struct Stream<'a> {
    /// Blocks between which nothing else stands.
    pub blocks: Vec<Block<'a>>,
}

impl<'a> Stream<'a> {
    /// Finds the blocks of a bitstream that begins with its magic number. `base` is its
    /// absolute offset in the input, in bits. The blocks' contents are not looked at.
    ///
    /// # Errors
    /// If it does not begin with the magic number, is no multiple of 4 bytes long, or
    /// something else than blocks follows.
    pub fn parse(bytes: &'a [u8], base: u64) -> Result<Self> {
        if !bytes.starts_with(&MAGIC) {
            let found = match bytes.get(..4) {
                Some(first) => format!("begins with {first:02x?}"),
                None => format!("{} bytes", bytes.len()),
            };
            return Err(Error::new(ErrorKind::NotBitcode { found }, base));
        }
        if !bytes.len().is_multiple_of(4) {
            let what = format!("bitcode of {} bytes, expected a multiple of 4", bytes.len());
            return Err(Error::new(ErrorKind::Value { what }, base));
        }
        let mut reader = BitReader::new(bytes, base);
        reader.skip(32, "magic number")?;
        let mut blocks = Vec::with_capacity(FIRST_BLOCKS);
        while reader.remaining() > 0 {
            let start = reader.position();
            let id = reader.fixed(WIDTH, "abbreviation id")?;
            if id != ENTER_BLOCK.into() {
                return Err(reader.error_at(start, ErrorKind::NotABlock { id }));
            }
            blocks.push(Block::read(&mut reader, start)?);
        }
        Ok(Self { blocks })
    }

    /// Which block is the only one with this id.
    pub(crate) fn only(&self, id: u32) -> Result<usize> {
        let mut found = (0..).zip(&self.blocks).filter(|(_, block)| block.id() == id);
        let Some((index, _)) = found.next() else {
            return Err(Error::nowhere(ErrorKind::Missing { what: "MODULE block" }));
        };
        if found.next().is_some() {
            let what = "several modules in one bitstream, expected one".to_owned();
            return Err(Error::nowhere(ErrorKind::Value { what }));
        }
        Ok(index)
    }

    /// The blob of the first block with this id.
    pub(crate) fn blob(&self, id: u32) -> Result<Option<&'a [u8]>> {
        let Some(block) = self.blocks.iter().find(|block| block.id() == id) else {
            return Ok(None);
        };
        if let Some(Blob { bytes: Cow::Borrowed(blob), .. }) = Blob::of(block) {
            return Ok(Some(blob));
        }
        let blob = first_record(block, ids::BLOB)?.map(|record| record.blob()).transpose()?;
        match blob.flatten() {
            Some(Cow::Borrowed(blob)) => Ok(Some(blob)),
            _ => Ok(None),
        }
    }

    /// Decodes everything.
    ///
    /// # Errors
    /// If anything makes no sense. Blocks before it are then decoded, others are not.
    pub fn open_all(&mut self) -> Result<()> {
        self.blocks.iter_mut().try_for_each(|block| {
            block.open_all(&mut BlockInfo::default()).within(|| block_name(block.id()))
        })
    }

    /// Writes the stream behind what `bytes` holds.
    ///
    /// # Errors
    /// If a record does not say what its place needs, or cannot be read where it must be.
    /// `bytes` then ends in an unfinished stream.
    pub fn write(&self, bytes: &mut Vec<u8>, options: WriteOptions) -> Result<()> {
        let mut writer = BitWriter::new(bytes);
        writer.aligned_bytes(&MAGIC);
        let mut identified = None;
        for block in &self.blocks {
            // Word offsets in a module count from the word before its identification.
            let here = writer.position() - 32;
            let origin = match block.id() {
                block::IDENTIFICATION => *identified.insert(here),
                block::MODULE => identified.take().unwrap_or(here),
                _ => here,
            };
            write::block(block, &mut writer, WIDTH, Writing { options, origin })
                .within(|| block_name(block.id()))?;
        }
        Ok(())
    }
}

/// The first record of a block with this code. The block's abbreviations are its own.
pub(crate) fn first_record<'a>(block: &Block<'a>, code: u32) -> Result<Option<Record<'a>>> {
    let place = || block_name(block.id());
    if let Some(items) = block.items() {
        return Ok(items.iter().find_map(|item| match item {
            Item::Record(record) if record.code() == code => Some(record.clone()),
            _ => None,
        }));
    }
    let mut items = Items::new(block, Inherited::default());
    while let Some(record) = items.next_record().within(place)? {
        if record.code() == code {
            return Ok(Some(record));
        }
    }
    Ok(None)
}
