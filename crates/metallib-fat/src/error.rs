//! The crate's one error type: what, where in the file, which slice.

use std::fmt;

use crate::architecture::Architecture;

/// Result of reading or making a universal file.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why bytes are not a universal file, or why one cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Details>);

/// Behind a box, so that results stay small where all goes well.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    kind: ErrorKind,
    offset: Option<u64>,
    place: String,
}

/// What is wrong. Messages say what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input does not begin with a magic number of universal files.
    #[error(
        "no universal file, expected one of the magic numbers cafebabe, cbfebabe, cafebabf, cbfebabf"
    )]
    NotUniversal,
    /// Java's class files have the same magic number; their version stands where the count is.
    #[error(
        "a Java class file of version {version}, expected a universal file, which begins alike"
    )]
    JavaClass {
        /// Major version of the class file.
        version: u16,
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
    /// A slice lies outside the file.
    #[error("slice at {start:#x} with {size} bytes ends behind {limit:#x}, the end of the file")]
    OutOfRange {
        /// Absolute start.
        start: u64,
        /// Size in bytes.
        size: u64,
        /// Size of the file.
        limit: u64,
    },
    /// A slice begins inside the table, or inside another slice.
    #[error(
        "slice at {start:#x} overlaps {other}, which ends at {end:#x}; such a file can be read and not edited"
    )]
    Overlap {
        /// Absolute start.
        start: u64,
        /// What it overlaps.
        other: String,
        /// Absolute end of that.
        end: u64,
    },
    /// The file does not lie as a new layout would have it.
    #[error("laid out in another way: {what}; ask for a new layout to edit it")]
    Irregular {
        /// The first difference.
        what: String,
    },
    /// Two slices are of one architecture.
    #[error("there is a slice for {architecture} already")]
    Duplicate {
        /// The architecture.
        architecture: Architecture,
    },
    /// No slice is of this architecture.
    #[error("no slice for {architecture}, expected one of {present}")]
    Absent {
        /// The architecture.
        architecture: Architecture,
        /// Those there are.
        present: String,
    },
    /// A universal file without slices.
    #[error("a universal file without slices, expected one at least")]
    Empty,
    /// An offset or size does not fit into the form's entries.
    #[error("{what} {found} does not fit into 32 bits; make a file of the 64-bit form")]
    TooLarge {
        /// What does not fit.
        what: &'static str,
        /// Its value.
        found: u64,
    },
    /// An alignment that no file can have.
    #[error("alignment 2^{found}, expected at most 2^{most}")]
    Alignment {
        /// The power of two.
        found: u32,
        /// The largest allowed.
        most: u32,
    },
    /// A name of no architecture.
    #[error(
        "`{name}` names no architecture; names are such as air64_v26, applegpu_g13g, amdgpu_gfx900, or unknown(CPUTYPE,CPUSUBTYPE)"
    )]
    UnknownName {
        /// What was given.
        name: String,
    },
}

impl Error {
    /// An error at an absolute offset of the input.
    pub(crate) fn new(kind: ErrorKind, offset: u64) -> Self {
        Self(Box::new(Details { kind, offset: Some(offset), place: String::new() }))
    }

    /// An error about what is to be written, which has no offset yet.
    pub(crate) fn nowhere(kind: ErrorKind) -> Self {
        Self(Box::new(Details { kind, offset: None, place: String::new() }))
    }

    /// The same error, about this slice.
    pub(crate) fn of_slice(mut self, index: usize, architecture: Architecture) -> Self {
        self.0.place = format!("slice {index} {architecture}");
        self
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Absolute offset in the input in bytes, if the error is about an input.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Which slice, such as "slice 1 `air64_v24`"; may be empty.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.0.place
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.kind)?;
        match (self.0.offset, self.0.place.is_empty()) {
            (Some(offset), true) => write!(f, " (offset {offset:#x})"),
            (Some(offset), false) => write!(f, " (offset {offset:#x}, {})", self.0.place),
            (None, false) => write!(f, " ({})", self.0.place),
            (None, true) => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
