//! The names that linkers and readers of the module see.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{RenameReport, Target};
use crate::abbrev::Values;
use crate::block::{Block, Item};
use crate::blockinfo::BlockInfo;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{block, module as codes};
use crate::module::Module;
use crate::symbols::{GlobalRecord, name_index};
use crate::symtab::{self, Pair};

/// Gives the targets their new names, debug information and metadata aside.
pub(super) fn rename(
    module: &mut Module<'_>,
    strings: &[u8],
    entries: &[(usize, GlobalRecord)],
    targets: &[Target<'_>],
    report: &mut RenameReport,
) -> Result<()> {
    let pairs = if module.version()? >= 2 {
        let pairs = place_names(module, strings, entries, targets, report)?;
        symbol_table(module, strings, targets, &pairs, report)?;
        pairs
    } else {
        value_names(module, targets)?;
        Vec::new()
    };
    function_records(module, entries, targets, &pairs)?;
    source_file_name(module, targets, report)
}

/// Finds or appends the new names in STRTAB.
fn place_names(
    module: &mut Module<'_>,
    strings: &[u8],
    entries: &[(usize, GlobalRecord)],
    targets: &[Target<'_>],
    report: &mut RenameReport,
) -> Result<Vec<Pair>> {
    let mut table = Cow::Borrowed(strings);
    let range = |(_, entry): &(usize, GlobalRecord)| {
        let start = crate::bits::size(entry.name.0);
        (start, start.saturating_add(crate::bits::size(entry.name.1)))
    };
    let mut ranges: Vec<_> = entries.iter().map(range).collect();
    let mut pairs = Vec::with_capacity(targets.len());
    for target in targets {
        let name = target.rename.new;
        let offset = find(&table, &ranges, target.value, name).unwrap_or_else(|| {
            table.to_mut().extend_from_slice(name);
            table.len() - name.len()
        });
        let pair = u32::try_from(offset).ok().zip(u32::try_from(name.len()).ok());
        let Some(pair) = pair.filter(|_| u32::try_from(table.len()).is_ok()) else {
            let (what, size, limit) = ("STRTAB", table.len() as u64, u32::MAX.into());
            return Err(Error::nowhere(ErrorKind::TooLarge { what, size, limit }));
        };
        if let Some(range) = ranges.get_mut(target.value) {
            *range = (offset, offset + name.len());
        }
        pairs.push(pair);
    }
    report.string_growth = (table.len() - strings.len()) as u64;
    if let Cow::Owned(table) = table {
        module.set_blob(block::STRTAB, Cow::Owned(table))?;
    }
    Ok(pairs)
}

/// Finds a name in STRTAB: first where LLVM would have put it, between the names of the
/// values before and after, so that renaming back gives the record that was there; then
/// behind the names of all other values, where an earlier rename appended it.
fn find(table: &[u8], ranges: &[(usize, usize)], value: usize, name: &[u8]) -> Option<usize> {
    let is_at = |&at: &usize| table.get(at..).is_some_and(|rest| rest.starts_with(name));
    let before = value.checked_sub(1).map_or(Some(0), |before| Some(ranges.get(before)?.1));
    let after = ranges.get(value + 1).and_then(|after| after.0.checked_sub(name.len()));
    before.filter(is_at).or(after.filter(is_at)).or_else(|| {
        let others = ranges.iter().enumerate().filter(|(index, _)| *index != value);
        let end = others.map(|(_, range)| range.1).max().unwrap_or(0);
        let rest = table.get(end..)?;
        rest.windows(name.len()).rposition(|found| found == name).map(|at| end + at)
    })
}

/// Points the symbols in SYMTAB at the new names.
fn symbol_table(
    module: &mut Module<'_>,
    strings: &[u8],
    targets: &[Target<'_>],
    pairs: &[Pair],
    report: &mut RenameReport,
) -> Result<()> {
    let Some(record) = module.blob_record(block::SYMTAB)? else { return Ok(()) };
    let Some(Cow::Borrowed(table)) = record.blob()? else { return Ok(()) };
    let text = |at| {
        let (offset, size) = symtab::pair(table, at)?;
        symtab::string(strings, offset.into(), size.into())
    };
    let mut edited = table.to_vec();
    let source = text(symtab::SOURCE_FIELD)?;
    for (name, ir_name) in symtab::symbol_fields(table)? {
        let value_name = text(ir_name)?;
        let found = targets.iter().zip(pairs).find(|(target, _)| target.rename.old == value_name);
        let Some((target, &pair)) = found else { continue };
        let linker_name = text(name)?;
        if linker_name != value_name {
            let other = String::from_utf8_lossy(linker_name);
            let reason = format!("linkers know it as `{other}`, which cannot be derived");
            return Err(target.rename.refuse(reason));
        }
        symtab::set_pair(&mut edited, name, pair);
        symtab::set_pair(&mut edited, ir_name, pair);
        report.symbols += 1;
    }
    for (target, &pair) in targets.iter().zip(pairs) {
        if target.rename.old == source {
            symtab::set_pair(&mut edited, symtab::SOURCE_FIELD, pair);
        }
    }
    record.set(Values { operands: Vec::new(), blob: Some(Cow::Owned(edited)) });
    Ok(())
}

/// FUNCTION records of version 2.
fn function_records(
    module: &mut Module<'_>,
    entries: &[(usize, GlobalRecord)],
    targets: &[Target<'_>],
    pairs: &[Pair],
) -> Result<()> {
    let items = module.items_mut();
    for (target, &(offset, size)) in targets.iter().zip(pairs) {
        let item = entries.get(target.value).and_then(|(item, _)| items.get_mut(*item));
        let Some(Item::Record(record)) = item else { continue };
        let mut values = record.values()?;
        let pair = [u64::from(offset), u64::from(size)];
        values.operands.iter_mut().zip(pair).for_each(|(operand, new)| *operand = new);
        record.set(values);
    }
    Ok(())
}

/// `SOURCE_FILENAME`, where it is the name of a function.
fn source_file_name(
    module: &mut Module<'_>,
    targets: &[Target<'_>],
    report: &mut RenameReport,
) -> Result<()> {
    let is_source =
        |item: &Item<'_>| matches!(item, Item::Record(r) if r.code() == codes::SOURCE_FILENAME);
    let Some(index) = module.items().iter().position(is_source) else { return Ok(()) };
    let Some(Item::Record(record)) = module.items().get(index) else { return Ok(()) };
    let mut record = record.clone();
    let text = record.text(0).within(|| "MODULE > SOURCE_FILENAME")?;
    let Some(target) = targets.iter().find(|target| target.rename.old == text) else {
        return Ok(());
    };
    record.set_text(characters(&[], target.rename.new), || module.abbreviations())?;
    report.source_file_name = true;
    if let Some(item) = module.items_mut().get_mut(index) {
        *item = Item::Record(record);
    }
    Ok(())
}

/// Values of a record that ends in text.
pub(super) fn characters(lead: &[u64], text: &[u8]) -> Values<'static> {
    let operands = lead.iter().copied().chain(text.iter().map(|&byte| byte.into())).collect();
    Values { operands, blob: None }
}

/// Names in the value symbol table of version 1.
fn value_names(module: &mut Module<'_>, targets: &[Target<'_>]) -> Result<()> {
    let mut wanted: HashMap<u64, &Target<'_>> =
        targets.iter().map(|target| (target.value as u64, target)).collect();
    let mut info = module.block_info();
    for item in module.items_mut() {
        if let Item::Block(table) = item
            && table.id() == block::VALUE_SYMTAB
        {
            rename_entries(table, &mut info, &mut wanted).within(|| "MODULE > VALUE_SYMTAB")?;
        }
    }
    match wanted.into_values().next() {
        None => Ok(()),
        Some(target) => Err(target.rename.refuse("the value symbol table does not hold it")),
    }
}

fn rename_entries<'a>(
    table: &mut Block<'a>,
    info: &mut BlockInfo<'a>,
    wanted: &mut HashMap<u64, &Target<'_>>,
) -> Result<()> {
    table.open(info)?;
    let abbreviations = table.abbreviations()?;
    for item in table.items_mut().into_iter().flatten() {
        let Item::Record(record) = item else { continue };
        let Some(first) = name_index(record.code()) else { continue };
        let values = record.values()?;
        let Some((lead, _)) = values.operands.split_at_checked(first) else { continue };
        let Some(target) = lead.first().and_then(|value| wanted.remove(value)) else { continue };
        record.set_text(characters(lead, target.rename.new), || Ok(abbreviations.clone()))?;
    }
    Ok(())
}
