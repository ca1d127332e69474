//! Names in debug information: strings that only a function's `DISubprogram` uses.
//!
//! A string is stored once, whatever uses it: a parameter may be called as the function is.
//! So all metadata is searched for users, and a string with another user is left alone.

use std::collections::{HashMap, HashSet};

use super::head;
use super::targets::Targets;
use crate::block::{Block, Item};
use crate::blockinfo::BlockInfo;
use crate::error::{Result, Within};
use crate::ids::{block, metadata as code};
use crate::items::Items;
use crate::module::Module;
use crate::record::Record;
use crate::renumber::text_slots;
use crate::strings::Strings;

/// A string by the function whose metadata holds it (none: the module's), and its index.
type Place = (Option<usize>, usize);

/// The strings to be replaced.
#[derive(Default)]
pub(super) struct DebugNames {
    /// Index of the target by place.
    names: HashMap<Place, usize>,
    /// How many had to be left.
    pub(super) kept: u32,
}

/// What is known of one string that equals an old name.
#[derive(Default)]
struct Use {
    target: usize,
    by_function: bool,
    by_other: bool,
}

/// Metadata ids: the module's strings and records, then a function's.
#[derive(Clone, Copy, Default)]
struct Numbering {
    function: Option<usize>,
    next: u64,
}

struct Search<'s, 'n> {
    targets: &'s Targets<'n>,
    uses: HashMap<Place, Use>,
    /// Places of the module's strings that equal an old name, by metadata id.
    shared: HashMap<u64, Place>,
    /// The same of the function that is searched; its ids are none of the module's.
    own: HashMap<u64, Place>,
}

impl DebugNames {
    /// Searches the module's metadata.
    pub(super) fn find(module: &Module<'_>, targets: &Targets<'_>) -> Result<Self> {
        let mut found = Self::default();
        let mut search = Search::new(targets);
        let mut info = module.block_info();
        let mut numbering = Numbering::default();
        for metadata in module.blocks(block::METADATA) {
            search.block(metadata, &mut info, &mut numbering).within(|| "MODULE > METADATA")?;
        }
        for (index, function) in module.blocks(block::FUNCTION).enumerate() {
            let mut own = Numbering { function: Some(index), ..numbering };
            if let Some(metadata) = head::metadata(function, &mut info)? {
                let place = || format!("MODULE > FUNCTION {index} > METADATA");
                search.block(&metadata, &mut info, &mut own).within(place)?;
            }
            search.own.clear();
        }
        for (place, usage) in search.uses {
            match (usage.by_function, usage.by_other) {
                (true, false) => drop(found.names.insert(place, usage.target)),
                (true, true) => found.kept += 1,
                (false, _) => {}
            }
        }
        Ok(found)
    }

    /// The new text of a string, if it is to be replaced.
    pub(super) fn new_name<'n>(
        &self,
        function: Option<usize>,
        index: usize,
        targets: &Targets<'n>,
    ) -> Option<&'n [u8]> {
        if self.names.is_empty() {
            return None;
        }
        let target = self.names.get(&(function, index))?;
        targets.list.get(*target).map(|target| target.rename.new)
    }
}

impl<'s, 'n> Search<'s, 'n> {
    fn new(targets: &'s Targets<'n>) -> Self {
        let (uses, shared, own) = Default::default();
        Self { targets, uses, shared, own }
    }

    fn block<'a>(
        &mut self,
        metadata: &Block<'a>,
        info: &mut BlockInfo<'a>,
        numbering: &mut Numbering,
    ) -> Result<()> {
        let mut items = Items::new(metadata, info.get(metadata.id())?);
        while let Some(item) = items.next()? {
            let Item::Record(record) = item else { continue };
            if record.code() == code::STRINGS {
                self.strings(&record, numbering)?;
                continue;
            }
            self.record(&record)?;
            numbering.next += u64::from(code::makes_id(record.code()));
        }
        Ok(())
    }

    /// Notes which strings equal an old name.
    fn strings(&mut self, record: &Record<'_>, numbering: &mut Numbering) -> Result<()> {
        let blob = record.blob()?;
        let strings = Strings::of(record.first()?, blob.as_deref())?;
        let mut index = 0;
        strings.walk(|string| {
            if let Some(target) = self.targets.position(string) {
                let place = (numbering.function, index);
                let ids = if place.0.is_some() { &mut self.own } else { &mut self.shared };
                ids.insert(numbering.next, place);
                self.uses.entry(place).or_default().target = target;
            }
            index += 1;
            numbering.next += 1;
        })
    }

    fn place(&self, id: u64) -> Option<Place> {
        self.own.get(&id).or_else(|| self.shared.get(&id)).copied()
    }

    /// Notes what a record uses.
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if self.own.is_empty() && self.shared.is_empty() {
            return Ok(());
        }
        let operands = record.values()?.operands;
        let id = |slot: usize| operands.get(slot).and_then(|operand| operand.checked_sub(1));
        let place = |slot| id(slot).and_then(|id| self.place(id));
        let linkage = if record.code() == code::SUBPROGRAM { 3 } else { usize::MAX };
        // A name beside another linkage name is a source name that others may share.
        let own_name = id(linkage).is_none() || place(linkage).is_some();
        let mut noted = HashSet::new();
        for slot in text_slots(record.code(), &operands) {
            let Some(found) = place(slot) else { continue };
            let function =
                record.code() == code::SUBPROGRAM && (slot == linkage || slot == 2 && own_name);
            noted.insert((found, function));
        }
        for (found, function) in noted {
            let usage = self.uses.entry(found).or_default();
            usage.by_function |= function;
            usage.by_other |= !function;
        }
        Ok(())
    }
}
