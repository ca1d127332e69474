//! Lossless model and reader of Apple Metal libraries (`.metallib`).
//!
//! A [`Library`] borrows from the bytes it was parsed from. Parsing finds frames:
//! header, function groups, metadata groups, modules, the header extension and its
//! sections. Tags, also unknown ones, stay in order as bytes ([`TagList`]); what they
//! mean is read on demand by typed views ([`Function`], [`metadata`], [`Sources`], …).
//!
//! A library that a new layout of all its parts gives back byte for byte is
//! *canonical*; any other is *irregular*, for the reasons in [`Irregularities`].
//! [`LibraryBuilder`] makes and edits libraries; the crate `metallib-write` writes them.
//!
//! Integers are little-endian. The format is undocumented; `docs/format.md` says what
//! is relied on and how often it was seen.
#![forbid(unsafe_code)]

mod buffer_patch;
mod buffers;
mod builder;
mod cursor;
mod data_type;
mod error;
mod fourcc;
mod function;
mod function_type;
mod group;
mod header;
mod irregular;
mod library;
pub mod metadata;
mod module;
mod parse;
mod parse_extension;
mod reflection;
mod reported;
mod section;
mod sniff;
mod source;
mod sources;
mod subset;
mod symbols;
mod tags;

pub use buffer_patch::BufferPatch;
pub use buffers::{BUFFER_ALIGNMENT, BufferEntry, BufferList, is_aligned};
pub use builder::{FunctionSpec, LibraryBuilder};
pub use data_type::DataType;
pub use error::{Error, ErrorKind, Result};
pub use fourcc::FourCc;
pub use function::{ArchiveId, BufferId, Function, ModuleId, Offsets, printable};
pub use function_type::{FunctionType, Version, Versions};
pub use header::{
    Container, FileType, HEADER_SIZE, Header, Identity, MAGIC, OsVersion, Platform, Range64,
};
pub use irregular::{Irregularities, Irregularity};
pub use library::{Dialect, Library};
pub use module::{
    BITCODE_MAGIC, MODULE_ALIGNMENT, Module, WRAPPER_MAGIC, WRAPPER_SIZE, Wrapper, wrap,
};
pub use reflection::{REFLECTION_IDENTIFIER, Reflection};
pub use reported::{Alias, Specialization, Stitching};
pub use section::{Extension, ExtensionTag, ExtensionValue, Section};
pub use sources::{Archive, Sources};
pub use subset::Subset;
pub use symbols::SymbolList;
pub use tags::{Tag, TagList};
