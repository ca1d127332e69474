//! Gives types and attributes their new numbers, and takes out those that have none.

use crate::block::{Block, Item};
use crate::error::Result;
use crate::ids::types as codes;
use crate::record::Record;
use crate::renumber::maps::{Map, New, Scope};
use crate::renumber::place::{Made, is_empty};
use crate::renumber::rewrite::Rewrite;
use crate::renumber::types::{has_name, makes_type};
use crate::renumber::{attributes, types};

/// Types of a table: where each begins (with its name, if it has one) and ends, and its number.
type Places = Vec<(usize, usize, New)>;

impl<'a> Rewrite<'_, 'a> {
    /// The type table; says whether nothing is left of it.
    pub(super) fn types(&mut self, block: &mut Block<'a>, scope: Scope<'_>) -> Result<bool> {
        let (mut places, mut name) = (Places::new(), None);
        for (index, item) in block.items_mut().into_iter().flatten().enumerate() {
            let Item::Record(record) = item else { continue };
            let code = record.code();
            if name.is_some_and(|name| name + 1 < index || !has_name(code)) {
                return Err(record.error("record behind the name of a structure, expected this"));
            }
            if code == codes::STRUCT_NAME {
                name = Some(index);
            } else if makes_type(code) {
                let new = scope.maps().types.get(places.len() as u64);
                places.push((name.take().unwrap_or(index), index + 1, new));
                if matches!(new, New::At(_)) {
                    self.read(record)?;
                    types::slots(record, &self.values.operands, &mut self.slots)?;
                    self.write(record, scope, (0, 0))?;
                }
            }
        }
        let Some(items) = block.items_mut() else { return Ok(false) };
        let gone = places.iter().filter(|place| !matches!(place.2, New::At(_))).count();
        place_types(items, &places)?;
        if gone > 0 {
            count_types(items, gone as u64)?;
        }
        Ok(gone == places.len() && gone > 0)
    }

    /// Lists of attributes, or groups; says whether nothing is left of them.
    pub(super) fn attributes(
        &mut self,
        block: &mut Block<'a>,
        scope: Scope<'_>,
        places: &Map,
    ) -> Result<bool> {
        let (id, mut made) = (block.id(), Made::default());
        let mut next = 0;
        for (index, item) in block.items_mut().into_iter().flatten().enumerate() {
            let Item::Record(record) = item else { continue };
            self.read(record)?;
            attributes::slots(record, &self.values.operands, id, &mut self.slots)?;
            if !made.add(index, places.get(next)) {
                self.write(record, scope, (0, 0))?;
            }
            next += 1;
        }
        made.place(block)?;
        Ok(!made.gone.is_empty() && is_empty(block))
    }
}

/// Puts types in the order of their numbers, each behind its name. Abbreviations stay, used or
/// not, as LLVM's writer defines all of them.
fn place_types(items: &mut Vec<Item<'_>>, places: &Places) -> Result<()> {
    let number = |place: &(usize, usize, New)| match place.2 {
        New::At(new) => Some(new),
        New::Gone | New::Unknown => None,
    };
    let is_kept = places.iter().all(|place| number(place).is_some());
    if is_kept && places.is_sorted_by_key(number) {
        return Ok(());
    }
    let (Some(&(first, ..)), Some(&(_, end, _))) = (places.first(), places.last()) else {
        return Ok(());
    };
    let length: usize = places.iter().map(|(start, end, _)| end - start).sum();
    if length != end - first {
        let found = items.get(first..end).unwrap_or_default().iter();
        let record = found.rev().find_map(|item| match item {
            Item::Record(record) => Some(record),
            _ => None,
        });
        let what = "type behind something else among the types";
        return record.map_or(Ok(()), |record: &Record<'_>| Err(record.error(what)));
    }
    let behind = items.split_off(end.min(items.len()));
    let mut types: Vec<Option<Item<'_>>> =
        items.split_off(first.min(items.len())).into_iter().map(Some).collect();
    let mut kept: Vec<_> =
        places.iter().filter_map(|place| Some((number(place)?, place))).collect();
    kept.sort_by_key(|(new, _)| *new);
    for (_, &(start, end, _)) in kept {
        let found = types.get_mut(start - first..end - first).unwrap_or_default();
        items.extend(found.iter_mut().filter_map(Option::take));
    }
    items.extend(behind);
    Ok(())
}

/// Has the table say that it has so many types less.
fn count_types(items: &mut [Item<'_>], fewer: u64) -> Result<()> {
    for item in items {
        if let Item::Record(record) = item
            && record.code() == codes::NUMENTRY
        {
            let mut values = record.values()?;
            for count in values.operands.iter_mut().take(1) {
                *count = count.saturating_sub(fewer);
            }
            record.set(values);
        }
    }
    Ok(())
}
