//! Writes a module without its source's name.

use super::Own;
use super::flat::{Flat, Item};
use super::reach::Gone;
use super::read::{Edit, Place, Seen};
use super::texts::Texts;
use crate::abbrev::FIRST_ID;
use crate::bits::{BitReader, BitWriter, size};
use crate::block::END_BLOCK;
use crate::ids::{block, function, metadata as codes};
use crate::record::UNABBREVIATED;
use crate::renumber::{Effect, Kind, Reader, Slot, globals, metadata, types::Type};
use crate::skim::{Blob, Frame, Span, Splice, Tail, VBR6, WORD, Walk, source_name, write_table};

/// Nodes that LLVM writes an index for: more than these.
const INDEX_THRESHOLD: usize = 25;

pub(super) struct Writing<'w, 'b, 'a> {
    frame: &'w Frame<'a>,
    flat: &'w Flat,
    gone: &'w Gone,
    own: &'w mut Own,
    splice: Splice<'b, 'a>,
    /// Blocks that are open: bits of their ids, where their lengths are in the output, and
    /// whether bits in them moved.
    open: Vec<(u32, u64, bool)>,
    /// Where the field for the position of the symbol table is in the output, and the body.
    offset: Option<u64>,
    body: u64,
    index: Index,
    slots: Vec<Slot>,
    operands: Vec<u64>,
    /// Whether functions take metadata as arguments, and the number of the next value.
    takes_metadata: bool,
    next: u64,
}

/// The index of metadata.
#[derive(Default)]
struct Index {
    /// Where the field for its position is, and what that counts from.
    field: Option<(u64, u64)>,
    /// Where records of values and nodes begin.
    starts: Vec<u64>,
}

impl<'w, 'b, 'a> Writing<'w, 'b, 'a> {
    pub(super) fn new(
        frame: &'w Frame<'a>,
        flat: &'w Flat,
        gone: &'w Gone,
        own: &'w mut Own,
        out: &'b mut Vec<u8>,
    ) -> Self {
        let splice = Splice::new(frame.stream, out);
        let (open, offset, index, slots, operands) = Default::default();
        let is_metadata = |&number: &u32| gone.types.is_metadata(number.into());
        let takes = |number: u64| match gone.types.get(number) {
            Some(Type::Function(signature)) => signature.parameters.iter().any(is_metadata),
            _ => false,
        };
        let takes_metadata = (0..flat.types.len() as u64).any(takes);
        let arguments = gone.callees.get(flat.function).copied().flatten();
        let arguments = arguments.and_then(|number| gone.types.signature(number));
        let arguments = arguments.map_or(0, |signature| signature.parameters.len());
        let next = (flat.globals.len() + flat.constants.len() + arguments) as u64;
        let body = 0;
        Self {
            frame,
            flat,
            gone,
            own,
            splice,
            open,
            offset,
            body,
            index,
            slots,
            operands,
            takes_metadata,
            next,
        }
    }

    /// Writes the whole stream.
    pub(super) fn stream(
        mut self,
        edits: &[Edit],
        seen: &Seen<'a, '_>,
        name: &[u8],
        texts: &Texts,
    ) -> Option<()> {
        let module = self.frame.module;
        let length = self.splice.open(Span::of(&module))?;
        self.open.push((module.width, length, false));
        for edit in edits {
            self.edit(edit, seen, name)?;
        }
        let (_, length, moved) = self.open.pop()?;
        (!moved && self.open.is_empty()).then_some(())?;
        self.splice.close(Span::of(&module), length)?;
        if let Some((strings, table)) = &texts.both {
            let symbols = self.frame.symbols.as_ref()?;
            let mut blobs = [(symbols, table), (&self.frame.strings, strings)];
            blobs.sort_by_key(|(blob, _)| blob.start);
            blobs.into_iter().try_for_each(|(blob, bytes)| self.blob(blob, bytes))?;
        }
        self.splice.to(self.frame.stream.data().len() as u64 * 8)
    }

    fn edit(&mut self, edit: &Edit, seen: &Seen<'a, '_>, name: &[u8]) -> Option<()> {
        match edit {
            Edit::Source(item) => {
                self.splice.to(item.start)?;
                let width = self.frame.module.width;
                source_name(&mut self.splice.writer, width, &self.own.module, name)?;
                self.moved(item)
            }
            Edit::Offset { field } => {
                self.splice.to(*field)?;
                self.offset = Some(self.splice.writer.position());
                self.splice.field()
            }
            Edit::Block(place) => self.align(place),
            Edit::Enter(place) => {
                self.align(place)?;
                if place.id == block::FUNCTION {
                    self.body = self.splice.word(place.start, self.frame.origin)?;
                }
                let length = self.splice.open(place.span)?;
                self.open.push((place.width, length, false));
                Some(())
            }
            Edit::Leave { place, start } => self.leave(place, *start),
            Edit::Table(place) => {
                if let Some(last) = self.open.last_mut() {
                    last.2 = false;
                }
                let table = seen.table?;
                let shorts = seen.shorts.map_or(&[][..], |shorts| shorts.of(block::VALUE_SYMTAB));
                let mut walk = Walk::new(&table, shorts, &mut self.own.table);
                let (outer, origin) = (place.outer, self.frame.origin);
                let defined = (&[self.flat.function as u64][..], &[self.body][..]);
                let at = (place.start, self.offset?);
                write_table(&mut self.splice, (&table, outer, origin), at, &mut walk, defined)
            }
            Edit::Strings(item) => self.strings(item, seen.strings?),
            Edit::Metadata(item) => self.metadata(item),
            Edit::Instruction(index) => self.instruction(*index),
            Edit::Attachment(item) => {
                self.read(item, |item, operands, to| {
                    globals::attachment_slots(item, operands, to)
                })?;
                self.change(item, 0)
            }
        }
    }

    /// Takes note that a record was written anew or left out.
    fn moved(&mut self, item: &Item) -> Option<()> {
        self.open.last_mut()?.2 = true;
        self.splice.skip_to(item.end)
    }

    /// Writes the head of a block behind bits that moved, whose padding changes.
    fn align(&mut self, place: &Place) -> Option<()> {
        if std::mem::replace(&mut self.open.last_mut()?.2, false) {
            self.splice.to(place.start)?;
            self.splice.head(place.outer, place.id, place.width);
            self.splice.skip_to(place.span.length)?;
        }
        Some(())
    }

    fn leave(&mut self, place: &Place, start: u64) -> Option<()> {
        let (width, length, moved) = self.open.pop()?;
        if moved {
            self.splice.to(start)?;
            self.splice.writer.fixed(END_BLOCK.into(), width);
            self.splice.writer.align();
            self.splice.skip_to(place.span.end)?;
        }
        self.splice.close(place.span, length)
    }

    /// Finds what a record refers to.
    fn read(
        &mut self,
        item: &Item,
        of: impl FnOnce(&Item, &[u64], &mut Vec<Slot>) -> crate::error::Result<()>,
    ) -> Option<()> {
        self.slots.clear();
        of(item, self.flat.of(item), &mut self.slots).ok()
    }

    /// Writes a record anew if metadata that it refers to has other numbers.
    fn change(&mut self, item: &Item, next: u64) -> Option<()> {
        let operands = self.flat.of(item);
        let mut changed = false;
        self.operands.clear();
        self.operands.extend_from_slice(operands);
        for slot in self.slots.iter().filter(|slot| slot.kind == Kind::Metadata) {
            let operand = self.operands.get_mut(slot.index)?;
            let Some(id) = slot.form.decode(*operand, next) else { continue };
            let new = slot.form.encode(self.gone.new_id(id), next);
            changed |= std::mem::replace(operand, new) != new;
        }
        if !changed {
            return Some(());
        }
        // What no longer fits an abbreviation is left to the tree, with all that has one.
        item.abbreviation.is_none().then_some(())?;
        self.splice.to(item.start)?;
        let (width, ..) = *self.open.last()?;
        let writer = &mut self.splice.writer;
        writer.fixed(UNABBREVIATED.into(), width);
        writer.vbr(item.code.into(), 6);
        writer.vbr(self.operands.len() as u64, 6);
        self.operands.iter().for_each(|&operand| writer.vbr(operand, 6));
        self.moved(item)
    }

    fn metadata(&mut self, item: &Item) -> Option<()> {
        let in_module = self.open.len() == 2;
        match item.code {
            codes::INDEX_OFFSET if in_module => return self.index_offset(item),
            codes::INDEX if in_module => return self.index(item),
            codes::INDEX_OFFSET | codes::INDEX => return None,
            _ => {}
        }
        let list = &self.gone.list;
        let node = self.flat.node(self.gone.node)?;
        if in_module && [list.name.start, list.nodes.start, node.start].contains(&item.start) {
            return self.remove(item);
        }
        if codes::makes_id(item.code) && self.index.field.is_some() && in_module {
            self.index.starts.push(self.splice.place(item.start)?);
        }
        let types = &self.gone.types;
        self.slots.clear();
        metadata::slots(item, self.flat.of(item), types, &mut self.slots).ok()?;
        self.change(item, 0)
    }

    /// Leaves a record out, if its abbreviation has other uses.
    fn remove(&mut self, item: &Item) -> Option<()> {
        let is_name = item.code == codes::NAME;
        let mut same = self.flat.lists.iter().map(|list| list.name.abbreviation);
        let others = same.by_ref().filter(|found| *found == item.abbreviation).count();
        (item.abbreviation.is_none() || is_name && others > 1).then_some(())?;
        self.splice.to(item.start)?;
        self.moved(item)
    }

    fn index_offset(&mut self, item: &Item) -> Option<()> {
        let short = self.own.metadata.get(size(item.abbreviation?.into()))?;
        let is_usual = short.literal() == Some(item.code) && short.rooms() == [WORD, WORD];
        let is_first = self.index.field.is_none();
        (is_usual && short.tail() == Tail::None && is_first).then_some(())?;
        self.splice.to(item.end.checked_sub(64)?)?;
        let place = self.splice.writer.position();
        self.splice.writer.fixed(0, 64);
        self.splice.skip_to(item.end)?;
        self.index.field = Some((place, place + 64));
        Some(())
    }

    fn index(&mut self, item: &Item) -> Option<()> {
        let number = item.abbreviation?;
        let short = self.own.metadata.get(size(number.into()))?;
        let is_usual = short.literal() == Some(item.code) && short.rooms().is_empty();
        (is_usual && short.tail() == Tail::Array(VBR6)).then_some(())?;
        let (field, origin) = self.index.field?;
        // With fewer nodes LLVM writes none.
        let module = self.flat.metadata.get(..self.flat.module_metadata)?;
        let nodes = module.iter().flatten().count() - 1;
        (nodes > INDEX_THRESHOLD).then_some(())?;
        self.splice.to(item.start)?;
        let (width, ..) = *self.open.last()?;
        let writer = &mut self.splice.writer;
        let here = writer.position();
        writer.fixed(u64::from(number) + u64::from(FIRST_ID), width);
        writer.vbr(self.index.starts.len() as u64, 6);
        let mut before = origin;
        for &start in &self.index.starts {
            writer.vbr(start - std::mem::replace(&mut before, start), 6);
        }
        writer.patch(field, here - origin, 64);
        self.moved(item)
    }

    /// The strings of the module's metadata, without that of the source's name.
    fn strings(&mut self, item: &Item, blob: &[u8]) -> Option<()> {
        let Some(gone) = self.gone.string else { return Some(()) };
        let number = item.abbreviation?;
        let short = self.own.metadata.get(size(number.into()))?;
        let is_usual = short.literal() == Some(item.code) && short.rooms() == [VBR6, VBR6];
        (is_usual && short.tail() == Tail::Blob).then_some(())?;
        let [count, offset] = self.flat.first(item);
        let (lengths, characters) = blob.split_at_checked(size(offset))?;
        let mut reader = BitReader::new(lengths, 0);
        let (mut bits, mut bytes, mut total) = ((0, 0), (0, 0), 0);
        for index in 0..count {
            let before = reader.position();
            let length = size(reader.vbr(6, "length of a string").ok()?);
            if index == gone {
                (bits, bytes) = ((before, reader.position()), (total, total + length));
            }
            total = total.checked_add(length).filter(|total| *total <= characters.len())?;
        }
        let all = reader.position();
        reader.align().ok()?;
        // Bytes that belong to no string would be lost.
        let whole = reader.remaining() == 0 && total == characters.len() && count > 1;
        whole.then_some(())?;
        let mut new = Vec::with_capacity(lengths.len());
        let mut writer = BitWriter::new(&mut new);
        let mut from = BitReader::new(lengths, 0);
        writer.copy(&mut from, bits.0).ok()?;
        from.skip(bits.1 - bits.0, "length of a string").ok()?;
        writer.copy(&mut from, all - bits.1).ok()?;
        writer.align();
        let (front, rest) = (characters.get(..bytes.0)?, characters.get(bytes.1..)?);
        self.splice.to(item.start)?;
        let (width, ..) = *self.open.last()?;
        let writer = &mut self.splice.writer;
        writer.fixed(u64::from(number) + u64::from(FIRST_ID), width);
        writer.vbr(count - 1, 6);
        writer.vbr(new.len() as u64, 6);
        writer.vbr((new.len() + front.len() + rest.len()) as u64, 6);
        writer.align();
        writer.aligned_parts(&[&new, front, rest]);
        self.moved(item)
    }

    fn instruction(&mut self, index: usize) -> Option<()> {
        let item = self.flat.instructions.get(index)?;
        if !self.takes_metadata && item.code != function::DEBUG_LOC {
            return Some(());
        }
        let (types, callees) = (&self.gone.types, self.gone.callees.as_slice());
        let reader = Reader { types, callees, relative: true };
        self.slots.clear();
        let effect = reader.slots(item, self.flat.of(item), self.next, &mut self.slots).ok()?;
        self.change(item, self.next)?;
        self.next += u64::from(effect == Effect::Value);
        Some(())
    }

    /// Writes other bytes in place of a blob.
    fn blob(&mut self, blob: &Blob<'a>, bytes: &[u8]) -> Option<()> {
        let length = self.splice.open(blob.block)?;
        self.splice.to(blob.size)?;
        self.splice.writer.vbr(bytes.len() as u64, 6);
        self.splice.writer.align();
        self.splice.writer.aligned_bytes(bytes);
        self.splice.skip_to(blob.end)?;
        self.splice.close(blob.block, length)
    }
}
