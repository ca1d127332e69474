//! What modules need of each other and of dynamic libraries.

use std::collections::{HashMap, HashSet};

use indexmap::IndexSet;
use metallib::{FourCc, Library, SymbolList, TagList, printable};

use super::order::string_map_order;
use super::unit::Unit;
use crate::error::{Error, Result};
use crate::names::some;
use crate::text::lines;

/// A dynamic library that the output is linked with.
#[derive(Clone, Debug)]
pub(super) struct Dylib {
    /// Name of the input.
    name: String,
    /// What the output calls it by, with its NUL.
    install_name: Vec<u8>,
    exports: HashSet<Vec<u8>>,
}

impl Dylib {
    /// Reads a dynamic library.
    ///
    /// # Errors
    /// If it is no library, not a dynamic one, or has no install name.
    pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Self> {
        let library = Library::parse(bytes).map_err(Error::library(name))?;
        if !library.is_dynamic() {
            return Err(Error::refused(format!(
                "{name} is no dynamic library ({}), so that nothing can be linked with it",
                library.identity().file_type()
            )));
        }
        let tags = library.dynamic_header();
        let install_name = tags.and_then(|tags| tags.payload(FourCc::NAME)).ok_or_else(|| {
            Error::refused(format!("{name} has no install name (NAME of HDYN) to be linked by"))
        })?;
        let exports = library.functions().iter().map(|f| f.name_bytes().to_vec()).collect();
        Ok(Self { name: name.to_owned(), install_name: install_name.to_vec(), exports })
    }
}

/// What becomes of the imports of all modules.
#[derive(Clone, Debug, Default)]
pub(super) struct Imports {
    /// Names that dynamic libraries give, in the order of list ILST.
    symbols: Vec<Vec<u8>>,
    /// Install names of the dynamic libraries, in the order in which they were given.
    libraries: Vec<Vec<u8>>,
}

/// Finds where everything comes from that the modules import.
///
/// # Errors
/// If a module needs what another one defines: they would have to be joined.
pub(super) fn resolve(
    units: &[&Unit<'_>],
    dylibs: &[Dylib],
    notes: &mut Vec<String>,
) -> Result<Imports> {
    let mut owners: HashMap<&[u8], &str> = HashMap::new();
    for unit in units {
        for name in &unit.symbols.defined {
            owners.entry(name).or_insert(&unit.name);
        }
    }
    let (mut found, mut open) = (IndexSet::<&[u8]>::new(), IndexSet::<&[u8]>::new());
    let mut calls = Vec::new();
    for unit in units {
        for name in unit.symbols.imported.iter().map(Vec::as_slice) {
            if dylibs.iter().any(|dylib| dylib.exports.contains(name)) {
                found.insert(name);
            } else if let Some(owner) = owners.get(name) {
                calls.push(format!("`{}` of {owner} in {}", printable(name), unit.name));
            } else {
                open.insert(name);
            }
        }
    }
    refuse(calls)?;
    if !open.is_empty() {
        let names: Vec<&[u8]> = open.into_iter().collect();
        notes.push(format!("no input or dynamic library defines {}", some(&names)));
    }
    notes.extend(unused(dylibs, &found));
    let names: Vec<&[u8]> = found.into_iter().collect();
    let order = string_map_order(&names);
    let symbols = order.into_iter().filter_map(|at| names.get(at)).map(|name| name.to_vec());
    Ok(Imports {
        symbols: symbols.collect(),
        libraries: dylibs.iter().map(|dylib| dylib.install_name.clone()).collect(),
    })
}

/// Refuses modules that would have to be joined.
fn refuse(calls: Vec<String>) -> Result<()> {
    if calls.is_empty() {
        return Ok(());
    }
    Err(Error::refused(format!(
        "modules use what others define, and every function is stored with a module of its own; \
         join their bitcode before (`llvm-link`, `#include`), or import it from a dynamic library \
         (--dylib):{}",
        lines(calls)
    )))
}

/// Names the dynamic libraries of which nothing is used.
fn unused(dylibs: &[Dylib], found: &IndexSet<&[u8]>) -> Vec<String> {
    let is_unused = |dylib: &&Dylib| !found.iter().any(|name| dylib.exports.contains(*name));
    let named = |dylib: &Dylib| format!("nothing is imported from {}", dylib.name);
    dylibs.iter().filter(is_unused).map(named).collect()
}

impl Imports {
    /// Tags DYNL of the dynamic header, behind those that it has.
    ///
    /// # Errors
    /// If an install name is too long.
    pub(super) fn link(&self, header: &mut TagList<'_>) -> metallib::Result<()> {
        for name in &self.libraries {
            let is_there = |tag: metallib::Tag<'_>| (tag.id, tag.payload) == (FourCc::DYNL, name);
            if !header.iter().any(is_there) {
                header.push(FourCc::DYNL, name)?;
            }
        }
        Ok(())
    }

    /// List ILST with the imported symbols behind those that it has.
    ///
    /// # Errors
    /// If a name is too long.
    pub(super) fn list(
        &self,
        list: Option<&SymbolList<'_>>,
    ) -> metallib::Result<Option<SymbolList<'static>>> {
        let known: HashSet<Vec<u8>> =
            list.into_iter().flat_map(SymbolList::names).map(<[u8]>::to_vec).collect();
        let mut new = SymbolList::default();
        for name in self.symbols.iter().filter(|name| !known.contains(*name)) {
            let mut tags = TagList::new();
            tags.push(FourCc::NAME, &[name.as_slice(), &[0]].concat())?;
            new.push(tags);
        }
        Ok((!new.symbols().is_empty()).then_some(new))
    }

    /// Whether there is a dynamic library.
    pub(super) fn is_empty(&self) -> bool {
        self.libraries.is_empty()
    }
}
