//! The target triple: a record, and a string that the symbol table names.

use std::collections::BTreeMap;

use crate::block::Item;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::module as codes;
use crate::module::Module;
use crate::rename::names::characters;
use crate::symtab;
use crate::texts::table;

/// Gives the module another triple in both places.
pub(super) fn set(module: &mut Module<'_>, triple: &str) -> Result<()> {
    let abbreviations = module.abbreviations()?;
    let mut items = module.items_mut().iter_mut();
    let record = items.find_map(|item| match item {
        Item::Record(record) if record.code() == codes::TRIPLE => Some(record),
        _ => None,
    });
    let missing = || Error::nowhere(ErrorKind::Missing { what: "TRIPLE" }).within("MODULE");
    let record = record.ok_or_else(missing)?;
    record.set_text(characters(&[], triple.as_bytes()), || Ok(abbreviations))?;
    let edits = BTreeMap::from([(symtab::TRIPLE, triple.as_bytes())]);
    table::put(module, &edits).within(|| "SYMTAB")
}
