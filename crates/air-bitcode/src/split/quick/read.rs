//! Reads a module of one body into a [`Flat`], and notes what may have to change.

use super::Own;
use super::flat::{Flat, Item, List};
use crate::bits::low_word;
use crate::ids::{block, constants, function, metadata, module as codes, vst};
use crate::renumber::types::makes_type;
use crate::skim::{Definitions, Frame, Infos, Inner, Short, Shorts, Span, Step, Tail, WORD, Walk};
use crate::strings::Strings;
use crate::symbols::is_global;

/// Something that changes, or is asked for its place in the output, in the order of the stream.
/// Positions are bits of the stream.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edit {
    /// The record of the source file's name.
    Source(Item),
    /// The field that says where the symbol table begins.
    Offset { field: u64 },
    /// A block that does not change; its head does, behind bits that moved.
    Block(Place),
    /// A block in which something may change.
    Enter(Place),
    /// Its end: the id that says so.
    Leave { place: Place, start: u64 },
    /// The module's value symbol table.
    Table(Place),
    /// The strings of the module's metadata.
    Strings(Item),
    /// A record of metadata.
    Metadata(Item),
    /// A record of the function, which is the so-manieth of its instructions.
    Instruction(usize),
    /// Attachments of an instruction or the function.
    Attachment(Item),
}

/// A block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Where the id stands that announces it.
    pub(super) start: u64,
    pub(super) span: Span,
    pub(super) id: u32,
    pub(super) width: u32,
    /// Bits of ids around it.
    pub(super) outer: u32,
}

/// What was found beside the records.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen<'a, 's> {
    pub(super) table: Option<Inner<'a>>,
    pub(super) shorts: Option<&'s Shorts>,
    /// The blob of the strings of the module's metadata.
    pub(super) strings: Option<&'a [u8]>,
    has_source: bool,
    has_offset: bool,
    has_body: bool,
    version: Option<u64>,
}

pub(super) struct Reading<'f, 'a, 's> {
    pub(super) frame: &'f Frame<'a>,
    pub(super) infos: Option<&'s mut Infos>,
    pub(super) flat: &'f mut Flat,
    pub(super) own: &'f mut Own,
    pub(super) edits: &'f mut Vec<Edit>,
    pub(super) seen: Seen<'a, 's>,
}

impl<'a, 's> Reading<'_, 'a, 's> {
    /// Reads all of the module; none if its form is another.
    pub(super) fn module(mut self) -> Option<Seen<'a, 's>> {
        let mut own = std::mem::take(&mut self.own.module);
        let done = self.items(&mut own);
        self.own.module = own;
        done?;
        let Seen { table, strings, has_source, has_offset, has_body, .. } = self.seen;
        let whole = has_source && has_offset && table.is_some() && has_body && strings.is_some();
        whole.then_some(self.seen)
    }

    fn items(&mut self, own: &mut Definitions) -> Option<()> {
        let module = self.frame.module;
        let mut walk = Walk::new(&module, &[], own);
        loop {
            match walk.next()? {
                Step::End => return Some(()),
                Step::Record(code) => self.record(code, &mut walk)?,
                Step::Block(inner) => self.block(&inner, walk.start(), &module)?,
            }
        }
    }

    fn record(&mut self, code: u32, walk: &mut Walk<'a, '_>) -> Option<()> {
        match code {
            codes::VERSION if self.seen.version.is_none() => {
                let [version] = walk.fields()?;
                self.seen.version = Some(version);
                (version == 2 && self.flat.globals.is_empty()).then_some(())
            }
            codes::SOURCE_FILENAME if !self.seen.has_source => {
                self.seen.has_source = true;
                let item = self.take(code, walk, &self.frame.module.clone())?;
                self.edits.push(Edit::Source(item));
                Some(())
            }
            codes::VSTOFFSET if !self.seen.has_offset => {
                self.seen.has_offset = true;
                let (values, short) = walk.values()?;
                let form = short.map(|short| (short.literal(), short.rooms(), short.tail()))?;
                self.edits.push(Edit::Offset { field: values.offset() });
                (form == (Some(code), &[WORD], Tail::None)).then_some(())
            }
            codes::GLOBALVAR | codes::FUNCTION => self.global(code, walk),
            code if is_global(code) => None,
            codes::TRIPLE | codes::DATALAYOUT | codes::SECTIONNAME => {
                self.flat.sections += usize::from(code == codes::SECTIONNAME);
                // They are read to see that they can be.
                walk.operands(|_| Some(()))
            }
            _ => None,
        }
    }

    fn global(&mut self, code: u32, walk: &mut Walk<'a, '_>) -> Option<()> {
        self.seen.version?;
        let item = self.take(code, walk, &self.frame.module.clone())?;
        // Offset and size of the name, type, convention, prototype.
        let [_, _, _, _, prototype] = self.flat.first(&item);
        if code == codes::FUNCTION && prototype == 0 {
            // One body, no more.
            (self.flat.function == usize::MAX && item.range().len() > 4).then_some(())?;
            self.flat.function = self.flat.globals.len();
        }
        self.flat.globals.push(item);
        self.flat.constants.is_empty().then_some(())
    }

    /// Takes the record that the walk stands at.
    fn take(&mut self, code: u32, walk: &mut Walk<'a, '_>, inside: &Inner<'a>) -> Option<Item> {
        let base = inside.body.offset();
        let first = self.flat.operands.len();
        let (start, abbreviation) = (base + walk.start(), walk.abbreviation());
        let abbreviation = abbreviation.map(|index| low_word(index as u64));
        walk.take(&mut self.flat.operands)?;
        let end = base + walk.position();
        self.flat.item(Item { code, abbreviation, start, end, ..Item::default() }, first)
    }

    fn shorts(&self, id: u32) -> &'s [Short] {
        self.seen.shorts.map_or(&[], |shorts| shorts.of(id))
    }

    /// A block that begins at a position of the module block.
    fn block(&mut self, inner: &Inner<'a>, start: u64, outer: &Inner<'a>) -> Option<()> {
        let place = Place::of(inner, start, outer);
        if self.seen.has_body && !matches!(inner.id, block::VALUE_SYMTAB) {
            return None;
        }
        if !matches!(inner.id, block::METADATA | block::FUNCTION | block::VALUE_SYMTAB) {
            self.edits.push(Edit::Block(place));
        }
        if inner.id == block::BLOCKINFO {
            self.seen.shorts = Some(self.infos.take()?.get(inner)?);
            return Some(());
        }
        self.infos = None;
        match inner.id {
            block::TYPE if !self.flat.types.is_empty() => None,
            block::PARAMATTR if !self.flat.attributes.is_empty() => None,
            block::PARAMATTR_GROUP if !self.flat.groups.is_empty() => None,
            block::FUNCTION => {
                self.seen.has_body = true;
                self.flat.module_constants = self.flat.constants.len();
                self.flat.module_metadata = self.flat.metadata.len();
                self.in_function(inner, place)
            }
            block::VALUE_SYMTAB => {
                self.edits.push(Edit::Table(place));
                let again = self.seen.table.replace(*inner).is_some();
                (self.seen.has_offset && self.seen.has_body && !again).then_some(())
            }
            id => {
                let mut own = std::mem::take(self.own.of(id)?);
                let done = self.inner(inner, place, &mut own);
                *self.own.of(id)? = own;
                done
            }
        }
    }

    /// A block of the module or the function whose records are taken.
    fn inner(&mut self, inner: &Inner<'a>, place: Place, own: &mut Definitions) -> Option<()> {
        if inner.id == block::METADATA {
            return self.metadata(inner, place, own);
        }
        let mut walk = Walk::new(inner, self.shorts(inner.id), own);
        let mut of_type = u32::MAX;
        loop {
            let code = match walk.next()? {
                Step::End => return Some(()),
                Step::Block(_) => return None,
                Step::Record(code) => code,
            };
            if !matches!(
                inner.id,
                block::TYPE | block::PARAMATTR | block::PARAMATTR_GROUP | block::CONSTANTS
            ) {
                continue;
            }
            let item = self.take(code, &mut walk, inner)?;
            match inner.id {
                block::TYPE if !makes_type(code) => {}
                block::TYPE => self.flat.types.push(item),
                block::PARAMATTR => self.flat.attributes.push(item),
                block::PARAMATTR_GROUP => self.flat.groups.push(item),
                _ if code == constants::SETTYPE => {
                    let [number] = self.flat.first(&item);
                    of_type = u32::try_from(number).ok()?;
                }
                _ => self.flat.constants.push((item, of_type)),
            }
        }
    }

    fn metadata(&mut self, inner: &Inner<'a>, place: Place, own: &mut Definitions) -> Option<()> {
        if !self.shorts(inner.id).is_empty() {
            return None;
        }
        self.edits.push(Edit::Enter(place));
        let mut walk = Walk::new(inner, &[], own);
        let mut name = None;
        let mut is_first = true;
        loop {
            let code = match walk.next()? {
                Step::Block(_) => return None,
                Step::End => break,
                Step::Record(code) => code,
            };
            let blob = if code == metadata::STRINGS { walk.blob() } else { None };
            let item = self.take(code, &mut walk, inner)?;
            match code {
                metadata::STRINGS if is_first => {
                    let [count, _] = self.flat.first(&item);
                    // A string takes six bits at least.
                    let most = inner.body.data().len() as u64 * 2;
                    let count = Some(count).filter(|count| *count <= most)?;
                    let all = self.flat.metadata.len() + crate::bits::size(count);
                    self.flat.metadata.resize(all, None);
                    let blob = blob?;
                    if self.seen.has_body {
                        let operands = (self.flat.first(&item), 2);
                        Strings::of(operands, Some(blob)).ok()?.walk(|_| {}).ok()?;
                    } else {
                        self.seen.strings.replace(blob).is_none().then_some(())?;
                        self.edits.push(Edit::Strings(item));
                    }
                }
                metadata::STRINGS | metadata::GLOBAL_DECL_ATTACHMENT => return None,
                metadata::NAME => name = Some(item),
                metadata::NAMED_NODE => {
                    self.flat.lists.push(List { name: name.take()?, nodes: item });
                }
                _ => {}
            }
            is_first = false;
            if metadata::makes_id(code) {
                self.flat.metadata.push(Some(item));
            }
            if code != metadata::STRINGS {
                self.edits.push(Edit::Metadata(item));
            }
        }
        let start = inner.body.offset() + walk.start();
        self.edits.push(Edit::Leave { place, start });
        // Lists are the module's.
        name.is_none().then_some(())
    }

    fn in_function(&mut self, inner: &Inner<'a>, place: Place) -> Option<()> {
        self.edits.push(Edit::Enter(place));
        let mut own = std::mem::take(&mut self.own.function);
        let start = self.body(inner, &mut own);
        self.own.function = own;
        self.edits.push(Edit::Leave { place, start: inner.body.offset() + start? });
        Some(())
    }

    /// The body of the function; gives where the id stands that ends it.
    fn body(&mut self, inner: &Inner<'a>, own: &mut Definitions) -> Option<u64> {
        let mut walk = Walk::new(inner, self.shorts(inner.id), own);
        let mut begun = false;
        loop {
            match walk.next()? {
                Step::End => return Some(walk.start()),
                Step::Record(code) => {
                    begun |= code != function::DECLAREBLOCKS;
                    let item = self.take(code, &mut walk, inner)?;
                    self.edits.push(Edit::Instruction(self.flat.instructions.len()));
                    self.flat.instructions.push(item);
                }
                Step::Block(found) => {
                    let place = Place::of(&found, walk.start(), inner);
                    self.in_body(&found, place, begun)?;
                }
            }
        }
    }

    fn in_body(&mut self, found: &Inner<'a>, place: Place, begun: bool) -> Option<()> {
        let mut own = Definitions::default();
        match found.id {
            block::CONSTANTS | block::METADATA if begun => None,
            block::CONSTANTS => {
                self.edits.push(Edit::Block(place));
                self.inner(found, place, &mut own)
            }
            block::METADATA => {
                own = std::mem::take(&mut self.own.inside);
                let lists = self.flat.lists.len();
                let done = self.inner(found, place, &mut own);
                self.own.inside = own;
                done.filter(|()| self.flat.lists.len() == lists)
            }
            block::VALUE_SYMTAB => {
                self.edits.push(Edit::Block(place));
                let mut walk = Walk::new(found, self.shorts(found.id), &mut own);
                loop {
                    match walk.next()? {
                        Step::End => return Some(()),
                        Step::Record(vst::ENTRY | vst::BBENTRY) => {}
                        Step::Record(_) | Step::Block(_) => return None,
                    }
                }
            }
            block::METADATA_ATTACHMENT => self.attachments(found, place, &mut own),
            _ => None,
        }
    }

    fn attachments(
        &mut self,
        found: &Inner<'a>,
        place: Place,
        own: &mut Definitions,
    ) -> Option<()> {
        self.edits.push(Edit::Enter(place));
        let mut walk = Walk::new(found, self.shorts(found.id), own);
        loop {
            match walk.next()? {
                Step::End => break,
                Step::Block(_) => return None,
                Step::Record(code) => {
                    let item = self.take(code, &mut walk, found)?;
                    self.flat.attachments.push(item);
                    self.edits.push(Edit::Attachment(item));
                }
            }
        }
        self.edits.push(Edit::Leave { place, start: found.body.offset() + walk.start() });
        Some(())
    }
}

impl Own {
    /// Those of the module's blocks with this id.
    fn of(&mut self, id: u32) -> Option<&mut Definitions> {
        Some(match id {
            block::TYPE => &mut self.types,
            block::PARAMATTR => &mut self.attributes,
            block::PARAMATTR_GROUP => &mut self.groups,
            block::CONSTANTS => &mut self.constants,
            block::METADATA => &mut self.metadata,
            block::METADATA_KIND | block::OPERAND_BUNDLE_TAGS | block::SYNC_SCOPE_NAMES => {
                &mut self.other
            }
            _ => return None,
        })
    }
}

impl Place {
    /// A block that begins at a position of the one around it.
    fn of(inner: &Inner<'_>, start: u64, outer: &Inner<'_>) -> Self {
        let start = outer.body.offset() + start;
        Self { start, span: Span::of(inner), id: inner.id, width: inner.width, outer: outer.width }
    }
}
