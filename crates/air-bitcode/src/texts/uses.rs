//! What uses the strings of metadata.

use std::collections::HashMap;

use super::find::{Numbers, each_block};
use super::{Text, TextPlace, TextUse};
use crate::block::Block;
use crate::blockinfo::BlockInfo;
use crate::error::Result;
use crate::ids::metadata as code;
use crate::items::Items;
use crate::module::Module;
use crate::record::Record;
use crate::renumber::text_slots;

/// Code of a file of debug information.
const FILE: u32 = 16;
/// Code of a compile unit.
const COMPILE_UNIT: u32 = 20;

/// Adds to texts of metadata what uses them.
pub(super) fn add<'a>(module: &Module<'a>, texts: Vec<Text<'a>>) -> Result<Vec<Text<'a>>> {
    let mut search = Search::new(texts, module.metadata_type()?);
    let mut info = module.block_info();
    let mut numbers = Numbers::default();
    each_block(module, &mut info, |found, info, _, function| {
        search.block(found, info, function, numbers.of(function))
    })?;
    Ok(search.finish())
}

/// Uses of a text that are told apart.
const MOST_USES: usize = 32;

struct Search<'a> {
    texts: Vec<Text<'a>>,
    /// Index of the module's own texts by their numbers.
    shared: HashMap<u64, usize>,
    /// The same of functions; their numbers begin anew with each.
    own: HashMap<(usize, u64), usize>,
    /// Texts that a node holds, by its number: until a name says what they are for.
    nodes: HashMap<u64, Vec<usize>>,
    metadata_type: Option<u64>,
    name: Vec<u8>,
}

impl<'a> Search<'a> {
    fn new(texts: Vec<Text<'a>>, metadata_type: Option<u64>) -> Self {
        let (mut shared, mut own) = (HashMap::new(), HashMap::new());
        for (index, text) in texts.iter().enumerate() {
            let TextPlace::Metadata { function, id } = text.place else { continue };
            match function {
                None => drop(shared.insert(id, index)),
                Some(function) => drop(own.insert((function, id), index)),
            }
        }
        let (nodes, name) = Default::default();
        Self { texts, shared, own, nodes, metadata_type, name }
    }

    fn block(
        &mut self,
        found: &Block<'a>,
        info: &mut BlockInfo<'a>,
        function: Option<usize>,
        next: &mut u64,
    ) -> Result<()> {
        let mut items = Items::new(found, info.get(found.id())?);
        while let Some(record) = items.next_record()? {
            match record.code() {
                code::STRINGS => *next += record.first::<1>()?.0[0],
                code::NAME => self.name = record.text(0)?,
                code::NAMED_NODE => self.named(&record)?,
                other => {
                    self.record(&record, function, *next)?;
                    *next += u64::from(code::makes_id(other));
                }
            }
        }
        Ok(())
    }

    /// Notes what a record that gets this number uses.
    fn record(&mut self, record: &Record<'_>, function: Option<usize>, id: u64) -> Result<()> {
        let kind = record.code();
        let operands = record.values()?.operands;
        let used: Vec<(u64, TextUse)> = match kind {
            code::OLD_NODE | code::OLD_FN_NODE => {
                let pairs = operands.chunks_exact(2).filter_map(<[u64]>::first_chunk::<2>);
                let texts = pairs.filter(|pair| Some(pair[0]) == self.metadata_type);
                texts.map(|pair| (pair[1], TextUse::Node)).collect()
            }
            _ => {
                let operand = |slot: usize| operands.get(slot)?.checked_sub(1);
                let slots = text_slots(kind, &operands);
                slots.filter_map(|slot| Some((operand(slot)?, usage(kind, slot)))).collect()
            }
        };
        for (text, usage) in used {
            let Some(text) = self.find(text, function) else { continue };
            if usage == TextUse::Node && function.is_none() {
                self.nodes.entry(id).or_default().push(text);
            }
            note(self.texts.get_mut(text), &usage);
        }
        Ok(())
    }

    /// Says of the texts in the nodes of a name that they are for it.
    fn named(&mut self, record: &Record<'_>) -> Result<()> {
        let usage = TextUse::Named(std::mem::take(&mut self.name));
        for node in record.values()?.operands {
            for text in self.nodes.get(&node).into_iter().flatten() {
                note(self.texts.get_mut(*text), &usage);
            }
        }
        Ok(())
    }

    fn find(&self, id: u64, function: Option<usize>) -> Option<usize> {
        let own = function.and_then(|function| self.own.get(&(function, id)));
        own.or_else(|| self.shared.get(&id)).copied()
    }

    /// The texts; of those that a name has, nothing is said of the node.
    fn finish(mut self) -> Vec<Text<'a>> {
        for text in &mut self.texts {
            text.uses.sort();
            let is_named = |usage: &TextUse| matches!(usage, TextUse::Named(_));
            if text.uses.len() <= MOST_USES && text.uses.iter().any(is_named) {
                text.uses.retain(|usage| *usage != TextUse::Node);
            }
        }
        self.texts
    }
}

/// Takes note of a use. Of a text with more uses than any real one has it is said that a node uses
/// it, too, so that it is taken for none of a known form.
fn note(text: Option<&mut Text<'_>>, usage: &TextUse) {
    let Some(text) = text.filter(|text| text.uses.len() <= MOST_USES) else { return };
    if !text.uses.contains(usage) {
        let has_room = text.uses.len() < MOST_USES;
        text.uses.push(if has_room { usage.clone() } else { TextUse::Node });
    }
}

/// What a record has in one of its slots for strings.
fn usage(kind: u32, slot: usize) -> TextUse {
    match (kind, slot) {
        (code::NODE | code::DISTINCT_NODE, _) => TextUse::Node,
        (FILE, 1) => TextUse::FileName,
        (FILE, 2) => TextUse::Directory,
        (COMPILE_UNIT, 3) => TextUse::Producer,
        (COMPILE_UNIT, 5) => TextUse::Flags,
        (COMPILE_UNIT, 7) => TextUse::SplitName,
        (COMPILE_UNIT, 20) => TextUse::SystemRoot,
        (COMPILE_UNIT, 21) => TextUse::Kit,
        _ => TextUse::Debug(kind),
    }
}
