//! Removes the end of STRTAB that nothing points at any more, as renames leave it.

use std::borrow::Cow;

use crate::bits::size;
use crate::block::Item;
use crate::error::Result;
use crate::ids::block;
use crate::module::Module;
use crate::symbols::string_ranges;
use crate::symtab;
use crate::write::WriteOptions;

/// A module whose STRTAB ends with the last string in use, to be written.
#[derive(Clone, Debug)]
pub struct Trimmed<'a> {
    module: Module<'a>,
    removed: u64,
}

impl Trimmed<'_> {
    /// Bytes of STRTAB that are gone.
    #[must_use]
    pub fn removed(&self) -> u64 {
        self.removed
    }

    /// Writes wrapper, bitstream and padding behind what `bytes` holds.
    ///
    /// # Errors
    /// If a block is too large for its length word.
    pub fn write(&self, bytes: &mut Vec<u8>) -> Result<()> {
        self.module.write(bytes, WriteOptions::default())
    }

    /// The module's bytes.
    ///
    /// # Errors
    /// As [`Trimmed::write`].
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        Ok(bytes)
    }
}

/// The ranges in front of `end` that none of these covers, in order.
pub(crate) fn gaps(used: &mut [(u64, u64)], end: u64) -> Vec<(u64, u64)> {
    used.sort_unstable();
    let mut gaps = Vec::new();
    let mut from = 0;
    for &(start, behind) in used.iter().chain([&(end, end)]) {
        let start = start.min(end);
        if from < start {
            gaps.push((from, start));
        }
        from = from.max(behind);
    }
    gaps
}

impl<'a> Module<'a> {
    /// Removes the end of STRTAB that no name and no symbol points at. In modules as
    /// compilers write them there is none; a rename leaves what it appended when the
    /// function gets its old name back.
    ///
    /// # Errors
    /// If the strings' users cannot be read, or SYMTAB has an unknown version.
    pub fn trim_strings(mut self) -> Result<Trimmed<'a>> {
        let strings = self.strings()?;
        let used = size(self.used_strings()?).min(strings.len());
        let removed = (strings.len() - used) as u64;
        if let Some((kept, _)) = strings.split_at_checked(used)
            && removed > 0
        {
            self.set_blob(block::STRTAB, Cow::Borrowed(kept))?;
        }
        Ok(Trimmed { module: self, removed })
    }

    /// Where the last string of STRTAB that is in use ends.
    fn used_strings(&self) -> Result<u64> {
        let mut end = 0;
        if self.version()? >= 2 {
            for item in self.items() {
                let Item::Record(record) = item else { continue };
                for (_, behind) in string_ranges(record)? {
                    end = end.max(behind);
                }
            }
        }
        if let Some(table) = self.blob(block::SYMTAB)? {
            for field in symtab::string_fields(table)? {
                let (offset, size) = symtab::pair(table, field)?;
                end = end.max(u64::from(offset) + u64::from(size));
            }
        }
        Ok(end)
    }
}
