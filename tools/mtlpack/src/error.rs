//! The one error type of the operations, and the exit status each kind means.

use crate::archive::ArchiveError;
use crate::io::IoError;

/// Result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation did not do what was asked. Nothing was written then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An input is not a library, or a library cannot be made.
    #[error("{input}: {source}")]
    Library {
        /// Name of the input, or of the output that could not be made.
        input: String,
        /// What is wrong, with offset and place.
        #[source]
        source: metallib::Error,
    },
    /// The inside of a module cannot be read or edited.
    #[error("{input}: {place}: {source}")]
    Module {
        /// Name of the input.
        input: String,
        /// Which module, and where it lies.
        place: String,
        /// What is wrong; bits count from the module's first byte.
        #[source]
        source: air_bitcode::Error,
    },
    /// A source archive cannot be unpacked, or not as asked.
    #[error("{input}: {place}: {source}")]
    Archive {
        /// Name of the input.
        input: String,
        /// Which archive, and where its stream lies.
        place: String,
        /// What is wrong, and with which member.
        #[source]
        source: ArchiveError,
    },
    /// An input is not a universal file, or one cannot be made.
    #[error("{input}: {source}")]
    Universal {
        /// Name of the input, or of the output that could not be made.
        input: String,
        /// What is wrong, with offset and slice.
        #[source]
        source: metallib_fat::Error,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] IoError),
    /// Patterns or names that select nothing; exit status 1.
    #[error("{what}")]
    NoMatch {
        /// What selected nothing, all of it.
        what: String,
    },
    /// A program of others failed; exit status 1.
    #[error("{tool}: {what}")]
    Tool {
        /// The program, as it was called.
        tool: String,
        /// What it said.
        what: String,
    },
    /// The operation is not possible on these inputs; the message says why and what to do.
    #[error("{what}")]
    Refused {
        /// Why.
        what: String,
    },
}

impl Error {
    /// An operation that is not possible.
    pub fn refused(what: impl Into<String>) -> Self {
        Self::Refused { what: what.into() }
    }

    /// Attaches the name of an input to an error of the format.
    pub fn library(input: impl Into<String>) -> impl FnOnce(metallib::Error) -> Self {
        let input = input.into();
        move |source| Self::Library { input, source }
    }

    /// Attaches the name of an input to an error about universal files.
    pub(crate) fn universal(input: impl Into<String>) -> impl FnOnce(metallib_fat::Error) -> Self {
        let input = input.into();
        move |source| Self::Universal { input, source }
    }

    /// Exit status of the command: 1 if the answer is "no", 2 for errors.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::NoMatch { .. } | Self::Tool { .. } => 1,
            _ => 2,
        }
    }
}
