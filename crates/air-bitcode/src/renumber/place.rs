//! Where items that make ids stand: in the order of their numbers.

use crate::block::{Block, Item};
use crate::error::Result;
use crate::ids::{constants as constant_codes, metadata as codes};
use crate::renumber::maps::New;
use crate::renumber::shrink;

/// Items that make ids, and what becomes of them.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) kept: Vec<(usize, u64)>,
    pub(crate) gone: Vec<usize>,
}

impl Made {
    /// Takes note of an item; says whether it is to go.
    pub(crate) fn add(&mut self, index: usize, new: New) -> bool {
        match new {
            New::At(new) => self.kept.push((index, new)),
            New::Gone | New::Unknown => self.gone.push(index),
        }
        !matches!(new, New::At(_))
    }

    /// Puts the items in their new order, and takes out those that are to go.
    pub(crate) fn place(&mut self, block: &mut Block<'_>) -> Result<()> {
        if !self.kept.is_sorted_by_key(|(_, new)| *new)
            && let Some(items) = block.items_mut()
        {
            let places: Vec<usize> = self.kept.iter().map(|(index, _)| *index).collect();
            self.kept.sort_by_key(|(_, new)| *new);
            let mut taken: Vec<Option<Item<'_>>> =
                std::mem::take(items).into_iter().map(Some).collect();
            let mut sources = places.iter().zip(&self.kept).peekable();
            let mut placed = Vec::with_capacity(taken.len());
            for index in 0..taken.len() {
                let source = sources.next_if(|(place, _)| **place == index);
                let from = source.map_or(index, |(_, (from, _))| *from);
                placed.extend(taken.get_mut(from).and_then(Option::take));
            }
            *items = placed;
        }
        self.gone.sort_unstable();
        shrink::remove(block, |index, _| self.gone.binary_search(&index).is_ok())?;
        Ok(())
    }
}

/// Records that hold positions of others.
pub(crate) fn indices(items: &[Item<'_>]) -> impl Iterator<Item = usize> {
    let is_index = |item: &Item<'_>| match item {
        Item::Record(record) => matches!(record.code(), codes::INDEX_OFFSET | codes::INDEX),
        _ => false,
    };
    items.iter().enumerate().filter(move |(_, item)| is_index(item)).map(|(index, _)| index)
}

/// Types that no constant follows.
pub(crate) fn idle_types(items: &[Item<'_>]) -> Vec<usize> {
    let mut idle = Vec::new();
    let mut last = None;
    for (index, item) in items.iter().enumerate() {
        let Item::Record(record) = item else { continue };
        let is_type = record.code() == constant_codes::SETTYPE;
        if is_type {
            idle.extend(last);
        }
        last = is_type.then_some(index);
    }
    idle.extend(last);
    idle
}

/// Whether a block has no records.
pub(crate) fn is_empty(block: &Block<'_>) -> bool {
    !block.items().unwrap_or_default().iter().any(|item| matches!(item, Item::Record(_)))
}
