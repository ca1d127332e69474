//! Follows what the one function of a module uses, to see that it uses all but the source's name.

use super::flat::{Flat, Item, List};
use crate::bits::size;
use crate::entry::EntryKind;
use crate::ids::{block, constants as constant_codes, function, metadata as codes};
use crate::renumber::types::{Shape, Types};
use crate::renumber::typing::{Read, Typing};
use crate::renumber::{Effect, Kind, Reader, Slot};
use crate::renumber::{attributes, constants, globals, metadata, types};
use crate::split::SOURCE_LIST;

/// Groups of attributes and nodes of lists that are looked for one after the other; real modules
/// have fewer.
const MANY: usize = 256;

/// What goes: the list of the source's name, its node, and its string, unless something else
/// uses that.
#[derive(Debug)]
pub(super) struct Gone {
    pub(super) list: List,
    pub(super) node: u64,
    pub(super) string: Option<u64>,
    pub(super) types: Types,
    pub(super) callees: Vec<Option<u64>>,
}

impl Gone {
    /// The new number of metadata that stays.
    pub(super) fn new_id(&self, id: u64) -> u64 {
        let string = self.string.is_some_and(|string| string < id);
        id - u64::from(string) - u64::from(self.node < id)
    }
}

/// Ids of a kind that are in use.
type Marks = Vec<bool>;

/// What is used again for the next module.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    values: Marks,
    metadata: Marks,
    types: Marks,
    attributes: Marks,
    groups: Marks,
    sections: Marks,
    pending: Vec<(Kind, usize)>,
    slots: Vec<Slot>,
    /// Nodes of lists that wait for globals.
    waiting: Vec<(u64, Vec<usize>)>,
}

pub(super) struct Reach<'f> {
    flat: &'f Flat,
    to: &'f mut Buffers,
    /// How many values and how much metadata the module has.
    values: usize,
    metadata: usize,
    /// Values that are no instructions.
    named: usize,
    /// The highest value that an instruction uses.
    highest: u64,
    /// Whether the record that is followed is the function's.
    inside: bool,
    /// Operands of listed nodes that may still be looked at: a list may name one any number of
    /// times.
    left: usize,
}

impl<'f> Reach<'f> {
    /// What goes if the function uses all else; none if it does not, or that is not sure.
    pub(super) fn follow(flat: &'f Flat, to: &'f mut Buffers) -> Option<Gone> {
        (flat.groups.len() < MANY).then_some(())?;
        let mut table = Types::default();
        for item in &flat.types {
            table.add_read(item, flat.of(item)).ok()?;
        }
        let callees: Vec<Option<u64>> =
            flat.globals.iter().map(|item| callee(flat, item)).collect();
        let of_type = (*callees.get(flat.function)?)?;
        let arguments = table.signature(of_type)?.parameters.len();
        let values = flat.globals.len() + flat.module_constants;
        let named = values + arguments + flat.constants.len() - flat.module_constants;
        to.begin(flat, named);
        let metadata = flat.module_metadata;
        let left = flat.operands.len().saturating_mul(2);
        let mut reach =
            Reach { flat, to, values, metadata, named, highest: 0, inside: false, left };
        let (list, node) = reach.lists()?;
        reach.mark(Kind::Value, flat.function as u64)?;
        let typing = reach.typing(&table, of_type)?;
        reach.body(&table, &callees, typing)?;
        reach.rest(&table)?;
        let string = reach.source(node)?;
        reach.is_whole(node, string, arguments).then_some(())?;
        Some(Gone { list, node, string, types: table, callees })
    }

    fn mark(&mut self, kind: Kind, id: u64) -> Option<()> {
        let id = size(id);
        let (marks, limit) = match kind {
            Kind::Value => {
                (&mut self.to.values, if self.inside { self.named } else { self.values })
            }
            Kind::Metadata => {
                let all = self.to.metadata.len();
                (&mut self.to.metadata, if self.inside { all } else { self.metadata })
            }
            Kind::Type => (&mut self.to.types, usize::MAX),
            Kind::Attributes => (&mut self.to.attributes, usize::MAX),
            Kind::Group => (&mut self.to.groups, usize::MAX),
            Kind::Section => (&mut self.to.sections, usize::MAX),
        };
        if id >= limit {
            // An instruction's value, which may be one that follows.
            self.highest = self.highest.max(id as u64);
            return (self.inside && kind == Kind::Value).then_some(());
        }
        if !std::mem::replace(marks.get_mut(id)?, true) {
            self.to.pending.push((kind, id));
        }
        Some(())
    }

    /// Marks the nodes of named metadata that stay whatever happens; gives the list of the
    /// source's name, and its node.
    fn lists(&mut self) -> Option<(List, u64)> {
        let flat = self.flat;
        let mut source = None;
        for list in &flat.lists {
            if flat.is_text(&list.name, SOURCE_LIST) {
                let &[node] = flat.of(&list.nodes) else { return None };
                source.replace((list.clone(), node)).is_none().then_some(())?;
                continue;
            }
            let is_kind = |kind: EntryKind| flat.is_text(&list.name, kind.list().as_bytes());
            let of_entries = EntryKind::ALL.into_iter().any(is_kind);
            for &node in flat.of(&list.nodes) {
                let globals = self.named_globals(node)?;
                match globals.first() {
                    Some(&first) if of_entries => (first == flat.function).then_some(())?,
                    Some(_) => {
                        (self.to.waiting.len() < MANY && globals.len() < MANY).then_some(())?;
                        self.to.waiting.push((node, globals));
                        continue;
                    }
                    None => {}
                }
                self.mark(Kind::Metadata, node)?;
            }
        }
        source
    }

    /// The globals that a node names itself.
    fn named_globals(&mut self, node: u64) -> Option<Vec<usize>> {
        let Some(item) = self.flat.node(node) else { return Some(Vec::new()) };
        self.left = self.left.checked_sub(item.range().len() + 1)?;
        let mut found = Vec::new();
        if item.code == codes::VALUE {
            found.extend(self.global(self.flat.first::<2>(&item)[1])?);
            return Some(found);
        }
        if !matches!(item.code, codes::NODE | codes::DISTINCT_NODE) {
            return None;
        }
        for &operand in self.flat.of(&item) {
            let entry = operand.checked_sub(1).and_then(|id| self.flat.node(id));
            if let Some(value) = entry.filter(|entry| entry.code == codes::VALUE) {
                found.extend(self.global(self.flat.first::<2>(&value)[1])?);
            }
        }
        Some(found)
    }

    /// The global that a value is, if it is one; none where that is not sure.
    fn global(&self, value: u64) -> Option<Option<usize>> {
        let globals = self.flat.globals.len();
        if size(value) < globals {
            return Some(Some(size(value)));
        }
        let (constant, _) = self.flat.constants.get(size(value) - globals)?;
        let expressions = [
            constant_codes::CE_CAST,
            constant_codes::CE_GEP,
            constant_codes::CE_INBOUNDS_GEP,
            constant_codes::CE_GEP_WITH_INRANGE_INDEX,
        ];
        (!expressions.contains(&constant.code)).then_some(None)
    }

    /// Types of all values but instructions.
    fn typing<'t>(&mut self, table: &'t Types, of_type: u64) -> Option<Typing<'t>> {
        let flat = self.flat;
        let mut typing = Typing::new(table);
        for item in &flat.globals {
            let global = typing.global_read(item.code, flat.first(item), 2);
            // All of them are used, or this is left to the tree.
            self.mark_type(global)?;
        }
        let (of_module, own) = flat.constants.split_at_checked(flat.module_constants)?;
        let mut add = |typing: &mut Typing<'t>, (item, number): &(Item, u32)| {
            typing.constant_read(item.code, flat.first::<1>(item)[0], *number);
            self.mark_type(Some((*number).into()))
        };
        of_module.iter().try_for_each(|constant| add(&mut typing, constant))?;
        typing.arguments(of_type);
        own.iter().try_for_each(|constant| add(&mut typing, constant))?;
        // LLVM's writer needs it before it knows what it writes.
        self.mark_shape(table, Shape::Metadata)?;
        Some(typing)
    }

    fn mark_type(&mut self, number: Option<u64>) -> Option<()> {
        number.map_or(Some(()), |number| self.mark(Kind::Type, number))
    }

    fn mark_shape(&mut self, table: &Types, shape: Shape) -> Option<()> {
        self.mark_type(table.find(shape))
    }

    fn body(
        &mut self,
        table: &Types,
        callees: &[Option<u64>],
        mut typing: Typing<'_>,
    ) -> Option<()> {
        let reader = Reader { types: table, callees, relative: true };
        self.inside = true;
        let mut next = self.named as u64;
        let flat = self.flat;
        for item in &flat.instructions {
            let (code, operands) = (item.code, flat.of(item));
            let mut slots = std::mem::take(&mut self.to.slots);
            slots.clear();
            let effect = reader.slots(item, operands, next, &mut slots).ok()?;
            let found = match effect {
                Effect::Value => typing.instruction(Read { code, operands, slots: &slots, next }),
                Effect::Void => table.find(Shape::Void),
                Effect::Beside => None,
            };
            if matches!(
                code,
                function::BR | function::SWITCH | function::INDIRECTBR | function::INVOKE
            ) {
                self.mark_shape(table, Shape::Label)?;
            }
            self.mark_type(found)?;
            self.mark_slots(&slots, operands, next)?;
            self.to.slots = slots;
            next += u64::from(effect == Effect::Value);
        }
        for item in &flat.attachments {
            self.record(item, globals::attachment_slots)?;
        }
        self.inside = false;
        (self.highest < next).then_some(())
    }

    fn mark_slots(&mut self, slots: &[Slot], operands: &[u64], next: u64) -> Option<()> {
        for slot in slots {
            let Some(id) = slot.form.decode(*operands.get(slot.index)?, next) else { continue };
            if slot.kind != Kind::Group {
                self.mark(slot.kind, id)?;
                continue;
            }
            let flat = self.flat;
            let is_it = |group: &Item| flat.first::<1>(group) == [id];
            if let Some(index) = flat.groups.iter().position(is_it) {
                self.mark(Kind::Group, index as u64)?;
            }
        }
        Some(())
    }

    /// Marks what a record refers to.
    fn record(
        &mut self,
        item: &Item,
        of: impl Fn(&Item, &[u64], &mut Vec<Slot>) -> crate::error::Result<()>,
    ) -> Option<()> {
        let operands = self.flat.of(item);
        let mut slots = std::mem::take(&mut self.to.slots);
        slots.clear();
        of(item, operands, &mut slots).ok()?;
        self.mark_slots(&slots, operands, 0)?;
        self.to.slots = slots;
        Some(())
    }

    /// Follows all that is marked.
    fn rest(&mut self, table: &Types) -> Option<()> {
        loop {
            while let Some((kind, id)) = self.to.pending.pop() {
                self.id(kind, id, table)?;
            }
            let used = |to: &Buffers, global: &usize| to.values.get(*global) == Some(&true);
            let to = &mut *self.to;
            let found = to.waiting.iter().position(|(_, of)| of.iter().all(|id| used(to, id)));
            match found {
                Some(index) => {
                    let (node, _) = self.to.waiting.swap_remove(index);
                    self.mark(Kind::Metadata, node)?;
                }
                None => return self.to.waiting.is_empty().then_some(()),
            }
        }
    }

    /// Follows what is marked.
    fn id(&mut self, kind: Kind, id: usize, table: &Types) -> Option<()> {
        let flat = self.flat;
        match kind {
            Kind::Value => return self.value(id),
            Kind::Metadata => {
                let Some(item) = flat.metadata.get(id)? else { return Some(()) };
                self.inside = id >= self.metadata;
                self.record(item, |item, operands, to| metadata::slots(item, operands, table, to))?;
                self.inside = false;
            }
            Kind::Type => {
                self.record(flat.types.get(id)?, types::slots)?;
            }
            Kind::Attributes => self.record(flat.attributes.get(id)?, |item, operands, to| {
                attributes::slots(item, operands, block::PARAMATTR, to)
            })?,
            Kind::Group => self.record(flat.groups.get(id)?, |item, operands, to| {
                attributes::slots(item, operands, block::PARAMATTR_GROUP, to)
            })?,
            Kind::Section => {}
        }
        Some(())
    }

    fn value(&mut self, id: usize) -> Option<()> {
        let flat = self.flat;
        if let Some(item) = flat.globals.get(id) {
            return self.record(item, |item, operands, to| globals::slots(item, operands, 2, to));
        }
        let own = flat.constants.len() - flat.module_constants;
        let constant = match id.checked_sub(self.values) {
            None => id - flat.globals.len(),
            Some(local) => match local.checked_sub(self.named - self.values - own) {
                Some(constant) => flat.module_constants + constant,
                // An argument.
                None => return Some(()),
            },
        };
        let (item, _) = flat.constants.get(constant)?;
        self.inside = id >= self.values;
        self.record(item, constants::slots)?;
        self.inside = false;
        Some(())
    }

    /// The string of the source's name that goes with its node, if nothing else uses it.
    fn source(&self, node: u64) -> Option<Option<u64>> {
        let item = self.flat.node(node).filter(|item| item.code == codes::NODE)?;
        let &[operand] = self.flat.of(&item) else { return None };
        let string = operand.checked_sub(1)?;
        self.flat.metadata.get(size(string))?.is_none().then_some(())?;
        let is_used = *self.to.metadata.get(size(string))?;
        Some((!is_used).then_some(string))
    }

    /// Whether all is used but the node and its string.
    fn is_whole(&self, node: u64, string: Option<u64>, arguments: usize) -> bool {
        let to = &*self.to;
        let all = |marks: &Marks| marks.iter().all(|used| *used);
        let values = to.values.iter().enumerate();
        let of_arguments = self.values..self.values + arguments;
        let unused = to.metadata.iter().filter(|used| !**used).count();
        all(&to.types)
            && all(&to.attributes)
            && all(&to.groups)
            && all(&to.sections)
            && values.into_iter().all(|(id, used)| *used || of_arguments.contains(&id))
            && to.metadata.get(size(node)) == Some(&false)
            && unused == 1 + usize::from(string.is_some())
    }
}

impl Buffers {
    fn begin(&mut self, flat: &Flat, values: usize) {
        let sizes = [
            (&mut self.values, values),
            (&mut self.metadata, flat.metadata.len()),
            (&mut self.types, flat.types.len()),
            (&mut self.attributes, flat.attributes.len()),
            (&mut self.groups, flat.groups.len()),
            (&mut self.sections, flat.sections),
        ];
        for (marks, count) in sizes {
            marks.clear();
            marks.resize(count, false);
        }
        self.pending.clear();
        self.waiting.clear();
    }
}

/// The type of a function.
fn callee(flat: &Flat, item: &Item) -> Option<u64> {
    let [_, _, of_type] = flat.first(item);
    (item.code == crate::ids::module::FUNCTION).then_some(of_type)
}
