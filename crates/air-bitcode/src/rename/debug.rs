//! Names in debug information: strings that only a function's `DISubprogram` uses.
//!
//! A string is stored once, whatever uses it: a parameter may be called as the function is.
//! So all metadata is searched for users, and a string with another user is left alone.

use std::collections::{HashMap, HashSet};

use super::Target;
use super::strings::head_metadata;
use crate::block::{Block, Item, Items};
use crate::blockinfo::BlockInfo;
use crate::error::{Result, Within};
use crate::ids::block;
use crate::metadata::{code, string_slots};
use crate::module::Module;
use crate::record::Record;
use crate::strings;

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
    /// Which function, and its first id.
    function: Option<(usize, u64)>,
    next: u64,
}

struct Search<'s, 'n> {
    targets: &'s [Target<'n>],
    uses: HashMap<Place, Use>,
    /// Places of strings that equal an old name, by metadata id; a function's last.
    ids: HashMap<u64, Place>,
}

impl DebugNames {
    /// Searches the module's metadata.
    pub(super) fn find(module: &Module<'_>, targets: &[Target<'_>]) -> Result<Self> {
        let mut found = Self::default();
        let mut search = Search::new(targets);
        let mut info = module.block_info();
        let mut numbering = Numbering::default();
        for metadata in module.blocks(block::METADATA) {
            search.block(metadata, &mut info, &mut numbering).within(|| "MODULE > METADATA")?;
        }
        let shared = search.ids.clone();
        for (index, function) in module.blocks(block::FUNCTION).enumerate() {
            let mut own = Numbering { function: Some((index, numbering.next)), ..numbering };
            if let Some(metadata) = head_metadata(function, &mut info)? {
                let place = || format!("MODULE > FUNCTION {index} > METADATA");
                search.block(&metadata, &mut info, &mut own).within(place)?;
            }
            search.ids.clone_from(&shared);
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
        targets: &[Target<'n>],
    ) -> Option<&'n [u8]> {
        if self.names.is_empty() {
            return None;
        }
        let target = self.names.get(&(function, index))?;
        targets.get(*target).map(|target| target.rename.new)
    }
}

fn is_old(targets: &[Target<'_>], string: &[u8]) -> Option<usize> {
    targets.iter().position(|target| target.rename.old == string)
}

impl<'s, 'n> Search<'s, 'n> {
    fn new(targets: &'s [Target<'n>]) -> Self {
        Self { targets, uses: HashMap::new(), ids: HashMap::new() }
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
                let values = record.values()?;
                for (index, string) in strings::decode(&values)?.into_iter().enumerate() {
                    if let Some(target) = is_old(self.targets, string) {
                        let place = (numbering.function.map(|(index, _)| index), index);
                        self.ids.insert(numbering.next, place);
                        self.uses.entry(place).or_default().target = target;
                    }
                    numbering.next += 1;
                }
                continue;
            }
            self.record(&record)?;
            numbering.next += u64::from(code::makes_id(record.code()));
        }
        Ok(())
    }

    /// Notes what a record uses.
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if self.ids.is_empty() {
            return Ok(());
        }
        let operands = record.values()?.operands;
        let id = |slot: usize| operands.get(slot).and_then(|operand| operand.checked_sub(1));
        let place = |slot| id(slot).and_then(|id| self.ids.get(&id).copied());
        let linkage = if record.code() == code::SUBPROGRAM { 3 } else { usize::MAX };
        // A name beside another linkage name is a source name that others may share.
        let own_name = id(linkage).is_none() || place(linkage).is_some();
        let mut noted = HashSet::new();
        for slot in string_slots(record.code(), operands.len()) {
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
