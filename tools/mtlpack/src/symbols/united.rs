//! The symbols of all modules as one list.

use std::collections::HashMap;

use air_bitcode::{GlobalKind, ImportKind, Linkage};
use metallib::Library;

use super::{Symbol, Which, symbols};
use crate::error::Result;
use crate::io::Input;

/// A symbol and how many modules have it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct UnitedSymbol {
    /// Its name, which need not be UTF-8.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::lossy"))]
    pub name: Vec<u8>,
    /// Where it is to come from; `None` if the modules define it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "super::ser::import"))]
    pub import: Option<ImportKind>,
    /// Whether it is a function, a variable or something else.
    #[cfg_attr(feature = "serde", serde(serialize_with = "super::ser::kind"))]
    pub kind: GlobalKind,
    /// Who sees it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "super::ser::linkage"))]
    pub linkage: Linkage,
    /// How many modules have it like this.
    pub modules: u64,
}

/// The symbols of a whole library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct United {
    /// Definitions, then imports of `air.*`, of `llvm.*`, and others, each by name. What is
    /// defined in one module and imported by another is in both.
    pub symbols: Vec<UnitedSymbol>,
    /// Modules that cannot be read, by number, and why.
    pub errors: Vec<(usize, air_bitcode::Error)>,
}

/// All of a symbol but its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Shape {
    import: Option<ImportKind>,
    kind: GlobalKind,
    linkage: Linkage,
}

/// Symbols of some modules: by shape, for there are few, then by name.
#[derive(Default)]
struct Part {
    shapes: HashMap<Shape, HashMap<Vec<u8>, u64>>,
    errors: Vec<(usize, air_bitcode::Error)>,
}

impl United {
    /// Reads the symbols of all modules of a library, as [`symbols`] does, each module once.
    ///
    /// # Errors
    /// If the input cannot be read to its end. A damaged module is none.
    pub fn read(
        input: &Input,
        library: &Library<'_>,
        which: Which,
        threads: usize,
    ) -> Result<Self> {
        let mut all = Part::default();
        let each =
            |some: &mut Part, index, found: air_bitcode::Result<super::ModuleSymbols<'_>>| {
                match found {
                    Ok(found) => found.iter().for_each(|symbol| some.add(symbol)),
                    Err(error) => some.errors.push((index, error)),
                }
            };
        symbols(input, library, which, threads, each, |some| {
            all.merge(some);
            Ok(())
        })?;
        Ok(all.finish())
    }
}

impl Part {
    fn add(&mut self, symbol: Symbol<'_>) {
        let Symbol { name, import, kind, linkage } = symbol;
        let names = self.shapes.entry(Shape { import, kind, linkage }).or_default();
        match names.get_mut(name) {
            Some(modules) => *modules += 1,
            None => drop(names.insert(name.to_vec(), 1)),
        }
    }

    fn merge(&mut self, other: Self) {
        self.errors.extend(other.errors);
        for (shape, names) in other.shapes {
            let all = self.shapes.entry(shape).or_default();
            names.into_iter().for_each(|(name, modules)| *all.entry(name).or_insert(0) += modules);
        }
    }

    fn finish(self) -> United {
        let mut symbols: Vec<UnitedSymbol> = Vec::new();
        for (Shape { import, kind, linkage }, names) in self.shapes {
            symbols.extend(names.into_iter().map(|(name, modules)| UnitedSymbol {
                name,
                import,
                kind,
                linkage,
                modules,
            }));
        }
        symbols.sort_by(|a, b| a.key().cmp(&b.key()));
        United { symbols, errors: self.errors }
    }
}

impl UnitedSymbol {
    /// What the list is sorted by. No import comes before all kinds of them.
    fn key(&self) -> (Option<ImportKind>, &[u8], &'static str, std::borrow::Cow<'static, str>) {
        (self.import, &self.name, super::kind(self.kind), super::linkage(self.linkage))
    }
}
