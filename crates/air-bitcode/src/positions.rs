//! Positions that a stream holds of its own parts, computed anew while it is written.
//!
//! * VSTOFFSET in the module block, and FNENTRY in its value symbol table: 32-bit words from
//!   the word before the module's identification (the magic number) to the block.
//! * `METADATA_INDEX_OFFSET`: bits from behind its record to the `METADATA_INDEX` record.
//! * `METADATA_INDEX`: for each record of a value or node between the two, bits from the one
//!   before (for the first from behind the `METADATA_INDEX_OFFSET` record, so 0).
//!
//! The writer tells where each item begins, and is told what is written in its place.

use crate::abbrev::{Inherited, Scalar, Tail, Values};
use crate::block::{Block, Item};
use crate::blockinfo::BlockInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{block, metadata as metadata_codes, module as codes, vst};
use crate::record::Record;
use crate::symbols::{defines_body, is_global};

/// A field to be written over zeros once its block is done: position, value, width.
pub(crate) type Patch = (u64, u64, u32);

/// What is written in place of an item.
pub(crate) enum Step<'i, 'a> {
    /// The item.
    Item,
    /// The record with the values that [`Positions::values`] tells.
    Values,
    /// The record with these two operands, or with [`Positions::values`], which are the same.
    Pair([u64; 2]),
    /// The block, in which these are to be told the same; abbreviations that it begins with.
    Inside(Positions<'i, 'a>, Inherited),
}

/// Computes the positions that one block holds.
pub(crate) enum Positions<'i, 'a> {
    None,
    Module(Box<InModule<'i, 'a>>),
    Table(InTable<'a>),
    Metadata(InMetadata),
}

impl<'i, 'a> Positions<'i, 'a> {
    /// Those of a block with this id and these items.
    pub(crate) fn of(id: u32, items: &'i [Item<'a>], origin: u64) -> Self {
        match id {
            block::MODULE => Self::Module(Box::new(InModule::new(items, origin))),
            block::METADATA => Self::Metadata(InMetadata::default()),
            _ => Self::None,
        }
    }

    /// Whether an item has a part in them.
    #[inline(always)]
    pub(crate) fn know(&self, item: &Item<'a>) -> bool {
        match (self, item) {
            (Self::None, _) => false,
            (Self::Module(_), Item::Record(record)) => record.code() == codes::VSTOFFSET,
            (Self::Module(_), Item::Block(inner)) => {
                matches!(inner.id(), block::BLOCKINFO | block::FUNCTION | block::VALUE_SYMTAB)
            }
            (Self::Table(_) | Self::Metadata(_), Item::Record(_)) => true,
            _ => false,
        }
    }

    /// Takes note of an item that begins at bit `here`.
    pub(crate) fn step(&mut self, item: &Item<'a>, here: u64) -> Result<Step<'i, 'a>> {
        match (self, item) {
            (Self::Module(module), _) => module.step(item, here),
            (Self::Metadata(metadata), Item::Record(record)) => metadata.step(record, here),
            (Self::Table(table), Item::Record(record)) => table.step(record),
            _ => Ok(Step::Item),
        }
    }

    /// Values of the record that the last step told to write.
    pub(crate) fn values(&self) -> &Values<'a> {
        static NONE: Values<'static> = Values { operands: Vec::new(), blob: None };
        match self {
            Self::None => &NONE,
            Self::Module(module) => &module.values,
            Self::Table(table) => &table.values,
            Self::Metadata(metadata) => &metadata.values,
        }
    }

    /// Takes note that the record that the last step told to write ends before bit `here`.
    pub(crate) fn behind(&mut self, here: u64) {
        match self {
            Self::Module(module) => {
                module.patch = module.patch.map(|(_, value, width)| (here - 32, value, width));
            }
            Self::Metadata(metadata) if metadata.origin.is_none() => {
                metadata.patch = metadata.patch.map(|(_, value, width)| (here - 64, value, width));
                metadata.origin = Some(here);
            }
            _ => {}
        }
    }

    /// What is to be written once the block is done.
    pub(crate) fn patch(&self) -> Option<Patch> {
        match self {
            Self::None | Self::Table(_) => None,
            Self::Module(module) => module.patch,
            Self::Metadata(metadata) => metadata.patch,
        }
    }
}

/// Positions in a module block.
pub(crate) struct InModule<'i, 'a> {
    items: &'i [Item<'a>],
    origin: u64,
    info: BlockInfo<'a>,
    /// Where functions' bodies begin.
    bodies: Vec<u64>,
    /// Whether VSTOFFSET waits for its table.
    waiting: bool,
    patch: Option<Patch>,
    values: Values<'a>,
}

impl<'i, 'a> InModule<'i, 'a> {
    fn new(items: &'i [Item<'a>], origin: u64) -> Self {
        let (info, bodies) = (BlockInfo::default(), Vec::new());
        let values = Values::default();
        Self { items, origin, info, bodies, waiting: false, patch: None, values }
    }

    fn step(&mut self, item: &Item<'a>, here: u64) -> Result<Step<'i, 'a>> {
        match item {
            Item::Record(record) if record.code() == codes::VSTOFFSET => {
                if self.patch.is_some() {
                    return Err(record.error("second VSTOFFSET record, expected one"));
                }
                check_fields(record, 1)?;
                // Without a table that follows it stays what it is.
                self.patch = Some((0, record.first::<1>()?.0[0], 32));
                self.waiting = true;
                self.values.operands = vec![0];
                Ok(Step::Values)
            }
            Item::Block(inner) => self.block(inner, here),
            _ => Ok(Step::Item),
        }
    }

    fn block(&mut self, inner: &Block<'a>, here: u64) -> Result<Step<'i, 'a>> {
        match inner.id() {
            block::BLOCKINFO => self.info.add(inner),
            block::FUNCTION => self.bodies.push(here),
            block::VALUE_SYMTAB if self.waiting => {
                self.waiting = false;
                let words = words(here, self.origin)?;
                self.patch = self.patch.map(|(position, _, width)| (position, words, width));
                let table = InTable {
                    defined: definitions(self.items)?,
                    bodies: std::mem::take(&mut self.bodies),
                    origin: self.origin,
                    values: Values::default(),
                };
                return Ok(Step::Inside(Positions::Table(table), self.info.get(inner.id())?));
            }
            _ => {}
        }
        Ok(Step::Item)
    }
}

/// Position of a block as a number of words.
fn words(position: u64, origin: u64) -> Result<u64> {
    let bits = position - origin;
    if bits.is_multiple_of(32) {
        return Ok(bits / 32);
    }
    let what = "a function or symbol table that does not begin on a 32-bit border".to_owned();
    Err(Error::nowhere(ErrorKind::Value { what }))
}

/// Value ids of the functions that have a body, in the order of the bodies.
fn definitions(items: &[Item<'_>]) -> Result<Vec<u64>> {
    let mut version = 0;
    let mut next = 0;
    let mut defined = Vec::new();
    for item in items {
        let Item::Record(record) = item else { continue };
        if record.code() == codes::VERSION {
            version = record.first::<1>()?.0[0];
        }
        if is_global(record.code()) {
            if record.code() == codes::FUNCTION && defines_body(record, version)? {
                defined.push(next);
            }
            next += 1;
        }
    }
    Ok(defined)
}

/// Positions in a module's value symbol table.
pub(crate) struct InTable<'a> {
    /// Value ids of the functions that have a body, in ascending order.
    defined: Vec<u64>,
    /// Where the bodies begin.
    bodies: Vec<u64>,
    origin: u64,
    values: Values<'a>,
}

impl<'a> InTable<'a> {
    fn step<'i>(&mut self, record: &Record<'a>) -> Result<Step<'i, 'a>> {
        if record.code() != vst::FNENTRY {
            return Ok(Step::Item);
        }
        if let Some([value, _]) = record.pair()?
            && let Some(body) = self.body(value)
        {
            let pair = [value, words(body, self.origin)?];
            self.values.operands.clear();
            self.values.operands.extend(pair);
            return Ok(Step::Pair(pair));
        }
        record.read(&mut self.values)?;
        let value = self.values.operands.first().copied();
        let body = value.and_then(|value| self.body(value));
        let (Some(body), Some(slot)) = (body, self.values.operands.get_mut(1)) else {
            let what = format!("FNENTRY names value {value:?}, which has no body before the table");
            return Err(record.error(what));
        };
        *slot = words(body, self.origin)?;
        Ok(Step::Values)
    }

    /// Where the body of the function with this value id begins.
    fn body(&self, value: u64) -> Option<u64> {
        self.bodies.get(self.defined.binary_search(&value).ok()?).copied()
    }
}

/// Positions in a metadata block.
#[derive(Default)]
pub(crate) struct InMetadata {
    /// Where the record behind `METADATA_INDEX_OFFSET` begins.
    origin: Option<u64>,
    /// Where records of values and nodes begin, from there on.
    starts: Vec<u64>,
    patch: Option<Patch>,
    values: Values<'static>,
}

impl InMetadata {
    fn step<'i, 'a>(&mut self, record: &Record<'a>, here: u64) -> Result<Step<'i, 'a>> {
        match (record.code(), self.origin) {
            (metadata_codes::INDEX_OFFSET, None) => {
                check_fields(record, 2)?;
                let ([low, high], _) = record.first()?;
                self.patch = Some((0, high << 32 | low, 64));
                self.values.operands = vec![0, 0];
                return Ok(Step::Values);
            }
            (metadata_codes::INDEX, Some(origin)) => {
                let mut before = origin;
                let delta = |here| here - std::mem::replace(&mut before, here);
                self.values.operands = self.starts.drain(..).map(delta).collect();
                self.patch = self.patch.map(|(at, _, width)| (at, here - origin, width));
                return Ok(Step::Values);
            }
            (code, Some(_)) if metadata_codes::makes_id(code) => self.starts.push(here),
            _ => {}
        }
        Ok(Step::Item)
    }
}

/// Refuses a record that is not `count` fields of 32 bits, which can be written over.
fn check_fields(record: &Record<'_>, count: usize) -> Result<()> {
    let fields = record.abbreviation().is_some_and(|found| {
        found.tail() == Tail::None
            && found.scalars().len() == count
            && found.scalars().iter().all(|&scalar| scalar == Scalar::Fixed(32))
    });
    if fields {
        return Ok(());
    }
    Err(record.error("position that is not held in fields of 32 bits"))
}
