//! The file around a bitstream: a wrapper of 20 bytes and padding, or nothing.

use crate::bits::BitReader;
use crate::block::{Block, ENTER_BLOCK};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::MAGIC;
use crate::stream::WIDTH;

/// First four bytes of the wrapper, as a little-endian u32.
pub const WRAPPER_MAGIC: u32 = 0x0B17_C0DE;

/// Bytes of a wrapper.
pub const WRAPPER_SIZE: u32 = 20;

/// A module's file is padded with zeros to a multiple of this many bytes.
const ALIGNMENT: usize = 16;

/// The fields of a wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// 0 in all measured modules.
    pub version: u32,
    /// Offset of the bitstream from the wrapper's start in bytes; 20 in all measured modules.
    pub offset: u32,
    /// Size of the bitstream in bytes.
    pub size: u32,
    /// `0xFFFF_FFFF` in all measured modules.
    pub cpu_type: u32,
}

/// A module's bytes, cut into wrapper, bitstream and what follows.
#[derive(Clone, Copy, Debug)]
pub struct Envelope<'a> {
    /// The wrapper's fields; none for raw bitcode.
    pub wrapper: Option<Wrapper>,
    /// Bytes between the wrapper and the bitstream; none in all measured modules.
    pub gap: &'a [u8],
    /// The bitstream, from its magic number on.
    pub stream: &'a [u8],
    /// Bytes behind the bitstream: padding.
    pub tail: &'a [u8],
}

impl<'a> Envelope<'a> {
    /// Cuts the bytes of a module. The bitstream itself is not looked at.
    ///
    /// # Errors
    /// If they begin neither with a wrapper nor with bitcode, or the wrapper's range is not
    /// inside them.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let word =
            |index: usize| bytes.get(index * 4..)?.first_chunk().map(|b| u32::from_le_bytes(*b));
        if word(0) != Some(WRAPPER_MAGIC) {
            if bytes.starts_with(&MAGIC) {
                let (stream, tail) = bytes.split_at(stream_end(bytes).unwrap_or(bytes.len()));
                return Ok(Self { wrapper: None, gap: &[], stream, tail });
            }
            let found = match bytes.get(..4) {
                Some(first) => format!("begins with {first:02x?}"),
                None => format!("{} bytes", bytes.len()),
            };
            return Err(Error::new(ErrorKind::NotBitcode { found }, 0));
        }
        let (Some(version), Some(offset), Some(size), Some(cpu_type)) =
            (word(1), word(2), word(3), word(4))
        else {
            let what = format!("{} bytes, expected at least 20", bytes.len());
            return Err(Error::new(ErrorKind::Wrapper { what }, 0));
        };
        let wrapper = Wrapper { version, offset, size, cpu_type };
        wrapper.cut(bytes)
    }

    /// Absolute offset of the bitstream in bits.
    #[must_use]
    pub fn stream_offset(&self) -> u64 {
        self.wrapper.map_or(0, |wrapper| u64::from(wrapper.offset) * 8)
    }

    /// Writes a module: wrapper, what `stream` appends, padding.
    ///
    /// Zeros up to a multiple of 16 bytes behind a wrapped stream are padding and made anew;
    /// whatever else follows the bitstream is kept.
    ///
    /// # Errors
    /// Those of `stream`, and if the bitstream is larger than the wrapper can say.
    pub fn write(
        &self,
        bytes: &mut Vec<u8>,
        stream: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let start = bytes.len();
        let Some(wrapper) = self.wrapper else {
            stream(bytes)?;
            bytes.extend_from_slice(self.tail);
            return Ok(());
        };
        for word in [WRAPPER_MAGIC, wrapper.version, wrapper.offset, 0, wrapper.cpu_type] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(self.gap);
        let begin = bytes.len();
        stream(bytes)?;
        let size = (bytes.len() - begin) as u64;
        let size = u32::try_from(size).map_err(|_| {
            let (what, limit) = ("the bitstream", u32::MAX.into());
            Error::nowhere(ErrorKind::TooLarge { what, size, limit })
        })?;
        if let Some(field) = bytes.get_mut(start + 12..start + 16) {
            field.copy_from_slice(&size.to_le_bytes());
        }
        let kept = self.kept_tail();
        if kept.len() < self.tail.len() || self.tail.is_empty() && self.is_padded() {
            let padded = (bytes.len() - start).next_multiple_of(ALIGNMENT);
            bytes.resize(start + padded, 0);
        }
        bytes.extend_from_slice(kept);
        Ok(())
    }

    /// Whether wrapper and bitstream alone are a multiple of 16 bytes.
    fn is_padded(&self) -> bool {
        (WRAPPER_SIZE as usize + self.gap.len() + self.stream.len()).is_multiple_of(ALIGNMENT)
    }

    /// What follows the padding; everything if there is none.
    fn kept_tail(&self) -> &'a [u8] {
        let end = WRAPPER_SIZE as usize + self.gap.len() + self.stream.len();
        match self.tail.split_at_checked(end.next_multiple_of(ALIGNMENT) - end) {
            Some((padding, kept)) if padding.iter().all(|&byte| byte == 0) => kept,
            _ => self.tail,
        }
    }
}

/// Where raw bitcode ends if up to eight zeros follow it, which LLVM's reader passes over:
/// some that was cut out of its wrapper has them. None if something else follows.
fn stream_end(bytes: &[u8]) -> Option<usize> {
    let mut reader = BitReader::new(bytes, 0);
    reader.skip(32, "magic number").ok()?;
    while reader.remaining() > 64 {
        let start = reader.position();
        let id = reader.fixed(WIDTH, "abbreviation id").ok()?;
        if id != ENTER_BLOCK.into() {
            return None;
        }
        Block::read(&mut reader, start).ok()?;
    }
    let rest = reader.rest();
    let is_padding = rest.len().is_multiple_of(4) && rest.iter().all(|&byte| byte == 0);
    is_padding.then_some(bytes.len() - rest.len())
}

impl Wrapper {
    fn cut(self, bytes: &[u8]) -> Result<Envelope<'_>> {
        let fail = |what: String, byte: u64| Err(Error::new(ErrorKind::Wrapper { what }, byte * 8));
        if self.offset < WRAPPER_SIZE || !self.offset.is_multiple_of(4) {
            return fail(format!("offset is {}, expected 20", self.offset), 8);
        }
        let cut = bytes.split_at_checked(self.offset as usize).and_then(|(head, rest)| {
            let (stream, tail) = rest.split_at_checked(self.size as usize)?;
            Some((head.get(WRAPPER_SIZE as usize..)?, stream, tail))
        });
        let Some((gap, stream, tail)) = cut else {
            let Self { offset, size, .. } = self;
            let available = bytes.len();
            return fail(format!("bitcode of {size} bytes at {offset}, there are {available}"), 12);
        };
        Ok(Envelope { wrapper: Some(self), gap, stream, tail })
    }
}
