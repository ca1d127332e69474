//! Universal ("fat") files: several slices, one for each architecture, in one file.
//!
//! Apple ships Metal libraries of the system and binary archives in them: a slice for AIR, the
//! intermediate language, is a Metal library; a slice for a GPU is a Mach-O file. This crate
//! knows the table in front and nothing of what the slices hold.
//!
//! # Layout
//!
//! | field | bytes | |
//! |---|---|---|
//! | magic | 4 | `CA FE BA BE`, `CB FE BA BE` (GPU tools), `CA FE BA BF` and `CB FE BA BF` (64-bit entries) |
//! | count | 4 | number of entries |
//! | entries | 20 each | CPU type, CPU subtype, offset, size, alignment (power of two), 4 bytes each |
//! | or entries | 32 each | the same with offset and size of 8 bytes, and 4 bytes reserved at the end |
//! | slices | | each at a multiple of its alignment, zeroes between them |
//!
//! All numbers are big-endian in every file seen. Files of the other byte order are read, and
//! keep it.
//!
//! A file that is read and not edited is written byte for byte. An edit keeps the bytes of all
//! other slices and lays the file out anew; where the original does not lie as a new layout
//! would have it, the edit is refused unless a new layout is asked for.
//!
//! ```
//! use metallib_fat::{Architecture, Builder, Form, Universal};
//!
//! let mut builder = Builder::new(Form::GPU);
//! builder.push("air64_v23".parse()?, b"MTLB, one")?;
//! builder.push("air64_v24".parse()?, b"MTLB, the other")?;
//! let bytes = builder.to_vec()?;
//!
//! let universal = Universal::parse(&bytes)?;
//! let names: Vec<_> = universal.slices().iter().map(|s| s.architecture().to_string()).collect();
//! assert_eq!(names, ["air64_v23", "air64_v24"]);
//! assert_eq!(universal.slice("air64_v24".parse()?).unwrap().bytes(), b"MTLB, the other");
//! # Ok::<(), metallib_fat::Error>(())
//! ```
#![forbid(unsafe_code)]

mod architecture;
mod builder;
mod error;
mod form;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod laws;
mod read;

pub use architecture::Architecture;
pub use builder::{Builder, DEFAULT_ALIGNMENT};
pub use error::{Error, ErrorKind, Result};
pub use form::{ByteOrder, Form};
pub use read::{Irregularity, Slice, Universal};
