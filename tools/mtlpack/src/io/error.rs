//! What can go wrong with files, in words that name the file and the next step.

use std::io;

use super::words::reason;

/// The result of an operation on files.
pub type Result<T, E = IoError> = std::result::Result<T, E>;

/// A failure of input or output.
///
/// The message is one line, starts in lower case, has no final full stop and already contains the
/// reason that the system gave, so [`source`](std::error::Error::source) is always `None`;
/// [`IoError::cause`] gives the system's error.
///
/// An `IoError` survives a trip through [`io::Error`] (which `Read` and `Write` demand):
///
/// ```
/// use mtlpack::io::{Input, IoError};
///
/// let error = Input::open("no/such.metallib").unwrap_err();
/// assert_eq!(error.to_string(), "cannot open `no/such.metallib`: no such file or folder");
///
/// let carried = std::io::Error::from(error);
/// assert_eq!(carried.kind(), std::io::ErrorKind::NotFound);
/// assert!(matches!(IoError::from(carried), IoError::Open { .. }));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IoError {
    /// A file could not be opened.
    #[error("cannot open `{name}`: {}", reason(cause))]
    Open {
        /// The file.
        name: String,
        /// What the system said.
        cause: io::Error,
    },
    /// An open file could not be read.
    #[error("cannot read `{name}`: {}", reason(cause))]
    Read {
        /// The file.
        name: String,
        /// What the system said.
        cause: io::Error,
    },
    /// A part of a file could not be mapped into memory.
    #[error("cannot map `{name}` into memory: {}", reason(cause))]
    Map {
        /// The file.
        name: String,
        /// What the system said.
        cause: io::Error,
    },
    /// A range was asked for that the input does not have.
    #[error("`{name}` has no bytes {start:#x}..{end:#x}, it ends at {length:#x}")]
    Range {
        /// The input.
        name: String,
        /// First byte asked for.
        start: u64,
        /// End of the bytes asked for.
        end: u64,
        /// Length of the input.
        length: u64,
    },
    /// A file became shorter after it was opened.
    #[error("`{name}` was changed by another program while it was read; run the command again")]
    Changed {
        /// The file.
        name: String,
    },
    /// Standard input was named twice.
    #[error("standard input (`-`) can be read only once; give a file for the other input")]
    StdinTwice,
    /// An input without known length, or a response file, is longer than allowed.
    #[error("`{name}` holds more than {limit} bytes; {advice}")]
    TooLarge {
        /// The input.
        name: String,
        /// The most that is read.
        limit: u64,
        /// The next step.
        advice: &'static str,
    },
    /// An input that should be text is not UTF-8.
    #[error("`{name}` is not UTF-8 text (offset {offset:#x})")]
    NotText {
        /// The input.
        name: String,
        /// Where the first byte that does not fit is.
        offset: usize,
    },
    /// A file or folder could not be created.
    #[error("cannot create `{name}`: {}", reason(cause))]
    Create {
        /// The file or folder.
        name: String,
        /// What the system said.
        cause: io::Error,
    },
    /// The folder of an output does not exist.
    #[error("cannot create `{name}`: the folder `{folder}` does not exist; create it first")]
    MissingFolder {
        /// The output.
        name: String,
        /// The folder that is missing.
        folder: String,
    },
    /// The folder of an output takes no new file, which is how outputs begin.
    #[error("cannot write `{name}`: the folder `{folder}` is not writable")]
    Folder {
        /// The output.
        name: String,
        /// Its folder.
        folder: String,
    },
    /// Bytes could not be written.
    #[error("cannot write `{name}`: {}", reason(cause))]
    Write {
        /// The output.
        name: String,
        /// What the system said.
        cause: io::Error,
    },
    /// The target exists and its permissions forbid writing.
    #[error("cannot replace `{name}`: it is write-protected; remove it or make it writable")]
    Protected {
        /// The output.
        name: String,
    },
    /// The finished temporary file could not take the target's place.
    #[error("cannot replace `{name}`: {}", reason(cause))]
    Rename {
        /// The output.
        name: String,
        /// What the system said.
        cause: io::Error,
    },
    /// A file that an earlier command left could not be removed.
    #[error("cannot remove `{name}`: {}", reason(cause))]
    Remove {
        /// The file.
        name: String,
        /// What the system said.
        cause: io::Error,
    },
    /// An output was finished although writing to it had failed.
    #[error("`{name}` is incomplete because an earlier write failed; it was not replaced")]
    Incomplete {
        /// The output.
        name: String,
    },
    /// A patch does not lie within the bytes written so far.
    #[error(
        "cannot patch {length} bytes at offset {offset:#x} of `{name}`: \
         only {written:#x} bytes were written"
    )]
    Patch {
        /// The output.
        name: String,
        /// Offset of the patch.
        offset: u64,
        /// Length of the patch.
        length: u64,
        /// Bytes written so far.
        written: u64,
    },
    /// A file was expected and a folder was given.
    #[error("`{name}` is a folder; give the name of a file")]
    Directory {
        /// The folder.
        name: String,
    },
    /// A folder was expected and something else was given.
    #[error("`{name}` is not a folder; give the name of a folder")]
    NotAFolder {
        /// What was given.
        name: String,
    },
    /// A folder to write into has something in it.
    #[error("the folder `{name}` is not empty; choose another")]
    NotEmpty {
        /// The folder.
        name: String,
    },
    /// Binary output would go to a terminal.
    #[error("binary output is not written to a terminal; give a file with -o or redirect it")]
    Terminal,
    /// The reader of a pipe went away; the command ends quietly.
    #[error("the reader of `{name}` closed the pipe")]
    BrokenPipe {
        /// The pipe.
        name: String,
    },
    /// Two outputs of one command have the same target.
    #[error("two outputs go to `{name}`; give each its own file")]
    SameTarget {
        /// The target.
        name: String,
    },
    /// An output would replace a file that is read.
    #[error("the output `{name}` would replace `{input}`, which is read; give it its own file")]
    OverInput {
        /// The output.
        name: String,
        /// The input, as it was given.
        input: String,
    },
    /// A name cannot be used for an output.
    #[error("cannot use `{name}` as the name of a file: {reason}")]
    Name {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// A name cannot be written into a dependency file.
    #[error("cannot list `{name}` in a dependency file: {reason}; rename the file")]
    Depfile {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// A response file could not be opened.
    #[error(
        "cannot open the response file `{name}`: {}; a file that is called `@{name}` is `./@{name}`",
        reason(cause)
    )]
    NoResponse {
        /// The response file.
        name: String,
        /// What the system said.
        cause: io::Error,
    },
    /// The content of a response file is malformed.
    #[error("response file `{name}`: {reason}")]
    Response {
        /// The response file.
        name: String,
        /// What is wrong, and where.
        reason: String,
    },
    /// A failure that [`std::io`] reported without a file of ours.
    #[error("{}", reason(.0))]
    Other(io::Error),
}

impl IoError {
    /// Whether the reader of our output went away, so that the command can end quietly with 0.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        match self {
            Self::BrokenPipe { .. } => true,
            Self::Other(cause) => cause.kind() == io::ErrorKind::BrokenPipe,
            _ => false,
        }
    }

    /// What the system said, for failures that come from it.
    #[must_use]
    pub fn cause(&self) -> Option<&io::Error> {
        match self {
            Self::Open { cause, .. }
            | Self::NoResponse { cause, .. }
            | Self::Read { cause, .. }
            | Self::Map { cause, .. }
            | Self::Create { cause, .. }
            | Self::Write { cause, .. }
            | Self::Rename { cause, .. }
            | Self::Remove { cause, .. }
            | Self::Other(cause) => Some(cause),
            _ => None,
        }
    }

    /// The kind that [`io::Error`] has for this failure.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            Self::BrokenPipe { .. } => io::ErrorKind::BrokenPipe,
            Self::MissingFolder { .. } => io::ErrorKind::NotFound,
            Self::Protected { .. } | Self::Folder { .. } => io::ErrorKind::PermissionDenied,
            Self::Directory { .. } => io::ErrorKind::IsADirectory,
            Self::NotAFolder { .. } => io::ErrorKind::NotADirectory,
            Self::NotEmpty { .. } => io::ErrorKind::DirectoryNotEmpty,
            Self::Changed { .. } => io::ErrorKind::UnexpectedEof,
            Self::NotText { .. } => io::ErrorKind::InvalidData,
            Self::TooLarge { .. } => io::ErrorKind::FileTooLarge,
            other => other.cause().map_or(io::ErrorKind::InvalidInput, io::Error::kind),
        }
    }

    /// A failure to write, telling a closed pipe from the rest.
    pub(super) fn write(name: &str, cause: io::Error) -> Self {
        let name = name.to_owned();
        match cause.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe { name },
            _ => Self::Write { name, cause },
        }
    }
}

/// Wraps the error, keeping its kind; converting back gives the same error.
impl From<IoError> for io::Error {
    fn from(error: IoError) -> Self {
        Self::new(error.kind(), error)
    }
}

/// Takes out the `IoError` that travelled inside, or keeps the error as [`IoError::Other`].
impl From<io::Error> for IoError {
    fn from(error: io::Error) -> Self {
        error.downcast::<Self>().unwrap_or_else(Self::Other)
    }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
