//! Function bodies: places in the source, calls of debug intrinsics, attachments.

use super::kinds::Kinds;
use super::report::StripReport;
use crate::block::{Block, Item};
use crate::error::{Result, Within};
use crate::ids::{block, function as codes};
use crate::module::Module;
use crate::record::Record;
use crate::renumber::{Effect, Kind, Numbers, Reader, Slot, shrink};

/// Removes debug information from every body. `intrinsics` says which globals are debug
/// intrinsics.
pub(super) fn clear(
    module: &mut Module<'_>,
    kinds: &Kinds,
    intrinsics: &[bool],
    report: &mut StripReport,
) -> Result<()> {
    let numbers = Numbers::of(module)?;
    let first: Vec<u64> =
        numbers.bodies.iter().map(|body| numbers.first_instruction(body)).collect();
    let Numbers { tables, .. } = numbers;
    let mut first = first.into_iter();
    let mut index = 0;
    for item in module.items_mut() {
        let Item::Block(body) = item else { continue };
        if body.id() != block::FUNCTION {
            continue;
        }
        let next = first.next().unwrap_or_default();
        let mut edit =
            Edit { reader: tables.reader(), kinds, intrinsics, report, calls: Vec::new() };
        edit.body(body, next).within(|| format!("FUNCTION {index}"))?;
        index += 1;
    }
    Ok(())
}

struct Edit<'e> {
    reader: Reader<'e>,
    kinds: &'e Kinds,
    intrinsics: &'e [bool],
    report: &'e mut StripReport,
    /// Calls that go, by their numbers among the instructions, ascending.
    calls: Vec<u64>,
}

impl Edit<'_> {
    fn body(&mut self, body: &mut Block<'_>, next: u64) -> Result<()> {
        let gone = self.instructions(body.items().unwrap_or_default(), next)?;
        let mut empty = Vec::new();
        for (index, item) in body.items_mut().into_iter().flatten().enumerate() {
            let Item::Block(inner) = item else { continue };
            if inner.id() == block::METADATA_ATTACHMENT
                && self.attachments(inner).within(|| "METADATA_ATTACHMENT")?
            {
                empty.push(index);
            }
        }
        let is_gone = |list: &[usize], index| list.binary_search(&index).is_ok();
        shrink::remove(body, |index, _| is_gone(&gone, index) || is_gone(&empty, index))?;
        Ok(())
    }

    /// Items that go: locations, and calls with what belongs to them.
    fn instructions(&mut self, items: &[Item<'_>], mut next: u64) -> Result<Vec<usize>> {
        let (mut gone, mut bundles) = (Vec::new(), Vec::new());
        let (mut values, mut slots) = (Default::default(), Vec::new());
        let mut instruction = 0;
        for (index, item) in items.iter().enumerate() {
            let Item::Record(record) = item else { continue };
            slots.clear();
            record.read(&mut values)?;
            let effect = self.reader.slots(record, &values.operands, next, &mut slots)?;
            match (effect, record.code()) {
                (Effect::Beside, codes::DEBUG_LOC | codes::DEBUG_LOC_AGAIN) => {
                    self.report.locations += 1;
                    gone.push(index);
                }
                (Effect::Beside, codes::OPERAND_BUNDLE) => bundles.push(index),
                (Effect::Beside, _) => {}
                (Effect::Void, codes::CALL)
                    if self.is_debug(record, &values.operands, &slots, next) =>
                {
                    self.report.calls += 1;
                    self.calls.push(instruction);
                    gone.append(&mut bundles);
                    gone.push(index);
                    instruction += 1;
                }
                _ => {
                    bundles.clear();
                    instruction += 1;
                    next += u64::from(effect == Effect::Value);
                }
            }
        }
        gone.sort_unstable();
        Ok(gone)
    }

    /// Whether a call is one of a debug intrinsic.
    fn is_debug(&self, _: &Record<'_>, operands: &[u64], slots: &[Slot], next: u64) -> bool {
        let callee = slots.iter().find(|slot| slot.kind == Kind::Value);
        let callee = callee.and_then(|slot| slot.form.decode(*operands.get(slot.index)?, next));
        let global = callee.map(crate::bits::size);
        global.and_then(|global| self.intrinsics.get(global).copied()).unwrap_or_default()
    }

    /// Removes debug information, and counts instructions anew; says whether nothing is left.
    fn attachments(&mut self, inner: &mut Block<'_>) -> Result<bool> {
        let mut gone = Vec::new();
        for (index, item) in inner.items_mut().into_iter().flatten().enumerate() {
            let Item::Record(record) = item else { continue };
            let mut values = record.values()?;
            let before = values.operands.len();
            let first = before % 2;
            self.report.attachments += self.kinds.remove_debug(&mut values.operands, first);
            let mut moved = false;
            if let (1, Some(instruction)) = (first, values.operands.first_mut()) {
                let removed = self.calls.partition_point(|call| call < instruction);
                if self.calls.get(removed) == Some(instruction) {
                    gone.push(index);
                    continue;
                }
                *instruction -= removed as u64;
                moved = removed > 0;
            }
            if values.operands.len() <= first {
                gone.push(index);
            } else if moved || values.operands.len() < before {
                record.set(values);
            }
        }
        shrink::remove(inner, |index, _| gone.binary_search(&index).is_ok())?;
        let is_record = |item: &Item<'_>| matches!(item, Item::Record(_));
        Ok(!gone.is_empty() && !inner.items().unwrap_or_default().iter().any(is_record))
    }
}
