//! Finds what has to change.

use super::Buffers;

use super::strings::{self, Hit};
use crate::bits::{BitReader, size};
use crate::ids::{block, metadata, module as codes};
use crate::rename::head;
use crate::rename::place::{SEARCHED, last};
use crate::rename::targets::Rename;
use crate::skim::{Definitions, Frame, Infos, Inner, Shorts, Span, Step, Tail, VBR6, WORD, Walk};
use crate::symbols::is_global;

/// Something in the module block that changes, or is asked for its place in the output.
/// Positions are bits of the stream.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edit {
    /// The record of the source file's name: from its id to its end.
    Source { start: u64, end: u64 },
    /// The two operands that say where the function's name stands.
    Name { start: u64, end: u64 },
    /// The field that says where the symbol table begins.
    Offset { field: u64 },
    /// The head of a block behind bits that moved, so that its padding changes.
    Align { start: u64, length: u64, id: u32, width: u32 },
    /// A function's body begins.
    Body { start: u64 },
    /// The strings of metadata, in the block and maybe the function that they are in.
    Strings { function: Option<Span>, metadata: Span, hit: Hit },
    /// The module's value symbol table begins.
    Table { start: u64 },
}

/// What was found beside the edits.
pub(super) struct Found<'a, 's> {
    /// The module's value symbol table.
    pub(super) table: Option<Inner<'a>>,
    /// Abbreviations that tables begin with.
    pub(super) shorts: Option<&'s Shorts>,
    /// Where in STRTAB the new name stands; behind its end if it is to be appended.
    pub(super) name: usize,
    pub(super) report: crate::RenameReport,
}

/// The function to rename, and what the names of other values say of places in STRTAB.
#[derive(Default)]
struct Names {
    /// Whether the function was found.
    found: bool,
    /// Where the name of the value before the next one ends.
    before: usize,
    /// Where that before the function ends.
    before_function: usize,
    /// Where that behind the function begins, if there is one.
    after: Option<usize>,
    /// Where the last one ends, the function's not counted.
    end: usize,
}

pub(super) struct Finder<'f, 'a, 's, 'n> {
    frame: &'f Frame<'a>,
    rename: Rename<'n>,
    /// For BLOCKINFO, if it may still come.
    infos: Option<&'s mut Infos>,
    shorts: Option<&'s Shorts>,
    own: (&'f mut Definitions, &'f mut Definitions),
    edits: &'f mut Vec<Edit>,
    defined: &'f mut Vec<u64>,
    version: Option<u64>,
    /// Lengths below 32 of strings that may have to change, a bit for each.
    short: u32,
    /// Number of the next value.
    value: u64,
    names: Names,
    /// Whether bits moved since the last block.
    moved: bool,
    has_source: bool,
    has_offset: bool,
    table: Option<Inner<'a>>,
    report: crate::RenameReport,
}

impl<'f, 'a, 's, 'n> Finder<'f, 'a, 's, 'n> {
    /// Walks over a module; none if its form is another.
    pub(super) fn find(
        frame: &'f Frame<'a>,
        rename: Rename<'n>,
        infos: &'s mut Infos,
        buffers: &'f mut Buffers,
    ) -> Option<Found<'a, 's>> {
        let Buffers { own, edits, defined, .. } = buffers;
        edits.clear();
        defined.clear();
        let mut finder = Finder {
            frame,
            rename,
            infos: Some(infos),
            shorts: None,
            own: (&mut own.metadata, &mut own.function),
            edits,
            defined,
            version: None,
            short: strings::short_lengths(rename.old),
            value: 0,
            names: Names::default(),
            moved: false,
            has_source: false,
            has_offset: false,
            table: None,
            report: crate::RenameReport { functions: 1, ..Default::default() },
        };
        let mut walk = Walk::new(&frame.module, &[], &mut own.module);
        loop {
            match walk.next()? {
                Step::End => break,
                Step::Record(code) => finder.record(code, &mut walk)?,
                Step::Block(inner) => finder.block(&inner, walk.start())?,
            }
        }
        finder.end()
    }

    /// Bit of the stream, by its position in the module block.
    fn bit(&self, position: u64) -> u64 {
        self.frame.module.body.offset() + position
    }

    fn record(&mut self, code: u32, walk: &mut Walk<'a, '_>) -> Option<()> {
        match code {
            codes::VERSION if self.version.is_none() => {
                let [version] = walk.fields()?;
                self.version = Some(version);
                (version == 2 && self.value == 0).then_some(())
            }
            codes::SOURCE_FILENAME if !self.has_source => {
                self.has_source = true;
                self.source(walk)
            }
            codes::VSTOFFSET if !self.has_offset => {
                self.has_offset = true;
                let (values, short) = walk.values()?;
                let short = short?;
                let form = (short.literal(), short.rooms(), short.tail());
                self.edits.push(Edit::Offset { field: values.offset() });
                (form == (Some(code), &[WORD], Tail::None)).then_some(())
            }
            codes::FUNCTION => {
                let (mut values, None) = walk.values()? else { return None };
                let count = values.vbr(6, "number of operands").ok()?;
                // Offset and size of the name, type, convention, prototype.
                let [offset, size, _, _, prototype] = walk.fields().filter(|_| count >= 5)?;
                if prototype == 0 {
                    self.defined.push(self.value);
                }
                self.global(Some((values, count)), [offset, size])
            }
            code if is_global(code) => {
                let name = walk.fields()?;
                self.global(None, name)
            }
            codes::VERSION | codes::SOURCE_FILENAME | codes::VSTOFFSET | codes::HASH => None,
            _ => Some(()),
        }
    }

    /// The record of the source file's name, which changes if it is the function's.
    fn source(&mut self, walk: &Walk<'a, '_>) -> Option<()> {
        let old = self.rename.old;
        let is_old = match walk.values()? {
            (mut values, Some(short)) => short.text()?.is(&mut values, old)?,
            (_, None) => {
                let mut letters = old.iter();
                let mut same = true;
                walk.operands(|operand| {
                    let letter = u8::try_from(operand).ok()?;
                    same &= letters.next() == Some(&letter);
                    Some(())
                })?;
                same && letters.next().is_none()
            }
        };
        if is_old {
            let (start, end) = (self.bit(walk.start()), self.bit(walk.end()?));
            self.edits.push(Edit::Source { start, end });
            self.moved = true;
            self.report.source_file_name = true;
        }
        Some(())
    }

    /// A global value with its name; the operands of its record if it is a function.
    fn global(
        &mut self,
        function: Option<(BitReader<'a>, u64)>,
        [offset, length]: [u64; 2],
    ) -> Option<()> {
        self.version?;
        self.value += 1;
        let (offset, length) = (size(offset), size(length));
        let name = self.frame.strings.bytes.get(offset..)?.get(..length)?;
        let end = offset + length;
        let names = &mut self.names;
        if name == self.rename.old && !names.found {
            names.found = true;
            names.before_function = std::mem::replace(&mut names.before, end);
            return self.function(function?);
        }
        if names.found && names.after.is_none() {
            names.after = Some(offset);
        }
        names.before = end;
        names.end = names.end.max(end);
        // Taken, or twice there.
        (name != self.rename.new && name != self.rename.old).then_some(())
    }

    /// The operands of the function that is renamed.
    fn function(&mut self, (mut values, count): (BitReader<'a>, u64)) -> Option<()> {
        let mut name = values;
        let start = name.offset();
        name.skip_vbr6(2, "operands").ok()?;
        self.edits.push(Edit::Name { start, end: name.offset() });
        self.moved = true;
        // All of it is encoded again, so all of it must be read.
        (0..count).try_for_each(|_| values.vbr(6, "operand").ok().map(drop))
    }

    /// A block that begins at a position of the module block.
    fn block(&mut self, inner: &Inner<'a>, start: u64) -> Option<()> {
        let start = self.bit(start);
        match inner.id {
            block::VALUE_SYMTAB => {
                self.infos = None;
                if !self.has_offset || self.table.replace(*inner).is_some() {
                    return None;
                }
                self.moved = false;
                self.edits.push(Edit::Table { start });
                return Some(());
            }
            block::FUNCTION => self.edits.push(Edit::Body { start }),
            _ => {}
        }
        if std::mem::replace(&mut self.moved, false) {
            let Span { length, .. } = Span::of(inner);
            let (id, width) = (inner.id, inner.width);
            self.edits.push(Edit::Align { start, length, id, width });
        }
        match inner.id {
            block::BLOCKINFO => {
                self.shorts = Some(self.infos.take()?.get(inner)?);
                Some(())
            }
            block::METADATA => {
                self.infos = None;
                self.metadata(inner, None)
            }
            block::FUNCTION => {
                self.infos = None;
                self.body(inner)
            }
            _ => Some(()),
        }
    }

    /// The metadata at the head of a function.
    fn body(&mut self, function: &Inner<'a>) -> Option<()> {
        match head::find(function.body, function.width).ok()? {
            head::Found::Nothing => Some(()),
            head::Found::Unsure => None,
            head::Found::At(start) => {
                let mut reader = function.body;
                reader.skip(start + u64::from(function.width), "metadata").ok()?;
                self.metadata(&Inner::read(&mut reader)?, Some(Span::of(function)))
            }
        }
    }

    /// The strings of a block of metadata.
    fn metadata(&mut self, block: &Inner<'a>, function: Option<Span>) -> Option<()> {
        if self.shorts.is_some_and(|shorts| !shorts.of(block.id).is_empty()) {
            return None;
        }
        let own = if function.is_some() { &mut *self.own.1 } else { &mut *self.own.0 };
        let mut walk = Walk::new(block, &[], own);
        let mut is_first = true;
        loop {
            match walk.next()? {
                Step::End => return Some(()),
                Step::Record(metadata::STRINGS) if is_first => break,
                Step::Record(metadata::STRINGS | metadata::STRING_OLD) | Step::Block(_) => {
                    return None;
                }
                Step::Record(_) => is_first = false,
            }
        }
        let (values, short) = walk.values()?;
        let short = short?;
        let is_usual = short.literal().is_some() && short.rooms() == [VBR6, VBR6];
        let form = is_usual && short.tail() == Tail::Blob;
        let hit = strings::search(form.then_some(values)?, self.rename, self.short)?;
        if let Some(hit) = hit {
            self.report.alias_scopes += 1;
            self.edits.push(Edit::Strings { function, metadata: Span::of(block), hit });
        }
        Some(())
    }

    fn end(self) -> Option<Found<'a, 's>> {
        let Self { names, table, shorts, report, .. } = self;
        if !names.found || self.moved || self.has_offset != table.is_some() {
            return None;
        }
        let name = names.place(self.frame.strings.bytes, self.rename.new);
        Some(Found { table, shorts, name, report })
    }
}

impl Names {
    /// Where in STRTAB the new name is or will be, by the rules of [`Places`].
    ///
    /// [`Places`]: crate::rename::place::Places
    fn place(&self, strings: &[u8], name: &[u8]) -> usize {
        let is_at = |at: &usize| strings.get(*at..).is_some_and(|rest| rest.starts_with(name));
        let after = self.after.and_then(|after| after.checked_sub(name.len()));
        if let Some(place) = Some(self.before_function).filter(is_at).or(after.filter(is_at)) {
            return place;
        }
        let rest = strings.get(self.end..).filter(|rest| rest.len() <= SEARCHED);
        let found = rest.and_then(|rest| last(rest, name));
        found.map_or(strings.len(), |at| self.end + at)
    }
}
