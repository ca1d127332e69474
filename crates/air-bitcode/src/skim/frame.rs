//! The blocks of the stream.

use super::{Definitions, Inner, Tail, once};
use crate::abbrev::FIRST_ID;
use crate::bits::{BitReader, low_word};
use crate::block::{DEFINE, ENTER_BLOCK};
use crate::ids::{BLOB, MAGIC, block};
use crate::wrapper::Envelope;

/// A module with its strings. All positions are bits of the stream.
pub(crate) struct Frame<'a> {
    pub(crate) envelope: Envelope<'a>,
    pub(crate) stream: BitReader<'a>,
    pub(crate) module: Inner<'a>,
    /// What word offsets in the module count from.
    pub(crate) origin: u64,
    pub(crate) strings: Blob<'a>,
    pub(crate) symbols: Option<Blob<'a>>,
}

/// A block of one blob, behind the module.
#[derive(Clone, Copy)]
pub(crate) struct Blob<'a> {
    pub(crate) block: Span,
    /// Where the blob's size stands.
    pub(crate) size: u64,
    /// Where its bytes begin.
    pub(crate) start: u64,
    /// Where its padding ends.
    pub(crate) end: u64,
    pub(crate) bytes: &'a [u8],
}

/// Where a block is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Where its length stands.
    pub(crate) length: u64,
    pub(crate) end: u64,
}

impl Span {
    pub(crate) fn of(block: &Inner<'_>) -> Self {
        let start = block.body.offset();
        // The length precedes the body.
        Self { length: start.saturating_sub(32), end: start + block.body.data().len() as u64 * 8 }
    }
}

impl<'a> Frame<'a> {
    pub(crate) fn read(bytes: &'a [u8], own: &mut Definitions) -> Option<Self> {
        let envelope = Envelope::parse(bytes).ok()?;
        let stream = envelope.stream;
        if !stream.starts_with(&MAGIC) || !stream.len().is_multiple_of(4) {
            return None;
        }
        let stream = BitReader::new(stream, 0);
        let mut reader = stream;
        reader.skip(32, "magic number").ok()?;
        let (mut module, mut strings, mut symbols) = (None, None, None);
        let (mut identified, mut origin) = (None, 0);
        while reader.remaining() > 0 {
            // Word offsets count from the word before the identification, or the module.
            let before = reader.position().checked_sub(32)?;
            if reader.fixed(2, "abbreviation id").map(low_word).ok()? != ENTER_BLOCK {
                return None;
            }
            let found = Inner::read(&mut reader)?;
            match found.id {
                block::IDENTIFICATION => identified = Some(before),
                block::MODULE => {
                    once(&mut module, found)?;
                    origin = identified.unwrap_or(before);
                }
                // Both are written behind the module.
                block::STRTAB | block::SYMTAB if module.is_none() => return None,
                block::STRTAB => once(&mut strings, Blob::read(&found, own)?)?,
                block::SYMTAB => once(&mut symbols, Blob::read(&found, own)?)?,
                _ => {}
            }
        }
        let (module, strings) = (module?, strings?);
        Some(Self { envelope, stream, module, origin, strings, symbols })
    }
}

impl<'a> Blob<'a> {
    fn read(block: &Inner<'a>, own: &mut Definitions) -> Option<Self> {
        let mut reader = block.body;
        let id =
            |reader: &mut BitReader<'a>| reader.fixed(block.width, "abbreviation id").map(low_word);
        if id(&mut reader).ok()? != DEFINE {
            return None;
        }
        own.begin();
        own.define(&mut reader)?;
        let short = own.get(0)?;
        let is_blob =
            short.literal() == Some(BLOB) && short.rooms().is_empty() && short.tail() == Tail::Blob;
        if !is_blob || id(&mut reader).ok()? != FIRST_ID {
            return None;
        }
        let size = reader.offset();
        let count = reader.vbr(6, "blob length").ok()?;
        reader.align().ok()?;
        let start = reader.offset();
        let bytes = reader.bytes(count, "blob").ok()?;
        reader.align().ok()?;
        Some(Self { block: Span::of(block), size, start, end: reader.offset(), bytes })
    }
}
