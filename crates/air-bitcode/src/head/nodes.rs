//! Metadata nodes, found by the index that the block holds of itself.

use crate::bits::{BitReader, size};
use crate::entry::EntryKind;
use crate::ids::metadata as code;
use crate::record::UNABBREVIATED;
use crate::skim::{Definitions, Inner, Step, Walk};

/// The module flag that says that there is debug information.
const DEBUG_INFO: &[u8] = b"Debug Info Version";

/// What is used again for the next module.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// Where each string ends.
    ends: Vec<usize>,
    /// Positions in the body of the records behind the strings.
    records: Vec<u64>,
    name: Vec<u8>,
    pub(super) entries: Vec<(EntryKind, u64)>,
    flags: Vec<u64>,
}

/// Strings, and where the nodes are.
pub(super) struct Nodes<'a, 'b> {
    buffers: &'b mut Buffers,
    body: BitReader<'a>,
    width: u32,
    characters: &'a [u8],
    /// Number of the string that names the flag of debug information.
    debug: Option<u64>,
    pub(super) version: Option<u64>,
    pub(super) language: Option<u64>,
    pub(super) producer: Option<u64>,
}

impl<'a, 'b> Nodes<'a, 'b> {
    /// None if the metadata is of another form, or damaged.
    pub(super) fn read(
        block: &Inner<'a>,
        buffers: &'b mut Buffers,
        own: &mut Definitions,
    ) -> Option<Self> {
        buffers.ends.clear();
        buffers.records.clear();
        buffers.entries.clear();
        buffers.flags.clear();
        let (body, width) = (block.body, block.width);
        let (version, language, producer) = (None, None, None);
        let mut nodes = Self {
            buffers,
            body,
            width,
            characters: &[],
            debug: None,
            version,
            language,
            producer,
        };
        let mut walk = Walk::new(block, &[], own);
        let mut indexed = None;
        loop {
            match walk.next()? {
                Step::End => break,
                Step::Block(_) => {}
                Step::Record(code::STRINGS) => nodes.add_strings(&walk)?,
                Step::Record(code::INDEX_OFFSET) => {
                    let mut words = 0;
                    let mut shift = 0;
                    walk.operands(|word| {
                        words |= word.checked_shl(shift)?;
                        shift += 32;
                        Some(())
                    })?;
                    walk.jump(|start| {
                        indexed = Some(start);
                        words
                    })?;
                }
                Step::Record(code::INDEX) => nodes.add_index(&walk, indexed.take()?)?,
                Step::Record(code::NAME) => walk.text(&mut nodes.buffers.name)?,
                Step::Record(code::NAMED_NODE) => nodes.add_list(&walk)?,
                Step::Record(other) if code::makes_id(other) => {
                    nodes.buffers.records.push(walk.start());
                }
                Step::Record(_) => {}
            }
        }
        indexed.is_none().then_some(nodes)
    }

    fn add_strings(&mut self, walk: &Walk<'a, '_>) -> Option<()> {
        let mut fields = [0; 2];
        let mut slots = fields.iter_mut();
        walk.operands(|operand| {
            *slots.next()? = operand;
            Some(())
        })?;
        let [count, offset] = fields;
        let (lengths, characters) = walk.blob()?.split_at_checked(size(offset))?;
        if !self.buffers.ends.is_empty() || !self.buffers.records.is_empty() {
            return None;
        }
        self.characters = characters;
        let mut reader = BitReader::new(lengths, 0);
        let mut end = 0_usize;
        let mut number = 0;
        reader.each_vbr6(count, |length| {
            let length = size(length);
            let start = end;
            end = start.checked_add(length).filter(|&end| end <= characters.len())?;
            if length == DEBUG_INFO.len() && characters.get(start..end) == Some(DEBUG_INFO) {
                self.debug = Some(number);
            }
            number += 1;
            self.buffers.ends.push(end);
            Some(())
        })
    }

    /// Takes the positions of all records in front of the index, each counted from the last.
    fn add_index(&mut self, walk: &Walk<'a, '_>, start: u64) -> Option<()> {
        let records = &mut self.buffers.records;
        if !records.is_empty() {
            return None;
        }
        let mut position = start;
        walk.operands(|distance| {
            position = position.checked_add(distance)?;
            records.push(position);
            Some(())
        })
    }

    fn add_list(&mut self, walk: &Walk<'a, '_>) -> Option<()> {
        let buffers = &mut *self.buffers;
        let place = match buffers.name.as_slice() {
            b"air.version" => &mut self.version,
            b"air.language_version" => &mut self.language,
            b"llvm.ident" => &mut self.producer,
            b"llvm.module.flags" => {
                let flags = &mut buffers.flags;
                return walk.operands(|node| {
                    flags.push(node);
                    Some(())
                });
            }
            name => {
                let kind = EntryKind::ALL.into_iter().find(|k| k.list().as_bytes() == name);
                let (Some(kind), entries) = (kind, &mut buffers.entries) else { return Some(()) };
                return walk.operands(|node| {
                    entries.push((kind, node));
                    Some(())
                });
            }
        };
        place.replace(walk.first()?).is_none().then_some(())
    }

    /// The record with a metadata number: a reader behind its code, and the code.
    fn record(&self, id: u64) -> Option<(BitReader<'a>, u64)> {
        let index = size(id).checked_sub(self.buffers.ends.len())?;
        let mut reader = self.body;
        reader.skip(*self.buffers.records.get(index)?, "record").ok()?;
        let abbreviation = reader.fixed(self.width, "abbreviation id").ok()?;
        let code = reader.vbr(6, "record code").ok()?;
        (abbreviation == u64::from(UNABBREVIATED)).then_some((reader, code))
    }

    /// The metadata numbers of a node's first operands; none if it has not as many.
    pub(super) fn operands<const N: usize>(&self, node: u64) -> Option<[u64; N]> {
        let (mut reader, code) = self.record(node)?;
        let is_node = code == u64::from(code::NODE) || code == u64::from(code::DISTINCT_NODE);
        let count = reader.vbr(6, "number of operands").ok()?;
        if !is_node || count < N as u64 {
            return None;
        }
        let mut operands = [0; N];
        for slot in &mut operands {
            *slot = reader.vbr(6, "operand").ok()?.checked_sub(1)?;
        }
        Some(operands)
    }

    /// The number of the value that a metadata number stands for.
    pub(super) fn value(&self, id: u64) -> Option<u64> {
        let (mut reader, code) = self.record(id)?;
        let count = reader.vbr(6, "number of operands").ok()?;
        reader.vbr(6, "type").ok()?;
        let value = reader.vbr(6, "value").ok()?;
        (code == u64::from(code::VALUE) && count == 2).then_some(value)
    }

    /// The string with a metadata number.
    pub(super) fn string(&self, id: u64) -> Option<&'a [u8]> {
        let (index, ends) = (size(id), &self.buffers.ends);
        let start = index.checked_sub(1).map_or(Some(&0), |before| ends.get(before))?;
        self.characters.get(*start..*ends.get(index)?)
    }

    /// The nodes of the lists of entry points.
    pub(super) fn entries(&self) -> &[(EntryKind, u64)] {
        &self.buffers.entries
    }

    /// The metadata number of the version of the debug information, where a flag has it.
    pub(super) fn debug_info(&self) -> Option<Option<u64>> {
        let Some(name) = self.debug else { return Some(None) };
        let mut found = None;
        for &node in &self.buffers.flags {
            let [_, flag, value] = self.operands(node)?;
            if flag == name {
                found = Some(value);
            }
        }
        Some(found)
    }
}
