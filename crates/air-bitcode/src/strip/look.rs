//! Whether a module has what is to be taken out, seen from its metadata and names alone.

use std::collections::HashSet;

use super::Strip;
use crate::error::Result;
use crate::ids::module as codes;
use crate::metadata::{Metadata, Operand};
use crate::module::Module;
use crate::symbols::GlobalName;

/// Module flags that only debug information needs.
const FLAGS: [&[u8]; 2] = [b"Debug Info Version", b"Dwarf Version"];
/// The list of module flags.
pub(super) const MODULE_FLAGS: &str = "llvm.module.flags";

/// Whether anything is there to be taken out.
pub(super) fn has(module: &Module<'_>, what: &Strip<'_>) -> Result<bool> {
    let metadata = module.metadata()?;
    if metadata.names().any(|name| is_dropped(&name, what)) {
        return Ok(true);
    }
    Ok(what.debug_info
        && (metadata.has_debug_nodes() || !flags(&metadata)?.is_empty() || has_intrinsic(module)?))
}

/// Whether a list is to go.
pub(super) fn is_dropped(name: &str, what: &Strip<'_>) -> bool {
    let debug = name.starts_with("llvm.dbg.") || name == "llvm.gcov";
    what.debug_info && debug || what.lists.contains(&name)
}

/// Whether a node is a module flag of debug information.
fn is_flag(metadata: &Metadata<'_>, node: u64) -> Result<bool> {
    let operands = metadata.operands(node)?.unwrap_or_default();
    let name = operands.get(1).copied().and_then(Operand::string);
    Ok(name.is_some_and(|name| FLAGS.contains(&name)))
}

/// The module flags of debug information, by their nodes.
pub(super) fn flags(metadata: &Metadata<'_>) -> Result<HashSet<u64>> {
    let nodes = metadata.named(MODULE_FLAGS).unwrap_or_default();
    let nodes: HashSet<u64> = nodes.iter().copied().collect();
    let mut flags = HashSet::new();
    for node in nodes {
        if is_flag(metadata, node)? {
            flags.insert(node);
        }
    }
    Ok(flags)
}

fn has_intrinsic(module: &Module<'_>) -> Result<bool> {
    let version = module.version()?;
    let strings = if version >= 2 { module.strings()? } else { &[] };
    let mut found = false;
    module.each_global(version, strings, GlobalName::read, |_, _, name| {
        found |= name.starts_with(b"llvm.dbg.");
    })?;
    Ok(found)
}

/// A module's hash of itself would not be that of what is written.
pub(super) fn refuse_hash(module: &Module<'_>) -> Result<()> {
    match module.record(codes::HASH) {
        Some(record) => Err(record.error("the module holds a hash of itself")),
        None => Ok(()),
    }
}
