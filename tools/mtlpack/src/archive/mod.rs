//! Source archives from the inside: a bzip2 stream, zeros behind it, and in it a tar archive.
//!
//! A library embeds one for each translation unit. [`unpack`] reads one into memory, within
//! [`Limits`], and finds its members; what becomes of these is not decided here: names and
//! kinds are given as they stand, be they safe or not.
//!
//! The form, in all 199 archives of the corpus: members are regular files with headers of POSIX
//! `ustar` as libarchive writes them (mode 644; times, owners and their names zero or empty),
//! each padded with zeros to 512 bytes, and two blocks of zeros behind the last one. Names of
//! more than 100 bytes have their first part in the field for it. There are no extended headers.
//!
//! Not trusted are: sizes and counts of any header, the end of the stream, and what stands
//! behind either. An archive is read as soon as it is unpacked, chunk by chunk, so that one of
//! ten gigabytes, or of a million members, is refused at its beginning.

mod error;
mod header;
mod pack;
mod scan;
mod stream;

use std::fmt;
use std::ops::Range;

pub use error::{ArchiveError, ArchiveErrorKind, MemberPlace};
pub use header::{BLOCK, Header, MemberKind, field};

pub(crate) use pack::NewMember;
use scan::Scan;
pub(crate) use stream::{Outcome, unpack_into};

/// What an archive may unpack to whatever its packed size, in bytes.
const ALWAYS: u64 = 1 << 20;

/// How much is unpacked of one archive before it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes that it may unpack to.
    pub size: u64,
    /// The most bytes that it may unpack to for each packed one, padding counted; a mebibyte
    /// is allowed in any case. Real archives unpack to 9.2 times their size at the most.
    pub ratio: Option<u64>,
    /// The most members that it may have. Real archives have up to 6.
    pub members: usize,
}

impl Limits {
    /// Only a limit of the unpacked size, for archives of which it is known that they are large.
    #[must_use]
    pub const fn up_to(size: u64) -> Self {
        Self { size, ratio: None, members: usize::MAX }
    }

    /// The most bytes that a packed archive of this size may unpack to.
    fn unpacked(&self, packed: usize) -> u64 {
        let by_ratio = |ratio: u64| ratio.saturating_mul(packed as u64).max(ALWAYS);
        self.ratio.map_or(self.size, |ratio| by_ratio(ratio).min(self.size))
    }
}

impl Default for Limits {
    /// 256 MiB, 32 times the packed size, 4,096 members.
    fn default() -> Self {
        Self { size: 256 << 20, ratio: Some(32), members: 4096 }
    }
}

/// What may be unpacked of all archives of a library together: a small file can hold many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    limits: Limits,
    /// What is left of the limit for all.
    left: u64,
    /// What is left of what the packed sizes allow.
    earned: u64,
}

/// What all archives together may unpack to whatever their packed sizes, in bytes.
const ALWAYS_ALL: u64 = 16 << 20;

/// What an archive counts beyond what it holds, in bytes: to open a stream takes time, too.
pub(crate) const STREAM_COST: u64 = 1 << 15;

/// What one that fails counts at least: a block of its stream is unpacked in full before its first
/// byte is known.
const BLOCK_COST: u64 = 900_000;

impl Budget {
    /// At most `total` bytes of all archives, and of each what `limits` say. Their ratio holds for
    /// all archives together, too; 16 MiB are allowed in any case.
    #[must_use]
    pub const fn new(limits: Limits, total: u64) -> Self {
        Self { limits, left: total, earned: ALWAYS_ALL }
    }

    /// Only a limit of all archives together, for those of which it is known that they are
    /// large.
    #[must_use]
    pub const fn up_to(total: u64) -> Self {
        Self::new(Limits::up_to(total), total)
    }

    /// Unpacks an archive, as [`unpack`] does.
    ///
    /// # Errors
    /// As for [`unpack`].
    pub fn unpack(&mut self, data: &[u8]) -> Result<Unpacked, ArchiveError> {
        let ratio = self.limits.ratio.unwrap_or(u64::MAX);
        self.earned = self.earned.saturating_add(ratio.saturating_mul(data.len() as u64));
        let size = self.limits.size.min(self.left).min(self.earned);
        if size == 0 {
            return Err(ArchiveErrorKind::Exhausted.into());
        }
        let limits = Limits { size, ..self.limits };
        let mut bytes = Vec::new();
        let unpacked = unpack_to(data, &limits, &mut bytes);
        let (spent, least) = match &unpacked {
            Ok(whole) => (whole.bytes.len() as u64, STREAM_COST),
            Err(_) => (bytes.len() as u64, BLOCK_COST),
        };
        self.left = self.left.saturating_sub(spent.max(least));
        self.earned = self.earned.saturating_sub(spent);
        unpacked
    }
}

impl Default for Budget {
    /// The default [`Limits`] for each archive, and for all together 16 MiB and 32 times their
    /// packed sizes, 1 GiB at the most.
    fn default() -> Self {
        Self::new(Limits::default(), 1 << 30)
    }
}

/// A source archive in memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Unpacked {
    bytes: Vec<u8>,
    members: Vec<Range<usize>>,
    packed: usize,
    padding: usize,
    level: u8,
}

/// A file in an archive.
#[derive(Clone, Debug)]
pub struct Member<'u> {
    /// Which member it is, counted from 0.
    pub number: usize,
    /// Offset of its header in the unpacked archive.
    pub offset: u64,
    /// The header, byte for byte.
    pub header: Header<'u>,
    /// The content, without the zeros behind it.
    pub content: &'u [u8],
}

/// Unpacks an archive and finds its members.
///
/// ```
/// use mtlpack::archive::{ArchiveErrorKind, Limits, unpack};
///
/// let error = unpack(b"BZh9 and no stream", &Limits::default()).unwrap_err();
/// assert!(matches!(error.kind(), ArchiveErrorKind::Damaged { .. }));
/// ```
///
/// # Errors
/// If this is no bzip2 stream, or one that is cut or damaged; if anything but zeros stands
/// behind it or behind the last member; if a header or member is damaged; and as soon as a limit
/// is passed.
pub fn unpack(data: &[u8], limits: &Limits) -> Result<Unpacked, ArchiveError> {
    unpack_to(data, limits, &mut Vec::new())
}

/// Unpacks an archive through `bytes`, which keep what was unpacked of one that is refused.
fn unpack_to(data: &[u8], limits: &Limits, bytes: &mut Vec<u8>) -> Result<Unpacked, ArchiveError> {
    let Some([_, _, _, level]) = data.first_chunk().filter(|start| start.starts_with(b"BZh"))
    else {
        return Err(ArchiveErrorKind::NoStream { size: data.len() as u64 }.into());
    };
    let limit = limits.unpacked(data.len());
    let mut scan = Scan::new(limit, limits.members);
    let outcome = unpack_into(data, limit, |chunk| {
        bytes.extend_from_slice(chunk);
        scan.advance(bytes)
    })?;
    let packed = match outcome {
        Outcome::Whole { packed } => packed,
        Outcome::Damaged { at } => return Err(ArchiveErrorKind::Damaged { at }.into()),
        Outcome::Cut => return Err(ArchiveErrorKind::Cut { size: data.len() as u64 }.into()),
        Outcome::Limited => {
            return Err(scan.error_here(bytes, ArchiveErrorKind::TooLarge { limit }));
        }
    };
    let packed = usize::try_from(packed).unwrap_or(usize::MAX).min(data.len());
    let behind = data.get(packed..).unwrap_or_default();
    if let Some(index) = behind.iter().position(|&byte| byte != 0) {
        let at = packed.saturating_add(index) as u64;
        return Err(ArchiveErrorKind::BehindStream { at }.into());
    }
    let members = scan.finish(bytes)?;
    let bytes = std::mem::take(bytes);
    Ok(Unpacked { bytes, members, packed, padding: behind.len(), level: *level })
}

/// Finds the members of a tar archive, within the limits of the size and of the members.
///
/// # Errors
/// As for [`unpack`], but for what it says of the stream.
pub fn members<'u>(tar: &'u [u8], limits: &Limits) -> Result<Vec<Member<'u>>, ArchiveError> {
    let mut scan = Scan::new(limits.size, limits.members);
    if tar.len() as u64 > limits.size {
        return Err(ArchiveErrorKind::TooLarge { limit: limits.size }.into());
    }
    scan.advance(tar)?;
    let contents = scan.finish(tar)?;
    let numbered = contents.iter().enumerate();
    Ok(numbered.filter_map(|(number, range)| Member::of(tar, number, range)).collect())
}

impl Unpacked {
    /// The whole tar archive.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Size of the bzip2 stream.
    #[must_use]
    pub fn packed_size(&self) -> u64 {
        self.packed as u64
    }

    /// How many zeros stand behind the stream: none since metalfe 32023.864.
    #[must_use]
    pub fn padding(&self) -> u64 {
        self.padding as u64
    }

    /// The stream's block size in units of 100,000 bytes, the level it was packed with: 9,
    /// since metalfe 32023.864 6.
    #[must_use]
    pub const fn level(&self) -> u8 {
        self.level.saturating_sub(b'0')
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members in order.
    pub fn members(&self) -> impl Iterator<Item = Member<'_>> {
        let numbered = self.members.iter().enumerate();
        numbered.filter_map(|(number, range)| Member::of(&self.bytes, number, range))
    }

    /// What stands between a member's content and the next header: zeros in sound archives.
    pub(crate) fn behind(&self, number: usize) -> &[u8] {
        let Some(content) = self.members.get(number) else { return &[] };
        self.bytes.get(content.end..scan::padded(content.end)).unwrap_or_default()
    }

    /// What stands behind the last member: zeros, two blocks of them in real archives.
    #[must_use]
    pub fn end(&self) -> &[u8] {
        let end = self.members.last().map_or(0, |range| scan::padded(range.end));
        self.bytes.get(end..).unwrap_or_default()
    }
}

impl fmt::Debug for Unpacked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.members().map(|member| member.place()).collect();
        let mut debug = f.debug_struct("Unpacked");
        debug.field("size", &self.bytes.len()).field("members", &names).finish_non_exhaustive()
    }
}

impl<'u> Member<'u> {
    fn of(tar: &'u [u8], number: usize, content: &Range<usize>) -> Option<Self> {
        let offset = content.start.checked_sub(BLOCK)?;
        let header = Header::new(tar.get(offset..)?.first_chunk()?);
        let content = tar.get(content.clone())?;
        Some(Self { number, offset: offset as u64, header, content })
    }

    /// Where the member stands, for messages.
    #[must_use]
    pub fn place(&self) -> MemberPlace {
        MemberPlace { number: self.number, name: self.header.name(), offset: self.offset }
    }
}

#[cfg(test)]
mod tests;
