//! Lossless codec of LLVM bitstreams, and views and edits of AIR modules on it.
//!
//! AIR, the intermediate language of Metal, is LLVM bitcode with metadata of Apple's. This
//! crate reads and writes its bits without knowing LLVM's types and instructions, but for the
//! edits that move ids: what is not edited comes back bit for bit, whatever it is. It knows nothing of Metal libraries either.
//!
//! # Layers
//!
//! * [`bits`] and [`abbrev`]: integers, and how a record's values are laid out.
//! * [`Stream`], [`Block`], [`Item`], [`Record`]: a tree that is decoded as far as asked. A
//!   block is bytes until it is [opened](Block::open), a record is bits until its
//!   [values](Record::values) are asked for; both are written as they were read. A record that
//!   is [edited](Record::set) keeps its abbreviation as long as its values fit.
//! * [`Envelope`]: the wrapper of 20 bytes and the padding around a stream.
//! * [`Module`]: views. Each decodes only what it needs; [`Global::list`] reads less than a
//!   module for who wants its symbols alone, [`GlobalReader`] those of thousands of modules.
//! * [`Module::rename`], [`Module::rewrite_texts`], [`Module::trim_strings`]: edits. Positions that a stream holds of its
//!   own parts are computed while it is written ([`WriteOptions::positions`]). [`Renamer`] renames
//!   functions of thousands of modules in less time.
//! * [`Module::strip`], [`Module::remove_unused`], [`Module::keep_entry`], [`Module::renumber`]: edits
//!   that move ids. They decode function bodies and refuse records whose operands are not known.
//!
//! ```
//! use air_bitcode::{Module, Rename};
//! # fn rename(bytes: &[u8]) -> air_bitcode::Result<Vec<u8>> {
//! let renamed = Module::parse(bytes)?.rename(&[Rename::new("blur", "ours::blur")])?;
//! println!("{} bytes of strings more", renamed.report().string_growth);
//! renamed.to_bytes()
//! # }
//! # assert!(rename(b"MTLB").is_err());
//! ```
//!
//! # What damaged input does
//!
//! It gives an [`Error`] with the bit and the place, or bytes that are carried. Nothing is
//! taken from a count in the file: a decoded block takes at most about 80 bytes of memory for
//! each of its bytes (real modules 6, at most 13), one that stays bytes takes none. Blocks are decoded
//! up to [`MAX_DEPTH`] deep.
//!
//! # What is checked, and what is not
//!
//! Canonical form (shortest integers, zero padding, true lengths) is checked where something
//! is decoded. Whether types, values and instructions make sense is not: LLVM's reader does
//! that. Function bodies have no view; edits that move ids follow what they refer to.
#![forbid(unsafe_code)]

pub mod abbrev;
pub mod bits;
mod blob;
mod block;
mod blockinfo;
mod bodies;
mod constants;
mod edited;
mod entry;
mod error;
mod head;
pub mod ids;
mod items;
mod listing;
mod metadata;
mod module;
mod open;
mod positions;
mod record;
mod rename;
mod renumber;
mod retarget;
mod skim;
mod split;
mod stream;
mod strings;
mod strip;
mod subprogram;
mod symbols;
mod symtab;
mod terms;
mod texts;
mod trim;
mod wrapper;
mod write;

pub use block::{Block, Item};
pub use blockinfo::BlockInfo;
pub use bodies::Bodies;
pub use constants::Integers;
pub use edited::Edited;
pub use entry::{AirInfo, AirMetadata, EntryKind, EntryPoint, Language};
pub use error::{Error, ErrorKind, Result};
pub use head::{Head, HeadReader};
pub use ids::MAGIC;
pub use items::Items;
pub use listing::GlobalReader;
pub use metadata::{Metadata, Operand};
pub use module::Module;
pub use open::MAX_DEPTH;
pub use record::{Record, UNABBREVIATED};
pub use rename::{Rename, RenameReport, Renamed, Renamer};
pub use renumber::Renumbering;
pub use retarget::{RetargetReport, Retargeted, Target};
pub use split::{Keeper, Kept, KeptReport, Splitter};
pub use stream::Stream;
pub use strip::{PATH_LISTS, Strip, StripReport, Stripped};
pub use subprogram::{Subprogram, Subprograms};
pub use symbols::{Global, GlobalKind, ImportKind, Linkage};
pub use symtab::{SymbolTable, TableSymbol};
pub use terms::{EntryLists, Term};
pub use texts::{CarriedText, Rewritten, Text, TextPlace, TextUse};
pub use trim::Trimmed;
pub use wrapper::{Envelope, WRAPPER_MAGIC, WRAPPER_SIZE, Wrapper};
pub use write::WriteOptions;
