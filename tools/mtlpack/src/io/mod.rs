//! The only place of the tool that touches files: inputs, outputs, folders, dependency files and
//! response files.
//!
//! Nothing in here knows what a Metal library is. The operations take bytes and give bytes (or
//! write to `impl Write`); the command and build scripts connect them to files with this module.
//!
//! * [`Input`] names some bytes: a mapped file, standard input, or bytes of the caller.
//! * [`OutputFile`] is a result on its way: nothing is replaced before [`OutputFile::finish`],
//!   and a target which already holds the same bytes is left alone.
//! * [`OutputFolder`] takes many results under plain names.
//! * [`Claims`] keeps outputs from replacing what is read.
//! * [`depfile()`] and [`expand_args`] speak with build systems.
//!
//! Every failure is an [`IoError`], which names the file and, where there is one, the next step.
//!
//! # Example
//!
//! ```
//! use mtlpack::io::{Input, Outcome, OutputFile};
//! use std::io::Write;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (from, to) = (folder.path().join("a"), folder.path().join("b"));
//! # std::fs::write(&from, b"some bytes")?;
//! let input = Input::open(&from)?;
//! let mut output = OutputFile::create(&to)?;
//! output.write_all(&input.window(0..4)?)?;
//! assert_eq!(output.finish()?, Outcome::Written);
//! assert_eq!(std::fs::read(&to)?, b"some");
//! # Ok(())
//! # }
//! ```

#[cfg(unix)]
mod buffer;
mod claims;
mod commit;
mod depfile;
mod error;
mod folder;
mod input;
mod map;
mod output;
mod place;
mod response;
mod target;
mod tool;
mod window;
mod words;

pub use claims::Claims;
pub use commit::{Outcome, Prepared, commit_all};
pub use depfile::depfile;
pub use error::{IoError, Result};
pub use folder::OutputFolder;
pub(crate) use folder::is_device;
pub use input::Input;
pub use output::{EarlySync, OutputFile, write_bytes, write_text};
pub use response::{Arguments, expand_args};
pub use target::Target;
pub use tool::run_on;
pub use window::Window;
