//! Functions and variables that nobody else is to see.

use crate::block::Item;
use crate::error::Result;
use crate::ids::module as codes;
use crate::module::Module;
use crate::symbols::{Global, GlobalKind, Linkage, is_global};

/// The number of internal linkage.
const INTERNAL: u64 = 3;

/// Makes definitions internal that are visible to others and that `which` says yes to. Gives
/// them.
pub(super) fn make_internal<'g, 'a>(
    module: &mut Module<'a>,
    globals: &'g [Global<'a>],
    which: impl Fn(usize) -> bool,
) -> Result<Vec<&'g Global<'a>>> {
    let front = if module.version()? >= 2 { 2 } else { 0 };
    let mut internal = Vec::new();
    let mut next = globals.iter().enumerate();
    for item in module.items_mut() {
        let Item::Record(record) = item else { continue };
        if !is_global(record.code()) {
            continue;
        }
        let Some((index, global)) = next.next() else { break };
        if !which(index) || !is_shared(global) {
            continue;
        }
        // Linkage, visibility, and whether it is surely in this module.
        let fields = match record.code() {
            codes::FUNCTION => [(3, INTERNAL), (7, 0), (15, 1)],
            codes::GLOBALVAR => [(3, INTERNAL), (6, 0), (13, 1)],
            _ => {
                let what = format!(
                    "{}, which is an alias and cannot be made internal",
                    global.name_text()
                );
                return Err(record.error(what));
            }
        };
        let mut values = record.values()?;
        for (field, value) in fields {
            if let Some(operand) = values.operands.get_mut(front + field) {
                *operand = value;
            }
        }
        record.set(values);
        internal.push(global);
    }
    Ok(internal)
}

/// Whether it is a definition that others see, and that is the only one of its name.
fn is_shared(global: &Global<'_>) -> bool {
    let is_value = !matches!(global.linkage, Linkage::Appending | Linkage::AvailableExternally);
    let is_alias = matches!(global.kind, GlobalKind::Alias | GlobalKind::IndirectFunction);
    (global.is_definition || is_alias) && global.linkage.is_visible() && is_value
}
