//! The strings of metadata that hold a function's name.

use std::borrow::Cow;
use std::sync::Arc;

use super::debug::DebugNames;
use super::head;
use super::names::characters;
use super::report::RenameReport;
use super::targets::{Target, Targets};
use crate::abbrev::{Abbreviation, Values};
use crate::block::{Block, Item};
use crate::blockinfo::BlockInfo;
use crate::error::{Result, Within};
use crate::ids::{block, metadata as code};
use crate::items::Items;
use crate::module::Module;
use crate::record::Record;
use crate::strings::{self, Strings};

/// Replaces the strings in the module's metadata and at the head of each function.
pub(super) fn rename(
    module: &mut Module<'_>,
    targets: &Targets<'_>,
    report: &mut RenameReport,
) -> Result<()> {
    let mut info = module.block_info();
    let found = Found::search(module, &mut info, targets)?;
    if found.hits.is_empty() {
        return Ok(());
    }
    let debug =
        if found.debug { DebugNames::find(module, targets)? } else { DebugNames::default() };
    report.debug_names_kept = debug.kept;
    let mut edit = Edit { targets, report, debug: &debug };
    let items = module.items_mut();
    for Hits { item, function, records } in found.hits {
        let Some(Item::Block(inner)) = items.get_mut(item) else { continue };
        let mut edited = Vec::with_capacity(records.len());
        for hit in records {
            let record = edit.record(hit.record, function, hit.abbreviations)?;
            edited.extend(record.map(|record| (hit.index, record)));
        }
        replace(inner, &mut info, edited)?;
    }
    Ok(())
}

/// Abbreviations with their ids.
type Abbreviations = Option<Arc<[(u32, Arc<Abbreviation>)]>>;

/// Records of one block of metadata.
struct Hits<'a> {
    /// Index of the item of the module block that it is in.
    item: usize,
    /// Which function it is in, if it is in one.
    function: Option<usize>,
    records: Vec<Hit<'a>>,
}

/// A record of strings, one of which may have to change.
struct Hit<'a> {
    /// Index among the records of its block.
    index: usize,
    record: Record<'a>,
    abbreviations: Abbreviations,
}

/// What a look at all strings found; most modules have one hit.
#[derive(Default)]
struct Found<'a> {
    hits: Vec<Hits<'a>>,
    /// Whether a string is an old name.
    debug: bool,
    /// Which lengths below 32 are wanted, a bit for each.
    short: u32,
}

impl<'a> Found<'a> {
    fn search(
        module: &Module<'a>,
        info: &mut BlockInfo<'a>,
        targets: &Targets<'_>,
    ) -> Result<Self> {
        let wanted = |short, length| short | u32::from(is_wanted(length, targets)) << length;
        let mut found = Self { short: (0..32).fold(0, wanted), ..Self::default() };
        let mut functions = 0;
        for (item, inner) in module.items().iter().enumerate() {
            let Item::Block(inner) = inner else { continue };
            match inner.id() {
                block::METADATA => found
                    .block(inner, info, targets, (item, None))
                    .within(|| "MODULE > METADATA")?,
                block::FUNCTION => {
                    let place = || format!("MODULE > FUNCTION {functions} > METADATA");
                    if let Some(metadata) = head::metadata(inner, info).within(place)? {
                        let at = (item, Some(functions));
                        found.block(&metadata, info, targets, at).within(place)?;
                    }
                    functions += 1;
                }
                _ => {}
            }
        }
        Ok(found)
    }

    fn block(
        &mut self,
        metadata: &Block<'a>,
        info: &mut BlockInfo<'a>,
        targets: &Targets<'_>,
        (item, function): (usize, Option<usize>),
    ) -> Result<()> {
        let mut items = Items::new(metadata, info.get(metadata.id())?);
        let mut records: Vec<Hit<'a>> = Vec::new();
        let mut index = 0;
        while let Some(record) = items.next_record()? {
            match record.code() {
                // All strings of the block are in this record, which stands first.
                code::STRINGS => {
                    if self.strings(&record, targets)? {
                        records.push(Hit { index, record, abbreviations: None });
                    }
                    break;
                }
                code::STRING_OLD if scopes_of(&record.text(0)?, targets).is_some() => {
                    let known = records.last().and_then(|hit| hit.abbreviations.clone());
                    let abbreviations = match known {
                        Some(known) if known.len() == items.abbreviation_count() => Some(known),
                        _ => Some(items.abbreviations()?.into()),
                    };
                    records.push(Hit { index, record, abbreviations });
                }
                _ => {}
            }
            index += 1;
        }
        if !records.is_empty() {
            self.hits.push(Hits { item, function, records });
        }
        Ok(())
    }

    /// Whether one of the strings may have to change.
    fn strings(&mut self, record: &Record<'a>, targets: &Targets<'_>) -> Result<bool> {
        let blob = record.blob()?;
        let strings = Strings::of(record.first()?, blob.as_deref())?;
        let mut hit = false;
        strings.walk_some(
            self.short,
            |length| is_wanted(length, targets),
            |string| {
                if targets.position(string).is_some() {
                    self.debug = true;
                    hit = true;
                }
                hit |= scopes_of(string, targets).is_some();
            },
        )?;
        Ok(hit)
    }
}

/// Puts records in their places in a block of metadata, or in that at the head of a function.
pub(crate) fn replace<'a>(
    within: &mut Block<'a>,
    info: &mut BlockInfo<'a>,
    edited: Vec<(usize, Record<'a>)>,
) -> Result<()> {
    if within.id() == block::FUNCTION {
        let is_metadata =
            |item: &Item<'_>| matches!(item, Item::Block(b) if b.id() == block::METADATA);
        let found = within.open_until(info, is_metadata)?.iter_mut().find_map(|item| match item {
            Item::Block(inner) if inner.id() == block::METADATA => Some(inner),
            _ => None,
        });
        return found.map_or(Ok(()), |metadata| replace(metadata, info, edited));
    }
    let is_strings = |item: &Item<'_>| matches!(item, Item::Record(r) if r.code() == code::STRINGS);
    let items = within.open_until(info, is_strings)?.iter_mut();
    let mut records = items.filter_map(|item| match item {
        Item::Record(record) => Some(record),
        _ => None,
    });
    let mut passed = 0;
    for (index, record) in edited {
        if let Some(place) = records.nth(index - passed) {
            *place = record;
        }
        passed = index + 1;
    }
    Ok(())
}

/// What stands before the name in the string of a function's alias scopes; `)` follows.
pub(super) const SCOPES: &[u8] = b"air-alias-scopes(";

/// Whether a string of alias scopes that names a target has this length.
#[inline]
fn may_be_scopes(length: usize, targets: &Targets<'_>) -> bool {
    length.checked_sub(SCOPES.len() + 1).is_some_and(|name| targets.has_length(name))
}

/// Whether a string of this length may have to change.
#[inline]
fn is_wanted(length: usize, targets: &Targets<'_>) -> bool {
    targets.has_length(length) || may_be_scopes(length, targets)
}

/// The target that a string of alias scopes names.
fn scopes_of<'t, 'n>(string: &[u8], targets: &'t Targets<'n>) -> Option<&'t Target<'n>> {
    if !may_be_scopes(string.len(), targets) {
        return None;
    }
    targets.get(scopes_name(string)?)
}

/// The name in a string of alias scopes.
#[inline]
pub(super) fn scopes_name(string: &[u8]) -> Option<&[u8]> {
    string.strip_suffix(b")")?.strip_prefix(SCOPES)
}

struct Edit<'e, 'n> {
    targets: &'e Targets<'n>,
    report: &'e mut RenameReport,
    debug: &'e DebugNames,
}

impl Edit<'_, '_> {
    /// The record with other strings, if one changes.
    fn record<'a>(
        &mut self,
        mut record: Record<'a>,
        function: Option<usize>,
        abbreviations: Abbreviations,
    ) -> Result<Option<Record<'a>>> {
        if record.code() == code::STRINGS {
            let Some(values) = self.strings(&record, function)? else { return Ok(None) };
            record.set(values);
            return Ok(Some(record));
        }
        let Some(text) = self.scopes(&record.text(0)?) else { return Ok(None) };
        record.set_text(characters(&[], &text), || Ok(abbreviations.unwrap_or_default()))?;
        Ok(Some(record))
    }

    /// The values with other strings, if one changes.
    fn strings(
        &mut self,
        record: &Record<'_>,
        function: Option<usize>,
    ) -> Result<Option<Values<'static>>> {
        let blob = record.blob()?;
        let strings = Strings::of(record.first()?, blob.as_deref())?;
        let mut list: Vec<Cow<'_, [u8]>> = Vec::with_capacity(strings.expected());
        let mut changed = false;
        strings.walk(|string| {
            let debug = self.debug.new_name(function, list.len(), self.targets);
            self.report.debug_names += u32::from(debug.is_some());
            let edited = debug.map(<[u8]>::to_vec).or_else(|| self.scopes(string));
            changed |= edited.is_some();
            list.push(edited.map_or(Cow::Borrowed(string), Cow::Owned));
        })?;
        Ok(changed.then(|| strings::encode(&list)))
    }

    /// `air-alias-scopes(NEW)` for that string with a name that is renamed.
    fn scopes(&mut self, string: &[u8]) -> Option<Vec<u8>> {
        let target = scopes_of(string, self.targets)?;
        self.report.alias_scopes += 1;
        Some([SCOPES, target.rename.new, b")"].concat())
    }
}
