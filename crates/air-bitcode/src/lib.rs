//! Lossless codec of LLVM bitstreams, and views and edits of AIR modules on it.
#![forbid(unsafe_code)]

pub mod abbrev;
pub mod bits;
mod block;
mod blockinfo;
mod constants;
mod entry;
mod error;
pub mod ids;
pub mod metadata;
mod module;
mod positions;
mod record;
mod rename;
mod stream;
mod strings;
mod symbols;
mod symtab;
mod trim;
mod wrapper;

pub use block::{Block, Item, Items, MAX_DEPTH, WriteOptions};
pub use blockinfo::{BlockInfo, MAX_ABBREVIATIONS};
pub use constants::Integers;
pub use entry::{AirInfo, EntryKind, EntryPoint, Language};
pub use error::{Error, ErrorKind, Result};
pub use metadata::{Metadata, Operand};
pub use module::Module;
pub use record::{Record, UNABBREVIATED};
pub use rename::{Rename, RenameReport, Renamed};
pub use stream::{MAGIC, Stream};
pub use symbols::{Global, GlobalKind, ImportKind, Linkage};
pub use symtab::{SymbolTable, TableSymbol};
pub use trim::Trimmed;
pub use wrapper::{Envelope, WRAPPER_MAGIC, WRAPPER_SIZE, Wrapper};
