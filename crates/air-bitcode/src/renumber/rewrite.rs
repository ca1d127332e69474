//! Gives every id of a decoded module its new number, and takes out what has none.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::abbrev::Values;
use crate::block::{Block, Item};
use crate::error::{Result, Within};
use crate::ids::{block, block_name, constants as constant_codes, metadata as codes};
use crate::ids::{module as module_codes, vst};
use crate::module::Module;
use crate::record::Record;
use crate::renumber::instructions::Effect;
use crate::renumber::maps::{Maps, New, Scope};
use crate::renumber::numbers::Tables;
use crate::renumber::place::{Made, idle_types, indices, is_empty};
use crate::renumber::reference::{Kind, Slot};
use crate::renumber::{constants, globals, metadata, shrink, unknown_block};
use crate::strings::{self, Strings};
use crate::symbols::is_global;

/// Nodes that LLVM writes an index for: more than these.
const INDEX_THRESHOLD: usize = 25;

/// Renumbers a module.
///
/// # Errors
/// If a record is not known, or refers to what is not there or will not be.
pub(crate) fn apply(module: &mut Module<'_>, tables: &Tables, maps: &Maps) -> Result<()> {
    let scope = Scope::module(maps);
    let (slots, values) = (Vec::new(), Values::default());
    let mut rewrite = Rewrite { tables, slots, values, value: 0, metadata: 0, section: 0 };
    let Some(block) = module.stream.blocks.get_mut(module.index) else { return Ok(()) };
    rewrite.module(block, scope)
}

pub(super) struct Rewrite<'r, 'a> {
    tables: &'r Tables,
    pub(super) slots: Vec<Slot>,
    pub(super) values: Values<'a>,
    /// The next ids, before.
    value: u64,
    metadata: u64,
    section: u64,
}

/// The number of the next instruction's value, before and after.
type Next = (u64, u64);

impl<'a> Rewrite<'_, 'a> {
    fn module(&mut self, block: &mut Block<'a>, scope: Scope<'_>) -> Result<()> {
        let mut gone = Vec::new();
        let mut function = 0;
        for item in block.items_mut().into_iter().flatten() {
            gone.push(match item {
                Item::Define(_) => false,
                Item::Record(record) => self.global(record, scope)?,
                Item::Block(inner) => {
                    let mut place = block_name(inner.id());
                    if inner.id() == block::FUNCTION {
                        place = Cow::Owned(format!("FUNCTION {function}"));
                        function += 1;
                    }
                    let within = || place;
                    match inner.id() {
                        block::FUNCTION => {
                            let scope = scope.body(function - 1);
                            if !scope.is_gone() {
                                self.function(inner, scope).within(within)?;
                            }
                            scope.is_gone()
                        }
                        _ => self.inner(inner, scope, "MODULE").within(within)?,
                    }
                }
            });
        }
        shrink::remove(block, |index, _| gone.get(index).copied().unwrap_or_default())?;
        Ok(())
    }

    /// A record of the module block; says whether it is to go.
    fn global(&mut self, record: &mut Record<'a>, scope: Scope<'_>) -> Result<bool> {
        self.read(record)?;
        globals::slots(record, &self.values.operands, self.tables.version, &mut self.slots)?;
        if record.code() == module_codes::SECTIONNAME {
            self.section += 1;
            return Ok(scope.maps().sections.get(self.section - 1) == New::Gone);
        }
        if !is_global(record.code()) {
            return Ok(false);
        }
        self.value += 1;
        if scope.value(self.value - 1) == New::Gone {
            return Ok(true);
        }
        self.write(record, scope, (0, 0))?;
        Ok(false)
    }

    /// A block of the module or a function; says whether nothing is left of it.
    fn inner(&mut self, inner: &mut Block<'a>, scope: Scope<'_>, outer: &str) -> Result<bool> {
        match inner.id() {
            block::CONSTANTS => self.constants(inner, scope),
            block::METADATA => self.metadata(inner, scope),
            block::VALUE_SYMTAB => self.names(inner, scope),
            block::METADATA_ATTACHMENT => self.attachments(inner, scope),
            block::TYPE => self.types(inner, scope),
            block::PARAMATTR => self.attributes(inner, scope, &scope.maps().attributes),
            block::PARAMATTR_GROUP => self.attributes(inner, scope, &scope.maps().groups.places),
            block::BLOCKINFO
            | block::METADATA_KIND
            | block::OPERAND_BUNDLE_TAGS
            | block::SYNC_SCOPE_NAMES => Ok(false),
            _ => Err(unknown_block(inner, outer)),
        }
    }

    fn function(&mut self, block: &mut Block<'a>, scope: Scope<'_>) -> Result<()> {
        let (value, metadata) = (self.value, self.metadata);
        let mut next = scope.first_instruction();
        self.value += scope.arguments();
        let mut gone = Vec::new();
        for item in block.items_mut().into_iter().flatten() {
            gone.push(match item {
                Item::Define(_) => false,
                Item::Record(record) => {
                    self.instruction(record, scope, &mut next)?;
                    false
                }
                Item::Block(inner) => {
                    let place = block_name(inner.id());
                    self.inner(inner, scope, "FUNCTION").within(|| place)?
                }
            });
        }
        shrink::remove(block, |index, _| gone.get(index).copied().unwrap_or_default())?;
        (self.value, self.metadata) = (value, metadata);
        Ok(())
    }

    fn instruction(
        &mut self,
        record: &mut Record<'a>,
        scope: Scope<'_>,
        next: &mut Next,
    ) -> Result<()> {
        self.read(record)?;
        let reader = self.tables.reader();
        let effect = reader.slots(record, &self.values.operands, next.0, &mut self.slots)?;
        self.write(record, scope, *next)?;
        if effect == Effect::Value {
            *next = (next.0 + 1, next.1 + 1);
        }
        Ok(())
    }

    fn constants(&mut self, block: &mut Block<'a>, scope: Scope<'_>) -> Result<bool> {
        let (mut made, mut idle) = (Made::default(), false);
        for (index, item) in block.items_mut().into_iter().flatten().enumerate() {
            let Item::Record(record) = item else { continue };
            self.read(record)?;
            constants::slots(record, &self.values.operands, &mut self.slots)?;
            if record.code() == constant_codes::SETTYPE {
                let number = self.values.operands.first().copied().unwrap_or_default();
                idle |= scope.maps().types.get(number) == New::Gone;
                continue;
            }
            let gone = made.add(index, scope.value(self.value));
            self.value += 1;
            if !gone {
                self.write(record, scope, (0, 0))?;
            }
        }
        made.place(block)?;
        idle |= !made.gone.is_empty();
        if idle {
            let idle = idle_types(block.items().unwrap_or_default());
            shrink::remove(block, |index, _| idle.binary_search(&index).is_ok())?;
        }
        for item in block.items_mut().into_iter().flatten() {
            let Item::Record(record) = item else { continue };
            if record.code() == constant_codes::SETTYPE {
                self.read(record)?;
                constants::slots(record, &self.values.operands, &mut self.slots)?;
                self.write(record, scope, (0, 0))?;
            }
        }
        Ok(idle && is_empty(block))
    }

    fn metadata(&mut self, block: &mut Block<'a>, scope: Scope<'_>) -> Result<bool> {
        let mut made = Made::default();
        let mut fewer = false;
        for (index, item) in block.items_mut().into_iter().flatten().enumerate() {
            let Item::Record(record) = item else { continue };
            if record.code() == codes::STRINGS {
                let before = self.metadata;
                let left = self.strings(record, scope)?;
                fewer |= left < self.metadata - before;
                if left == 0 && fewer {
                    made.gone.push(index);
                }
                continue;
            }
            self.read(record)?;
            let types = &self.tables.types;
            metadata::slots(record, &self.values.operands, types, &mut self.slots)?;
            let mut gone = self.is_attached_to_gone(record, scope);
            if gone {
                made.gone.push(index);
            } else if codes::makes_id(record.code()) {
                gone = made.add(index, scope.metadata(self.metadata));
                self.metadata += 1;
            }
            if !gone {
                self.write(record, scope, (0, 0))?;
            }
        }
        fewer |= !made.gone.is_empty();
        if fewer && made.kept.len() <= INDEX_THRESHOLD {
            made.gone.extend(indices(block.items().unwrap_or_default()));
        }
        made.place(block)?;
        Ok(fewer && is_empty(block))
    }

    /// Whether the record that was read is the attachment of a global that goes.
    fn is_attached_to_gone(&self, record: &Record<'a>, scope: Scope<'_>) -> bool {
        let global = self.values.operands.first().copied().unwrap_or_default();
        record.code() == codes::GLOBAL_DECL_ATTACHMENT && scope.value(global) == New::Gone
    }

    /// Puts the strings in their new order; says how many there are then. Bytes that belong to
    /// no string would be lost, so a record that has any is refused.
    fn strings(&mut self, record: &mut Record<'a>, scope: Scope<'_>) -> Result<u64> {
        let blob = record.blob()?;
        let strings = Strings::of(record.first()?, blob.as_deref())?;
        let mut all: Vec<&[u8]> = Vec::with_capacity(strings.expected());
        strings.walk(|string| all.push(string))?;
        let first = self.metadata;
        self.metadata += all.len() as u64;
        let mut kept: Vec<(u64, &[u8])> = (first..)
            .zip(&all)
            .filter_map(|(id, string)| match scope.metadata(id) {
                New::At(new) => Some((new, *string)),
                New::Gone | New::Unknown => None,
            })
            .collect();
        if kept.len() < all.len() || !kept.is_sorted_by_key(|(new, _)| *new) {
            if record.values()? != strings::encode(&all) {
                return Err(record.error("METADATA_STRINGS with bytes that belong to no string"));
            }
            kept.sort_by_key(|(new, _)| *new);
            let strings: Vec<&[u8]> = kept.iter().map(|(_, string)| *string).collect();
            let values = strings::encode(&strings);
            record.set(values);
        }
        Ok(kept.len() as u64)
    }

    fn names(&mut self, block: &mut Block<'a>, scope: Scope<'_>) -> Result<bool> {
        let mut gone = Vec::new();
        for (index, item) in block.items_mut().into_iter().flatten().enumerate() {
            let Item::Record(record) = item else { continue };
            self.read(record)?;
            globals::name_slots(record, &mut self.slots)?;
            let value = self.values.operands.first().copied().unwrap_or_default();
            if record.code() != vst::BBENTRY && scope.value(value) == New::Gone {
                gone.push(index);
            } else {
                self.write(record, scope, (0, 0))?;
            }
        }
        shrink::remove(block, |index, _| gone.binary_search(&index).is_ok())?;
        Ok(false)
    }

    fn attachments(&mut self, block: &mut Block<'a>, scope: Scope<'_>) -> Result<bool> {
        for item in block.items_mut().into_iter().flatten() {
            let Item::Record(record) = item else { continue };
            self.read(record)?;
            globals::attachment_slots(record, &self.values.operands, &mut self.slots)?;
            self.write(record, scope, (0, 0))?;
        }
        Ok(false)
    }

    pub(super) fn read(&mut self, record: &Record<'a>) -> Result<()> {
        self.slots.clear();
        record.read(&mut self.values)
    }

    /// Gives the record that was read the new numbers of all it refers to.
    pub(super) fn write(
        &mut self,
        record: &mut Record<'a>,
        scope: Scope<'_>,
        next: Next,
    ) -> Result<()> {
        let mut changed = false;
        for slot in &self.slots {
            let Some(operand) = self.values.operands.get_mut(slot.index) else {
                let what = format!("record with code {} lacks an operand", record.code());
                return Err(record.error(what));
            };
            let Some(id) = slot.form.decode(*operand, next.0) else { continue };
            let groups = &self.tables.groups;
            let new = new_operand(record, *slot, (id, *operand), scope, next, groups)?;
            changed |= std::mem::replace(operand, new) != new;
        }
        if changed {
            record.set(std::mem::take(&mut self.values));
        }
        Ok(())
    }
}

/// The operand for what an id becomes.
fn new_operand(
    record: &Record<'_>,
    slot: Slot,
    (id, operand): (u64, u64),
    scope: Scope<'_>,
    next: Next,
    groups: &HashMap<u64, usize>,
) -> Result<u64> {
    let maps = scope.maps();
    let (what, new) = match slot.kind {
        Kind::Type => ("type", maps.types.get(id)),
        Kind::Attributes => ("list of attributes", maps.attributes.get(id)),
        Kind::Group => ("group of attributes", maps.groups.get(id, groups)),
        Kind::Section => ("name of a section", maps.sections.get(id)),
        Kind::Value => ("value", scope.value(id)),
        Kind::Metadata => ("metadata", scope.metadata(id)),
    };
    let (code, index) = (record.code(), slot.index);
    let wrong = match new {
        New::At(new) if slot.kind == Kind::Value && (id < next.0) != (new < next.1) => {
            "would be defined on the other side of it"
        }
        New::At(new) => return Ok(slot.form.encode(new, next.1)),
        New::Gone => "is to be removed",
        New::Unknown if matches!(slot.kind, Kind::Value | Kind::Metadata) => "does not exist",
        // It stays what it was to LLVM: nothing, or an error. Old modules name groups of
        // attributes that have none and are not written; no other group gets such an id.
        New::Unknown => return Ok(operand),
    };
    let what =
        format!("record with code {code} refers to {what} {id} in operand {index}, which {wrong}");
    Err(record.error(what))
}
