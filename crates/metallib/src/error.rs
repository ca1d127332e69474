//! The crate's one error type: what, where in the file, where in the structure.

use std::fmt;

use crate::FourCc;

/// Result of reading or building a library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why bytes are not a Metal library, or why a library cannot be made.
///
/// It carries what was found, the absolute offset in the input, and the place in
/// the structure ("function 12 `foo` > tag OFFT").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Details>);

/// Behind a box, so that results stay small where all goes well.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    kind: ErrorKind,
    offset: u64,
    place: String,
}

/// What is wrong. Messages say what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input does not begin with `MTLB`.
    #[error("{what}, expected a Metal library (MTLB){}", hint(next))]
    NotALibrary {
        /// What the input is, as far as its first bytes tell.
        what: String,
        /// What to do instead, or empty.
        next: String,
    },
    /// The container's major or minor version is not 1.2.
    #[error("container version {major}.{minor} is unknown, expected 1.2")]
    Version {
        /// Major version, without the macOS flag.
        major: u16,
        /// Minor version.
        minor: u16,
    },
    /// Something ends before it is whole.
    #[error("{what} needs {needed} bytes, {available} are left")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Bytes it takes.
        needed: u64,
        /// Bytes there are.
        available: u64,
    },
    /// A range of the file lies outside what holds it.
    #[error("{what} at {start:#x} with {size} bytes ends behind {limit:#x}, the end of {holder}")]
    OutOfRange {
        /// What the range is.
        what: &'static str,
        /// Absolute start, as far as it can be represented.
        start: u64,
        /// Size in bytes.
        size: u64,
        /// Absolute end of what should hold it.
        limit: u64,
        /// What should hold it.
        holder: &'static str,
    },
    /// A tag list runs into its end without `ENDT`.
    #[error("tag list ends without ENDT")]
    MissingEnd,
    /// A tag's payload has a size that cannot be right.
    #[error("tag {tag} is {found} bytes, expected {expected}")]
    TagSize {
        /// The tag.
        tag: FourCc,
        /// Bytes found.
        found: u64,
        /// Bytes expected.
        expected: u64,
    },
    /// A group's size word cannot be right.
    #[error("group size is {found}, expected {expected}")]
    GroupSize {
        /// The size word.
        found: u64,
        /// What it should be, in words.
        expected: &'static str,
    },
    /// Text without its NUL.
    #[error("{what} has no NUL at its end")]
    Unterminated {
        /// Which text.
        what: &'static str,
    },
    /// A value that has no meaning where it stands.
    #[error("{what}")]
    Value {
        /// What was found and what was expected.
        what: String,
    },
    /// The library is not laid out as Apple's tools do it, so an edit is refused.
    #[error(
        "the library is irregular ({count} reasons, the first: {first}), so an edit would \
         change more than what was asked; ask for a new layout to go on"
    )]
    Irregular {
        /// How many reasons there are.
        count: usize,
        /// The first one; its offset is the error's.
        first: String,
    },
    /// Something is too large for the format's fields.
    #[error("{what} is {size} bytes, the format allows {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size in bytes.
        size: u64,
        /// The largest size allowed.
        limit: u64,
    },
}

fn hint(next: &str) -> String {
    if next.is_empty() { String::new() } else { format!("; {next}") }
}

impl Error {
    /// An error of this kind at an absolute offset of the input.
    #[must_use]
    pub fn new(kind: ErrorKind, offset: u64) -> Self {
        Self(Box::new(Details { kind, offset, place: String::new() }))
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Absolute offset in the input, in bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// Where in the structure, outermost first, joined by ` > `; may be empty.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.0.place
    }

    /// The same error, seen from one level further out.
    #[must_use]
    pub fn within(mut self, place: impl fmt::Display) -> Self {
        self.0.place = if self.0.place.is_empty() {
            place.to_string()
        } else {
            format!("{place} > {}", self.0.place)
        };
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (offset {:#x}", self.0.kind, self.0.offset)?;
        if !self.0.place.is_empty() {
            write!(f, ", {}", self.0.place)?;
        }
        f.write_str(")")
    }
}

impl std::error::Error for Error {}

/// Adds a place to the error of a result; the place is only made on failure.
pub(crate) trait Within<T> {
    fn within<P: fmt::Display>(self, place: impl FnOnce() -> P) -> Result<T>;
}

impl<T> Within<T> for Result<T> {
    fn within<P: fmt::Display>(self, place: impl FnOnce() -> P) -> Result<T> {
        self.map_err(|error| error.within(place()))
    }
}
