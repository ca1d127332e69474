//! Texts that no edit of this crate rewrites: names, attributes, assembly, options.
//!
//! | place | texts |
//! |---|---|
//! | module block | assembly, sections, libraries, garbage collectors, comdats, triple, data layout |
//! | STRTAB, module's `VALUE_SYMTAB` | names of global values, comdats and partitions |
//! | `PARAMATTR_GROUP` | keys and values of attributes |
//! | TYPE | names of structures |
//! | METADATA, `METADATA_KIND` | names of lists and of kinds of attachments |
//! | `OPERAND_BUNDLE_TAGS`, `SYNC_SCOPE_NAMES` | names |
//!
//! Not among them: function bodies (names of their values, inline assembly) and constants, which
//! are the program.

use super::find::holds;
use crate::block::Item;
use crate::error::{Result, Within};
use crate::ids::{attributes, block, block_name, metadata, module as codes, types};
use crate::items::Items;
use crate::module::Module;
use crate::record::Record;
use crate::renumber::attribute_texts;
use crate::symbols::{name_index, string_ranges};
use crate::symtab::string;

/// A text of a module that is carried as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedText {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What it is, such as `attribute` or `name of a type`.
    pub what: &'static str,
    /// Where its record begins: bytes from the module's first.
    pub offset: u64,
}

impl<'a> Module<'a> {
    /// The texts that hold one of these bytes and that [`Module::rewrite_texts`] does not
    /// rewrite; all of them if `holding` is empty. Function bodies and constants are not read.
    ///
    /// # Errors
    /// If a block or record that may hold text cannot be read.
    pub fn carried_texts(&self, holding: &[u8]) -> Result<Vec<CarriedText>> {
        let mut found = Carried { holding, texts: Vec::new() };
        found.of_module(self)?;
        found.of_blocks(self)?;
        Ok(found.texts)
    }
}

struct Carried<'h> {
    holding: &'h [u8],
    texts: Vec<CarriedText>,
}

impl Carried<'_> {
    fn add(&mut self, bytes: &[u8], what: &'static str, record: &Record<'_>) {
        if holds(bytes, self.holding) {
            let offset = record.offset().unwrap_or(0) / 8;
            self.texts.push(CarriedText { bytes: bytes.to_vec(), what, offset });
        }
    }

    /// Texts of the records of the module block itself, and names that these have in STRTAB.
    fn of_module(&mut self, module: &Module<'_>) -> Result<()> {
        let version = module.version()?;
        let strings = if version >= 2 { module.strings()? } else { &[] };
        for item in module.items() {
            let Item::Record(record) = item else { continue };
            let place = || format!("MODULE > record with code {}", record.code());
            if let Some((what, first)) = text_of_module(record.code(), version) {
                self.add(&record.text(first).within(place)?, what, record);
            } else if version >= 2 {
                for (start, end) in string_ranges(record).within(place)? {
                    let name = string(strings, start, end - start).within(place)?;
                    self.add(name, "name of a global value", record);
                }
            }
        }
        Ok(())
    }

    /// Texts of the blocks in the module block, without those of functions and constants.
    fn of_blocks(&mut self, module: &Module<'_>) -> Result<()> {
        let mut info = module.block_info();
        for item in module.items() {
            let Item::Block(inner) = item else { continue };
            if !HOLDERS.contains(&inner.id()) {
                continue;
            }
            let place = || format!("MODULE > {}", block_name(inner.id()));
            let mut items = Items::new(inner, info.get(inner.id())?);
            while let Some(record) = items.next_record().within(place)? {
                self.of_block(inner.id(), &record).within(place)?;
            }
        }
        Ok(())
    }

    fn of_block(&mut self, id: u32, record: &Record<'_>) -> Result<()> {
        if id == block::PARAMATTR_GROUP && record.code() == attributes::GROUP {
            let operands = record.values()?.operands;
            attribute_texts(&operands, |text| {
                let bytes: Vec<u8> =
                    text.iter().map(|&character| u8::try_from(character).unwrap_or(0)).collect();
                self.add(&bytes, "attribute", record);
            });
            return Ok(());
        }
        if let Some((what, first)) = text_of_block(id, record.code()) {
            self.add(&record.text(first)?, what, record);
        }
        Ok(())
    }
}

/// Blocks in the module block whose records may be carried texts.
const HOLDERS: [u32; 7] = [
    block::PARAMATTR_GROUP,
    block::TYPE,
    block::METADATA,
    block::METADATA_KIND,
    block::OPERAND_BUNDLE_TAGS,
    block::SYNC_SCOPE_NAMES,
    block::VALUE_SYMTAB,
];

/// What the text of a record of the module block is, and the operand it begins with.
fn text_of_module(code: u32, version: u64) -> Option<(&'static str, usize)> {
    Some(match code {
        codes::TRIPLE => ("triple", 0),
        codes::DATALAYOUT => ("data layout", 0),
        codes::ASM => ("assembly", 0),
        codes::SECTIONNAME => ("name of a section", 0),
        codes::DEPLIB => ("name of a library", 0),
        codes::GCNAME => ("name of a garbage collector", 0),
        // Selection kind and size are before the name.
        codes::COMDAT if version < 2 => ("name of a comdat", 2),
        _ => return None,
    })
}

/// The same of a record of a block in it.
fn text_of_block(id: u32, code: u32) -> Option<(&'static str, usize)> {
    Some(match (id, code) {
        (block::TYPE, types::STRUCT_NAME) => ("name of a type", 0),
        (block::METADATA, metadata::NAME) => ("name of a list", 0),
        (block::METADATA | block::METADATA_KIND, metadata::KIND) => ("kind of an attachment", 1),
        (block::OPERAND_BUNDLE_TAGS, _) => ("operand bundle", 0),
        (block::SYNC_SCOPE_NAMES, _) => ("synchronization scope", 0),
        (block::VALUE_SYMTAB, code) => ("name of a global value", name_index(code)?),
        _ => return None,
    })
}
