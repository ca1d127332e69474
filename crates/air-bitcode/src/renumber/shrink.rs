//! Takes items out of a block, with the abbreviations that lose their last record.

use crate::abbrev::FIRST_ID;
use crate::bits::{low_word, size};
use crate::block::{Block, Item};
use crate::error::Result;

/// Removes the items that `gone` says yes to; says how many there were.
pub(crate) fn remove(
    block: &mut Block<'_>,
    mut gone: impl FnMut(usize, &Item<'_>) -> bool,
) -> Result<usize> {
    let inherited = block.inherited_count();
    let Some(items) = block.items_mut() else { return Ok(0) };
    let before = items.len();
    let used_before = users(items);
    let mut index = 0;
    items.retain(|item| {
        index += 1;
        !gone(index - 1, item)
    });
    let removed = before - items.len();
    if removed == 0 {
        return Ok(0);
    }
    let used = users(items);
    let has = |list: &[bool], id: usize| list.get(id).copied().unwrap_or_default();
    // New ids by the old; of definitions that are dropped the old one.
    let first = size(FIRST_ID.into()) + inherited;
    let defined = items.iter().filter(|item| matches!(item, Item::Define(_))).count();
    let mut ids: Vec<u32> = (0..low_word((first + defined) as u64)).collect();
    let mut next = first;
    for id in first..first + defined {
        if let Some(slot) = ids.get_mut(id) {
            *slot = low_word(next as u64);
        }
        next += usize::from(has(&used, id) || !has(&used_before, id));
    }
    if next == first + defined {
        return Ok(removed);
    }
    let mut id = first;
    items.retain(|item| {
        if !matches!(item, Item::Define(_)) {
            return true;
        }
        id += 1;
        has(&used, id - 1) || !has(&used_before, id - 1)
    });
    for item in items {
        let Item::Record(record) = item else { continue };
        if let Some(&id) = ids.get(size(record.id().into()))
            && id != record.id()
        {
            record.move_to(id)?;
        }
    }
    Ok(removed)
}

/// Which abbreviation ids records use.
fn users(items: &[Item<'_>]) -> Vec<bool> {
    let mut used = Vec::new();
    for item in items {
        let Item::Record(record) = item else { continue };
        // An abbreviation in use was found, so its id is small.
        let id = size(record.id().into());
        if id >= used.len() {
            used.resize(id + 1, false);
        }
        if let Some(slot) = used.get_mut(id) {
            *slot = true;
        }
    }
    used
}
