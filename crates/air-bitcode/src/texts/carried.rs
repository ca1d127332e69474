//! Texts that no edit of this crate rewrites: names, attributes, assembly, options, and whatever
//! may be text in records and blocks that are not known.
//!
//! | place | texts |
//! |---|---|
//! | module block | assembly, sections, libraries, garbage collectors, comdats, triple, data layout |
//! | STRTAB, module's `VALUE_SYMTAB` | names of global values, comdats and partitions; bytes that nothing names |
//! | `PARAMATTR_GROUP` | keys and values of attributes |
//! | TYPE | names of structures |
//! | METADATA, `METADATA_KIND` | names of lists and of kinds of attachments |
//! | `OPERAND_BUNDLE_TAGS`, `SYNC_SCOPE_NAMES` | names |
//! | SYMTAB | all of it |
//! | records and blocks that are not known, or there twice | their operands as characters, and blobs |
//!
//! Not among them: function bodies (names of their values, inline assembly) and constants, which
//! are the program, and what abbreviations spell out.

use std::borrow::Cow;

use super::find::holds;
use crate::block::{Block, Item};
use crate::blockinfo::BlockInfo;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{self, attributes, block, block_name, identification, metadata};
use crate::ids::{blockinfo, module as codes, types};
use crate::items::Items;
use crate::module::Module;
use crate::open::MAX_DEPTH;
use crate::record::Record;
use crate::renumber::attribute_texts;
use crate::symbols::{is_global, name_index, string_ranges};
use crate::symtab::{self, string};

/// A text of a module that is carried as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedText {
    /// Its bytes. What is not known to be text may hold others, too.
    pub bytes: Vec<u8>,
    /// What it is, such as `attribute` or `name of a type`.
    pub what: &'static str,
    /// Where its record begins: bytes from the module's first.
    pub offset: u64,
}

impl Module<'_> {
    /// The texts that hold one of these bytes and that [`Module::rewrite_texts`] does not
    /// rewrite; all of them if `holding` is empty. Function bodies and constants are not read.
    ///
    /// # Errors
    /// If a block or record that may hold text cannot be read.
    pub fn carried_texts(&self, holding: &[u8]) -> Result<Vec<CarriedText>> {
        let mut found = Carried { holding, texts: Vec::new(), version: self.version()? };
        found.strings(self)?;
        let mut seen = Vec::new();
        for (index, top) in self.stream().blocks.iter().enumerate() {
            let place = || block_name(top.id());
            let role = match top.id() {
                _ if index == self.index => {
                    found.module(self).within(place)?;
                    continue;
                }
                id @ (block::IDENTIFICATION | block::STRTAB | block::SYMTAB)
                    if !seen.contains(&id) =>
                {
                    seen.push(id);
                    Role::Known
                }
                _ => Role::Unknown,
            };
            found.block(top, &mut BlockInfo::default(), role, 1).within(place)?;
        }
        Ok(found.texts)
    }
}

/// Whether the codes of a block's records say what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Known,
    Unknown,
}

/// What a record may hold.
enum Held {
    /// Numbers, or texts that are rewritten.
    Nothing,
    /// A text, from this operand on.
    Text(&'static str, usize),
    Attributes,
    /// It is not known.
    Anything,
}

struct Carried<'h> {
    holding: &'h [u8],
    texts: Vec<CarriedText>,
    version: u64,
}

impl Carried<'_> {
    fn add(&mut self, bytes: Cow<'_, [u8]>, what: &'static str, offset: u64) {
        if !bytes.is_empty() && holds(&bytes, self.holding) {
            self.texts.push(CarriedText { bytes: bytes.into_owned(), what, offset });
        }
    }

    /// Names in STRTAB, what stands there that nothing names, and SYMTAB.
    fn strings(&mut self, module: &Module<'_>) -> Result<()> {
        let strings = module.strings()?;
        let mut used = Vec::new();
        if self.version >= 2 {
            for item in module.items() {
                let Item::Record(record) = item else { continue };
                for (start, end) in string_ranges(record)? {
                    let name = string(strings, start, end.saturating_sub(start))?;
                    let offset = module.offset_of(name);
                    self.add(Cow::Borrowed(name), "name of a global value", offset);
                    used.push((start, end));
                }
            }
        }
        if let Some(table) = module.blob(block::SYMTAB)? {
            self.add(Cow::Borrowed(table), "SYMTAB", module.offset_of(table));
            for field in symtab::string_fields(table).within(|| "SYMTAB")? {
                let (start, length) = symtab::pair(table, field)?;
                used.push((start.into(), u64::from(start) + u64::from(length)));
            }
        }
        for (start, end) in crate::trim::gaps(&mut used, strings.len() as u64) {
            let rest = string(strings, start, end - start)?;
            let offset = module.offset_of(rest);
            self.add(Cow::Borrowed(rest), "STRTAB, where nothing names it", offset);
        }
        Ok(())
    }

    /// The records of the module block, and the blocks in it.
    fn module(&mut self, module: &Module<'_>) -> Result<()> {
        let mut info = module.block_info();
        let mut has_source = false;
        for item in module.items() {
            match item {
                Item::Define(_) => {}
                Item::Record(record) => {
                    let is_source = record.code() == codes::SOURCE_FILENAME;
                    // The first one is rewritten.
                    if !is_source || std::mem::replace(&mut has_source, true) {
                        self.record(record, in_module(record.code(), self.version))?;
                    }
                }
                Item::Block(inner) => {
                    let role =
                        if IN_MODULE.contains(&inner.id()) { Role::Known } else { Role::Unknown };
                    if !PROGRAM.contains(&inner.id()) {
                        let place = || block_name(inner.id());
                        self.block(inner, &mut info, role, 2).within(place)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn block<'a>(
        &mut self,
        block: &Block<'a>,
        info: &mut BlockInfo<'a>,
        role: Role,
        depth: usize,
    ) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(Error::nowhere(ErrorKind::TooDeep { limit: MAX_DEPTH }));
        }
        let mut items = Items::new(block, info.get(block.id())?);
        let mut firsts = Firsts::default();
        while let Some(item) = items.next()? {
            match item {
                Item::Define(_) => {}
                Item::Record(record) => {
                    let held = match role {
                        Role::Known => firsts.held(block.id(), record.code()),
                        Role::Unknown => Held::Anything,
                    };
                    self.record(&record, held)?;
                }
                Item::Block(inner) => self.block(&inner, info, Role::Unknown, depth + 1)?,
            }
        }
        Ok(())
    }

    fn record(&mut self, record: &Record<'_>, held: Held) -> Result<()> {
        let offset = record.offset().unwrap_or(0) / 8;
        match held {
            Held::Nothing => {}
            Held::Text(what, first) => self.add(Cow::Owned(record.text(first)?), what, offset),
            Held::Attributes => attribute_texts(&record.values()?.operands, |text| {
                self.add(Cow::Owned(characters(text)), "attribute", offset);
            }),
            Held::Anything => {
                let what = "record that is not known";
                self.add(Cow::Owned(characters(&record.values()?.operands)), what, offset);
                if let Some(blob) = record.blob()? {
                    self.add(blob, what, offset);
                }
            }
        }
        Ok(())
    }
}

/// Numbers as characters; what is none divides texts.
fn characters(operands: &[u64]) -> Vec<u8> {
    operands.iter().map(|&character| u8::try_from(character).unwrap_or(0)).collect()
}

/// Blocks in the module block whose records are known.
const IN_MODULE: [u32; 10] = [
    block::BLOCKINFO,
    block::PARAMATTR,
    block::PARAMATTR_GROUP,
    block::TYPE,
    block::METADATA,
    block::METADATA_KIND,
    block::METADATA_ATTACHMENT,
    block::OPERAND_BUNDLE_TAGS,
    block::SYNC_SCOPE_NAMES,
    block::VALUE_SYMTAB,
];

/// Blocks in the module block that are the program.
const PROGRAM: [u32; 2] = [block::CONSTANTS, block::FUNCTION];

/// What a record of the module block holds.
fn in_module(code: u32, version: u64) -> Held {
    match code {
        codes::TRIPLE => Held::Text("triple", 0),
        codes::DATALAYOUT => Held::Text("data layout", 0),
        codes::ASM => Held::Text("assembly", 0),
        codes::SECTIONNAME => Held::Text("name of a section", 0),
        codes::DEPLIB => Held::Text("name of a library", 0),
        codes::GCNAME => Held::Text("name of a garbage collector", 0),
        // Selection kind and size are before the name.
        codes::COMDAT if version < 2 => Held::Text("name of a comdat", 2),
        codes::COMDAT | codes::VERSION | codes::VSTOFFSET => Held::Nothing,
        code if is_global(code) => Held::Nothing,
        _ => Held::Anything,
    }
}

/// Records of a block of which the first are rewritten.
#[derive(Default)]
struct Firsts {
    /// The text of the identification, the blob of STRTAB or SYMTAB, the strings of metadata.
    first: bool,
}

impl Firsts {
    /// What a record of a known block holds.
    fn held(&mut self, id: u32, code: u32) -> Held {
        let is_rewritten = match id {
            block::IDENTIFICATION => code == identification::STRING,
            block::STRTAB | block::SYMTAB => code == ids::BLOB,
            block::METADATA => code == metadata::STRINGS,
            _ => false,
        };
        if is_rewritten && !std::mem::replace(&mut self.first, true) {
            return Held::Nothing;
        }
        match (id, code) {
            (block::IDENTIFICATION, identification::EPOCH)
            | (block::BLOCKINFO, blockinfo::SETBID)
            | (block::PARAMATTR, attributes::LIST | attributes::LIST_OLD)
            | (block::METADATA_ATTACHMENT, metadata::ATTACHMENT) => Held::Nothing,
            (block::PARAMATTR_GROUP, attributes::GROUP) => Held::Attributes,
            (block::TYPE, types::STRUCT_NAME) => Held::Text("name of a type", 0),
            (block::TYPE, 1..=types::LAST) => Held::Nothing,
            (block::METADATA, metadata::NAME) => Held::Text("name of a list", 0),
            (block::METADATA | block::METADATA_KIND, metadata::KIND) => {
                Held::Text("kind of an attachment", 1)
            }
            // Strings are either all in one record, or in one each, which are rewritten.
            (block::METADATA, metadata::STRING_OLD) if !self.first => Held::Nothing,
            (block::METADATA, code) if metadata::is_known(code) => Held::Nothing,
            (block::OPERAND_BUNDLE_TAGS, _) => Held::Text("operand bundle", 0),
            (block::SYNC_SCOPE_NAMES, _) => Held::Text("synchronization scope", 0),
            (block::VALUE_SYMTAB, code) => match name_index(code) {
                Some(first) => Held::Text("name of a global value", first),
                None => Held::Anything,
            },
            _ => Held::Anything,
        }
    }
}
