//! Why an archive cannot be read.

use std::fmt;

use crate::names::escape;

/// Why an archive cannot be read, or not be unpacked as asked: what, and at which member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveError(Box<Details>);

/// Behind a box, so that results stay small where all goes well.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    kind: ArchiveErrorKind,
    member: Option<MemberPlace>,
}

/// What is wrong with an archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveErrorKind {
    /// The archive does not begin as a bzip2 stream does.
    #[error("{}", no_stream(*size))]
    NoStream {
        /// Bytes that there are.
        size: u64,
    },
    /// The stream is damaged.
    #[error("the bzip2 stream is damaged at its byte {at} or shortly before")]
    Damaged {
        /// Offset in the stream.
        at: u64,
    },
    /// The data ends before the stream does.
    #[error("the bzip2 stream is cut: its end is not among its {size} bytes")]
    Cut {
        /// Bytes that there are.
        size: u64,
    },
    /// Something stands behind the stream that is no padding.
    #[error("byte {at}, behind the end of the bzip2 stream, is not zero: expected padding")]
    BehindStream {
        /// Offset from the start of the stream.
        at: u64,
    },
    /// Something stands behind the last member that is no padding.
    #[error("byte {at} of the unpacked archive, behind its end, is not zero: expected padding")]
    BehindEnd {
        /// Offset in the unpacked archive.
        at: u64,
    },
    /// A limit of the size is passed.
    #[error("the archive unpacks to more than {limit} bytes, which is the limit for it")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// The limit of all archives together is reached.
    #[error("the limit for all archives together was reached before this one")]
    Exhausted,
    /// The limit of the number of members is passed.
    #[error("the archive has more than {limit} members, which is the limit")]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// A member, or its header, is not what it should be.
    #[error("{what}")]
    Member {
        /// What was found and what was expected.
        what: String,
    },
}

/// Which member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberPlace {
    /// Which one, counted from 0.
    pub number: usize,
    /// Its name as it stands.
    pub name: Vec<u8>,
    /// Offset of its header in the unpacked archive.
    pub offset: u64,
}

fn no_stream(size: u64) -> String {
    match size {
        0 => "the archive is empty, expected a bzip2 stream (BZh)".to_owned(),
        _ => "the archive is no bzip2 stream (BZh)".to_owned(),
    }
}

impl ArchiveError {
    /// An error at a member.
    #[must_use]
    pub fn at(kind: ArchiveErrorKind, member: MemberPlace) -> Self {
        Self(Box::new(Details { kind, member: Some(member) }))
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ArchiveErrorKind {
        &self.0.kind
    }

    /// The member that is meant; `None` if it is the archive.
    #[must_use]
    pub fn member(&self) -> Option<&MemberPlace> {
        self.0.member.as_ref()
    }

    /// Whether the archive may be sound, and only larger than what is allowed.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        use ArchiveErrorKind as Kind;
        matches!(self.0.kind, Kind::TooLarge { .. } | Kind::Exhausted | Kind::TooMany { .. })
    }
}

impl From<ArchiveErrorKind> for ArchiveError {
    fn from(kind: ArchiveErrorKind) -> Self {
        Self(Box::new(Details { kind, member: None }))
    }
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.member {
            Some(member) => write!(f, "{member}: {}", self.0.kind),
            None => self.0.kind.fmt(f),
        }
    }
}

impl std::error::Error for ArchiveError {}

impl fmt::Display for MemberPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, name, offset } = self;
        write!(f, "member {number} `{}` at byte {offset} of the unpacked archive", escape(name))
    }
}
