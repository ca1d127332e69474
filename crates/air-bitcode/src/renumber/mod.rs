//! Ids inside a module: which operand of which record holds one, and what each becomes.
//!
//! Records refer to values (globals, constants, arguments, instructions), to metadata, types and
//! attributes by number, and the numbers are given by the order of the records. So whoever takes a
//! record out, puts one in or moves one must write every reference behind it anew, through
//! function bodies and debug information. This room knows where references are:
//!
//! | file | what |
//! |---|---|
//! | `globals`, `constants`, `metadata`, `instructions`, `types`, `attributes` | operands that are ids, by record |
//! | `numbers` | which ids a module gives, in the order in which a reader gives them |
//! | `typing` | types of values, which records do not say |
//! | `maps`, `order` | what becomes of each id |
//! | `rewrite`, `declare` | write every id anew, and take out what is no more |
//! | `collect`, `marks`, `lists` | which ids nobody refers to |
//!
//! A record or block that these tables do not know is refused by name
//! ([`ErrorKind::Unknown`]): an id could be in it. The tables have what LLVM 3.5 to 17 and
//! Apple's compilers write; exception handling, use-lists and debug records (LLVM 19) are not
//! in them.

pub(crate) mod attributes;
mod collect;
pub(crate) mod constants;
mod declare;
pub(crate) mod globals;
mod instructions;
mod lists;
mod maps;
mod marks;
pub(crate) mod metadata;
mod numbers;
mod operands;
mod order;
mod place;
mod reference;
mod rewrite;
pub(crate) mod shrink;
pub(crate) mod types;
pub(crate) mod typing;

use crate::block::Block;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::block_name;
use crate::module::Module;
use crate::record::Record;

pub(crate) use attributes::attribute_texts;
pub(crate) use collect::{Collected, Found, Offer, collect, search};
pub(crate) use instructions::{Effect, Reader};
pub(crate) use lists::{Stay, elements, remove as remove_from_lists};
pub(crate) use maps::{Maps, New};
pub(crate) use metadata::text_slots;
pub(crate) use numbers::{Body, Entry, Numbers, Tables, count_strings};
pub(crate) use reference::{Kind, Slot};
pub(crate) use rewrite::apply;

/// How a module's ids are written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Renumbering {
    /// Every id is read, looked up, and written as it was.
    Same,
    /// Metadata strings, nodes that follow each other (but for lists of arguments, which LLVM
    /// wants behind what they name), constants of one type, lists and groups of attributes, and
    /// types that follow each other and are made of as many layers of others, stand and are
    /// numbered in the opposite order, in the module and in each function; all that refers to
    /// them follows. Done twice this gives the module that it was.
    Reversed,
}

impl Module<'_> {
    /// Writes every id of the module anew. The module means the same afterwards.
    ///
    /// This is the proof of the tables that other edits rest on: a reference that was missed,
    /// or a number taken for one, leads somewhere else.
    ///
    /// # Errors
    /// If a block or record is not known, an id refers to nothing, or a part of the module
    /// cannot be read. The module is then of no more use.
    pub fn renumber(&mut self, how: Renumbering) -> Result<()> {
        self.open_module()?;
        let numbers = Numbers::of(self).within(|| "MODULE")?;
        let maps = match how {
            Renumbering::Same => Maps::identity(&numbers),
            Renumbering::Reversed => Maps::reversed(self, &numbers)?,
        };
        let Numbers { tables, .. } = numbers;
        rewrite::apply(self, &tables, &maps).within(|| "MODULE")
    }
}

/// A record, of which the tables ask its code and, where they refuse it, where it stands.
pub(crate) trait Coded {
    /// What it is, within its block.
    fn code(&self) -> u32;
    /// How many operands it has.
    fn count(&self) -> usize;
    /// Where its values begin in the input, in bits, if they are there.
    fn offset(&self) -> Option<u64>;

    /// An error about it.
    fn refuse(&self, what: impl Into<String>) -> Error {
        error_at(ErrorKind::Value { what: what.into() }, self.offset())
    }
}

impl Coded for Record<'_> {
    fn code(&self) -> u32 {
        Self::code(self)
    }

    fn count(&self) -> usize {
        self.values().map_or(0, |values| values.operands.len())
    }

    fn offset(&self) -> Option<u64> {
        Self::offset(self)
    }
}

fn error_at(kind: ErrorKind, bit: Option<u64>) -> Error {
    match bit {
        Some(bit) => Error::new(kind, bit),
        None => Error::nowhere(kind),
    }
}

/// An error about a record whose operands are not known.
fn unknown(record: &impl Coded, block: &'static str) -> Error {
    let (code, count) = (record.code(), record.count());
    let what = format!("record of {block} with code {code} and {count} operands");
    error_at(ErrorKind::Unknown { what }, record.offset())
}

/// An error about a block whose records are not known.
fn unknown_block(block: &Block<'_>, outer: &str) -> Error {
    let what = format!("{} ({}) inside {outer}", block_name(block.id()), block.id());
    let kind = ErrorKind::Unknown { what };
    match block.source() {
        Some(bit) => Error::new(kind, bit),
        None => Error::nowhere(kind),
    }
}
