//! What nobody refers to, found from what a module must keep, and taken out.
//!
//! Kept are globals (but for those that the caller offers), named metadata, attachments, and
//! all that instructions of kept functions use; and what these refer to, through constants,
//! metadata, types and attributes.

use std::collections::HashMap;

use crate::abbrev::Values;
use crate::block::{Block, Item};
use crate::error::{Result, Within};
use crate::ids::{block, function, metadata as codes};
use crate::module::Module;
use crate::record::Record;
use crate::renumber::instructions::Effect;
use crate::renumber::lists::{Dropped, Lists, Stay};
use crate::renumber::maps::{Groups, Local, Map, Maps};
use crate::renumber::marks::Marks;
use crate::renumber::numbers::{Body, Constants, Entry, Numbers};
use crate::renumber::reference::{Kind, Slot};
use crate::renumber::types::{self, Shape};
use crate::renumber::typing::{Read, Typing};
use crate::renumber::{attributes, constants, globals, lists, metadata, rewrite};

/// What was taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Collected {
    /// Globals, by their old value ids.
    pub(crate) globals: Vec<usize>,
    /// Constants of the module and of functions.
    pub(crate) constants: usize,
    /// Strings, values and nodes of the module and of functions.
    pub(crate) metadata: usize,
    pub(crate) types: usize,
    /// Lists of attributes, and groups of them.
    pub(crate) attributes: usize,
    /// Names of sections.
    pub(crate) sections: usize,
    /// Nodes of named metadata, each as often as it is named.
    pub(crate) listed: usize,
}

/// What may go.
#[derive(Clone, Copy)]
pub(crate) struct Offer<'o> {
    /// Globals, by their value ids.
    pub(crate) global: &'o dyn Fn(usize) -> bool,
    /// Whether types, attributes and names of sections may.
    pub(crate) tables: bool,
    /// Which nodes of named metadata may.
    pub(crate) node: lists::Choice<'o>,
}

/// What is to become of a module.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) maps: Maps,
    pub(crate) collected: Collected,
    pub(crate) dropped: Dropped,
}

/// Takes out of a decoded module what nobody refers to, and writes all other ids anew. Of the
/// globals only those are taken out that are offered; with functions their bodies go.
///
/// # Errors
/// If a block or record is not known, or refers to what is not there.
pub(crate) fn collect(module: &mut Module<'_>, offer: Offer<'_>) -> Result<Collected> {
    let numbers = Numbers::of(module)?;
    let Found { maps, collected, dropped } = search(module, &numbers, offer)?;
    let Numbers { tables, .. } = numbers;
    if collected != Collected::default() {
        lists::remove(module, &dropped)?;
        rewrite::apply(module, &tables, &maps)?;
    }
    Ok(collected)
}

/// Finds what nobody refers to.
///
/// # Errors
/// As [`collect`].
pub(crate) fn search<'m, 'a>(
    module: &'m Module<'a>,
    numbers: &Numbers<'m, 'a>,
    offer: Offer<'_>,
) -> Result<Found> {
    Search::new(numbers, offer)?.run(module, offer)
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
    types: Marks,
    attributes: Marks,
    groups: Marks,
    sections: Marks,
    own: Own,
    /// Types of values, where types that nobody uses are to be found.
    typing: Option<Typing<'n>>,
    /// Types of globals.
    global_types: Vec<Option<u64>>,
    /// Bodies by the value ids of their functions, and those that are to be followed.
    bodies: HashMap<usize, usize>,
    pending: Vec<usize>,
    /// Attachments of globals, which say nothing until these are kept.
    attached: HashMap<usize, Vec<&'m Record<'a>>>,
    lists: Lists,
    buffers: (Values<'a>, Vec<Slot>),
}

impl<'n, 'm, 'a> Search<'n, 'm, 'a> {
    fn new(numbers: &'n Numbers<'m, 'a>, offer: Offer<'_>) -> Result<Self> {
        let bodies = numbers.bodies.iter().zip(0..).map(|(body, index)| (body.function, index));
        let (own, pending, attached, buffers) = Default::default();
        let mut search = Self {
            numbers,
            values: Marks::new(numbers.globals.len() + numbers.constants.records.len()),
            metadata: Marks::new(numbers.metadata.len()),
            types: Marks::new(numbers.types.len()),
            attributes: Marks::new(numbers.attributes.len()),
            groups: Marks::new(numbers.groups.len()),
            sections: Marks::new(numbers.sections),
            own,
            typing: None,
            global_types: Vec::new(),
            bodies: bodies.collect(),
            pending,
            attached,
            lists: Lists::default(),
            buffers,
        };
        if offer.tables {
            let mut typing = Typing::new(&numbers.tables.types);
            for record in &numbers.globals {
                search.global_types.push(typing.global(record, numbers.tables.version)?);
            }
            add_constants(&mut typing, &numbers.constants)?;
            search.typing = Some(typing);
            // LLVM's writer needs it before it knows what it writes.
            search.mark_shape(Shape::Metadata);
        } else {
            let tables = [
                &mut search.types,
                &mut search.attributes,
                &mut search.groups,
                &mut search.sections,
            ];
            tables.into_iter().for_each(Marks::mark_all);
        }
        Ok(search)
    }

    fn run(mut self, module: &'m Module<'a>, offer: Offer<'_>) -> Result<Found> {
        let numbers = self.numbers;
        let kept = (0..numbers.globals.len()).filter(|&global| !(offer.global)(global));
        kept.for_each(|global| self.values.mark(global as u64));
        for found in module.blocks(block::METADATA) {
            self.lists(found, offer).within(|| "MODULE > METADATA")?;
        }
        self.follow(&Constants::default(), &[]).within(|| "MODULE")?;
        let gone = Local { gone: true, ..Local::default() };
        let mut maps = Maps { bodies: vec![gone; numbers.bodies.len()], ..Maps::default() };
        let mut collected = Collected::default();
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
        Ok(self.finish(maps, collected))
    }

    /// Numbers what is used, and counts what is not.
    fn finish(self, mut maps: Maps, mut collected: Collected) -> Found {
        let numbers = self.numbers;
        maps.values = Map::kept(&self.values.used);
        maps.metadata = Map::kept(&self.metadata.used);
        maps.types = Map::kept(&self.types.used);
        maps.attributes = Map::kept(&self.attributes.used);
        maps.sections = Map::kept(&self.sections.used);
        let ids = numbers.groups.iter().map(|(_, id)| *id).collect();
        maps.groups = Groups { places: Map::kept(&self.groups.used), ids };
        let globals = self.values.used.iter().take(numbers.globals.len()).enumerate();
        collected.globals = globals.filter(|(_, used)| !**used).map(|(id, _)| id).collect();
        collected.constants += self.values.unused() - collected.globals.len();
        collected.metadata += self.metadata.unused();
        collected.types = self.types.unused();
        collected.attributes = self.attributes.unused() + self.groups.unused();
        collected.sections = self.sections.unused();
        let dropped = self.lists.dropped();
        collected.listed = dropped.len();
        Found { maps, collected, dropped }
    }

    /// Records of the module's metadata that are no metadata of their own.
    fn lists(&mut self, found: &'m Block<'a>, offer: Offer<'_>) -> Result<()> {
        let mut name = Vec::new();
        for item in found.items().unwrap_or_default() {
            let Item::Record(record) = item else { continue };
            match record.code() {
                codes::GLOBAL_DECL_ATTACHMENT => {
                    let ([global], _) = record.first()?;
                    self.attached.entry(crate::bits::size(global)).or_default().push(record);
                }
                codes::NAME => name = record.text(0)?,
                codes::NAMED_NODE => self.named(&std::mem::take(&mut name), record, offer)?,
                code if !codes::makes_id(code) => self.record(record, Self::metadata_slots)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Marks the nodes of a list that stay whatever happens.
    fn named(&mut self, name: &[u8], record: &Record<'a>, offer: Offer<'_>) -> Result<()> {
        self.lists.begin();
        for node in record.values()?.operands {
            let globals = match offer.node {
                Some(_) => lists::globals(self.numbers, node)?,
                None => Vec::new(),
            };
            match offer.node.map_or(Stay::Always, |stay| stay(name, &globals)) {
                Stay::Always => self.mark_metadata(node),
                Stay::Never => self.lists.drop(node),
                Stay::WithGlobals => {
                    if self.lists.wait(node, &globals) {
                        self.mark_metadata(node);
                    }
                }
            }
        }
        Ok(())
    }

    /// Follows what the body of a function uses.
    fn body(&mut self, body: &Body<'m, 'a>) -> Result<Own> {
        self.own = Own {
            arguments: body.arguments,
            constants: Marks::new(body.constants.records.len()),
            metadata: Marks::new(body.metadata.len()),
        };
        let first = self.typing.as_ref().map_or(0, Typing::count);
        if let Some(typing) = &mut self.typing {
            let callees = &self.numbers.tables.callees;
            let of_type = callees.get(body.function).copied().flatten();
            typing.arguments(of_type.unwrap_or(u64::MAX));
            add_constants(typing, &body.constants)?;
        }
        let constants = self.values.count() as u64 + body.arguments;
        let mut next = constants + body.constants.records.len() as u64;
        for item in body.block.items().unwrap_or_default() {
            match item {
                Item::Record(record) => next += self.instruction(record, next)?,
                Item::Block(inner) if inner.id() == block::METADATA_ATTACHMENT => {
                    self.attachments(inner).within(|| "METADATA_ATTACHMENT")?;
                }
                Item::Block(_) | Item::Define(_) => {}
            }
        }
        if let Some(typing) = &mut self.typing {
            typing.truncate(first);
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
        if let Some(typing) = &mut self.typing {
            let code = record.code();
            let found = match effect {
                Effect::Value => {
                    typing.instruction(Read { code, operands: &values.operands, slots, next })
                }
                Effect::Void => self.numbers.tables.types.find(Shape::Void),
                Effect::Beside => None,
            };
            let jumps = [function::BR, function::SWITCH, function::INDIRECTBR, function::INVOKE];
            if jumps.contains(&code) {
                self.mark_shape(Shape::Label);
            }
            self.mark_type(found);
        }
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
            let Some(id) = operand.and_then(|&operand| slot.form.decode(operand, next)) else {
                continue;
            };
            match slot.kind {
                Kind::Value => self.mark_value(id),
                Kind::Metadata => self.mark_metadata(id),
                Kind::Type => self.types.mark(id),
                Kind::Attributes => self.attributes.mark(id),
                Kind::Section => self.sections.mark(id),
                Kind::Group => {
                    if let Some(&index) = self.numbers.tables.groups.get(&id) {
                        self.groups.mark(index as u64);
                    }
                }
            }
        }
        self.buffers = (values, slots);
    }

    fn mark_value(&mut self, id: u64) {
        match id.checked_sub(self.values.count() as u64) {
            None => self.values.mark(id),
            Some(own) => {
                if let Some(constant) = own.checked_sub(self.own.arguments) {
                    self.own.constants.mark(constant);
                }
            }
        }
    }

    fn mark_metadata(&mut self, id: u64) {
        match id.checked_sub(self.metadata.count() as u64) {
            None => self.metadata.mark(id),
            Some(own) => self.own.metadata.mark(own),
        }
    }

    fn mark_type(&mut self, number: Option<u64>) {
        number.into_iter().for_each(|number| self.types.mark(number));
    }

    fn mark_shape(&mut self, shape: Shape) {
        self.mark_type(self.numbers.tables.types.find(shape));
    }

    /// Marks all that what is marked refers to.
    fn follow(&mut self, own: &Constants<'m, 'a>, own_metadata: &[Entry<'m, 'a>]) -> Result<()> {
        let numbers = self.numbers;
        loop {
            if let Some(value) = self.values.next() {
                self.value(value)?;
            } else if let Some(id) = self.metadata.next() {
                if let Some(Some(record)) = numbers.metadata.get(id) {
                    self.record(record, Self::metadata_slots)?;
                }
            } else if let Some(id) = self.own.constants.next() {
                self.constant(own, id)?;
            } else if let Some(id) = self.own.metadata.next() {
                if let Some(Some(record)) = own_metadata.get(id) {
                    self.record(record, Self::metadata_slots)?;
                }
            } else if !self.follow_tables()? {
                return Ok(());
            }
        }
    }

    /// The same of types and attributes; says whether anything was left of them.
    fn follow_tables(&mut self) -> Result<bool> {
        let numbers = self.numbers;
        if let Some(record) = self.attributes.next().and_then(|id| numbers.attributes.get(id)) {
            self.record(record, |_, record, operands, slots| {
                attributes::slots(record, operands, block::PARAMATTR, slots)
            })?;
        } else if let Some((record, _)) = self.groups.next().and_then(|id| numbers.groups.get(id)) {
            self.record(record, |_, record, operands, slots| {
                attributes::slots(record, operands, block::PARAMATTR_GROUP, slots)
            })?;
        } else if let Some(record) = self.types.next().and_then(|id| numbers.types.get(id)) {
            self.record(record, |_, record, operands, slots| {
                types::slots(record, operands, slots)
            })?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Marks what a global or a constant of the module refers to.
    fn value(&mut self, value: usize) -> Result<()> {
        let numbers = self.numbers;
        let Some(record) = numbers.globals.get(value) else {
            return self.constant(&numbers.constants, value - numbers.globals.len());
        };
        self.mark_type(self.global_types.get(value).copied().flatten());
        self.pending.extend(self.bodies.get(&value));
        self.record(record, Self::global_slots)?;
        for record in self.attached.remove(&value).unwrap_or_default() {
            self.record(record, Self::metadata_slots)?;
        }
        for node in self.lists.found(value) {
            self.mark_metadata(node);
        }
        Ok(())
    }

    fn constant(&mut self, all: &Constants<'m, 'a>, id: usize) -> Result<()> {
        let (Some(record), Some(&of_type)) = (all.records.get(id), all.types.get(id)) else {
            return Ok(());
        };
        self.types.mark(of_type.into());
        self.record(record, |_, record, operands, slots| constants::slots(record, operands, slots))
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

fn add_constants(typing: &mut Typing<'_>, constants: &Constants<'_, '_>) -> Result<()> {
    let mut all = constants.records.iter().zip(&constants.types);
    all.try_for_each(|(record, &of_type)| typing.constant(record, of_type))
}
