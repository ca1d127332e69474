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
    let first = size(FIRST_ID.into()) + inherited;
    let used = users(items);
    let idle = |id: usize| !has(&used, id) && has(&used_before, id);
    let defined = items.iter().filter(|item| is_definition(item)).count();
    if (first..first + defined).any(idle) {
        undefine(items, first, idle)?;
    }
    Ok(removed)
}

/// Removes definitions by their ids, of which the block's own begin with `first`, and gives the
/// others the ids that they have then.
fn undefine(items: &mut Vec<Item<'_>>, first: usize, gone: impl Fn(usize) -> bool) -> Result<()> {
    let (mut old, mut new) = (first, first);
    // New ids of the block's own definitions, by the old.
    let mut ids = Vec::new();
    items.retain(|item| {
        if !is_definition(item) {
            return true;
        }
        let keep = !gone(old);
        ids.push(low_word(new as u64));
        old += 1;
        new += usize::from(keep);
        keep
    });
    for item in items {
        let Item::Record(record) = item else { continue };
        let own = size(record.id().into()).checked_sub(first);
        if let Some(&id) = own.and_then(|own| ids.get(own))
            && id != record.id()
        {
            record.move_to(id)?;
        }
    }
    Ok(())
}

fn is_definition(item: &Item<'_>) -> bool {
    matches!(item, Item::Define(_))
}

fn has(list: &[bool], id: usize) -> bool {
    list.get(id).copied().unwrap_or_default()
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
