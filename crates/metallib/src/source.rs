//! Where a library came from: its bytes, its header, and what is irregular about it.

use crate::cursor::Cursor;
use crate::error::{Error, ErrorKind, Result};
use crate::header::{Header, Range64};
use crate::irregular::Irregularities;

/// The input of a parse, kept by the library as long as nothing was edited.
#[derive(Clone, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) header: Header,
    pub(crate) irregular: Irregularities,
}

impl<'a> Source<'a> {
    /// The bytes of a range of the file; `what` names it.
    pub(crate) fn range(&self, range: Range64, what: &'static str) -> Result<Cursor<'a>> {
        let length = self.bytes.len() as u64;
        let slice = usize::try_from(range.offset)
            .ok()
            .zip(usize::try_from(range.end()).ok())
            .and_then(|(start, end)| self.bytes.get(start..end));
        match slice {
            Some(slice) => Ok(Cursor::new(slice, range.offset)),
            None => Err(out_of_range(what, range, length, "the file")),
        }
    }
}

/// The error for a range that ends behind what should hold it.
pub(crate) fn out_of_range(
    what: &'static str,
    range: Range64,
    limit: u64,
    holder: &'static str,
) -> Error {
    let Range64 { offset: start, size } = range;
    Error::new(ErrorKind::OutOfRange { what, start, size, limit, holder }, start)
}
