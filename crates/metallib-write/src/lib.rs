//! Writer of Apple Metal libraries (`.metallib`).
//!
//! Writing has three steps. A [`Plan`] is pure arithmetic: it lays out all parts of a
//! [`Library`](metallib::Library), so every offset, size and count is known. It consists
//! of [`Piece`]s: ranges borrowed from the inputs, and new bytes. A sink takes the pieces
//! in order: [`Plan::write_to`] for any `impl Write`, or one's own.
//!
//! An unedited library is one piece: its source bytes.
//!
//! ```
//! use metallib::{Container, Dialect, FileType, LibraryBuilder, OsVersion, Platform};
//! use metallib_write::{Plan, WriteOptions};
//!
//! let os = OsVersion { major: 14, minor: 0, update: 0 };
//! let kind = FileType::Executable;
//! let builder =
//!     LibraryBuilder::new(Dialect::Archiver, Container::new(7), Platform::MACOS, os, kind);
//! let library = builder.finish()?;
//! let plan = Plan::new(&library, WriteOptions::default())?;
//! assert_eq!(plan.to_vec().len(), 96);
//! # Ok::<(), metallib::Error>(())
//! ```
#![forbid(unsafe_code)]

mod encode;
mod frame;
mod hash;
mod layout;
mod pieces;
mod plan;
mod uuid;

pub use frame::{Frame, FramePart, ModuleFacts};
pub use hash::{Hashes, ModuleHasher, module_hash, module_hashes};
pub use layout::Layout;
pub use pieces::{Piece, Region};
pub use plan::{Plan, UuidAction, WriteOptions};
pub use uuid::{
    UuidForm, UuidHasher, UuidStatus, has_sha256_shape, hashed_sections, uuid_candidates, uuid_of,
    uuid_status,
};
