//! Metadata of a module: strings, nodes, and the names that lead to them.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{block, metadata as code, types};
use crate::items::Items;
use crate::module::Module;
use crate::record::Record;
use crate::strings::Strings;

/// The module's own metadata; that of functions is not in it.
#[derive(Clone, Debug)]
pub struct Metadata<'a> {
    entries: Vec<Entry<'a>>,
    named: Vec<(Vec<u8>, Vec<u64>)>,
    /// Type numbers that nodes of old modules use.
    types: NodeTypes,
}

/// Numbers of the types that say what a place of an old module's node holds.
#[derive(Clone, Copy, Debug, Default)]
struct NodeTypes {
    /// The type of metadata.
    metadata: Option<u64>,
    /// The type of nothing.
    void: Option<u64>,
}

/// A string, or the record of a value or a node.
#[derive(Clone, Debug)]
pub(crate) enum Entry<'a> {
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

    /// Whether there are nodes of debug information.
    pub(crate) fn has_debug_nodes(&self) -> bool {
        self.entries.iter().any(|entry| match entry {
            Entry::String(_) => false,
            Entry::Record(record) => code::is_debug(record.code()),
        })
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

    pub(crate) fn entry(&self, id: u64) -> Option<&Entry<'a>> {
        self.entries.get(crate::bits::size(id))
    }

    /// How many strings, values and nodes there are; the next number is a function's.
    pub(crate) fn count(&self) -> usize {
        self.entries.len()
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
        if Some(of_type) == self.types.metadata {
            self.operand(value)
        } else if Some(of_type) == self.types.void {
            Ok(Operand::None)
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
        let mut metadata =
            Metadata { entries: Vec::new(), named: Vec::new(), types: self.node_types()? };
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

    /// Whether the module has pointers that do not say what they point to.
    ///
    /// # Errors
    /// If its types cannot be read.
    pub fn has_opaque_pointers(&self) -> Result<bool> {
        let mut info = self.block_info();
        let Some(table) = self.blocks(block::TYPE).next() else { return Ok(false) };
        let mut items = Items::new(table, info.get(table.id())?);
        while let Some(record) = items.next_record().within(|| "MODULE > TYPE")? {
            if record.code() == types::OPAQUE_POINTER {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Number of the type of metadata.
    pub(crate) fn metadata_type(&self) -> Result<Option<u64>> {
        Ok(self.node_types()?.metadata)
    }

    /// Numbers of the types that nodes of old modules say.
    fn node_types(&self) -> Result<NodeTypes> {
        let mut found = NodeTypes::default();
        let mut info = self.block_info();
        let Some(table) = self.blocks(block::TYPE).next() else { return Ok(found) };
        let mut items = Items::new(table, info.get(table.id())?);
        let mut number = 0;
        while found.metadata.is_none() || found.void.is_none() {
            let Some(record) = items.next_record().within(|| "MODULE > TYPE")? else { break };
            let place = match record.code() {
                types::NUMENTRY | types::STRUCT_NAME => continue,
                types::METADATA => Some(&mut found.metadata),
                types::VOID => Some(&mut found.void),
                _ => None,
            };
            if let Some(place) = place {
                place.get_or_insert(number);
            }
            number += 1;
        }
        Ok(found)
    }
}

impl<'a> Metadata<'a> {
    fn add(&mut self, record: Record<'a>, name: &mut Vec<u8>) -> Result<()> {
        match record.code() {
            code::NAME => *name = record.text(0)?,
            code::NAMED_NODE => {
                self.named.push((std::mem::take(name), record.values()?.operands));
            }
            _ => Entry::add(record, &mut self.entries)?,
        }
        Ok(())
    }
}

impl<'a> Entry<'a> {
    /// Puts what a record of a metadata block numbers behind the others.
    pub(crate) fn add(record: Record<'a>, entries: &mut Vec<Self>) -> Result<()> {
        match record.code() {
            code::STRINGS => add_strings(&record, entries)?,
            code::STRING_OLD => entries.push(Entry::String(Cow::Owned(record.text(0)?))),
            other if code::makes_id(other) => entries.push(Entry::Record(record)),
            _ => {}
        }
        Ok(())
    }
}

fn add_strings<'a>(record: &Record<'a>, entries: &mut Vec<Entry<'a>>) -> Result<()> {
    let Some(Cow::Borrowed(blob)) = record.blob()? else {
        let what = "METADATA_STRINGS without a blob".to_owned();
        return Err(Error::nowhere(ErrorKind::Value { what }));
    };
    Strings::of(record.first()?, Some(blob))?.walk(|string| {
        entries.push(Entry::String(Cow::Borrowed(string)));
    })
}
