//! Reads the items of a block.

use std::sync::Arc;

use crate::abbrev::{Abbreviation, Definition, FIRST_ID, Inherited, check_count};
use crate::bits::{BitReader, low_word, size};
use crate::block::{Block, DEFINE, END_BLOCK, ENTER_BLOCK, Item};
use crate::error::{ErrorKind, Result};
use crate::ids::block;
use crate::record::{Record, UNABBREVIATED};

/// Reads a block's items one by one, without keeping them.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    reader: BitReader<'a>,
    id: u32,
    width: u32,
    inherited: Inherited,
    own: Vec<Definition<'a>>,
    records: u64,
    aligned: bool,
    done: bool,
}

impl<'a> Items<'a> {
    /// Items of a block that is not decoded; none of one that is.
    pub(crate) fn new(block: &Block<'a>, inherited: Inherited) -> Self {
        let done = block.stored().is_none();
        let reader = block.stored().unwrap_or(BitReader::new(&[], 0));
        let (id, width, own) = (block.id(), block.width(), Vec::new());
        Self { reader, id, width, inherited, own, records: 0, aligned: true, done }
    }

    /// Whether the last item ends on a 32-bit border wherever it begins.
    #[inline]
    pub(crate) fn is_aligned(&self) -> bool {
        self.aligned
    }

    /// What is left of the block, once an item ended on a 32-bit border.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.reader.rest()
    }

    /// How many abbreviations are in effect for the next item.
    pub(crate) fn abbreviation_count(&self) -> usize {
        self.inherited.as_slice().len() + self.own.len()
    }

    /// Abbreviations in effect for the next item, with their ids.
    pub(crate) fn abbreviations(&self) -> Result<Vec<(u32, Arc<Abbreviation>)>> {
        let own = self.own.iter().map(Definition::get);
        let all = self.inherited.as_slice().iter().cloned().map(Ok).chain(own);
        (FIRST_ID..).zip(all).map(|(id, found)| Ok((id, found?))).collect()
    }

    /// The next item; none behind the last.
    ///
    /// # Errors
    /// If the bits make no sense, or the block's end is not where its length says.
    #[allow(clippy::should_implement_trait, reason = "as fallible as a cursor")]
    pub fn next(&mut self) -> Result<Option<Item<'a>>> {
        if self.done {
            return Ok(None);
        }
        let record = self.records;
        match self.item() {
            Ok(Some(item)) => Ok(Some(item)),
            Ok(None) => {
                self.done = true;
                Ok(None)
            }
            Err(error) if error.place().is_empty() => Err(error.within(format!("record {record}"))),
            Err(error) => Err(error),
        }
    }

    /// The next record; definitions and blocks before it are passed over.
    ///
    /// # Errors
    /// As [`Items::next`].
    pub fn next_record(&mut self) -> Result<Option<Record<'a>>> {
        while let Some(item) = self.next()? {
            if let Item::Record(record) = item {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    #[inline(always)]
    fn item(&mut self) -> Result<Option<Item<'a>>> {
        let start = self.reader;
        self.aligned = false;
        let id = self.reader.fixed(self.width, "abbreviation id")?;
        Ok(match id {
            END_BLOCK => {
                self.reader.align()?;
                let left = self.reader.remaining() / 8;
                if left > 0 {
                    return Err(self.reader.error(ErrorKind::BlockLength { left }));
                }
                None
            }
            ENTER_BLOCK => {
                self.aligned = true;
                Some(Item::Block(Block::read(start, &mut self.reader)?))
            }
            DEFINE => Some(Item::Define(self.define()?)),
            _ => Some(Item::Record(self.record(start.position(), low_word(id))?)),
        })
    }

    fn define(&mut self) -> Result<Definition<'a>> {
        let definition = Definition::scan(&mut self.reader)?;
        if self.id != block::BLOCKINFO {
            check_count(self.abbreviation_count())?;
            self.own.push(definition.clone());
        }
        Ok(definition)
    }

    #[inline(always)]
    fn record(&mut self, start: u64, id: u32) -> Result<Record<'a>> {
        self.records += 1;
        if id == UNABBREVIATED {
            return Record::scan(&mut self.reader, start, id, None);
        }
        let index = size((id - FIRST_ID).into());
        let inherited = self.inherited.as_slice().len();
        let last = self.abbreviation_count() + 3;
        let abbreviation = match self.inherited.as_slice().get(index) {
            Some(found) => found,
            None => match self.own.get_mut(index.wrapping_sub(inherited)) {
                Some(definition) => definition.resolve()?,
                None => return Err(self.reader.error(ErrorKind::UnknownAbbreviation { id, last })),
            },
        };
        let record = Record::scan(&mut self.reader, start, id, Some(abbreviation))?;
        self.aligned = record.ends_aligned();
        Ok(record)
    }
}
