//! Operations on Apple Metal libraries (`.metallib`), for build scripts and compilers.
//!
//! Every command of the tool `mtlpack` is a function here first. Operations take parsed
//! [`Library`](metallib::Library) values and give an [`Edited`] library or a report;
//! [`io`] reads and writes files.
//!
//! Without the default feature `cli` there is no command-line parser among the
//! dependencies.
#![deny(unsafe_code)]

mod edited;
mod error;
pub mod io;

pub use edited::{Edited, Named};
pub use error::{Error, Result};
