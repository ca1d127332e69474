//! STRTAB without the bytes that no name and no symbol points at.

use std::borrow::Cow;

use crate::bits::{low_word, size};
use crate::block::Item;
use crate::error::Result;
use crate::ids::block;
use crate::module::Module;
use crate::symbols::string_ranges;
use crate::symtab;

/// Writes STRTAB without what nobody uses, and SYMTAB, which is `table`, with what points there.
/// Strings that are owned are not those that the module has.
pub(crate) fn strings<'a>(
    module: &mut Module<'a>,
    strings: Cow<'_, [u8]>,
    table: Option<Cow<'a, [u8]>>,
) -> Result<()> {
    let mut used = Vec::new();
    for item in module.items() {
        let Item::Record(record) = item else { continue };
        used.extend(string_ranges(record)?);
    }
    let fields = table.as_deref().map(symtab::string_fields).transpose()?.unwrap_or_default();
    for &field in &fields {
        let (offset, size) = symtab::pair(table.as_deref().unwrap_or_default(), field)?;
        used.push((offset.into(), u64::from(offset) + u64::from(size)));
    }
    let kept = Kept::of(used, strings.len() as u64);
    if kept.count < strings.len() as u64 {
        module.set_blob(block::STRTAB, Cow::Owned(kept.bytes(&strings)))?;
        module.move_strings(|offset| kept.position(offset))?;
    } else if let Cow::Owned(strings) = strings {
        module.set_blob(block::STRTAB, Cow::Owned(strings))?;
    }
    let Some(mut table) = table else { return Ok(()) };
    for field in fields {
        let (offset, size) = symtab::pair(&table, field)?;
        let moved = low_word(kept.position(offset.into()));
        if moved != offset {
            symtab::set_pair(table.to_mut(), field, (moved, size));
        }
    }
    match table {
        Cow::Owned(_) => module.set_blob(block::SYMTAB, table),
        Cow::Borrowed(_) => Ok(()),
    }
}

/// Pieces that are in use.
pub(crate) struct Kept {
    /// First and last byte + 1, and how many bytes of earlier pieces there are. Ascending.
    pieces: Vec<(u64, u64, u64)>,
    count: u64,
}

impl Kept {
    /// What ranges cover of a table of `length` bytes.
    pub(crate) fn of(mut used: Vec<(u64, u64)>, length: u64) -> Self {
        used.sort_unstable();
        let mut kept = Self { pieces: Vec::new(), count: 0 };
        for (start, end) in used {
            let end = end.min(length);
            let start = kept.pieces.last().map_or(start, |last| start.max(last.1));
            if start < end {
                kept.pieces.push((start, end, kept.count));
                kept.count += end - start;
            }
        }
        kept
    }

    /// The bytes of the pieces.
    pub(crate) fn bytes(&self, strings: &[u8]) -> Vec<u8> {
        let piece = |&(start, end, _): &(u64, u64, u64)| strings.get(size(start)..size(end));
        self.pieces.iter().filter_map(piece).collect::<Vec<_>>().concat()
    }

    /// Where a byte is then; one that is no more, where the next one is.
    pub(crate) fn position(&self, offset: u64) -> u64 {
        let index = self.pieces.partition_point(|piece| piece.0 <= offset);
        match index.checked_sub(1).and_then(|index| self.pieces.get(index)) {
            Some(&(start, end, before)) => before + offset.min(end) - start,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_go_and_what_is_behind_moves() {
        let strings = b"abc--defgh-";
        let kept = Kept::of(vec![(5, 8), (0, 3), (6, 10), (0, 2), (4, 4)], 11);
        assert_eq!(kept.bytes(strings), b"abcdefgh");
        assert_eq!(
            [0, 2, 3, 4, 5, 6, 9, 10, 11].map(|at| kept.position(at)),
            [0, 2, 3, 3, 3, 4, 7, 8, 8]
        );
    }
}
