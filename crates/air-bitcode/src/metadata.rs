//! Metadata of a module: strings, nodes, and the names that lead to them.

use std::borrow::Cow;

use crate::block::Items;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{block, types};
use crate::module::Module;
use crate::record::Record;
use crate::strings;

/// The module's own metadata; that of functions is not in it.
#[derive(Clone, Debug)]
pub struct Metadata<'a> {
    entries: Vec<Entry<'a>>,
    named: Vec<(Vec<u8>, Vec<u64>)>,
    /// Type number of metadata, which nodes of old modules use.
    metadata_type: Option<u64>,
}

#[derive(Clone, Debug)]
enum Entry<'a> {
    String(Cow<'a, [u8]>),
    Record(Record<'a>),
}

/// What a node holds in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand<'m> {
    /// Nothing.
    None,
    /// A string.
    String(&'m [u8]),
    /// A value, by its number: a global or a constant.
    Value(u64),
    /// Another node, by its number.
    Node(u64),
}

impl<'m> Operand<'m> {
    /// The string, if it is one.
    #[must_use]
    pub fn string(self) -> Option<&'m [u8]> {
        if let Self::String(string) = self { Some(string) } else { None }
    }

    /// The number of the value, if it is one.
    #[must_use]
    pub fn value(self) -> Option<u64> {
        if let Self::Value(value) = self { Some(value) } else { None }
    }

    /// The number of the node, if it is one.
    #[must_use]
    pub fn node(self) -> Option<u64> {
        if let Self::Node(node) = self { Some(node) } else { None }
    }
}

impl<'a> Metadata<'a> {
    /// Nodes of a named metadata list such as `air.kernel`; none if the module has no such list.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&[u64]> {
        let found = self.named.iter().find(|(other, _)| other == name.as_bytes())?;
        Some(&found.1)
    }

    /// Names of all lists, in order.
    pub fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.named.iter().map(|(name, _)| String::from_utf8_lossy(name))
    }

    /// What a node holds; none if the number is not that of a plain node.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn operands(&self, node: u64) -> Result<Option<Vec<Operand<'_>>>> {
        let Some(Entry::Record(record)) = self.entry(node) else { return Ok(None) };
        let operands = || record.values().within(|| format!("metadata {node}"));
        match record.code() {
            code::NODE | code::DISTINCT_NODE => {
                let ids = operands()?.operands.into_iter().map(|id| id.checked_sub(1));
                ids.map(|id| id.map_or(Ok(Operand::None), |id| self.operand(id)))
                    .collect::<Result<_>>()
            }
            code::OLD_NODE | code::OLD_FN_NODE => {
                let operands = operands()?.operands;
                let pairs = operands.chunks_exact(2).filter_map(<[u64]>::first_chunk);
                pairs.map(|pair| self.old_operand(*pair)).collect::<Result<_>>()
            }
            _ => return Ok(None),
        }
        .map(Some)
    }

    /// The string with this number, if it is one.
    #[must_use]
    pub fn string(&self, id: u64) -> Option<&[u8]> {
        match self.entry(id)? {
            Entry::String(string) => Some(string),
            Entry::Record(_) => None,
        }
    }

    fn entry(&self, id: u64) -> Option<&Entry<'a>> {
        self.entries.get(crate::bits::size(id))
    }

    fn operand(&self, id: u64) -> Result<Operand<'_>> {
        Ok(match self.entry(id) {
            None => Operand::Node(id),
            Some(Entry::String(string)) => Operand::String(string),
            Some(Entry::Record(record)) if record.code() == code::VALUE => {
                Operand::Value(record.first::<2>()?.0[1])
            }
            Some(Entry::Record(_)) => Operand::Node(id),
        })
    }

    fn old_operand(&self, [of_type, value]: [u64; 2]) -> Result<Operand<'_>> {
        if Some(of_type) == self.metadata_type {
            self.operand(value)
        } else {
            Ok(Operand::Value(value))
        }
    }
}

impl<'a> Module<'a> {
    /// Reads the module's own metadata.
    ///
    /// # Errors
    /// If its blocks cannot be read.
    pub fn metadata(&self) -> Result<Metadata<'a>> {
        let mut metadata = Metadata {
            entries: Vec::new(),
            named: Vec::new(),
            metadata_type: self.metadata_type()?,
        };
        let mut info = self.block_info();
        for found in self.blocks(block::METADATA) {
            let mut items = Items::new(found, info.get(found.id())?);
            let mut name = Vec::new();
            while let Some(record) = items.next_record().within(|| "MODULE > METADATA")? {
                metadata.add(record, &mut name).within(|| "MODULE > METADATA")?;
            }
        }
        Ok(metadata)
    }

    /// Number of the type of metadata; looked for only where old nodes need it.
    fn metadata_type(&self) -> Result<Option<u64>> {
        let mut info = self.block_info();
        let Some(found) = self.blocks(block::TYPE).next() else { return Ok(None) };
        let mut items = Items::new(found, info.get(found.id())?);
        let mut number = 0;
        while let Some(record) = items.next_record().within(|| "MODULE > TYPE")? {
            match record.code() {
                types::NUMENTRY | types::STRUCT_NAME => {}
                types::METADATA => return Ok(Some(number)),
                _ => number += 1,
            }
        }
        Ok(None)
    }
}

impl<'a> Metadata<'a> {
    fn add(&mut self, record: Record<'a>, name: &mut Vec<u8>) -> Result<()> {
        match record.code() {
            code::STRINGS => self.add_strings(&record)?,
            code::STRING_OLD => self.entries.push(Entry::String(Cow::Owned(record.text(0)?))),
            code::NAME => *name = record.text(0)?,
            code::NAMED_NODE => {
                self.named.push((std::mem::take(name), record.values()?.operands));
            }
            other if code::makes_id(other) => self.entries.push(Entry::Record(record)),
            _ => {}
        }
        Ok(())
    }

    fn add_strings(&mut self, record: &Record<'a>) -> Result<()> {
        let values = record.values()?;
        let Some(Cow::Borrowed(_)) = values.blob else {
            let what = "METADATA_STRINGS without a blob".to_owned();
            return Err(Error::nowhere(ErrorKind::Value { what }));
        };
        strings::walk_stored(&values, |string| {
            self.entries.push(Entry::String(Cow::Borrowed(string)));
        })
    }
}

/// Record codes of the metadata block.
pub mod code {
    /// A string, as old modules have it.
    pub const STRING_OLD: u32 = 1;
    /// A value: type, value id.
    pub const VALUE: u32 = 2;
    /// A node: metadata ids + 1, 0 for none.
    pub const NODE: u32 = 3;
    /// Name of the named metadata that follows.
    pub const NAME: u32 = 4;
    /// As NODE, but never merged with an equal one.
    pub const DISTINCT_NODE: u32 = 5;
    /// Name of a kind of attachment.
    pub const KIND: u32 = 6;
    /// A node of old modules: pairs of type and value.
    pub const OLD_NODE: u32 = 8;
    /// A node of old modules that belongs to a function.
    pub const OLD_FN_NODE: u32 = 9;
    /// Nodes of the name that precedes.
    pub const NAMED_NODE: u32 = 10;
    /// Attachments of an instruction or a function.
    pub const ATTACHMENT: u32 = 11;
    /// A function's debug information.
    pub const SUBPROGRAM: u32 = 21;
    /// All strings at once.
    pub const STRINGS: u32 = 35;
    /// Attachments of a global value.
    pub const GLOBAL_DECL_ATTACHMENT: u32 = 36;
    /// Bits from behind this record to INDEX.
    pub const INDEX_OFFSET: u32 = 38;
    /// Positions of the nodes.
    pub const INDEX: u32 = 39;

    /// Whether a record makes one metadata id.
    pub(crate) fn makes_id(code: u32) -> bool {
        !matches!(
            code,
            NAME | KIND
                | NAMED_NODE
                | ATTACHMENT
                | STRINGS
                | GLOBAL_DECL_ATTACHMENT
                | INDEX_OFFSET
                | INDEX
        )
    }
}

/// Operands of a record that may name a string, as metadata id + 1, by the record's code.
///
/// The layouts changed over the years; where one version has a string and another does not,
/// the slot counts. For unknown records all slots count.
pub(crate) fn string_slots(code: u32, count: usize) -> impl Iterator<Item = usize> {
    let slots: Option<&[usize]> = match code {
        // Text, names, attachments, values, positions, subranges, subroutine types, lexical
        // blocks, expressions.
        1 | 2 | 4 | 6 | 7 | 10 | 11 | 13 | 19 | 22 | 23 | 29 | 36..=39 => Some(&[]),
        // Enumerator, basic type, derived type, label, string type.
        14 | 15 | 17 | 40 | 41 => Some(&[2]),
        // File: name, directory, checksum, source.
        16 => Some(&[1, 2, 4, 5]),
        // Composite type: name, identifier.
        18 => Some(&[2, 15]),
        // Compile unit: producer, flags, split name, root and kit of the system.
        20 => Some(&[3, 5, 7, 20, 21]),
        // Subprogram: name, linkage name, target.
        21 => Some(&[2, 3, 20]),
        // Namespace.
        24 => Some(&[2, 3]),
        // Template type.
        25 => Some(&[1]),
        // Template value: name; a template's name.
        26 => Some(&[2, 4, 5]),
        // Global and local variable: name, linkage name; older ones begin with a tag.
        27 | 28 => Some(&[2, 3]),
        // Objective-C property.
        30 => Some(&[1, 4, 5]),
        // Imported entity.
        31 => Some(&[5]),
        // Macro: name, value.
        33 => Some(&[3, 4]),
        // Common block.
        44 => Some(&[3]),
        _ => None,
    };
    (0..count).filter(move |slot| slots.is_none_or(|slots| slots.contains(slot)))
}
