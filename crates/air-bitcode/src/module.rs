//! A module: its header, its global values, its strings. Decodes what is asked for.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::abbrev::{Abbreviation, Values};
use crate::bits::low_word;
use crate::blob::Blob;
use crate::block::{Block, Body, Item};
use crate::blockinfo::BlockInfo;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{self, block, block_name, identification, module as codes};
use crate::items::Items;
use crate::record::Record;
use crate::stream::{Stream, first_record};
use crate::symbols::{Global, GlobalName, GlobalRecord, is_global, name_index, string_operands};
use crate::symtab::SymbolTable;
use crate::wrapper::Envelope;
use crate::write::WriteOptions;

/// Global values that room is made for at first.
const FIRST_GLOBALS: usize = 16;

/// An AIR module, in its wrapper or without.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bytes = std::fs::read("kernel.air")?;
/// let module = air_bitcode::Module::parse(&bytes)?;
/// for global in module.globals()? {
///     println!("{} {:?}", global.name_text(), global.linkage);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Module<'a> {
    pub(crate) envelope: Envelope<'a>,
    pub(crate) stream: Stream<'a>,
    /// Which block of the stream is the module.
    pub(crate) index: usize,
}

impl<'a> Module<'a> {
    /// Reads a module's frame: its blocks and the records of the module block itself.
    ///
    /// # Errors
    /// If the bytes are no bitcode, a block's length is not inside them, the module block's
    /// own records make no sense, or there is not exactly one module.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let envelope = Envelope::parse(bytes)?;
        let mut stream = Stream::parse(envelope.stream, envelope.stream_offset())?;
        let index = stream.only(block::MODULE)?;
        if let Some(module) = stream.blocks.get_mut(index) {
            module.open_alone().within(|| "MODULE")?;
        }
        Ok(Self { envelope, stream, index })
    }

    /// Wrapper, bitstream and padding.
    #[must_use]
    pub fn envelope(&self) -> &Envelope<'a> {
        &self.envelope
    }

    /// The bitstream's blocks; the module block is decoded one level deep.
    #[must_use]
    pub fn stream(&self) -> &Stream<'a> {
        &self.stream
    }

    /// Writes the module. Without edits this is what was parsed.
    ///
    /// # Errors
    /// As [`Stream::write`].
    pub fn to_bytes(&self, options: WriteOptions) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes, options)?;
        Ok(bytes)
    }

    /// Writes the module behind what `bytes` holds.
    ///
    /// # Errors
    /// As [`Stream::write`].
    pub fn write(&self, bytes: &mut Vec<u8>, options: WriteOptions) -> Result<()> {
        self.envelope.write(bytes, |bytes| self.stream.write(bytes, options))
    }

    /// Decodes every block of the module.
    ///
    /// # Errors
    /// As [`Stream::open_all`].
    pub fn open_all(&mut self) -> Result<()> {
        self.stream.open_all()
    }

    /// Decodes the module block and all blocks in it; those beside it stay bytes.
    pub(crate) fn open_module(&mut self) -> Result<()> {
        let Some(module) = self.stream.blocks.get_mut(self.index) else { return Ok(()) };
        module.open_all(&mut BlockInfo::default()).within(|| "MODULE")
    }

    /// Abbreviations for the blocks inside the module block.
    #[must_use]
    pub fn block_info(&self) -> BlockInfo<'a> {
        let mut info = BlockInfo::default();
        let module = self.stream.blocks.get(self.index);
        module.into_iter().flat_map(Block::blockinfo).for_each(|block| info.add(block));
        info
    }

    /// Items of the module block.
    #[must_use]
    pub fn items(&self) -> &[Item<'a>] {
        self.stream.blocks.get(self.index).and_then(Block::items).unwrap_or_default()
    }

    /// A copy without the bodies that `gone` says yes to by their numbers, which are not copied.
    pub(crate) fn without_bodies(&self, gone: impl Fn(usize) -> bool) -> Self {
        let copy = |(index, block): (usize, &Block<'a>)| {
            let mut body = 0..;
            let keep = |item: &&Item<'a>| match item {
                Item::Block(inner) if inner.id() == block::FUNCTION => {
                    !body.next().is_some_and(&gone)
                }
                _ => true,
            };
            if index == self.index { block.clone_some(keep) } else { block.clone() }
        };
        let blocks = self.stream.blocks.iter().enumerate().map(copy).collect();
        Self { envelope: self.envelope, stream: Stream { blocks }, index: self.index }
    }

    /// Items of the module block, for editing.
    pub(crate) fn items_mut(&mut self) -> &mut [Item<'a>] {
        let block = self.stream.blocks.get_mut(self.index);
        block.and_then(Block::items_mut).map(Vec::as_mut_slice).unwrap_or_default()
    }

    /// Abbreviations of the module block.
    pub(crate) fn abbreviations(&self) -> Result<Vec<(u32, Arc<Abbreviation>)>> {
        self.stream.blocks.get(self.index).map_or(Ok(Vec::new()), Block::abbreviations)
    }

    /// The first record of the module block with this code.
    #[must_use]
    pub fn record(&self, code: u32) -> Option<&Record<'a>> {
        self.items().iter().find_map(|item| match item {
            Item::Record(record) if record.code() == code => Some(record),
            _ => None,
        })
    }

    /// The blocks with this id directly inside the module block.
    pub fn blocks(&self, id: u32) -> impl Iterator<Item = &Block<'a>> {
        self.items().iter().filter_map(move |item| match item {
            Item::Block(block) if block.id() == id => Some(block),
            _ => None,
        })
    }

    /// 1: names are in the value symbol table; 2: names are in STRTAB.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn version(&self) -> Result<u64> {
        let Some(record) = self.record(codes::VERSION) else { return Ok(0) };
        let ([version], _) = record.first().within(|| "MODULE > VERSION")?;
        Ok(version)
    }

    /// The target triple, such as `air64-apple-macosx14.0.0`.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn triple(&self) -> Result<Option<String>> {
        self.text(codes::TRIPLE)
    }

    /// The data layout.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn data_layout(&self) -> Result<Option<String>> {
        self.text(codes::DATALAYOUT)
    }

    /// The source file's name; in a linked module the function's name.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn source_file_name(&self) -> Result<Option<String>> {
        self.text(codes::SOURCE_FILENAME)
    }

    fn text(&self, code: u32) -> Result<Option<String>> {
        let Some(record) = self.record(code) else { return Ok(None) };
        let text = record.text(0).within(|| format!("MODULE > record with code {code}"))?;
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }

    /// The identification block's string, which is empty in nearly all AIR modules.
    ///
    /// # Errors
    /// If the block cannot be read.
    pub fn identification(&self) -> Result<Option<String>> {
        let Some(block) = self.top(block::IDENTIFICATION) else { return Ok(None) };
        let record = first_record(block, identification::STRING)?;
        let text = record.map(|record| record.text(0)).transpose()?;
        Ok(text.map(|text| String::from_utf8_lossy(&text).into_owned()))
    }

    /// The strings that names and symbols point into; empty if the module has none.
    ///
    /// # Errors
    /// If the block cannot be read.
    pub fn strings(&self) -> Result<&'a [u8]> {
        Ok(self.blob(block::STRTAB)?.unwrap_or_default())
    }

    /// The symbol table of linkers.
    ///
    /// # Errors
    /// If the block cannot be read, or its version is unknown.
    pub fn symbol_table(&self) -> Result<Option<SymbolTable<'a>>> {
        let Some(table) = self.blob(block::SYMTAB)? else { return Ok(None) };
        Ok(Some(SymbolTable::new(table, self.strings()?)?))
    }

    /// The block with this id beside the module block.
    fn top(&self, id: u32) -> Option<&Block<'a>> {
        self.stream.blocks.iter().find(|block| block.id() == id)
    }

    /// Where bytes of the stream begin: bytes from the module's first; 0 if they are others.
    pub(crate) fn offset_of(&self, bytes: &[u8]) -> u64 {
        let from = bytes.as_ptr().addr().checked_sub(self.envelope.stream.as_ptr().addr());
        let from = from.filter(|from| *from <= self.envelope.stream.len());
        from.map_or(0, |from| self.envelope.stream_offset() / 8 + from as u64)
    }

    /// The blob of the block with this id beside the module block.
    pub(crate) fn blob(&self, id: u32) -> Result<Option<&'a [u8]>> {
        self.stream.blob(id)
    }

    /// Gives a block beside the module block another blob. It cannot be read from then on.
    pub(crate) fn set_blob(&mut self, id: u32, blob: Cow<'a, [u8]>) -> Result<()> {
        let missing = || Error::nowhere(ErrorKind::Missing { what: "blob" }).within(block_name(id));
        let found = self.stream.blocks.iter_mut().find(|block| block.id() == id);
        let block = found.ok_or_else(missing)?;
        if let Some(found) = Blob::of(block) {
            block.body = Body::Blob(Box::new(found.with(blob)));
            return Ok(());
        }
        let is_blob = |item: &Item<'_>| matches!(item, Item::Record(r) if r.code() == ids::BLOB);
        let items =
            block.open_until(&mut BlockInfo::default(), is_blob).within(|| block_name(id))?;
        let record = items.iter_mut().find_map(|item| match item {
            Item::Record(record) if record.code() == ids::BLOB => Some(record),
            _ => None,
        });
        record.ok_or_else(missing)?.set(Values { operands: Vec::new(), blob: Some(blob) });
        Ok(())
    }

    /// The global values, in the order of their value ids.
    ///
    /// # Errors
    /// If a record cannot be read, or a name lies outside STRTAB.
    pub fn globals(&self) -> Result<Vec<Global<'a>>> {
        let version = self.version()?;
        let strings = if version >= 2 { self.strings()? } else { &[] };
        let mut globals = Vec::with_capacity(FIRST_GLOBALS);
        self.each_global(version, strings, GlobalRecord::read, |_, found, name| {
            globals.push(found.global(low_word(globals.len() as u64), name));
        })?;
        Ok(globals)
    }

    /// Calls `each` with the item, what `read` makes of the record, and the name of each global
    /// value, in the order of their value ids.
    pub(crate) fn each_global<G: AsRef<GlobalName>>(
        &self,
        version: u64,
        strings: &'a [u8],
        read: impl Fn(&Record<'a>, u64) -> Result<Option<G>>,
        mut each: impl FnMut(usize, &G, Cow<'a, [u8]>),
    ) -> Result<()> {
        let mut names = if version >= 2 { HashMap::new() } else { self.value_names()? };
        let mut value = 0;
        for (index, item) in self.items().iter().enumerate() {
            let Item::Record(record) = item else { continue };
            let place = || format!("MODULE > value {value}");
            let Some(found) = read(record, version).within(place)? else { continue };
            let name = match version {
                0 | 1 => Cow::Owned(names.remove(&value).unwrap_or_default()),
                _ => Cow::Borrowed(found.as_ref().name_in(strings).within(place)?),
            };
            each(index, &found, name);
            value += 1;
        }
        Ok(())
    }

    /// Has the records of the module block point at the new places of strings in STRTAB, where
    /// the module is of version 2.
    pub(crate) fn move_strings(&mut self, moved: impl Fn(u64) -> u64) -> Result<()> {
        for item in self.items_mut() {
            let Item::Record(record) = item else { continue };
            let mut fields = string_operands(record.code()).peekable();
            if fields.peek().is_none() {
                continue;
            }
            let mut values = record.values()?;
            let mut changed = false;
            for at in fields {
                let Some(offset) = values.operands.get_mut(at) else { continue };
                let new = moved(*offset);
                changed |= std::mem::replace(offset, new) != new;
            }
            if changed {
                record.set(values);
            }
        }
        Ok(())
    }

    /// How many global values there are; the next value number is the first constant's.
    pub(crate) fn global_count(&self) -> u64 {
        let is_value = |item: &&Item<'_>| matches!(item, Item::Record(r) if is_global(r.code()));
        self.items().iter().filter(is_value).count() as u64
    }

    /// Names in the module's value symbol table, by value id.
    fn value_names(&self) -> Result<HashMap<u64, Vec<u8>>> {
        let mut names = HashMap::new();
        let mut info = self.block_info();
        for table in self.blocks(block::VALUE_SYMTAB) {
            let mut items = Items::new(table, info.get(table.id())?);
            while let Some(item) = items.next().within(|| "MODULE > VALUE_SYMTAB")? {
                let Item::Record(record) = item else { continue };
                let Some(first) = name_index(record.code()) else { continue };
                let ([value], _) = record.first()?;
                names.insert(value, record.text(first)?);
            }
        }
        Ok(names)
    }
}
