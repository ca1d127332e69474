//! The strings of metadata that hold a function's name.

use std::borrow::Cow;
use std::sync::Arc;

use super::debug::DebugNames;
use super::names::characters;
use super::{RenameReport, Target};
use crate::abbrev::{Abbreviation, Values};
use crate::block::{Block, Item, Items};
use crate::blockinfo::BlockInfo;
use crate::error::{Result, Within};
use crate::ids::{block, function as function_codes};
use crate::metadata::code;
use crate::module::Module;
use crate::record::Record;
use crate::strings;

/// Replaces the strings in the module's metadata and at the head of each function.
pub(super) fn rename(
    module: &mut Module<'_>,
    targets: &[Target<'_>],
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
    for hit in found.hits {
        let Some(Item::Block(inner)) = items.get_mut(hit.item) else { continue };
        let Some(record) = edit.record(hit.record, hit.function, &hit.abbreviations)? else {
            continue;
        };
        replace(inner, &mut info, hit.index, record)?;
    }
    Ok(())
}

/// A record of strings, one of which may have to change.
struct Hit<'a> {
    /// Index of the item of the module block that it is in.
    item: usize,
    /// Which function it is in, if it is in one.
    function: Option<usize>,
    /// Index among the records of its block.
    index: usize,
    record: Record<'a>,
    abbreviations: Vec<(u32, Arc<Abbreviation>)>,
}

/// What a look at all strings found; most modules have one hit.
#[derive(Default)]
struct Found<'a> {
    hits: Vec<Hit<'a>>,
    /// Whether a string is an old name.
    debug: bool,
}

impl<'a> Found<'a> {
    fn search(
        module: &Module<'a>,
        info: &mut BlockInfo<'a>,
        targets: &[Target<'_>],
    ) -> Result<Self> {
        let mut found = Self::default();
        let mut functions = 0;
        for (item, inner) in module.items().iter().enumerate() {
            let Item::Block(inner) = inner else { continue };
            match inner.id() {
                block::METADATA => found
                    .block(inner, info, targets, (item, None))
                    .within(|| "MODULE > METADATA")?,
                block::FUNCTION => {
                    let place = || format!("MODULE > FUNCTION {functions} > METADATA");
                    if let Some(metadata) = head_metadata(inner, info).within(place)? {
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
        targets: &[Target<'_>],
        (item, function): (usize, Option<usize>),
    ) -> Result<()> {
        let mut items = Items::new(metadata, info.get(metadata.id())?);
        let mut index = 0;
        while let Some(next) = items.next()? {
            let Item::Record(record) = next else { continue };
            let mut hit = false;
            let all = record.code() == code::STRINGS;
            if all {
                let of_target = |length: usize| {
                    let names = targets.iter().map(|target| target.rename.old.len());
                    names
                        .into_iter()
                        .any(|name| name == length || name + SCOPES.len() + 1 == length)
                };
                strings::walk(&record.values()?, of_target, |string| {
                    if targets.iter().any(|target| target.rename.old == string) {
                        self.debug = true;
                        hit = true;
                    }
                    hit |= scopes_of(string, targets).is_some();
                })?;
            } else if record.code() == code::STRING_OLD {
                hit = scopes_of(&record.text(0)?, targets).is_some();
            }
            if hit {
                let abbreviations = if all { Vec::new() } else { items.abbreviations()? };
                self.hits.push(Hit { item, function, index, record, abbreviations });
            }
            if all {
                // All strings of the block are in this record, which stands first.
                break;
            }
            index += 1;
        }
        Ok(())
    }
}

/// Puts a record in its place in a block of metadata, or in that at the head of a function.
fn replace<'a>(
    within: &mut Block<'a>,
    info: &mut BlockInfo<'a>,
    index: usize,
    record: Record<'a>,
) -> Result<()> {
    if within.id() == block::FUNCTION {
        let is_metadata =
            |item: &Item<'_>| matches!(item, Item::Block(b) if b.id() == block::METADATA);
        let found = within.open_until(info, is_metadata)?.iter_mut().find_map(|item| match item {
            Item::Block(inner) if inner.id() == block::METADATA => Some(inner),
            _ => None,
        });
        return found.map_or(Ok(()), |metadata| replace(metadata, info, index, record));
    }
    let is_strings = |item: &Item<'_>| matches!(item, Item::Record(r) if r.code() == code::STRINGS);
    let mut records =
        within.open_until(info, is_strings)?.iter_mut().filter_map(|item| match item {
            Item::Record(record) => Some(record),
            _ => None,
        });
    if let Some(place) = records.nth(index) {
        *place = record;
    }
    Ok(())
}

/// What stands before the name in the string of a function's alias scopes; `)` follows.
const SCOPES: &[u8] = b"air-alias-scopes(";

/// The target that a string of alias scopes names.
fn scopes_of<'t, 'n>(string: &[u8], targets: &'t [Target<'n>]) -> Option<&'t Target<'n>> {
    let name = string.strip_suffix(b")")?.strip_prefix(SCOPES)?;
    targets.iter().find(|target| target.rename.old == name)
}

struct Edit<'e, 'n> {
    targets: &'e [Target<'n>],
    report: &'e mut RenameReport,
    debug: &'e DebugNames,
}

impl Edit<'_, '_> {
    /// The record with other strings, if one changes.
    fn record<'a>(
        &mut self,
        mut record: Record<'a>,
        function: Option<usize>,
        abbreviations: &[(u32, Arc<Abbreviation>)],
    ) -> Result<Option<Record<'a>>> {
        if record.code() == code::STRINGS {
            let Some(values) = self.strings(&record.values()?, function)? else { return Ok(None) };
            record.set(values);
            return Ok(Some(record));
        }
        let Some(text) = self.scopes(&record.text(0)?) else { return Ok(None) };
        record.set_text(characters(&[], &text), || Ok(abbreviations.to_vec()))?;
        Ok(Some(record))
    }

    /// The values with other strings, if one changes.
    fn strings(
        &mut self,
        values: &Values<'_>,
        function: Option<usize>,
    ) -> Result<Option<Values<'static>>> {
        let mut list: Vec<Cow<'_, [u8]>> =
            strings::decode(values)?.into_iter().map(Into::into).collect();
        let mut changed = false;
        for (index, string) in list.iter_mut().enumerate() {
            let debug = self.debug.new_name(function, index, self.targets);
            let edited = match debug {
                Some(name) => {
                    self.report.debug_names += 1;
                    Some(name.to_vec())
                }
                None => self.scopes(string),
            };
            if let Some(edited) = edited {
                *string = edited.into();
                changed = true;
            }
        }
        Ok(changed.then(|| strings::encode(&list)))
    }

    /// `air-alias-scopes(NEW)` for that string with a name that is renamed.
    fn scopes(&mut self, string: &[u8]) -> Option<Vec<u8>> {
        let target = scopes_of(string, self.targets)?;
        self.report.alias_scopes += 1;
        Some([SCOPES, target.rename.new, b")"].concat())
    }
}

/// The metadata block of a function, which stands before its first instruction.
pub(super) fn head_metadata<'a>(
    function: &Block<'a>,
    info: &mut BlockInfo<'a>,
) -> Result<Option<Block<'a>>> {
    let mut items = Items::new(function, info.get(function.id())?);
    while let Some(item) = items.next()? {
        match item {
            Item::Block(inner) if inner.id() == block::METADATA => return Ok(Some(inner)),
            Item::Block(inner) if inner.id() == block::CONSTANTS => {}
            Item::Record(record) if record.code() == function_codes::DECLAREBLOCKS => {}
            Item::Define(_) => {}
            _ => break,
        }
    }
    Ok(None)
}
