//! What is renamed to what, checked against the module's names.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::error::{Error, ErrorKind, Result};
use crate::symbols::{GlobalKind, ImportKind};

/// One function's old and new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rename<'n> {
    /// The name it has.
    pub old: &'n [u8],
    /// The name it gets.
    pub new: &'n [u8],
}

impl<'n> Rename<'n> {
    /// Renames `old` to `new`.
    #[must_use]
    pub fn new(old: &'n (impl AsRef<[u8]> + ?Sized), new: &'n (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self { old: old.as_ref(), new: new.as_ref() }
    }

    pub(super) fn refuse(&self, reason: impl Into<String>) -> Error {
        let text = |name| String::from_utf8_lossy(name).into_owned();
        let (old, new, reason) = (text(self.old), text(self.new), reason.into());
        Error::nowhere(ErrorKind::Rename { old, new, reason })
    }
}

/// A global value, as far as renaming needs it.
pub(super) struct Entry<'a> {
    /// Index of its record among the items of the module block.
    pub(super) item: usize,
    pub(super) kind: GlobalKind,
    /// Where its name begins and ends in STRTAB, in modules of version 2.
    pub(super) range: (usize, usize),
    pub(super) name: Cow<'a, [u8]>,
}

/// A function to rename.
pub(super) struct Target<'n> {
    pub(super) rename: Rename<'n>,
    /// Index in the list of globals, which is its value id.
    pub(super) value: usize,
}

/// The functions to rename, in the order of their values.
pub(super) struct Targets<'n> {
    pub(super) list: Vec<Target<'n>>,
    old: Index<'n>,
    /// Lengths of the old names, in ascending order.
    lengths: Vec<usize>,
}

impl<'n> Targets<'n> {
    /// Finds the functions and checks the new names.
    pub(super) fn new(entries: &[Entry<'_>], renames: &[Rename<'n>]) -> Result<Self> {
        let known = Index::new(entries, |entry| &*entry.name, 2 * renames.len());
        let known = |name: &[u8]| known.position(entries, |entry| &*entry.name, name);
        let mut is_renamed = vec![false; entries.len()];
        let mut list: Vec<Target<'n>> = Vec::with_capacity(renames.len());
        for &rename in renames {
            let found = known(rename.old).and_then(|value| Some((value, entries.get(value)?)));
            let Some((value, entry)) = found else {
                return Err(rename.refuse("there is no such function"));
            };
            check_names(&rename, entry.kind)?;
            let before = is_renamed.get_mut(value).map(|renamed| std::mem::replace(renamed, true));
            if before == Some(true) {
                return Err(rename.refuse("it is renamed twice"));
            }
            list.push(Target { rename, value });
        }
        let new = Index::new(renames, |rename| rename.new, renames.len());
        for (index, rename) in renames.iter().enumerate() {
            if new.position(renames, |rename| rename.new, rename.new) != Some(index) {
                return Err(rename.refuse("another function gets the same name"));
            }
            let taken = known(rename.new).and_then(|value| is_renamed.get(value));
            if taken == Some(&false) {
                return Err(rename.refuse("the module has that name already"));
            }
        }
        list.retain(|target| target.rename.old != target.rename.new);
        list.sort_by_key(|target| target.value);
        let old = match list.len() {
            ..=FEW => Index(None),
            _ => Index::of(list.iter().map(|target| target.rename.old)),
        };
        let mut lengths: Vec<_> = list.iter().map(|target| target.rename.old.len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        Ok(Self { list, old, lengths })
    }

    /// Index of the target that has this name now.
    pub(super) fn position(&self, name: &[u8]) -> Option<usize> {
        self.old.position(&self.list, |target| target.rename.old, name)
    }

    /// The target that has this name now.
    pub(super) fn get(&self, name: &[u8]) -> Option<&Target<'n>> {
        self.list.get(self.position(name)?)
    }

    /// Whether an old name has this length.
    #[inline]
    pub(super) fn has_length(&self, length: usize) -> bool {
        match self.lengths[..] {
            [only] => only == length,
            _ => self.lengths.binary_search(&length).is_ok(),
        }
    }
}

pub(super) fn check_names(rename: &Rename<'_>, kind: GlobalKind) -> Result<()> {
    if kind != GlobalKind::Function {
        return Err(rename.refuse("it is no function"));
    }
    if rename.old.is_empty() || rename.new.is_empty() || rename.new.contains(&0) {
        return Err(rename.refuse("a name must not be empty or hold NUL"));
    }
    if [rename.old, rename.new].into_iter().any(|name| ImportKind::of(name) != ImportKind::Other) {
        return Err(rename.refuse("names with llvm. or air. belong to the compiler"));
    }
    Ok(())
}

/// Names up to this number of them are looked at one by one.
const FEW: usize = 8;

/// Where names stand in a long list; none of a short one, whose names are compared.
struct Index<'n>(Option<HashMap<&'n [u8], usize>>);

impl<'n> Index<'n> {
    /// An index of a list that is asked so many times.
    fn new<T>(list: &'n [T], name: impl Fn(&'n T) -> &'n [u8], look_ups: usize) -> Self {
        if list.len() <= FEW || look_ups <= FEW {
            return Self(None);
        }
        Self::of(list.iter().map(name))
    }

    fn of(names: impl ExactSizeIterator<Item = &'n [u8]>) -> Self {
        let mut map = HashMap::with_capacity(names.len());
        for (index, name) in names.enumerate() {
            map.entry(name).or_insert(index);
        }
        Self(Some(map))
    }

    /// Place of the first in the list that has this name.
    fn position<T>(&self, list: &[T], of: impl Fn(&T) -> &[u8], name: &[u8]) -> Option<usize> {
        match &self.0 {
            None => list.iter().position(|other| of(other) == name),
            Some(map) => map.get(name).copied(),
        }
    }
}
