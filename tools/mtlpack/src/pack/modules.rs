//! The modules that a library stores for the functions of one input.

use std::borrow::Cow;

use air_bitcode::{EntryKind, Module};

use super::unit::{Entry, Unit, wrong};
use crate::error::Result;

/// The list that says where a module's source was; linked modules have none.
const SOURCE_LIST: &str = "air.source_file_name";

/// The modules of a unit's entry points at these indices, in this order.
///
/// A module that is linked already is stored as it is. Of others each function gets what it
/// uses, under its name in the place of the source's.
///
/// # Errors
/// If the module cannot be split.
pub(super) fn of_entries<'a>(unit: &Unit<'a>, order: &[usize]) -> Result<Vec<Cow<'a, [u8]>>> {
    let split = || -> air_bitcode::Result<Vec<Cow<'a, [u8]>>> {
        let mut module = Module::parse(&unit.bytes)?;
        if let [entry] = unit.entries.as_slice()
            && is_linked(&module, entry)?
        {
            return Ok(vec![unit.bytes.clone()]);
        }
        let splitter = module.splitter()?;
        let entries = order.iter().filter_map(|index| unit.entries.get(*index));
        let stored = entries.map(|entry| {
            let kept = splitter.keep(&entry.name)?;
            Ok(if kept.is_changed() { Cow::Owned(kept.to_bytes()?) } else { unit.bytes.clone() })
        });
        stored.collect()
    };
    split().map_err(|source| wrong(&unit.name, source))
}

/// Whether a module of one entry point is one that a linker made: its source is called as the
/// function is (in old modules it has no name), and it does not say where the source was. A
/// module of Core Image says that, but gives its source no name.
///
/// The linker leaves more in some modules than the function uses, so that splitting them again
/// would change them.
fn is_linked(module: &Module<'_>, entry: &Entry) -> air_bitcode::Result<bool> {
    let source = module.source_file_name()?.unwrap_or_default();
    if source.is_empty() && entry.kind == EntryKind::CoreImage {
        return Ok(true);
    }
    if !source.is_empty() && source.as_bytes() != entry.name {
        return Ok(false);
    }
    Ok(module.metadata()?.named(SOURCE_LIST).is_none())
}
