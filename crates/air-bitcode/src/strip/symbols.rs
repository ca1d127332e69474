//! Symbols and names of globals that are no more.

use std::borrow::Cow;
use std::collections::HashSet;

use super::compact;
use crate::error::Result;
use crate::ids::block;
use crate::module::Module;
use crate::symtab;

/// Removes the symbols of globals with these names, and what STRTAB holds for nobody.
pub(super) fn remove(module: &mut Module<'_>, names: &HashSet<&[u8]>) -> Result<()> {
    if module.version()? < 2 {
        return Ok(());
    }
    let strings = module.strings()?;
    let mut table = module.blob(block::SYMTAB)?.map(Cow::Borrowed);
    if let Some(found) = &mut table
        && !names.is_empty()
    {
        let gone = symbols(found, strings, names)?;
        *found = Cow::Owned(symtab::without(found, &gone)?);
    }
    compact::strings(module, strings, table)
}

/// Where the symbols of globals with these names are.
fn symbols(table: &[u8], strings: &[u8], names: &HashSet<&[u8]>) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    for (name, ir_name) in symtab::symbol_fields(table)? {
        let (offset, size) = symtab::pair(table, ir_name)?;
        if names.contains(symtab::string(strings, offset.into(), size.into())?) {
            found.push(name);
        }
    }
    Ok(found)
}
