//! Bodies of functions, each read when something is asked of it.

use std::collections::HashMap;

use crate::abbrev::Values;
use crate::block::{Block, Item};
use crate::blockinfo::BlockInfo;
use crate::constants::count_constants;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{block, metadata as codes, module as module_codes};
use crate::items::Items;
use crate::metadata::Entry;
use crate::module::Module;
use crate::renumber::{Effect, Kind, Tables};
use crate::symbols::{defines_body, is_global};

/// The functions that a module defines, with their bodies.
///
/// Of a module that was parsed and is not decoded. Types and constants are read when arguments
/// are first asked for.
#[derive(Debug)]
pub struct Bodies<'m, 'a> {
    module: &'m Module<'a>,
    info: BlockInfo<'a>,
    /// Bodies by the value number of their function.
    blocks: HashMap<u64, &'m Block<'a>>,
    /// What reads instructions, and the number of the first argument of each function.
    known: Option<(Tables, u64)>,
}

impl<'a> Module<'a> {
    /// Finds the bodies of the module's functions.
    ///
    /// # Errors
    /// If a record of the module block cannot be read.
    pub fn bodies(&self) -> Result<Bodies<'_, 'a>> {
        let version = self.version()?;
        let (mut value, mut defined) = (0, Vec::new());
        for item in self.items() {
            let Item::Record(record) = item else { continue };
            if !is_global(record.code()) {
                continue;
            }
            if record.code() == module_codes::FUNCTION && defines_body(record, version)? {
                defined.push(value);
            }
            value += 1;
        }
        let blocks = defined.into_iter().zip(self.blocks(block::FUNCTION)).collect();
        Ok(Bodies { module: self, info: self.block_info(), blocks, known: None })
    }
}

impl<'m, 'a> Bodies<'m, 'a> {
    /// For each argument of a function, whether its body uses it: as an operand of an
    /// instruction. What metadata says of an argument is no use. None if the module has no
    /// body of it.
    ///
    /// # Errors
    /// If the body cannot be read, or holds a record that is not known.
    pub fn used_arguments(&mut self, function: u64) -> Result<Option<Vec<bool>>> {
        let Some(&body) = self.blocks.get(&function) else { return Ok(None) };
        if self.known.is_none() {
            self.known = Some(self.know().within(|| "MODULE")?);
        }
        let Some((tables, first)) = &self.known else { return Ok(None) };
        let Some(parameters) = tables.parameters(function) else {
            let what = "body of a function whose type is not known".to_owned();
            return Err(Error::nowhere(ErrorKind::Value { what }));
        };
        let next = first + parameters as u64;
        let mut search = Search { tables, first: *first, next, used: vec![false; parameters] };
        search.body(body, &mut self.info).within(|| format!("FUNCTION of value {function}"))?;
        Ok(Some(search.used))
    }

    fn know(&mut self) -> Result<(Tables, u64)> {
        let tables = Tables::read(self.module, &mut self.info)?;
        let mut first = self.module.global_count();
        for constants in self.module.blocks(block::CONSTANTS) {
            first += count_constants(constants, &mut self.info)?;
        }
        Ok((tables, first))
    }

    /// The function's attachment of a kind (0 is `dbg`): the number of its node. With it comes
    /// what the body's own metadata numbers behind the module's. None if there is no such.
    pub(crate) fn attachment(
        &mut self,
        function: u64,
        kind: u64,
    ) -> Result<Option<(u64, Vec<Entry<'a>>)>> {
        let Some(&body) = self.blocks.get(&function) else { return Ok(None) };
        let found = self.find_attachment(body, kind);
        found.within(|| format!("FUNCTION of value {function}"))
    }

    fn find_attachment(
        &mut self,
        body: &Block<'a>,
        kind: u64,
    ) -> Result<Option<(u64, Vec<Entry<'a>>)>> {
        let mut items = Items::new(body, self.info.get(body.id())?);
        let (mut own, mut found) = (Vec::new(), None);
        while let Some(item) = items.next()? {
            let Item::Block(inner) = item else { continue };
            if !matches!(inner.id(), block::METADATA | block::METADATA_ATTACHMENT) {
                continue;
            }
            let mut records = Items::new(&inner, self.info.get(inner.id())?);
            while let Some(record) = records.next_record()? {
                if inner.id() == block::METADATA {
                    Entry::add(record, &mut own)?;
                } else if record.code() == codes::ATTACHMENT {
                    found = found.or(node_of(&record.values()?.operands, 0, kind));
                }
            }
        }
        Ok(found.map(|node| (node, own)))
    }
}

/// The node of a kind in an attachment of so many operands in front and pairs of kind and node;
/// one operand more in front is an instruction's number.
pub(crate) fn node_of(operands: &[u64], front: usize, kind: u64) -> Option<u64> {
    let pairs = operands.get(front..).filter(|pairs| pairs.len() % 2 == 0)?;
    pairs.chunks_exact(2).find_map(|pair| match pair {
        [found, node] if *found == kind => Some(*node),
        _ => None,
    })
}

/// Looks for uses of a function's arguments.
struct Search<'t> {
    tables: &'t Tables,
    /// Number of the first argument.
    first: u64,
    /// Number of the next value.
    next: u64,
    used: Vec<bool>,
}

impl Search<'_> {
    fn body<'a>(&mut self, body: &Block<'a>, info: &mut BlockInfo<'a>) -> Result<()> {
        let mut items = Items::new(body, info.get(body.id())?);
        let (mut values, mut slots) = (Values::default(), Vec::new());
        while let Some(item) = items.next()? {
            let record = match item {
                Item::Block(inner) if inner.id() == block::CONSTANTS => {
                    self.next += count_constants(&inner, info)?;
                    continue;
                }
                Item::Block(_) | Item::Define(_) => continue,
                Item::Record(record) => record,
            };
            record.read(&mut values)?;
            slots.clear();
            let reader = self.tables.reader();
            let effect = reader.slots(&record, &values.operands, self.next, &mut slots)?;
            for slot in slots.iter().filter(|slot| slot.kind == Kind::Value) {
                let operand = values.operands.get(slot.index).copied().unwrap_or_default();
                let value = slot.form.decode(operand, self.next);
                let argument = value.and_then(|value| value.checked_sub(self.first));
                let used = argument.and_then(|index| self.used.get_mut(crate::bits::size(index)));
                if let Some(used) = used {
                    *used = true;
                }
            }
            self.next += u64::from(effect == Effect::Value);
        }
        Ok(())
    }
}
