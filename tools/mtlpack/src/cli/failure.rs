//! Why a command did not do its work.

use std::fmt;
use std::io;

use metallib::ErrorKind;

use super::{hexdump, source};
use crate::error::Error;
use crate::io::{Input, IoError};

/// What to do where an archive is larger than what is allowed.
pub(super) const SIZE_HINT: &str =
    "--max-size allows more, for archives of which you know that they are sound";

/// An error, and for one of the format the bytes around it.
#[derive(Debug)]
pub(super) struct Failure {
    error: Error,
    rows: Vec<String>,
    /// Whether a module was given where a library is expected.
    is_module: bool,
}

impl Failure {
    /// An error of an operation on these inputs.
    pub(super) fn on<'i>(error: Error, inputs: impl IntoIterator<Item = &'i Input>) -> Self {
        let found = match &error {
            Error::Library { input, .. } => inputs.into_iter().find(|i| i.name() == input),
            _ => None,
        };
        let rows = match (&error, found) {
            (Error::Library { source, .. }, Some(found)) if is_placed(source) => {
                hexdump::rows(found.bytes(), source)
            }
            _ => Vec::new(),
        };
        let is_module = found.is_some_and(source::is_module);
        Self { error, rows, is_module }
    }

    /// Hexadecimal rows around the place of an error of the format.
    pub(super) fn rows(&self) -> &[String] {
        &self.rows
    }

    /// The option that would have helped: messages of the library do not know of options.
    pub(super) fn hint(&self) -> Option<&'static str> {
        match &self.error {
            Error::Library { source, .. } => match source.kind() {
                ErrorKind::Irregular { .. } => Some("--new-layout allows a new layout"),
                ErrorKind::NotALibrary { .. } if self.is_module => Some(source::MODULE_HINT),
                _ => None,
            },
            Error::Archive { source, .. } if source.is_limit() => Some(SIZE_HINT),
            Error::Io(IoError::NotEmpty { .. }) => {
                Some("--overwrite writes into it, and over files in it")
            }
            _ => None,
        }
    }

    /// The error without the bytes around it.
    pub(super) fn into_error(self) -> Error {
        self.error
    }

    /// 1 if the answer is "no", 2 for errors.
    pub(super) fn exit_code(&self) -> u8 {
        self.error.exit_code()
    }

    /// Whether the reader of standard output went away.
    pub(super) fn is_broken_pipe(&self) -> bool {
        matches!(&self.error, Error::Io(error) if error.is_broken_pipe())
    }
}

/// Whether an error stands for bytes of the input. Those of the builder have offset 0,
/// where no value of a file can be wrong but for its first four bytes.
fn is_placed(error: &metallib::Error) -> bool {
    error.offset() > 0
        || !matches!(error.kind(), ErrorKind::Value { .. } | ErrorKind::TooLarge { .. })
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, rows: Vec::new(), is_module: false }
    }
}

impl From<IoError> for Failure {
    fn from(error: IoError) -> Self {
        Error::Io(error).into()
    }
}

impl From<io::Error> for Failure {
    /// Errors of files carry their names; what has none comes from the printer.
    fn from(error: io::Error) -> Self {
        let name = "<stdout>".to_owned();
        let error = match IoError::from(error) {
            IoError::Other(cause) if cause.kind() == io::ErrorKind::BrokenPipe => {
                IoError::BrokenPipe { name }
            }
            IoError::Other(cause) => IoError::Write { name, cause },
            named => named,
        };
        error.into()
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}
