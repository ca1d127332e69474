//! Which number each id gets.

use std::collections::HashMap;

use crate::bits::{low_word, size};

/// Stands for an id that is no more.
const GONE: u32 = u32::MAX;

/// New numbers of consecutive ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Map {
    new: Vec<u32>,
    /// How many ids there will be that there were not.
    added: u64,
}

/// What becomes of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum New {
    /// It gets this number.
    At(u64),
    /// It is no more.
    Gone,
    /// There is no such id.
    Unknown,
}

impl Map {
    /// Every id keeps its number.
    pub(crate) fn identity(count: usize) -> Self {
        Self { new: (0..low_word(count as u64)).collect(), added: 0 }
    }

    /// Room is made for ids that are added in front of this one.
    pub(crate) fn insert(&mut self, at: usize, added: u32) {
        let behind = self.new.iter_mut().skip(at);
        behind.filter(|new| **new != GONE).for_each(|new| *new += added);
        self.added += u64::from(added);
    }

    /// Ids that are marked are numbered in their order.
    pub(crate) fn kept(marks: &[bool]) -> Self {
        let mut next = 0;
        let number = |&kept: &bool| {
            let here = next;
            next += u32::from(kept);
            if kept { here } else { GONE }
        };
        Self { new: marks.iter().map(number).collect(), added: 0 }
    }

    /// Numbers a run of ids in the opposite order.
    pub(crate) fn reverse(&mut self, run: std::ops::Range<usize>) {
        if let Some(run) = self.new.get_mut(run) {
            run.reverse();
        }
    }

    pub(crate) fn get(&self, id: u64) -> New {
        match self.new.get(size(id)) {
            None => New::Unknown,
            Some(&GONE) => New::Gone,
            Some(&new) => New::At(new.into()),
        }
    }

    /// How many ids there are.
    pub(crate) fn old_count(&self) -> u64 {
        self.new.len() as u64
    }

    /// How many ids there will be.
    pub(crate) fn new_count(&self) -> u64 {
        self.added + self.new.iter().filter(|&&new| new != GONE).count() as u64
    }
}

/// New numbers of all that a module numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Maps {
    /// Globals and the module's constants.
    pub(crate) values: Map,
    /// The module's metadata.
    pub(crate) metadata: Map,
    pub(crate) types: Map,
    /// Lists of attributes.
    pub(crate) attributes: Map,
    pub(crate) groups: Groups,
    /// Names of sections.
    pub(crate) sections: Map,
    /// Each body's own, in their order.
    pub(crate) bodies: Vec<Local>,
}

/// Groups of attributes in their new order. They get the ids that the groups in these places
/// had, which LLVM counts from 1 on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// Their new places.
    pub(crate) places: Map,
    /// Their ids, in the old order.
    pub(crate) ids: Vec<u64>,
}

impl Groups {
    /// The new id of the group that has had this one; `index` says which it is.
    pub(crate) fn get(&self, id: u64, index: &HashMap<u64, usize>) -> New {
        let Some(&index) = index.get(&id) else { return New::Unknown };
        match self.places.get(index as u64) {
            New::At(place) => self.ids.get(size(place)).map_or(New::Unknown, |&id| New::At(id)),
            other => other,
        }
    }
}

/// New numbers of what a function numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Local {
    /// Whether the body goes.
    pub(crate) gone: bool,
    /// How many arguments it has.
    pub(crate) arguments: u64,
    pub(crate) constants: Map,
    pub(crate) metadata: Map,
}

/// The numbers that hold at one place of a module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'m> {
    maps: &'m Maps,
    values: u64,
    metadata: u64,
    local: Option<&'m Local>,
}

impl<'m> Scope<'m> {
    /// Those of the module itself.
    pub(crate) fn module(maps: &'m Maps) -> Self {
        let (values, metadata) = (maps.values.new_count(), maps.metadata.new_count());
        Self { maps, values, metadata, local: None }
    }

    /// Those in the body of a function.
    pub(crate) fn body(self, index: usize) -> Self {
        Self { local: self.maps.bodies.get(index), ..self }
    }

    /// All that are the same in the whole module.
    pub(crate) fn maps(&self) -> &'m Maps {
        self.maps
    }

    /// Whether the body goes.
    pub(crate) fn is_gone(&self) -> bool {
        self.local.is_some_and(|local| local.gone)
    }

    /// How many arguments the function has.
    pub(crate) fn arguments(&self) -> u64 {
        self.local.map_or(0, |local| local.arguments)
    }

    /// The number of the first instruction's value: before and after.
    pub(crate) fn first_instruction(&self) -> (u64, u64) {
        let Some(local) = self.local else { return (0, 0) };
        let constants = &local.constants;
        (
            self.maps.values.old_count() + local.arguments + constants.old_count(),
            self.values + local.arguments + constants.new_count(),
        )
    }

    pub(crate) fn value(&self, id: u64) -> New {
        let Some(own) = id.checked_sub(self.maps.values.old_count()) else {
            return self.maps.values.get(id);
        };
        let Some(local) = self.local else { return New::Unknown };
        let Some(constant) = own.checked_sub(local.arguments) else {
            return New::At(self.values + own);
        };
        let first = self.values + local.arguments;
        match constant.checked_sub(local.constants.old_count()) {
            // Instructions: none is lost that gives a value.
            Some(instruction) => New::At(first + local.constants.new_count() + instruction),
            None => match local.constants.get(constant) {
                New::At(new) => New::At(first + new),
                other => other,
            },
        }
    }

    pub(crate) fn metadata(&self, id: u64) -> New {
        let Some(own) = id.checked_sub(self.maps.metadata.old_count()) else {
            return self.maps.metadata.get(id);
        };
        match self.local.map(|local| local.metadata.get(own)) {
            Some(New::At(new)) => New::At(self.metadata + new),
            Some(other) => other,
            None => New::Unknown,
        }
    }
}
