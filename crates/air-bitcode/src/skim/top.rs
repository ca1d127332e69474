//! The blocks of a stream.

use super::definitions::Definitions;
use super::walk::{Inner, Step, Walk};
use crate::bits::{BitReader, low_word};
use crate::block::ENTER_BLOCK;
use crate::ids::{BLOB, MAGIC, block};
use crate::wrapper::Envelope;

/// What the stream holds of a module whose names are in STRTAB.
pub(crate) struct Top<'a> {
    pub(crate) module: Inner<'a>,
    /// What STRTAB holds.
    pub(crate) strings: &'a [u8],
}

impl<'a> Top<'a> {
    /// None if the stream is of another form, or damaged.
    pub(crate) fn read(envelope: &Envelope<'a>, own: &mut Definitions) -> Option<Self> {
        let stream = envelope.stream;
        if !stream.starts_with(&MAGIC) || !stream.len().is_multiple_of(4) {
            return None;
        }
        let mut reader = BitReader::new(stream, 0);
        reader.skip(32, "magic number").ok()?;
        let (mut module, mut strings) = (None, None);
        while reader.remaining() > 0 {
            if reader.fixed(2, "abbreviation id").map(low_word).ok()? != ENTER_BLOCK {
                return None;
            }
            let found = Inner::read(&mut reader)?;
            match found.id {
                block::MODULE => once(&mut module, found)?,
                block::STRTAB => once(&mut strings, found)?,
                _ => {}
            }
        }
        let mut walk = Walk::new(&strings?, &[], own);
        let strings = match walk.next()? {
            Step::Record(BLOB) => walk.blob()?,
            _ => return None,
        };
        Some(Self { module: module?, strings })
    }
}

/// Fills a place that may be filled once.
pub(crate) fn once<T>(place: &mut Option<T>, found: T) -> Option<()> {
    place.replace(found).is_none().then_some(())
}
