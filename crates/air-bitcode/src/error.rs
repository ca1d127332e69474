//! The crate's one error type: what, at which bit, in which block.

use std::fmt;

/// Result of reading or editing bitcode.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why bytes are not bitcode that can be read, or why an edit cannot be made.
///
/// It carries what was found, the absolute bit offset in the input (the wrapper's first
/// byte is bit 0), and the place in the structure ("MODULE > FUNCTION 3 > record 12").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Details>);

/// Behind a box, so that results stay small where all goes well.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    kind: ErrorKind,
    bit: Option<u64>,
    place: String,
}

/// What is wrong. Messages say what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input does not begin with a bitcode magic number.
    #[error("{found}, expected LLVM bitcode (BC C0 DE, or the wrapper DE C0 17 0B)")]
    NotBitcode {
        /// What it begins with.
        found: String,
    },
    /// A field of the wrapper cannot be right.
    #[error("wrapper: {what}")]
    Wrapper {
        /// What was found and expected.
        what: String,
    },
    /// The bits end before something is whole.
    #[error("{what} needs {needed} bits, {available} are left")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Bits it takes, as far as known.
        needed: u64,
        /// Bits there are.
        available: u64,
    },
    /// A variable-width integer holds more than 64 bits.
    #[error("{what} is a variable-width integer of more than 64 bits")]
    VbrOverflow {
        /// What was being read.
        what: &'static str,
    },
    /// A variable-width integer has more chunks than its value needs.
    #[error("{what} is a variable-width integer with a needless last chunk of zero")]
    VbrNotCanonical {
        /// What was being read.
        what: &'static str,
    },
    /// Bits that only fill up to a 32-bit border are not zero.
    #[error("padding to the next 32-bit border is not zero")]
    Padding,
    /// An abbreviation's definition makes no sense.
    #[error("abbreviation: {what}")]
    Abbreviation {
        /// What was found and expected.
        what: String,
    },
    /// A record uses an abbreviation that is not defined.
    #[error("record uses abbreviation {id}, the last one defined is {last}")]
    UnknownAbbreviation {
        /// The id used.
        id: u32,
        /// The last id that is defined; 3 if none is.
        last: usize,
    },
    /// Something else than a block stands between the blocks of the stream.
    #[error("abbreviation id {id} between the blocks of the stream, expected a block (id 1)")]
    NotABlock {
        /// The id found.
        id: u64,
    },
    /// A block's abbreviation id width is outside 2 to 32 bits.
    #[error("block has abbreviation ids of {found} bits, expected 2 to 32")]
    IdWidth {
        /// The width found.
        found: u64,
    },
    /// A block's length word says more than there is.
    #[error("block length is {found} bytes, {available} are left")]
    BlockTooLong {
        /// Bytes by the length word.
        found: u64,
        /// Bytes that are left.
        available: u64,
    },
    /// A block's content does not end where its length word says.
    #[error("block ends {left} bytes before the end that its length word gives")]
    BlockLength {
        /// Bytes behind its `END_BLOCK`.
        left: u64,
    },
    /// Blocks are nested more deeply than is decoded.
    #[error("blocks are nested more than {limit} deep")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// There is more of something than is decoded.
    #[error("{found} {what}, at most {limit} are decoded")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// The limit.
        limit: u64,
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
    /// A block or record that is needed is not there.
    #[error("there is no {what}")]
    Missing {
        /// What is not there.
        what: &'static str,
    },
    /// A value that has no meaning where it stands.
    #[error("{what}")]
    Value {
        /// What was found and what was expected.
        what: String,
    },
    /// A block or record that ids may be in, and whose layout is not known.
    #[error("{what} is not known: the ids in it cannot be renumbered")]
    Unknown {
        /// Which block or record.
        what: String,
    },
    /// A rename cannot be done.
    #[error("cannot rename `{old}` to `{new}`: {reason}")]
    Rename {
        /// The name to be replaced.
        old: String,
        /// The name asked for.
        new: String,
        /// Why not.
        reason: String,
    },
}

impl Error {
    /// An error of this kind at an absolute bit offset of the input.
    #[must_use]
    pub fn new(kind: ErrorKind, bit: u64) -> Self {
        Self(Box::new(Details { kind, bit: Some(bit), place: String::new() }))
    }

    /// An error that belongs to no bit of the input.
    #[must_use]
    pub fn nowhere(kind: ErrorKind) -> Self {
        Self(Box::new(Details { kind, bit: None, place: String::new() }))
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Absolute offset in the input, in bits; none if the error belongs to no bit of it.
    #[must_use]
    pub fn bit(&self) -> Option<u64> {
        self.0.bit
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
        write!(f, "{}", self.0.kind)?;
        match (self.0.bit, self.0.place.as_str()) {
            (Some(bit), "") => write!(f, " (bit {bit})"),
            (Some(bit), place) => write!(f, " (bit {bit}, {place})"),
            (None, "") => Ok(()),
            (None, place) => write!(f, " ({place})"),
        }
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
