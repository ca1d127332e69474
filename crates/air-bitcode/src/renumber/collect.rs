//! What nobody refers to, found from what a module must keep, and taken out.
//!
//! Kept are globals (but for those that the caller offers), named metadata, attachments, and
//! all that instructions of kept functions use; and what these refer to, through constants and
//! metadata.

use std::collections::HashMap;

use crate::abbrev::Values;
use crate::block::{Block, Item};
use crate::error::{Result, Within};
use crate::ids::{block, metadata as codes};
use crate::module::Module;
use crate::record::Record;
use crate::renumber::instructions::Effect;
use crate::renumber::maps::{Local, Map, Maps};
use crate::renumber::numbers::{Body, Entry, Numbers};
use crate::renumber::reference::{Kind, Slot};
use crate::renumber::{constants, globals, metadata, rewrite};

/// What was taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Collected {
    /// Globals, by their old value ids.
    pub(crate) globals: Vec<usize>,
    /// Constants of the module and of functions.
    pub(crate) constants: usize,
    /// Strings, values and nodes of the module and of functions.
    pub(crate) metadata: usize,
}

/// Takes out of a decoded module what nobody refers to, and writes all other ids anew. Of the
/// globals only those are taken out that `offered` says yes to; with functions their bodies go.
///
/// # Errors
/// If a block or record is not known, or refers to what is not there.
pub(crate) fn collect(
    module: &mut Module<'_>,
    offered: impl Fn(usize) -> bool,
) -> Result<Collected> {
    let numbers = Numbers::of(module)?;
    let (maps, collected) = Search::new(&numbers).run(module, offered)?;
    let Numbers { tables, .. } = numbers;
    if collected != Collected::default() {
        rewrite::apply(module, &tables, &maps)?;
    }
    Ok(collected)
}

/// Ids that are in use, and those of them whose own references were not followed yet.
#[derive(Debug, Default)]
struct Marks {
    used: Vec<bool>,
    pending: Vec<usize>,
}

impl Marks {
    fn new(count: usize) -> Self {
        Self { used: vec![false; count], pending: Vec::new() }
    }

    /// Ids that do not exist are left to who writes the record anew.
    fn mark(&mut self, id: u64) {
        let id = crate::bits::size(id);
        if let Some(used) = self.used.get_mut(id)
            && !std::mem::replace(used, true)
        {
            self.pending.push(id);
        }
    }

    fn unused(&self) -> usize {
        self.used.iter().filter(|used| !**used).count()
    }
}

/// The function that is searched.
#[derive(Debug, Default)]
struct Own {
    arguments: u64,
    constants: Marks,
    metadata: Marks,
}

struct Search<'n, 'm, 'a> {
    numbers: &'n Numbers<'m, 'a>,
    values: Marks,
    metadata: Marks,
    own: Own,
    /// Bodies by the value ids of their functions, and those that are to be followed.
    bodies: HashMap<usize, usize>,
    pending: Vec<usize>,
    /// Attachments of globals, which say nothing until these are kept.
    attached: HashMap<usize, Vec<&'m Record<'a>>>,
    buffers: (Values<'a>, Vec<Slot>),
}

impl<'n, 'm, 'a> Search<'n, 'm, 'a> {
    fn new(numbers: &'n Numbers<'m, 'a>) -> Self {
        let values = Marks::new(numbers.globals.len() + numbers.constants.len());
        let metadata = Marks::new(numbers.metadata.len());
        let bodies = numbers.bodies.iter().zip(0..).map(|(body, index)| (body.function, index));
        let bodies = bodies.collect();
        let (own, pending, attached, buffers) = Default::default();
        Self { numbers, values, metadata, own, bodies, pending, attached, buffers }
    }

    fn run(
        mut self,
        module: &'m Module<'a>,
        offered: impl Fn(usize) -> bool,
    ) -> Result<(Maps, Collected)> {
        let numbers = self.numbers;
        let kept = (0..numbers.globals.len()).filter(|&global| !offered(global));
        kept.for_each(|global| self.values.mark(global as u64));
        for found in module.blocks(block::METADATA) {
            self.lists(found).within(|| "MODULE > METADATA")?;
        }
        self.follow(&[], &[]).within(|| "MODULE")?;
        let mut collected = Collected::default();
        let gone = Local { gone: true, ..Local::default() };
        let mut maps = Maps { bodies: vec![gone; numbers.bodies.len()], ..Maps::default() };
        while let Some(index) = self.pending.pop() {
            let Some(body) = numbers.bodies.get(index) else { continue };
            let own = self.body(body).within(|| format!("MODULE > FUNCTION {index}"))?;
            collected.constants += own.constants.unused();
            collected.metadata += own.metadata.unused();
            if let Some(local) = maps.bodies.get_mut(index) {
                *local = Local {
                    gone: false,
                    arguments: own.arguments,
                    constants: Map::kept(&own.constants.used),
                    metadata: Map::kept(&own.metadata.used),
                };
            }
        }
        maps.values = Map::kept(&self.values.used);
        maps.metadata = Map::kept(&self.metadata.used);
        let globals = self.values.used.iter().take(numbers.globals.len()).enumerate();
        collected.globals = globals.filter(|(_, used)| !**used).map(|(id, _)| id).collect();
        collected.constants += self.values.unused() - collected.globals.len();
        collected.metadata += self.metadata.unused();
        Ok((maps, collected))
    }

    /// Records of the module's metadata that are no metadata of their own.
    fn lists(&mut self, found: &'m Block<'a>) -> Result<()> {
        for item in found.items().unwrap_or_default() {
            let Item::Record(record) = item else { continue };
            if record.code() == codes::GLOBAL_DECL_ATTACHMENT {
                let ([global], _) = record.first()?;
                self.attached.entry(crate::bits::size(global)).or_default().push(record);
            } else if !codes::makes_id(record.code()) {
                self.record(record, Self::metadata_slots)?;
            }
        }
        Ok(())
    }

    /// Follows what the body of a function uses.
    fn body(&mut self, body: &Body<'m, 'a>) -> Result<Own> {
        self.own = Own {
            arguments: body.arguments,
            constants: Marks::new(body.constants.len()),
            metadata: Marks::new(body.metadata.len()),
        };
        let constants = self.values.used.len() as u64 + body.arguments;
        let mut next = constants + body.constants.len() as u64;
        for item in body.block.items().unwrap_or_default() {
            match item {
                Item::Record(record) => next += self.instruction(record, next)?,
                Item::Block(inner) if inner.id() == block::METADATA_ATTACHMENT => {
                    self.attachments(inner).within(|| "METADATA_ATTACHMENT")?;
                }
                Item::Block(_) | Item::Define(_) => {}
            }
        }
        self.follow(&body.constants, &body.metadata)?;
        Ok(std::mem::take(&mut self.own))
    }

    /// Marks what an instruction uses; says how many values it gives.
    fn instruction(&mut self, record: &Record<'a>, next: u64) -> Result<u64> {
        let (values, slots) = &mut self.buffers;
        slots.clear();
        record.read(values)?;
        let reader = self.numbers.tables.reader();
        let effect = reader.slots(record, &values.operands, next, slots)?;
        self.mark_slots(next);
        Ok(u64::from(effect == Effect::Value))
    }

    fn attachments(&mut self, inner: &Block<'a>) -> Result<()> {
        for item in inner.items().unwrap_or_default() {
            let Item::Record(record) = item else { continue };
            self.record(record, |_, record, operands, slots| {
                globals::attachment_slots(record, operands, slots)
            })?;
        }
        Ok(())
    }

    /// Marks what a record refers to by its number.
    fn record(
        &mut self,
        record: &Record<'a>,
        of: impl Fn(&Numbers<'m, 'a>, &Record<'a>, &[u64], &mut Vec<Slot>) -> Result<()>,
    ) -> Result<()> {
        let (values, slots) = &mut self.buffers;
        slots.clear();
        record.read(values)?;
        of(self.numbers, record, &values.operands, slots)?;
        self.mark_slots(0);
        Ok(())
    }

    fn mark_slots(&mut self, next: u64) {
        let (values, slots) = std::mem::take(&mut self.buffers);
        for slot in &slots {
            let operand = values.operands.get(slot.index);
            let id = operand.and_then(|&operand| slot.form.decode(operand, next));
            match (slot.kind, id) {
                (Kind::Value, Some(id)) => self.mark_value(id),
                (Kind::Metadata, Some(id)) => self.mark_metadata(id),
                _ => {}
            }
        }
        self.buffers = (values, slots);
    }

    fn mark_value(&mut self, id: u64) {
        match id.checked_sub(self.values.used.len() as u64) {
            None => self.values.mark(id),
            Some(own) => {
                if let Some(constant) = own.checked_sub(self.own.arguments) {
                    self.own.constants.mark(constant);
                }
            }
        }
    }

    fn mark_metadata(&mut self, id: u64) {
        match id.checked_sub(self.metadata.used.len() as u64) {
            None => self.metadata.mark(id),
            Some(own) => self.own.metadata.mark(own),
        }
    }

    /// Marks all that what is marked refers to.
    fn follow(&mut self, own: &[&Record<'a>], own_metadata: &[Entry<'m, 'a>]) -> Result<()> {
        let numbers = self.numbers;
        let constant =
            |_: &Numbers<'m, 'a>, record: &Record<'a>, operands: &[u64], slots: &mut _| {
                constants::slots(record, operands, slots)
            };
        loop {
            if let Some(value) = self.values.pending.pop() {
                if let Some(record) = numbers.globals.get(value) {
                    self.pending.extend(self.bodies.get(&value));
                    self.record(record, Self::global_slots)?;
                    for record in self.attached.remove(&value).unwrap_or_default() {
                        self.record(record, Self::metadata_slots)?;
                    }
                } else if let Some(record) = numbers.constants.get(value - numbers.globals.len()) {
                    self.record(record, constant)?;
                }
            } else if let Some(id) = self.metadata.pending.pop() {
                if let Some(Some(record)) = numbers.metadata.get(id) {
                    self.record(record, Self::metadata_slots)?;
                }
            } else if let Some(id) = self.own.constants.pending.pop() {
                if let Some(record) = own.get(id) {
                    self.record(record, constant)?;
                }
            } else if let Some(id) = self.own.metadata.pending.pop() {
                if let Some(Some(record)) = own_metadata.get(id) {
                    self.record(record, Self::metadata_slots)?;
                }
            } else {
                return Ok(());
            }
        }
    }

    fn global_slots(
        numbers: &Numbers<'m, 'a>,
        record: &Record<'a>,
        operands: &[u64],
        slots: &mut Vec<Slot>,
    ) -> Result<()> {
        globals::slots(record, operands, numbers.tables.version, slots)
    }

    fn metadata_slots(
        numbers: &Numbers<'m, 'a>,
        record: &Record<'a>,
        operands: &[u64],
        slots: &mut Vec<Slot>,
    ) -> Result<()> {
        metadata::slots(record, operands, &numbers.tables.types, slots)
    }
}
