//! Named metadata, module flags, and attachments of globals.

use std::collections::HashSet;

use super::Strip;
use super::kinds::Kinds;
use super::look::{MODULE_FLAGS, flags, is_dropped};
use super::report::StripReport;
use crate::block::{Block, Item};
use crate::error::{Result, Within};
use crate::ids::{block, metadata as codes};
use crate::metadata::Metadata;
use crate::module::Module;
use crate::record::Record;
use crate::renumber::shrink;

/// Removes what the module's own metadata has of it.
pub(super) fn remove(
    module: &mut Module<'_>,
    what: &Strip<'_>,
    kinds: &Kinds,
    metadata: &Metadata<'_>,
    report: &mut StripReport,
) -> Result<()> {
    let flags = flags(metadata)?;
    for item in module.items_mut() {
        if let Item::Block(found) = item
            && found.id() == block::METADATA
        {
            let mut edit = Edit { what, kinds, flags: &flags, report, gone: Vec::new() };
            edit.block(found).within(|| "METADATA")?;
        }
    }
    Ok(())
}

struct Edit<'e> {
    what: &'e Strip<'e>,
    kinds: &'e Kinds,
    /// Nodes of the module flags that go.
    flags: &'e HashSet<u64>,
    report: &'e mut StripReport,
    /// Items that go.
    gone: Vec<usize>,
}

impl Edit<'_> {
    fn block(&mut self, found: &mut Block<'_>) -> Result<()> {
        let mut name = None;
        for (index, item) in found.items_mut().into_iter().flatten().enumerate() {
            let Item::Record(record) = item else { continue };
            match record.code() {
                codes::NAME => name = Some((index, record.text(0)?)),
                codes::NAMED_NODE => {
                    if let Some((at, name)) = name.take()
                        && self.list(&name, record)?
                    {
                        self.gone.extend([at, index]);
                    }
                }
                codes::GLOBAL_DECL_ATTACHMENT if self.what.debug_info => {
                    let mut values = record.values()?;
                    let removed = self.kinds.remove_debug(&mut values.operands, 1);
                    if removed == 0 {
                        continue;
                    }
                    self.report.attachments += removed;
                    if values.operands.len() <= 1 {
                        self.gone.push(index);
                    } else {
                        record.set(values);
                    }
                }
                _ => {}
            }
        }
        self.gone.sort_unstable();
        shrink::remove(found, |index, _| self.gone.binary_search(&index).is_ok())?;
        Ok(())
    }

    /// Takes flags out of their list; says whether a list is to go.
    fn list(&mut self, name: &[u8], record: &mut Record<'_>) -> Result<bool> {
        let name = String::from_utf8_lossy(name);
        if is_dropped(&name, self.what) {
            self.report.lists += 1;
            return Ok(true);
        }
        if name != MODULE_FLAGS || !self.what.debug_info {
            return Ok(false);
        }
        let mut values = record.values()?;
        let before = values.operands.len();
        values.operands.retain(|node| !self.flags.contains(node));
        let removed = before - values.operands.len();
        self.report.flags += removed;
        let empty = values.operands.is_empty();
        if removed > 0 && !empty {
            record.set(values);
        }
        Ok(removed > 0 && empty)
    }
}
