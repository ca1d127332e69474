//! Symbol lists: imported symbols (ILST) and exported variables (VLST).
//!
//! `u32 count`, then groups with a size word that counts itself; each holds NAME.
//! Variables are reported to hold HASH, MDSZ, OFFT and VERS as functions do.

use crate::FourCc;
use crate::cursor::Cursor;
use crate::error::Result;
use crate::group::{SizeWord, read_list};
use crate::irregular::Irregularities;
use crate::tags::TagList;

/// Content of section ILST or VLST: the tags of each symbol, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolList<'a> {
    symbols: Vec<TagList<'a>>,
}

impl<'a> SymbolList<'a> {
    /// The tags of each symbol.
    #[must_use]
    pub fn symbols(&self) -> &[TagList<'a>] {
        &self.symbols
    }

    /// The names, without their NUL.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.symbols.iter().map(|tags| {
            let name = tags.payload(FourCc::NAME).unwrap_or_default();
            name.strip_suffix(&[0]).unwrap_or(name)
        })
    }

    /// Appends a symbol.
    pub fn push(&mut self, tags: TagList<'a>) {
        self.symbols.push(tags);
    }

    pub(crate) fn read(
        cursor: &mut Cursor<'a>,
        irregular: &mut Irregularities,
    ) -> Result<SymbolList<'a>> {
        let mut list = Self::default();
        read_list(cursor, "symbol", SizeWord::Inclusive, irregular, |_, _, tags| {
            list.symbols.push(tags);
            Ok(())
        })?;
        Ok(list)
    }
}
