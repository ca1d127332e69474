//! A bounded little-endian reader that knows its absolute offset.

use byteorder::{ByteOrder, LittleEndian};

use crate::error::{Error, ErrorKind, Result};

/// Reads one slice of the input from front to back.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    data: &'a [u8],
    base: u64,
    position: usize,
}

impl<'a> Cursor<'a> {
    /// Reads `data`, whose first byte has the absolute offset `base`.
    pub(crate) fn new(data: &'a [u8], base: u64) -> Self {
        Self { data, base, position: 0 }
    }

    /// Absolute offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    /// Bytes that are left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.data.get(self.position..).unwrap_or_default()
    }

    /// Bytes read since an earlier state of this cursor.
    pub(crate) fn since(&self, start: &Cursor<'a>) -> &'a [u8] {
        self.data.get(start.position..self.position).unwrap_or_default()
    }

    /// The next `size` bytes.
    pub(crate) fn take(&mut self, size: u64, what: &'static str) -> Result<&'a [u8]> {
        let taken = usize::try_from(size).ok().and_then(|size| self.rest().get(..size));
        let Some(taken) = taken else {
            let available = self.rest().len() as u64;
            let kind = ErrorKind::Truncated { what, needed: size, available };
            return Err(Error::new(kind, self.offset()));
        };
        self.position += taken.len();
        Ok(taken)
    }

    pub(crate) fn u8(&mut self, what: &'static str) -> Result<u8> {
        Ok(self.take(1, what)?.first().copied().unwrap_or_default())
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16> {
        Ok(LittleEndian::read_u16(self.take(2, what)?))
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32> {
        Ok(LittleEndian::read_u32(self.take(4, what)?))
    }

    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64> {
        Ok(LittleEndian::read_u64(self.take(8, what)?))
    }

    /// Bytes up to a NUL, which is read too and not returned.
    pub(crate) fn cstr(&mut self, what: &'static str) -> Result<&'a [u8]> {
        let Some(length) = self.rest().iter().position(|&byte| byte == 0) else {
            return Err(Error::new(ErrorKind::Unterminated { what }, self.offset()));
        };
        let text = self.take(length as u64, what)?;
        self.take(1, what)?;
        Ok(text)
    }
}
