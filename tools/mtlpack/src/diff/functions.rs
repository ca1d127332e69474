//! Functions of two libraries, paired by name.

use std::collections::{HashMap, VecDeque};

use metallib::{BufferId, Function, Library, ModuleId};

use super::eyes::Eyes;
use super::modules::{self, Outcome, Symbols};
use super::{Diff, FieldChange, Side, tags};
use crate::error::Result;

/// A function that only one of the libraries has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct OneSided {
    /// Its name; what is not UTF-8 is replaced.
    pub name: String,
    /// Bytes of its module.
    pub size: u64,
    /// Its index in the library.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) index: usize,
}

/// A function that is in both libraries and differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FunctionChange {
    /// Its name; what is not UTF-8 is replaced.
    pub name: String,
    /// Whether its module differs.
    pub module: bool,
    /// Bytes of its module in the first library.
    pub old_size: u64,
    /// Bytes of its module in the second.
    pub new_size: u64,
    /// Symbols that only one of the modules has; `None` if the modules are the same, cannot be
    /// read, or stand at a function before this one already.
    pub symbols: Option<Symbols>,
    /// Whether its reflection differs.
    pub reflection: bool,
    /// Tags and metadata that differ.
    pub fields: Vec<FieldChange>,
    /// Lines of LLVM's text that differ, with `-` or `+` in front and `@` where lines are left
    /// out; empty unless they were asked for.
    pub text: Vec<String>,
    /// Its index in both libraries.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) pair: Pair,
}

/// Indices of a function in both libraries.
pub(crate) type Pair = (usize, usize);

pub(super) fn compare(
    old: Side<'_, '_>,
    new: Side<'_, '_>,
    eyes: &Eyes,
    threads: usize,
    diff: &mut Diff,
) -> Result<()> {
    let pairs = pair(old.library, new.library, diff);
    diff.reordered = !pairs.is_sorted_by_key(|(_, b)| *b);
    let mut modules = Modules::read(old, new, eyes, threads, &pairs)?;
    let mut reflection = Reflection { old: old.library, new: new.library, known: HashMap::new() };
    for pair in pairs {
        let (Some(one), Some(other)) =
            (old.library.functions().get(pair.0), new.library.functions().get(pair.1))
        else {
            continue;
        };
        let same = modules.are_same(one.module, other.module);
        let mut change = FunctionChange {
            module: !same,
            reflection: !reflection.is_same(one, other),
            fields: tags::compare(one, other, eyes, same && modules.are_equal(one, other)),
            ..FunctionChange::default()
        };
        if !change.module && !change.reflection && change.fields.is_empty() {
            diff.unchanged += 1;
            continue;
        }
        change.name = one.name().into_owned();
        (change.old_size, change.new_size) = (size(old.library, one), size(new.library, other));
        change.symbols = modules.take_symbols(one.module, other.module);
        change.pair = pair;
        diff.changed.push(change);
    }
    Ok(())
}

fn size(library: &Library<'_>, function: &Function<'_>) -> u64 {
    library.module_of(function).map_or(0, |module| module.bytes().len() as u64)
}

/// Pairs functions of one name, of several with one name in their order. Adds the others to what
/// was removed and added.
fn pair(a: &Library<'_>, b: &Library<'_>, diff: &mut Diff) -> Vec<Pair> {
    let mut by_name: HashMap<&[u8], VecDeque<usize>> = HashMap::new();
    for (index, function) in b.functions().iter().enumerate() {
        by_name.entry(function.name_bytes()).or_default().push_back(index);
    }
    let one = |library: &Library<'_>, index: usize, function: &Function<'_>| OneSided {
        name: function.name().into_owned(),
        size: size(library, function),
        index,
    };
    let mut pairs = Vec::with_capacity(a.functions().len());
    let mut is_paired = vec![false; b.functions().len()];
    for (index, function) in a.functions().iter().enumerate() {
        let other = by_name.get_mut(function.name_bytes()).and_then(VecDeque::pop_front);
        match other {
            Some(other) => pairs.push((index, other)),
            None => diff.removed.push(one(a, index, function)),
        }
        if let Some(place) = other.and_then(|other| is_paired.get_mut(other)) {
            *place = true;
        }
    }
    let added = b.functions().iter().enumerate().zip(&is_paired).filter(|(_, paired)| !**paired);
    diff.added = added.map(|((index, function), _)| one(b, index, function)).collect();
    pairs
}

/// What was found of pairs of modules.
struct Modules {
    /// Sorted, each once.
    pairs: Vec<(ModuleId, ModuleId)>,
    outcomes: Vec<Outcome>,
}

impl Modules {
    fn read(
        old: Side<'_, '_>,
        new: Side<'_, '_>,
        eyes: &Eyes,
        threads: usize,
        functions: &[Pair],
    ) -> Result<Self> {
        let of = |library: &Library<'_>, index: usize| library.functions().get(index)?.module;
        let both = |pair: &Pair| of(old.library, pair.0).zip(of(new.library, pair.1));
        let mut pairs: Vec<_> = functions.iter().filter_map(both).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let outcomes = modules::compare(old, new, eyes, threads, &pairs)?;
        Ok(Self { pairs, outcomes })
    }

    fn index(&self, pair: (Option<ModuleId>, Option<ModuleId>)) -> Option<usize> {
        self.pairs.binary_search(&pair.0.zip(pair.1)?).ok()
    }

    /// Whether two modules are the same; a function without one has another than one with.
    fn are_same(&self, one: Option<ModuleId>, other: Option<ModuleId>) -> bool {
        let found = self.index((one, other)).and_then(|index| self.outcomes.get(index));
        found.map_or(one.is_none() && other.is_none(), |found| found.same)
    }

    /// Whether the bytes of the modules are the same, which the HASH is of.
    fn are_equal(&self, one: &Function<'_>, other: &Function<'_>) -> bool {
        let found = self.index((one.module, other.module)).and_then(|i| self.outcomes.get(i));
        found.is_none_or(|found| found.equal)
    }

    fn take_symbols(&mut self, one: Option<ModuleId>, other: Option<ModuleId>) -> Option<Symbols> {
        let index = self.index((one, other))?;
        self.outcomes.get_mut(index)?.symbols.take()
    }
}

/// Reflection of functions; entries that are shared are compared once.
struct Reflection<'l, 'a, 'b> {
    old: &'l Library<'a>,
    new: &'l Library<'b>,
    known: HashMap<(BufferId, BufferId), bool>,
}

impl Reflection<'_, '_, '_> {
    fn is_same(&mut self, one: &Function<'_>, other: &Function<'_>) -> bool {
        let (Some(one), Some(other)) = (one.reflection, other.reflection) else {
            return one.reflection.is_none() && other.reflection.is_none();
        };
        let (old, new) = (self.old.reflection(), self.new.reflection());
        *self.known.entry((one, other)).or_insert_with(|| {
            let one = old.and_then(|list| list.entries().get(one.index()));
            let other = new.and_then(|list| list.entries().get(other.index()));
            one == other
        })
    }
}
