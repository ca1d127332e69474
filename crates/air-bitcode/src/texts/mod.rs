//! The texts of a module, what uses them, and rewriting them where they stand.
//!
//! | place | what is done |
//! |---|---|
//! | metadata strings of the module and of functions | the string with that number is another; no number moves |
//! | `SOURCE_FILENAME`, identification | the record's text |
//! | SYMTAB: producer, source file's name, linker options, libraries | STRTAB holds the new text in the place of the old one, and all that point behind it follow |
//!
//! Positions, wrapper size and padding follow. Rewriting there and back gives the original,
//! where text has the abbreviation that LLVM would choose.
//!
//! Names are no texts of this kind: those of functions ([`Module::rename`]), types, named
//! metadata, sections. Neither are attributes, the triple, the data layout, which
//! [`Module::carried_texts`] gives, and constants of the program.

mod carried;
mod find;
pub(crate) mod table;
mod uses;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use crate::block::Item;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{block, identification, module as codes};
use crate::module::Module;
use crate::rename::names::characters;
use crate::write::WriteOptions;

pub use carried::CarriedText;

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextPlace {
    /// A string of metadata, by its number.
    Metadata {
        /// Which function's, counted by bodies; none for the module's own.
        function: Option<usize>,
        /// Number of the string; a function's continue the module's.
        id: u64,
    },
    /// The record `SOURCE_FILENAME`.
    SourceFileName,
    /// The producer in the identification block.
    Identification,
    /// A string that the symbol table names, by the byte of the table that does.
    Symbols(usize),
}

/// What uses a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TextUse {
    /// Name of a file of debug information (`DIFile`).
    FileName,
    /// Directory of a file of debug information (`DIFile`).
    Directory,
    /// Producer of a compile unit.
    Producer,
    /// Command line of a compile unit.
    Flags,
    /// Name of the file that a compile unit's debug information is split off to.
    SplitName,
    /// Root of the system that a compile unit was made for.
    SystemRoot,
    /// Name of the development kit that a compile unit was made with.
    Kit,
    /// Another place in debug information, by the code of the record.
    Debug(u32),
    /// A node of named metadata, such as `air.source_file_name`.
    Named(Vec<u8>),
    /// Another node.
    Node,
    /// The source file's name: the record, or the symbol table's.
    SourceFileName,
    /// The producer: identification, or the symbol table's.
    Identification,
    /// Linker options and libraries of the symbol table.
    Linker,
}

impl fmt::Display for TextUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::FileName => "DIFile filename",
            Self::Directory => "DIFile directory",
            Self::Producer => "DICompileUnit producer",
            Self::Flags => "DICompileUnit flags",
            Self::SplitName => "DICompileUnit splitDebugFilename",
            Self::SystemRoot => "DICompileUnit sysroot",
            Self::Kit => "DICompileUnit sdk",
            Self::Debug(code) => return write!(f, "debug information (record code {code})"),
            Self::Named(name) => return write!(f, "{}", String::from_utf8_lossy(name)),
            Self::Node => "metadata node",
            Self::SourceFileName => "SOURCE_FILENAME",
            Self::Identification => "identification",
            Self::Linker => "linker options",
        };
        f.write_str(text)
    }
}

/// A text of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// Its bytes.
    pub bytes: Cow<'a, [u8]>,
    /// Where it stands.
    pub place: TextPlace,
    /// What uses it, each kind once; nothing for a string that nothing refers to.
    pub uses: Vec<TextUse>,
    /// Where it begins: bytes from the module's first. Text in records need not begin with a
    /// whole byte.
    pub offset: u64,
}

/// A module with other texts, to be written.
#[derive(Clone, Debug)]
pub struct Rewritten<'a> {
    module: Module<'a>,
    texts: usize,
}

impl Rewritten<'_> {
    /// How many texts were given anew.
    #[must_use]
    pub fn texts(&self) -> usize {
        self.texts
    }

    /// Writes wrapper, bitstream and padding behind what `bytes` holds.
    ///
    /// # Errors
    /// If positions cannot be computed or a block is too large.
    pub fn write(&self, bytes: &mut Vec<u8>) -> Result<()> {
        self.module.write(bytes, WriteOptions { positions: self.texts > 0, records: false })
    }

    /// The module's bytes.
    ///
    /// # Errors
    /// As [`Rewritten::write`].
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        Ok(bytes)
    }
}

impl<'a> Module<'a> {
    /// The texts that hold one of these bytes, with what uses them; all texts if `holding` is
    /// empty. Function bodies are not decoded.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let bytes = std::fs::read("kernel.air")?;
    /// for text in air_bitcode::Module::parse(&bytes)?.texts(b"/\\")? {
    ///     println!("{}: {:?}", String::from_utf8_lossy(&text.bytes), text.uses);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a block or record that may hold text cannot be read.
    pub fn texts(&self, holding: &[u8]) -> Result<Vec<Text<'a>>> {
        let mut texts = find::records(self, holding)?;
        let of_metadata = find::metadata(self, holding)?;
        if !of_metadata.is_empty() {
            texts.extend(uses::add(self, of_metadata)?);
        }
        texts.extend(table::texts(self, holding)?);
        Ok(texts)
    }

    /// Gives the texts that hold one of these bytes other contents, as `new` says; a text for
    /// which it gives nothing stays.
    ///
    /// ```
    /// # fn forget(bytes: &[u8]) -> air_bitcode::Result<Vec<u8>> {
    /// use air_bitcode::{Module, TextUse};
    /// let module = Module::parse(bytes)?;
    /// let rewritten = module.rewrite_texts(b"/", |text| {
    ///     text.uses.contains(&TextUse::Directory).then(|| b".".to_vec())
    /// })?;
    /// rewritten.to_bytes()
    /// # }
    /// # assert!(forget(b"MTLB").is_err());
    /// ```
    ///
    /// # Errors
    /// As [`Module::texts`], and if the module holds a hash of itself.
    pub fn rewrite_texts(
        mut self,
        holding: &[u8],
        mut new: impl FnMut(&Text<'a>) -> Option<Vec<u8>>,
    ) -> Result<Rewritten<'a>> {
        let texts = self.texts(holding)?;
        let given = texts.iter().filter_map(|text| {
            let new = new(text)?;
            // What stays in the symbol table may be a name too, which the table is not to have twice.
            let is_same = matches!(text.place, TextPlace::Symbols(_)) && *text.bytes == *new;
            (!is_same).then_some((text.place, new))
        });
        let edits: BTreeMap<TextPlace, Vec<u8>> = given.collect();
        if edits.is_empty() {
            return Ok(Rewritten { module: self, texts: 0 });
        }
        if self.record(codes::HASH).is_some() {
            let what = "a hash of the module in the module, whose texts are to change".to_owned();
            return Err(Error::nowhere(ErrorKind::Value { what }));
        }
        find::replace(&mut self, &edits)?;
        if let Some(text) = edits.get(&TextPlace::SourceFileName) {
            self.set_source_file_name(text)?;
        }
        if let Some(text) = edits.get(&TextPlace::Identification) {
            self.set_identification(text).within(|| "IDENTIFICATION")?;
        }
        table::replace(&mut self, &edits)?;
        Ok(Rewritten { module: self, texts: edits.len() })
    }

    fn set_source_file_name(&mut self, text: &[u8]) -> Result<()> {
        let abbreviations = self.abbreviations()?;
        let mut items = self.items_mut().iter_mut();
        let record = items.find_map(|item| match item {
            Item::Record(record) if record.code() == codes::SOURCE_FILENAME => Some(record),
            _ => None,
        });
        let set = |record: &mut crate::Record<'a>| {
            record.set_text(characters(&[], text), || Ok(abbreviations))
        };
        record.map_or(Ok(()), set)
    }

    fn set_identification(&mut self, text: &[u8]) -> Result<()> {
        let is_identification = |b: &&mut crate::Block<'a>| b.id() == block::IDENTIFICATION;
        let Some(found) = self.stream.blocks.iter_mut().find(is_identification) else {
            return Ok(());
        };
        found.open_alone()?;
        let abbreviations = found.abbreviations()?;
        for item in found.items_mut().into_iter().flatten() {
            let Item::Record(record) = item else { continue };
            if record.code() == identification::STRING {
                return record.set_text(characters(&[], text), || Ok(abbreviations));
            }
        }
        Ok(())
    }
}
