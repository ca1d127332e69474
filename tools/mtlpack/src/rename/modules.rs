//! Which functions of which module are to be renamed.

use std::collections::{BTreeMap, HashMap};

use air_bitcode::Global;
use metallib::ModuleId;

use super::Change;
use crate::draft::NameChange;
use crate::edited::Named;
use crate::error::{Error, Result};

/// The renames of each module. All functions of a shared module are renamed at once.
///
/// # Errors
/// If functions of one name share a module, which has that function once, and do not all get
/// the same new name.
pub(super) fn renames(
    input: Named<'_, '_>,
    changes: &[Change<'_, '_>],
) -> Result<BTreeMap<ModuleId, Vec<NameChange>>> {
    let mut renames: BTreeMap<ModuleId, Vec<NameChange>> = BTreeMap::new();
    for change in changes {
        let Some(module) = change.function.module else { continue };
        let of_module = renames.entry(module).or_insert_with(|| Vec::with_capacity(1));
        of_module.push(NameChange { old: change.old().into(), new: change.new.into() });
    }
    for of_module in renames.values_mut() {
        of_module.sort();
        of_module.dedup();
        let apart = of_module.windows(2).find(|pair| matches!(pair, [a, b] if a.old == b.old));
        if let Some([change, _]) = apart {
            return Err(parted(input, &change.old));
        }
    }
    let mut renamed = changes.iter().map(|change| change.index).peekable();
    for (index, function) in input.library.functions().iter().enumerate() {
        if renamed.next_if_eq(&index).is_some() {
            continue;
        }
        let of_module = function.module.and_then(|module| renames.get(&module));
        let name = function.name_bytes();
        let same = |change: &NameChange| change.old.as_slice().cmp(name);
        if of_module.is_some_and(|renames| renames.binary_search_by(same).is_ok()) {
            return Err(parted(input, name));
        }
    }
    if input.library.is_dynamic() && input.library.modules().len() > 1 {
        imports(input, changes, &mut renames)?;
    }
    Ok(renames)
}

/// Adds the modules that import functions of others by their old names.
///
/// Only dynamic libraries have such modules, and only those that were merged have several:
/// a module of an executable holds all it calls, and to read them all would cost more than
/// the rename.
fn imports(
    input: Named<'_, '_>,
    changes: &[Change<'_, '_>],
    renames: &mut BTreeMap<ModuleId, Vec<NameChange>>,
) -> Result<()> {
    let names: HashMap<&[u8], &[u8]> =
        changes.iter().map(|change| (change.old(), change.new)).collect();
    for (index, module) in (0..).zip(input.library.modules()) {
        let id = ModuleId::from_index(index);
        let globals = air_bitcode::Module::parse(module.bytes()).and_then(|m| {
            let owned = |global: &Global<'_>| global.is_import().then(|| global.name.to_vec());
            Ok(m.globals()?.iter().filter_map(owned).collect::<Vec<_>>())
        });
        let imported = globals.map_err(|source| {
            let place = format!("module at offset {:#x}", module.offset());
            Error::Module { input: input.name.to_owned(), place, source }
        })?;
        for old in imported {
            let Some(new) = names.get(old.as_slice()) else { continue };
            let change = NameChange { new: new.to_vec(), old };
            let of_module = renames.entry(id).or_default();
            if let Err(place) = of_module.binary_search(&change) {
                of_module.insert(place, change);
            }
        }
    }
    Ok(())
}

fn parted(input: Named<'_, '_>, name: &[u8]) -> Error {
    Error::refused(format!(
        "{} has `{}` several times in one module, so all of them must get the same name",
        input.name,
        crate::names::escape(name)
    ))
}
