//! Finds texts in records and in metadata, and puts others in their places.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Text, TextPlace, TextUse};
use crate::abbrev::Values;
use crate::block::{Block, Item};
use crate::blockinfo::BlockInfo;
use crate::error::{Result, Within};
use crate::ids::{block, identification, metadata as code, module as codes};
use crate::items::Items;
use crate::module::Module;
use crate::record::Record;
use crate::rename::names::characters;
use crate::rename::{head, strings::replace as put};
use crate::stream::first_record;
use crate::strings::{self, Strings};

/// Whether a text holds one of these bytes, or any text is wanted.
pub(super) fn holds(text: &[u8], holding: &[u8]) -> bool {
    // One byte after the other: the standard library looks for one very quickly.
    holding.is_empty() || holding.iter().any(|byte| text.contains(byte))
}

/// Texts of `SOURCE_FILENAME` and of the identification block.
pub(super) fn records<'a>(module: &Module<'a>, holding: &[u8]) -> Result<Vec<Text<'a>>> {
    let mut texts = Vec::new();
    let mut add = |record: Option<&Record<'a>>, place, usage| -> Result<()> {
        let Some(record) = record else { return Ok(()) };
        let bytes = record.text(0)?;
        if holds(&bytes, holding) {
            let offset = record.offset().unwrap_or(0) / 8;
            texts.push(Text { bytes: Cow::Owned(bytes), place, uses: vec![usage], offset });
        }
        Ok(())
    };
    let top = module.stream().blocks.iter().find(|b| b.id() == block::IDENTIFICATION);
    let producer = top.map(|block| first_record(block, identification::STRING)).transpose()?;
    let producer = producer.flatten();
    add(producer.as_ref(), TextPlace::Identification, TextUse::Identification)
        .within(|| "IDENTIFICATION")?;
    let source = module.record(codes::SOURCE_FILENAME);
    add(source, TextPlace::SourceFileName, TextUse::SourceFileName)
        .within(|| "MODULE > SOURCE_FILENAME")?;
    Ok(texts)
}

/// Calls `each` with every block of metadata: the module's, then that of each function with
/// its number; and with the index of the item of the module block that it is in.
pub(super) fn each_block<'a>(
    module: &Module<'a>,
    info: &mut BlockInfo<'a>,
    mut each: impl FnMut(&Block<'a>, &mut BlockInfo<'a>, usize, Option<usize>) -> Result<()>,
) -> Result<()> {
    for (item, inner) in module.items().iter().enumerate() {
        let Item::Block(inner) = inner else { continue };
        if inner.id() == block::METADATA {
            each(inner, info, item, None).within(|| "MODULE > METADATA")?;
        }
    }
    let mut functions = 0;
    for (item, inner) in module.items().iter().enumerate() {
        let Item::Block(inner) = inner else { continue };
        if inner.id() != block::FUNCTION {
            continue;
        }
        let place = || format!("MODULE > FUNCTION {functions} > METADATA");
        if let Some(metadata) = head::metadata(inner, info).within(place)? {
            each(&metadata, info, item, Some(functions)).within(place)?;
        }
        functions += 1;
    }
    Ok(())
}

/// Numbers of metadata: those of the module, and those of the function that is read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    module: u64,
    own: u64,
    function: Option<usize>,
}

impl Numbers {
    /// The number of the next string or node of this function, or of the module.
    pub(super) fn of(&mut self, function: Option<usize>) -> &mut u64 {
        if function.is_none() {
            return &mut self.module;
        }
        if self.function != function {
            (self.function, self.own) = (function, self.module);
        }
        &mut self.own
    }
}

/// Texts of metadata, whatever uses them.
pub(super) fn metadata<'a>(module: &Module<'a>, holding: &[u8]) -> Result<Vec<Text<'a>>> {
    let mut texts = Vec::new();
    let mut info = module.block_info();
    // LLVM writes one block, at whose beginning all its strings are: the rest is not read.
    let whole = module.blocks(block::METADATA).nth(1).is_some();
    let mut shared = 0;
    each_block(module, &mut info, |found, info, _, function| {
        let mut own = 0;
        let next = if function.is_some() { &mut own } else { &mut shared };
        let mut items = Items::new(found, info.get(found.id())?);
        while let Some(record) = items.next_record()? {
            let place = |id| TextPlace::Metadata { function, id };
            match record.code() {
                code::STRINGS => {
                    let first = *next;
                    list(module, &record, holding, |bytes, offset, index| {
                        let place = place(first + index);
                        texts.push(Text { bytes, place, uses: Vec::new(), offset });
                    })?;
                    *next += record.first::<1>()?.0[0];
                    if !whole {
                        break;
                    }
                }
                code::STRING_OLD => {
                    let bytes = record.text(0)?;
                    if holds(&bytes, holding) {
                        let offset = record.offset().unwrap_or(0) / 8;
                        let (bytes, place) = (Cow::Owned(bytes), place(*next));
                        texts.push(Text { bytes, place, uses: Vec::new(), offset });
                    }
                    *next += 1;
                }
                other => *next += u64::from(code::makes_id(other)),
            }
        }
        Ok(())
    })?;
    number(module, &mut texts)?;
    Ok(texts)
}

/// Has the numbers of functions' texts, which were counted from 0 on, continue the module's.
fn number(module: &Module<'_>, texts: &mut [Text<'_>]) -> Result<()> {
    let mut first = None;
    for text in texts {
        if let TextPlace::Metadata { function: Some(_), id } = &mut text.place {
            let first = match first {
                Some(first) => first,
                None => *first.insert(count(module)?),
            };
            *id += first;
        }
    }
    Ok(())
}

/// How many numbers the module's own metadata takes.
fn count(module: &Module<'_>) -> Result<u64> {
    let mut count = 0;
    let mut info = module.block_info();
    for found in module.blocks(block::METADATA) {
        let mut items = Items::new(found, info.get(found.id())?);
        while let Some(record) = items.next_record()? {
            count += match record.code() {
                code::STRINGS => record.first::<1>()?.0[0],
                other => u64::from(code::makes_id(other)),
            };
        }
    }
    Ok(count)
}

/// Calls `each` with the wanted strings of a record, their offsets and their indices in it.
fn list<'a>(
    module: &Module<'a>,
    record: &Record<'a>,
    holding: &[u8],
    mut each: impl FnMut(Cow<'a, [u8]>, u64, u64),
) -> Result<()> {
    let Some(Cow::Borrowed(blob)) = record.blob()? else { return Ok(()) };
    if !holds(blob, holding) {
        return Ok(());
    }
    let mut index = 0;
    Strings::of(record.first()?, Some(blob))?.walk(|string| {
        if holds(string, holding) {
            each(Cow::Borrowed(string), module.offset_of(string), index);
        }
        index += 1;
    })
}

/// Puts other strings in the places of those of metadata.
pub(super) fn replace(module: &mut Module<'_>, edits: &BTreeMap<TextPlace, Vec<u8>>) -> Result<()> {
    let is_of = |place: &TextPlace| matches!(place, TextPlace::Metadata { .. });
    if !edits.keys().any(is_of) {
        return Ok(());
    }
    let mut info = module.block_info();
    let mut numbers = Numbers::default();
    let mut edited = Vec::new();
    each_block(module, &mut info, |found, info, item, function| {
        let next = numbers.of(function);
        let records = block_edits(found, info, function, next, edits)?;
        if !records.is_empty() {
            edited.push((item, records));
        }
        Ok(())
    })?;
    let items = module.items_mut();
    for (item, records) in edited {
        if let Some(Item::Block(inner)) = items.get_mut(item) {
            put(inner, &mut info, records)?;
        }
    }
    Ok(())
}

/// The records of a block that change, with their indices among its records.
fn block_edits<'a>(
    found: &Block<'a>,
    info: &mut BlockInfo<'a>,
    function: Option<usize>,
    next: &mut u64,
    edits: &BTreeMap<TextPlace, Vec<u8>>,
) -> Result<Vec<(usize, Record<'a>)>> {
    let new = |id| edits.get(&TextPlace::Metadata { function, id });
    let mut edited = Vec::new();
    let mut items = Items::new(found, info.get(found.id())?);
    let mut index = 0;
    while let Some(mut record) = items.next_record()? {
        match record.code() {
            code::STRINGS => {
                let (values, count) = other_strings(&record, |at| new(*next + at))?;
                *next += count;
                if let Some(values) = values {
                    record.set(values);
                    edited.push((index, record));
                }
            }
            code::STRING_OLD => {
                if let Some(text) = new(*next) {
                    record.set_text(characters(&[], text), || items.abbreviations())?;
                    edited.push((index, record));
                }
                *next += 1;
            }
            other => *next += u64::from(code::makes_id(other)),
        }
        index += 1;
    }
    Ok(edited)
}

/// The values of a record with other strings, if there are any, and how many it has.
fn other_strings<'e>(
    record: &Record<'_>,
    new: impl Fn(u64) -> Option<&'e Vec<u8>>,
) -> Result<(Option<Values<'static>>, u64)> {
    let blob = record.blob()?;
    let found = Strings::of(record.first()?, blob.as_deref())?;
    let mut texts: Vec<&[u8]> = Vec::with_capacity(found.expected());
    let (mut count, mut changed) = (0, false);
    found.walk(|string| {
        let edit = new(count);
        changed |= edit.is_some();
        texts.push(edit.map_or(string, Vec::as_slice));
        count += 1;
    })?;
    Ok((changed.then(|| strings::encode(&texts)), count))
}
