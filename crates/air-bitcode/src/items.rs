//! Reads the items of a block.

use std::sync::Arc;

use crate::abbrev::{Abbreviation, Definition, FIRST_ID, Inherited, check_count};
use crate::bits::{BitReader, low_word, size};
use crate::block::{Block, DEFINE, END_BLOCK, ENTER_BLOCK, Item};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::block;
use crate::record::{Record, UNABBREVIATED};

/// Items that a block may hold beside one for each of its bytes, to bound time and memory.
pub(crate) const SPARE_ITEMS: usize = 64;

/// Definitions that room is made for at first.
const FIRST_DEFINITIONS: usize = 8;

/// Reads a block's items one by one, without keeping them.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    /// The body. It stays as it is: what changes is apart, so that it can be copied at once.
    body: BitReader<'a>,
    position: u64,
    id: u32,
    width: u32,
    inherited: Inherited,
    own: Vec<Definition<'a>>,
    records: u64,
    aligned: bool,
    done: bool,
}

/// What was found on the way to a record.
enum Step<'a> {
    Record(Record<'a>),
    Passed,
    Last,
}

#[cold]
fn at_record(error: Error, record: u64) -> Error {
    if error.place().is_empty() { error.within(format!("record {record}")) } else { error }
}

impl<'a> Items<'a> {
    /// Items of a block that is not decoded; none of one that is.
    pub(crate) fn new(block: &Block<'a>, inherited: Inherited) -> Self {
        let done = block.stored().is_none();
        let body = block.stored().unwrap_or(BitReader::new(&[], 0));
        let (id, width, own) = (block.id(), block.width(), Vec::new());
        Self { body, position: 0, id, width, inherited, own, records: 0, aligned: true, done }
    }

    /// Whether the last item ends on a 32-bit border wherever it begins.
    #[inline]
    pub(crate) fn is_aligned(&self) -> bool {
        self.aligned
    }

    /// What is left of the block, once an item ended on a 32-bit border.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.body.at(self.position).rest()
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
        let record = self.records;
        match self.item() {
            Ok(item) => Ok(item),
            Err(error) => Err(at_record(error, record)),
        }
    }

    /// Puts the next item behind the others of a list, and says whether there is one.
    #[inline(always)]
    pub(crate) fn push_next(&mut self, items: &mut Vec<Item<'a>>) -> Result<bool> {
        let record = self.records;
        match self.push_item(items) {
            Ok(found) => Ok(found),
            Err(error) => Err(at_record(error, record)),
        }
    }

    /// The next record; definitions and blocks before it are passed over.
    ///
    /// # Errors
    /// As [`Items::next`].
    pub fn next_record(&mut self) -> Result<Option<Record<'a>>> {
        self.next_record_until(None)
    }

    /// The next record, none if a block with this id comes before it. That block is passed
    /// over, too.
    #[inline(always)]
    pub(crate) fn next_record_until(&mut self, last: Option<u32>) -> Result<Option<Record<'a>>> {
        loop {
            let record = self.records;
            match self.record_item(last) {
                Ok(Step::Record(record)) => return Ok(Some(record)),
                Ok(Step::Last) => return Ok(None),
                Ok(Step::Passed) => {}
                Err(error) => return Err(at_record(error, record)),
            }
        }
    }

    #[inline(always)]
    fn record_item(&mut self, last: Option<u32>) -> Result<Step<'a>> {
        let mut reader = self.body.at(self.position);
        let mut step = Step::Passed;
        match self.next_id(&mut reader)? {
            END_BLOCK => return self.end(reader).map(|()| Step::Last),
            ENTER_BLOCK => {
                if Some(self.block(&mut reader)?.id()) == last {
                    step = Step::Last;
                }
            }
            DEFINE => drop(self.define(&mut reader)?),
            id => {
                let record = self.record(&mut reader, id)?;
                self.position = reader.position();
                return Ok(Step::Record(record));
            }
        }
        self.position = reader.position();
        Ok(step)
    }

    #[inline(always)]
    fn item(&mut self) -> Result<Option<Item<'a>>> {
        let mut reader = self.body.at(self.position);
        let found = match self.next_id(&mut reader)? {
            END_BLOCK => return self.end(reader).map(|()| None),
            ENTER_BLOCK => Item::Block(self.block(&mut reader)?),
            DEFINE => Item::Define(self.define(&mut reader)?),
            id => Item::Record(self.record(&mut reader, id)?),
        };
        self.position = reader.position();
        Ok(Some(found))
    }

    /// As [`Items::item`]. Each kind is pushed by itself: an item that is first made somewhere
    /// else and then moved takes twice the time.
    #[inline(always)]
    fn push_item(&mut self, items: &mut Vec<Item<'a>>) -> Result<bool> {
        let mut reader = self.body.at(self.position);
        match self.next_id(&mut reader)? {
            END_BLOCK => return self.end(reader).map(|()| false),
            ENTER_BLOCK => items.push(Item::Block(self.block(&mut reader)?)),
            DEFINE => items.push(Item::Define(self.define(&mut reader)?)),
            id => items.push(Item::Record(self.record(&mut reader, id)?)),
        }
        self.position = reader.position();
        Ok(true)
    }

    #[inline(always)]
    fn next_id(&mut self, reader: &mut BitReader<'a>) -> Result<u32> {
        self.aligned = false;
        if self.done {
            return Ok(END_BLOCK);
        }
        reader.fixed(self.width, "abbreviation id").map(low_word)
    }

    fn end(&mut self, mut reader: BitReader<'a>) -> Result<()> {
        if !self.done {
            reader.align()?;
            let left = reader.remaining() / 8;
            if left > 0 {
                return Err(reader.error(ErrorKind::BlockLength { left }));
            }
            self.done = true;
        }
        Ok(())
    }

    #[inline(always)]
    fn block(&mut self, reader: &mut BitReader<'a>) -> Result<Block<'a>> {
        self.aligned = true;
        Block::read(reader, self.position)
    }

    #[inline(always)]
    fn define(&mut self, reader: &mut BitReader<'a>) -> Result<Definition<'a>> {
        let definition = Definition::scan(reader)?;
        if self.id != block::BLOCKINFO {
            check_count(self.abbreviation_count())?;
            if self.own.capacity() == 0 {
                self.own.reserve(FIRST_DEFINITIONS);
            }
            self.own.push(definition.clone());
        }
        Ok(definition)
    }

    #[inline(always)]
    fn record(&mut self, reader: &mut BitReader<'a>, id: u32) -> Result<Record<'a>> {
        let start = self.position;
        self.records += 1;
        let limit = (self.body.data().len() + SPARE_ITEMS) as u64;
        if self.records > limit {
            let (what, found) = ("records in a block of so many bytes", self.records);
            return Err(reader.error(ErrorKind::TooMany { what, found, limit }));
        }
        if id == UNABBREVIATED {
            return Record::scan(reader, start, id, None);
        }
        let index = size((id - FIRST_ID).into());
        let inherited = self.inherited.as_slice().len();
        let last = self.abbreviation_count() + 3;
        let abbreviation = match self.inherited.as_slice().get(index) {
            Some(found) => found,
            None => match self.own.get_mut(index.wrapping_sub(inherited)) {
                Some(definition) => definition.resolve()?,
                None => return Err(reader.error(ErrorKind::UnknownAbbreviation { id, last })),
            },
        };
        let record = Record::scan(reader, start, id, Some(abbreviation))?;
        self.aligned = record.ends_aligned();
        Ok(record)
    }
}
