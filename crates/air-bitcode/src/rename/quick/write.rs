//! Writes a module with what was found.

use super::Buffers;
use super::find::{Edit, Found};
use crate::RenameReport;
use crate::bits::size;
use crate::ids::block;
use crate::rename::targets::Rename;
use crate::skim::{Blob, Definitions, Frame, Span, Splice, Walk, source_name, write_table};
use crate::symtab::{self, Pair};

impl<'a> Found<'a, '_> {
    /// Writes the stream behind what `out` holds.
    pub(super) fn write(
        self,
        frame: &Frame<'a>,
        rename: Rename<'_>,
        buffers: &mut Buffers,
        out: &mut Vec<u8>,
    ) -> Option<RenameReport> {
        let strings = frame.strings.bytes;
        let growth = if self.name == strings.len() { rename.new } else { &[] };
        u32::try_from(strings.len() + growth.len()).ok()?;
        let pair = (u32::try_from(self.name).ok()?, u32::try_from(rename.new.len()).ok()?);
        let begin = out.len();
        let mut splice = Splice::new(frame.stream, out);
        let mut to = Writer { frame, rename, pair, offset: None, splice: &mut splice };
        to.module(&self, buffers)?;
        // In the order in which they stand.
        let mut symbols = None;
        let is_first = |symbols: &&Blob<'_>| symbols.start < frame.strings.start;
        if let Some(table) = frame.symbols.as_ref().filter(is_first) {
            symbols = Some(to.splice.place(table.start)?);
        }
        to.strings(growth)?;
        if let Some(table) = frame.symbols.as_ref().filter(|table| !is_first(table)) {
            symbols = Some(to.splice.place(table.start)?);
        }
        splice.to(frame.stream.data().len() as u64 * 8)?;
        let mut report = self.report;
        report.string_growth = growth.len() as u64;
        if let (Some(place), Some(table)) = (symbols, &frame.symbols) {
            let written = out.get_mut(begin + size(place / 8)..)?.get_mut(..table.bytes.len())?;
            report.symbols = symbol_table(table.bytes, strings, rename, pair, written)?;
        }
        Some(report)
    }
}

struct Writer<'w, 'b, 'a, 'n> {
    frame: &'w Frame<'a>,
    rename: Rename<'n>,
    /// Where the new name is in STRTAB.
    pair: Pair,
    /// Where the field for the position of the symbol table is in the output.
    offset: Option<u64>,
    splice: &'w mut Splice<'b, 'a>,
}

impl<'a> Writer<'_, '_, 'a, '_> {
    /// Writes all up to the module's end.
    fn module(&mut self, found: &Found<'a, '_>, buffers: &mut Buffers) -> Option<()> {
        let module = Span::of(&self.frame.module);
        let outer = self.frame.module.width;
        let length = self.splice.open(module)?;
        let Buffers { own, edits, defined, bodies } = buffers;
        bodies.clear();
        for edit in edits.iter() {
            match *edit {
                Edit::Source { start, end } => self.source(&own.module, start, end)?,
                Edit::Name { start, end } => {
                    self.splice.to(start)?;
                    self.splice.writer.vbr(self.pair.0.into(), 6);
                    self.splice.writer.vbr(self.pair.1.into(), 6);
                    self.splice.skip_to(end)?;
                }
                Edit::Offset { field } => {
                    self.splice.to(field)?;
                    self.offset = Some(self.splice.writer.position());
                    self.splice.field()?;
                }
                Edit::Align { start, length, id, width } => {
                    self.splice.to(start)?;
                    self.splice.head(outer, id, width);
                    self.splice.skip_to(length)?;
                }
                Edit::Body { start } => bodies.push(self.splice.word(start, self.frame.origin)?),
                Edit::Strings { function, metadata, hit } => {
                    let outside = match function {
                        Some(block) => Some((block, self.splice.open(block)?)),
                        None => None,
                    };
                    let inside = self.splice.open(metadata)?;
                    hit.write(self.splice, self.frame.stream, self.rename)?;
                    self.splice.close(metadata, inside)?;
                    if let Some((block, length)) = outside {
                        self.splice.close(block, length)?;
                    }
                }
                Edit::Table { start } => {
                    let shorts = found.shorts.map_or(&[][..], |s| s.of(block::VALUE_SYMTAB));
                    let mut walk = Walk::new(&found.table?, shorts, &mut own.table);
                    let within = (&found.table?, outer, self.frame.origin);
                    let at = (start, self.offset?);
                    write_table(self.splice, within, at, &mut walk, (defined, bodies))?;
                }
            }
        }
        self.splice.close(module, length)
    }

    /// The record of the source file's name.
    fn source(&mut self, own: &Definitions, start: u64, end: u64) -> Option<()> {
        self.splice.to(start)?;
        let width = self.frame.module.width;
        source_name(&mut self.splice.writer, width, own, self.rename.new)?;
        self.splice.skip_to(end)
    }

    /// STRTAB, which grows by some bytes.
    fn strings(&mut self, growth: &[u8]) -> Option<()> {
        if growth.is_empty() {
            return Some(());
        }
        let Blob { block, size, end, bytes, .. } = self.frame.strings;
        let length = self.splice.open(block)?;
        self.splice.to(size)?;
        self.splice.writer.vbr((bytes.len() + growth.len()) as u64, 6);
        self.splice.writer.align();
        self.splice.writer.aligned_parts(&[bytes, growth]);
        self.splice.skip_to(end)?;
        self.splice.close(block, length)
    }
}

/// Points the symbols of a table at the new name in `written`, a copy of it; gives their number.
fn symbol_table(
    table: &[u8],
    strings: &[u8],
    rename: Rename<'_>,
    pair: Pair,
    written: &mut [u8],
) -> Option<u32> {
    let text = |at| {
        let (offset, size) = symtab::pair(table, at).ok()?;
        symtab::string(strings, offset.into(), size.into()).ok()
    };
    let mut symbols = 0;
    for (name, ir_name) in symtab::symbol_fields(table).ok()? {
        if text(ir_name)? == rename.old {
            (text(name)? == rename.old).then_some(())?;
            symtab::set_pair(written, name, pair);
            symtab::set_pair(written, ir_name, pair);
            symbols += 1;
        }
    }
    if text(symtab::SOURCE_FIELD)? == rename.old {
        symtab::set_pair(written, symtab::SOURCE_FIELD, pair);
    }
    Some(symbols)
}
