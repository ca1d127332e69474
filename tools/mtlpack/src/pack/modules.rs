//! The modules that a library stores for the functions of one input.

use std::borrow::Cow;

use air_bitcode::{Keeper, Module};

use super::unit::{Single, Unit, wrong};
use crate::derive::{self, Derived};
use crate::error::Result;

/// A module, and what a library says of its function, where that is known already.
pub(super) type Stored<'u, 'a> = (Cow<'a, [u8]>, Option<&'u derive::Result<Derived<'static>>>);

/// The module of all functions of a unit, which names this as its source and does not say where
/// that was. One that names it already is a linker's, and comes back as it is.
///
/// # Errors
/// If the module cannot be read, or holds what is not known.
pub(super) fn of_all<'a>(unit: &Unit<'a>, source: &[u8]) -> Result<Cow<'a, [u8]>> {
    let all = || -> air_bitcode::Result<Cow<'a, [u8]>> {
        let mut module = Module::parse(&unit.bytes)?;
        if module.source_file_name()?.is_some_and(|found| found.as_bytes() == source) {
            return Ok(unit.bytes.clone());
        }
        let kept = module.splitter()?.keep_all(source)?;
        Ok(if kept.is_changed() { Cow::Owned(kept.to_bytes()?) } else { unit.bytes.clone() })
    };
    all().map_err(|source| wrong(&unit.name, source))
}

/// The modules of a unit's entry points at these indices, in this order.
///
/// A module that is linked already is stored as it is. Of others each function gets what it
/// uses, under its name in the place of the source's.
///
/// # Errors
/// If the module cannot be split.
pub(super) fn of_entries<'u, 'a>(
    unit: &'u Unit<'a>,
    keeper: &mut Keeper,
    order: &[usize],
) -> Result<Vec<Stored<'u, 'a>>> {
    if let (Some(Single { is_linked, derived }), [entry]) = (&unit.single, &unit.entries[..]) {
        if *is_linked {
            return Ok(vec![(unit.bytes.clone(), derived.as_ref())]);
        }
        let mut alone = Vec::new();
        if keeper.keep_alone(&unit.bytes, &entry.name, &mut alone) {
            return Ok(vec![(Cow::Owned(alone), derived.as_ref())]);
        }
    }
    let split = || -> air_bitcode::Result<Vec<Stored<'u, 'a>>> {
        let mut module = Module::parse(&unit.bytes)?;
        let splitter = module.splitter()?;
        let entries = order.iter().filter_map(|index| unit.entries.get(*index));
        let stored = entries.map(|entry| {
            let kept = splitter.keep(&entry.name)?;
            let own = || kept.to_bytes().map(Cow::Owned);
            Ok((if kept.is_changed() { own()? } else { unit.bytes.clone() }, None))
        });
        stored.collect()
    };
    split().map_err(|source| wrong(&unit.name, source))
}
