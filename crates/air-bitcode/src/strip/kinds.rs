//! Kinds of attachments by their numbers, which the module names.

use std::collections::HashSet;

use crate::block::Item;
use crate::error::Result;
use crate::ids::{block, metadata as codes};
use crate::module::Module;

/// Kinds that are debug information.
const DEBUG: [&[u8]; 3] = [b"dbg", b"heapallocsite", b"DIAssignID"];

/// The numbers of the kinds that matter.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds {
    debug: HashSet<u64>,
    loops: HashSet<u64>,
}

impl Kinds {
    /// Reads the kinds of a decoded module; old ones have them among their metadata.
    pub(super) fn of(module: &Module<'_>) -> Result<Self> {
        let mut kinds = Self::default();
        let blocks = [block::METADATA_KIND, block::METADATA];
        let items = blocks.iter().flat_map(|&id| module.blocks(id));
        for item in items.flat_map(|block| block.items().unwrap_or_default()) {
            let Item::Record(record) = item else { continue };
            if record.code() != codes::KIND {
                continue;
            }
            let ([number], _) = record.first()?;
            let name = record.text(1)?;
            if DEBUG.contains(&&name[..]) {
                kinds.debug.insert(number);
            } else if name == b"llvm.loop" {
                kinds.loops.insert(number);
            }
        }
        Ok(kinds)
    }

    /// Whether attachments of this kind are debug information.
    pub(super) fn is_debug(&self, kind: u64) -> bool {
        self.debug.contains(&kind)
    }

    /// Whether attachments of this kind are loops.
    pub(super) fn is_loop(&self, kind: u64) -> bool {
        self.loops.contains(&kind)
    }

    /// Removes the pairs of kind and node that are debug information from an attachment's
    /// operands; says how many there were.
    pub(super) fn remove_debug(&self, operands: &mut Vec<u64>, first: usize) -> usize {
        let pairs = operands.split_off(first.min(operands.len()));
        let mut removed = 0;
        for pair in pairs.chunks(2) {
            match pair {
                [kind, _] if self.is_debug(*kind) => removed += 1,
                other => operands.extend(other),
            }
        }
        removed
    }
}
