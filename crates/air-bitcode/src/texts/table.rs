//! Texts of STRTAB that the symbol table names and that are no symbols.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::find::holds;
use super::{Text, TextPlace, TextUse};
use crate::bits::size;
use crate::block::Item;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::block;
use crate::module::Module;
use crate::symbols::string_ranges;
use crate::symtab;

/// Texts that the symbol table names.
pub(super) fn texts<'a>(module: &Module<'a>, holding: &[u8]) -> Result<Vec<Text<'a>>> {
    let Some(table) = module.blob(block::SYMTAB)? else { return Ok(Vec::new()) };
    let strings = module.strings()?;
    let mut texts = Vec::new();
    for (field, usage) in fields(table)? {
        let (offset, length) = symtab::pair(table, field)?;
        let bytes = symtab::string(strings, offset.into(), length.into()).within(|| "SYMTAB")?;
        if holds(bytes, holding) {
            let (place, offset) = (TextPlace::Symbols(field), module.offset_of(bytes));
            texts.push(Text { bytes: Cow::Borrowed(bytes), place, uses: vec![usage], offset });
        }
    }
    Ok(texts)
}

/// Byte positions of the table's texts, and what they are.
fn fields(table: &[u8]) -> Result<impl Iterator<Item = (usize, TextUse)>> {
    Ok(symtab::text_fields(table)?.into_iter().map(|field| {
        let usage = match field {
            symtab::PRODUCER => TextUse::Identification,
            symtab::SOURCE_FIELD => TextUse::SourceFileName,
            _ => TextUse::Linker,
        };
        (field, usage)
    }))
}

/// First byte of a string in STRTAB, and the one behind its last.
type Extent = (u64, u64);

/// Puts other texts in the places of those that the symbol table names. A string that
/// something else uses stays, and the new one is appended.
pub(super) fn replace<'a>(
    module: &mut Module<'a>,
    edits: &BTreeMap<TextPlace, Vec<u8>>,
) -> Result<()> {
    let texts = edits.iter().filter_map(|(place, text)| match place {
        TextPlace::Symbols(field) => Some((*field, text.as_slice())),
        _ => None,
    });
    put(module, &texts.collect())
}

/// The same by the byte positions of the table's fields.
pub(crate) fn put<'a>(module: &mut Module<'a>, edits: &BTreeMap<usize, &[u8]>) -> Result<()> {
    let Some(table) = module.blob(block::SYMTAB)? else { return Ok(()) };
    let edit = |field| edits.get(&field).copied();
    let fields: Vec<usize> =
        symtab::string_fields(table)?.into_iter().filter(|field| edit(*field).is_some()).collect();
    if fields.is_empty() {
        return Ok(());
    }
    let others = other_users(module, table, &fields)?;
    let mut made = Made { cuts: Vec::new(), strings: module.strings()? };
    let mut targets = Vec::with_capacity(fields.len());
    for field in fields {
        let Some(text) = edit(field) else { continue };
        targets.push((field, text, made.place(extent(symtab::pair(table, field)?), text, &others)));
    }
    made.cuts.sort();
    let mut strings = made.table();
    let mut edited = table.to_vec();
    for field in symtab::string_fields(table)? {
        let (start, end) = extent(symtab::pair(table, field)?);
        symtab::set_pair(&mut edited, field, pair(made.moved(start), end - start)?);
    }
    for (field, text, target) in targets {
        let start = match target {
            Target::Other(start) => made.moved(start),
            Target::Cut(extent) => made.start(&(extent, text)),
            Target::Appended => {
                strings.extend_from_slice(text);
                (strings.len() - text.len()) as u64
            }
        };
        symtab::set_pair(&mut edited, field, pair(start, text.len() as u64)?);
    }
    if module.version()? >= 2 {
        module.move_strings(|offset| made.moved(offset))?;
    }
    module.set_blob(block::STRTAB, Cow::Owned(strings))?;
    module.set_blob(block::SYMTAB, Cow::Owned(edited))
}

fn extent((start, length): symtab::Pair) -> Extent {
    (start.into(), u64::from(start) + u64::from(length))
}

/// Offset and size as the table holds them.
fn pair(start: u64, length: u64) -> Result<symtab::Pair> {
    u32::try_from(start).ok().zip(u32::try_from(length).ok()).ok_or_else(|| {
        let (what, size, limit) = ("STRTAB", start.saturating_add(length), u32::MAX.into());
        Error::nowhere(ErrorKind::TooLarge { what, size, limit })
    })
}

/// Strings in use but for those that these fields name.
fn other_users(module: &Module<'_>, table: &[u8], fields: &[usize]) -> Result<Vec<Extent>> {
    let mut others = Vec::new();
    for field in symtab::string_fields(table)? {
        if !fields.contains(&field) {
            others.push(extent(symtab::pair(table, field)?));
        }
    }
    if module.version()? >= 2 {
        for item in module.items() {
            let Item::Record(record) = item else { continue };
            others.extend(string_ranges(record)?);
        }
    }
    Ok(others)
}

/// What is replaced, and by what.
type Cut<'s> = (Extent, &'s [u8]);

/// STRTAB with other strings in the places of some.
struct Made<'s> {
    /// In order; none overlaps another.
    cuts: Vec<Cut<'s>>,
    strings: &'s [u8],
}

/// Where a text goes.
enum Target {
    /// Something else is called so, and stands here.
    Other(u64),
    /// In the place of the old one.
    Cut(Extent),
    Appended,
}

impl<'s> Made<'s> {
    /// Finds the place of a new text for the string that stands there now.
    fn place(&mut self, old: Extent, text: &'s [u8], others: &[Extent]) -> Target {
        let overlaps = |other: &Extent| other.0 < old.1 && old.0 < other.1;
        let string = |(start, end): Extent| self.strings.get(size(start)..size(end));
        let same = others.iter().find(|other| string(**other) == Some(text));
        let new = if same.is_some() { &[][..] } else { text };
        let is_taken = others.iter().any(overlaps)
            || self.cuts.iter().any(|(cut, other)| overlaps(cut) && (*cut, *other) != (old, new));
        if !is_taken && !self.cuts.contains(&(old, new)) {
            self.cuts.push((old, new));
        }
        match same {
            Some(same) if !text.is_empty() => Target::Other(same.0),
            _ if is_taken => Target::Appended,
            _ => Target::Cut(old),
        }
    }

    fn table(&self) -> Vec<u8> {
        let mut table = Vec::with_capacity(self.strings.len());
        let mut from = 0;
        for ((start, end), text) in &self.cuts {
            table.extend_from_slice(self.strings.get(from..size(*start)).unwrap_or_default());
            table.extend_from_slice(text);
            from = size(*end);
        }
        table.extend_from_slice(self.strings.get(from..).unwrap_or_default());
        table
    }

    /// Where what stood at this offset stands now; what was empty there is in front of it.
    fn moved(&self, offset: u64) -> u64 {
        self.behind(offset, |((_, end), _)| *end <= offset)
    }

    /// Where the text of a cut stands now.
    fn start(&self, cut: &Cut<'_>) -> u64 {
        self.behind(cut.0.0, |other| other < cut)
    }

    fn behind(&self, offset: u64, is_before: impl Fn(&Cut<'_>) -> bool) -> u64 {
        let before = self.cuts.iter().take_while(|cut| is_before(cut));
        before.fold(offset, |at, ((start, end), text)| at - (end - start) + text.len() as u64)
    }
}
