//! The strings of metadata that hold a function's name.

use super::debug::DebugNames;
use super::names::characters;
use super::{RenameReport, Target};
use crate::abbrev::Values;
use crate::block::{Block, Item, Items};
use crate::blockinfo::BlockInfo;
use crate::error::{Result, Within};
use crate::ids::{block, function as function_codes};
use crate::metadata::code;
use crate::module::Module;
use crate::strings;

/// Replaces the strings in the module's metadata and at the head of each function.
pub(super) fn rename(
    module: &mut Module<'_>,
    targets: &[Target<'_>],
    report: &mut RenameReport,
) -> Result<()> {
    let mut debug = DebugNames::find(module, targets)?;
    let mut info = module.block_info();
    let Some(block) = module.stream.blocks.get_mut(module.index) else { return Ok(()) };
    let mut function = 0;
    for item in block.items_mut().into_iter().flatten() {
        let Item::Block(inner) = item else { continue };
        let mut edit = Edit { targets, report, debug: &mut debug, function: None };
        match inner.id() {
            block::METADATA => {
                edit.metadata(inner, &mut info).within(|| "MODULE > METADATA")?;
            }
            block::FUNCTION => {
                edit.function = Some(function);
                let place = || format!("MODULE > FUNCTION {function}");
                edit.function(inner, &mut info).within(place)?;
                function += 1;
            }
            _ => {}
        }
    }
    report.debug_names_kept = debug.kept;
    Ok(())
}

struct Edit<'e, 'n> {
    targets: &'e [Target<'n>],
    report: &'e mut RenameReport,
    debug: &'e mut DebugNames,
    /// Which function's metadata it is; none for the module's.
    function: Option<usize>,
}

impl Edit<'_, '_> {
    /// A function's metadata stands before its first instruction.
    fn function<'a>(&mut self, function: &mut Block<'a>, info: &mut BlockInfo<'a>) -> Result<()> {
        let Some(mut edited) = head_metadata(function, info)? else { return Ok(()) };
        if self.metadata(&mut edited, info).within(|| "METADATA")? {
            let is_metadata =
                |item: &Item<'_>| matches!(item, Item::Block(b) if b.id() == block::METADATA);
            if let Some(Item::Block(last)) = function.open_until(info, is_metadata)?.last_mut() {
                *last = edited;
            }
        }
        Ok(())
    }

    /// Edits a metadata block; says whether anything changed. If not, it stays undecoded.
    fn metadata<'a>(&mut self, metadata: &mut Block<'a>, info: &mut BlockInfo<'a>) -> Result<bool> {
        let mut items = Items::new(metadata, info.get(metadata.id())?);
        let mut edits = Vec::new();
        let mut record_index = 0;
        while let Some(item) = items.next()? {
            let Item::Record(mut record) = item else { continue };
            match record.code() {
                code::STRINGS => {
                    if let Some(edited) = self.strings(&record.values()?)? {
                        record.set(edited);
                        edits.push((record_index, record));
                    }
                    // All strings are in this record, and it stands first.
                    break;
                }
                code::STRING_OLD => {
                    if let Some(edited) = self.scopes(&record.text(0)?) {
                        record.set_shortest(characters(&[], &edited), &items.abbreviations());
                        edits.push((record_index, record));
                    }
                }
                _ => {}
            }
            record_index += 1;
        }
        let changed = !edits.is_empty();
        if changed {
            let is_strings =
                |item: &Item<'_>| matches!(item, Item::Record(r) if r.code() == code::STRINGS);
            let records = metadata.open_until(info, is_strings)?.iter_mut().filter_map(|item| {
                if let Item::Record(record) = item { Some(record) } else { None }
            });
            let mut edits = edits.into_iter().peekable();
            for (index, record) in records.enumerate() {
                if let Some((_, edited)) = edits.next_if(|(wanted, _)| *wanted == index) {
                    *record = edited;
                }
            }
        }
        Ok(changed)
    }

    /// The values with other strings, if one changes.
    fn strings(&mut self, values: &Values<'_>) -> Result<Option<Values<'static>>> {
        let mut list: Vec<std::borrow::Cow<'_, [u8]>> =
            strings::decode(values)?.into_iter().map(Into::into).collect();
        let mut changed = false;
        for (index, string) in list.iter_mut().enumerate() {
            let debug = self.debug.new_name(self.function, index, self.targets);
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
        const BEFORE: &[u8] = b"air-alias-scopes(";
        let name = string.strip_prefix(BEFORE)?.strip_suffix(b")")?;
        let target = self.targets.iter().find(|target| target.rename.old == name)?;
        self.report.alias_scopes += 1;
        Some([BEFORE, target.rename.new, b")"].concat())
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
