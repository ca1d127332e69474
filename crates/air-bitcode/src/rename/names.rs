//! The names that linkers and readers of the module see.

use std::borrow::Cow;

use super::place::Places;
use super::report::RenameReport;
use super::targets::{Entry, Target, Targets};
use crate::abbrev::Values;
use crate::block::{Block, Item};
use crate::blockinfo::BlockInfo;
use crate::error::{Result, Within};
use crate::ids::{block, module as codes};
use crate::module::Module;
use crate::symbols::name_index;
use crate::symtab::{self, Pair};

/// Gives the targets of a module of version 2 their new names.
pub(super) fn in_strings(
    module: &mut Module<'_>,
    strings: &[u8],
    entries: &[Entry<'_>],
    targets: &Targets<'_>,
    report: &mut RenameReport,
) -> Result<()> {
    let mut places = Places::new(strings, entries);
    let pairs: Vec<Pair> =
        targets.list.iter().map(|target| places.place(target)).collect::<Result<_>>()?;
    report.string_growth = (places.table.len() - strings.len()) as u64;
    if let Cow::Owned(table) = places.table {
        module.set_blob(block::STRTAB, Cow::Owned(table))?;
    }
    symbol_table(module, strings, targets, &pairs, report)?;
    function_records(module, entries, targets, &pairs)
}

/// Points the symbols in SYMTAB at the new names.
fn symbol_table(
    module: &mut Module<'_>,
    strings: &[u8],
    targets: &Targets<'_>,
    pairs: &[Pair],
    report: &mut RenameReport,
) -> Result<()> {
    let Some(table) = module.blob(block::SYMTAB)? else { return Ok(()) };
    let mut edited = table.to_vec();
    let text = |at| {
        let (offset, size) = symtab::pair(table, at)?;
        symtab::string(strings, offset.into(), size.into())
    };
    let target = |name| {
        let index = targets.position(name)?;
        Some((targets.list.get(index)?, *pairs.get(index)?))
    };
    for (name, ir_name) in symtab::symbol_fields(table)? {
        let value_name = text(ir_name)?;
        let Some((target, pair)) = target(value_name) else { continue };
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
    if let Some((_, pair)) = target(text(symtab::SOURCE_FIELD)?) {
        symtab::set_pair(&mut edited, symtab::SOURCE_FIELD, pair);
    }
    module.set_blob(block::SYMTAB, Cow::Owned(edited))
}

/// FUNCTION records of version 2.
fn function_records(
    module: &mut Module<'_>,
    entries: &[Entry<'_>],
    targets: &Targets<'_>,
    pairs: &[Pair],
) -> Result<()> {
    let items = module.items_mut();
    for (target, &(offset, size)) in targets.list.iter().zip(pairs) {
        let item = entries.get(target.value).and_then(|entry| items.get_mut(entry.item));
        let Some(Item::Record(record)) = item else { continue };
        let mut values = record.values()?;
        let [to_offset, to_size, ..] = &mut values.operands[..] else {
            return Err(target.rename.refuse("its record has no place for a name"));
        };
        (*to_offset, *to_size) = (offset.into(), size.into());
        record.set(values);
    }
    Ok(())
}

/// `SOURCE_FILENAME`, where it is the name of a function.
pub(super) fn source_file(
    module: &mut Module<'_>,
    targets: &Targets<'_>,
    report: &mut RenameReport,
) -> Result<()> {
    let is_source =
        |item: &Item<'_>| matches!(item, Item::Record(r) if r.code() == codes::SOURCE_FILENAME);
    let Some(index) = module.items().iter().position(is_source) else { return Ok(()) };
    let Some(Item::Record(record)) = module.items().get(index) else { return Ok(()) };
    let text = record.text(0).within(|| "MODULE > SOURCE_FILENAME")?;
    let Some(target) = targets.get(&text) else { return Ok(()) };
    let mut record = record.clone();
    record.set_text(characters(&[], target.rename.new), || module.abbreviations())?;
    report.source_file_name = true;
    if let Some(item) = module.items_mut().get_mut(index) {
        *item = Item::Record(record);
    }
    Ok(())
}

/// Values of a record that ends in text.
pub(crate) fn characters(lead: &[u64], text: &[u8]) -> Values<'static> {
    let operands = lead.iter().copied().chain(text.iter().map(|&byte| byte.into())).collect();
    Values { operands, blob: None }
}

/// Gives the targets of a module of version 1 their new names, in its value symbol table.
pub(super) fn in_values(module: &mut Module<'_>, targets: &Targets<'_>) -> Result<()> {
    let mut found = vec![false; targets.list.len()];
    let mut info = module.block_info();
    for item in module.items_mut() {
        if let Item::Block(table) = item
            && table.id() == block::VALUE_SYMTAB
        {
            rename_entries(table, &mut info, &targets.list, &mut found)
                .within(|| "MODULE > VALUE_SYMTAB")?;
        }
    }
    match targets.list.iter().zip(found).find(|(_, found)| !found) {
        None => Ok(()),
        Some((target, _)) => Err(target.rename.refuse("the value symbol table does not hold it")),
    }
}

/// Renames the entries of the targets, which are in the order of their values.
fn rename_entries<'a>(
    table: &mut Block<'a>,
    info: &mut BlockInfo<'a>,
    targets: &[Target<'_>],
    found: &mut [bool],
) -> Result<()> {
    table.open(info)?;
    let abbreviations = table.abbreviations()?;
    for item in table.items_mut().into_iter().flatten() {
        let Item::Record(record) = item else { continue };
        let Some(first) = name_index(record.code()) else { continue };
        let values = record.values()?;
        let Some((lead, _)) = values.operands.split_at_checked(first) else { continue };
        let index = lead.first().and_then(|&value| {
            targets.binary_search_by_key(&value, |target| target.value as u64).ok()
        });
        let Some((target, found)) = index.and_then(|i| targets.get(i).zip(found.get_mut(i))) else {
            continue;
        };
        *found = true;
        record.set_text(characters(lead, target.rename.new), || Ok(&abbreviations))?;
    }
    Ok(())
}
