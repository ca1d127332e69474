//! The strings of the module and its symbol table, once the source has the function's name.

use crate::skim::Frame;
use crate::strip::compact::Kept;
use crate::symbols::string_operands;
use crate::symtab;

use super::flat::Flat;

/// New bytes of STRTAB and SYMTAB, if there is a symbol table.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub(super) both: Option<(Vec<u8>, Vec<u8>)>,
}

impl Texts {
    /// None if names would move, or the table is damaged.
    pub(super) fn new(flat: &Flat, frame: &Frame<'_>, name: &[u8]) -> Option<Self> {
        let Some(symbols) = &frame.symbols else { return Some(Self::default()) };
        let strings = frame.strings.bytes;
        let mut table = symbols.bytes.to_vec();
        let mut used = Vec::with_capacity(flat.globals.len() + 16);
        for item in &flat.globals {
            let operands = flat.of(item);
            for at in string_operands(item.code) {
                let (Some(&offset), Some(&size)) = (operands.get(at), operands.get(at + 1)) else {
                    continue;
                };
                used.push((offset, offset.saturating_add(size)));
            }
        }
        point(&mut table, strings, &used, name)?;
        let names = used.len();
        let fields = symtab::string_fields(&table).ok()?;
        for &field in &fields {
            let (offset, size) = symtab::pair(&table, field).ok()?;
            symtab::string(strings, offset.into(), size.into()).ok()?;
            used.push((offset.into(), u64::from(offset) + u64::from(size)));
        }
        let ranges = used.get(..names)?.to_vec();
        let kept = Kept::of(used, strings.len() as u64);
        let is_same = |(start, _): (u64, u64)| kept.position(start) == start;
        ranges.into_iter().all(is_same).then_some(())?;
        for field in fields {
            let (offset, size) = symtab::pair(&table, field).ok()?;
            let moved = u32::try_from(kept.position(offset.into())).ok()?;
            symtab::set_pair(&mut table, field, (moved, size));
        }
        Some(Self { both: Some((kept.bytes(strings), table)) })
    }
}

/// Has the table's name of the source be the function's, which is the name of a global.
fn point(table: &mut [u8], strings: &[u8], names: &[(u64, u64)], name: &[u8]) -> Option<()> {
    let (offset, size) = symtab::pair(table, symtab::SOURCE_FIELD).ok()?;
    if symtab::string(strings, offset.into(), size.into()).ok()? == name {
        return Some(());
    }
    let is_it = |&&(start, end): &&(u64, u64)| {
        let length = end.saturating_sub(start);
        symtab::string(strings, start, length).is_ok_and(|found| found == name)
    };
    let (start, _) = names.iter().find(is_it)?;
    let pair = (u32::try_from(*start).ok()?, u32::try_from(name.len()).ok()?);
    symtab::set_pair(table, symtab::SOURCE_FIELD, pair);
    Some(())
}
