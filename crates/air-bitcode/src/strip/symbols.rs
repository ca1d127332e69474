//! Symbols and names of globals that are no more.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{compact, table};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::block;
use crate::module::Module;
use crate::symtab;

/// Removes the symbols of globals with these names, and what STRTAB holds for nobody.
pub(super) fn remove(module: &mut Module<'_>, names: &HashSet<&[u8]>) -> Result<()> {
    if module.version()? < 2 {
        return Ok(());
    }
    let strings = module.strings()?;
    let mut symbols_table = module.blob(block::SYMTAB)?.map(Cow::Borrowed);
    if let Some(found) = &mut symbols_table
        && !names.is_empty()
    {
        if names.contains(&b""[..]) {
            let what = "global without a name, whose symbol cannot be told from others".to_owned();
            return Err(Error::nowhere(ErrorKind::Value { what }).within("SYMTAB"));
        }
        let gone = symbols(found, strings, names)?;
        *found = Cow::Owned(table::without(found, &gone)?);
    }
    compact::strings(module, Cow::Borrowed(strings), symbols_table)
}

/// Where the symbols of globals with these names are.
pub(crate) fn symbols(table: &[u8], strings: &[u8], names: &HashSet<&[u8]>) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    for (name, ir_name) in symtab::symbol_fields(table)? {
        let (offset, size) = symtab::pair(table, ir_name)?;
        if names.contains(symtab::string(strings, offset.into(), size.into())?) {
            found.push(name);
        }
    }
    Ok(found)
}
