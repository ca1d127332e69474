//! Finding the members of a tar archive while it is being unpacked.

use std::ops::Range;

use super::error::{ArchiveError, ArchiveErrorKind, MemberPlace};
use super::header::{BLOCK, Header};

/// How far an archive was read.
pub(super) struct Scan {
    /// Contents of the members.
    members: Vec<Range<usize>>,
    /// Where the next header stands; behind the end mark, how far everything is zero.
    next: usize,
    /// Whether the end mark was found: a block of zeros where a header would stand.
    ended: bool,
    size_limit: u64,
    member_limit: usize,
}

impl Scan {
    pub(super) const fn new(size_limit: u64, member_limit: usize) -> Self {
        Self { members: Vec::new(), next: 0, ended: false, size_limit, member_limit }
    }

    /// Reads the headers that are there by now; `bytes` are all that was unpacked.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        while !self.ended {
            let Some(block) = bytes.get(self.next..).and_then(<[u8]>::first_chunk) else {
                return Ok(());
            };
            if block.iter().all(|&byte| byte == 0) {
                self.ended = true;
            } else {
                self.member(Header::new(block))?;
            }
        }
        let behind = bytes.get(self.next..).unwrap_or_default();
        if let Some(index) = behind.iter().position(|&byte| byte != 0) {
            let at = self.next.saturating_add(index) as u64;
            return Err(ArchiveErrorKind::BehindEnd { at }.into());
        }
        self.next = bytes.len();
        Ok(())
    }

    /// Takes up a member, whose content need not be there yet.
    fn member(&mut self, header: Header<'_>) -> Result<(), ArchiveError> {
        let refuse = |kind| Err(ArchiveError::at(kind, self.place(header)));
        if self.members.len() >= self.member_limit {
            return refuse(ArchiveErrorKind::TooMany { limit: self.member_limit });
        }
        let size = match check(header) {
            Ok(size) => size,
            Err(what) => return refuse(ArchiveErrorKind::Member { what }),
        };
        let start = self.next.saturating_add(BLOCK);
        let end = usize::try_from(size).ok().and_then(|size| start.checked_add(size));
        let next = end.map_or(usize::MAX, padded);
        let limit = self.size_limit;
        match end {
            Some(end) if next as u64 <= limit => self.members.push(start..end),
            _ => return refuse(ArchiveErrorKind::TooLarge { limit }),
        }
        self.next = next;
        Ok(())
    }

    /// The contents of all members, now that `bytes` are the whole archive. An archive without
    /// end mark is whole if it ends with a member.
    pub(super) fn finish(self, bytes: &[u8]) -> Result<Vec<Range<usize>>, ArchiveError> {
        let what = match bytes.len().cmp(&self.next) {
            std::cmp::Ordering::Equal => return Ok(self.members),
            std::cmp::Ordering::Less => {
                let missing = self.next.saturating_sub(bytes.len());
                format!("the archive ends {missing} bytes before this member does")
            }
            std::cmp::Ordering::Greater => {
                let left = bytes.len().saturating_sub(self.next);
                format!("{left} bytes stand behind this member, expected a header of {BLOCK}")
            }
        };
        Err(self.error_here(bytes, ArchiveErrorKind::Member { what }))
    }

    /// An error at the member that is being read.
    pub(super) fn error_here(&self, bytes: &[u8], kind: ArchiveErrorKind) -> ArchiveError {
        let offset = self.members.last().and_then(|content| content.start.checked_sub(BLOCK));
        let header = offset.and_then(|offset| bytes.get(offset..)?.first_chunk());
        match (offset, header) {
            (Some(offset), Some(header)) => {
                let number = self.members.len().saturating_sub(1);
                let name = Header::new(header).name();
                ArchiveError::at(kind, MemberPlace { number, name, offset: offset as u64 })
            }
            _ => kind.into(),
        }
    }

    /// Where a header stands that is not taken up yet.
    fn place(&self, header: Header<'_>) -> MemberPlace {
        let (number, offset) = (self.members.len(), self.next as u64);
        MemberPlace { number, name: header.name(), offset }
    }
}

/// A size with the zeros that bring it to a multiple of a block.
pub(super) const fn padded(size: usize) -> usize {
    size.saturating_add(BLOCK - 1) / BLOCK * BLOCK
}

/// The size of a member, if its header is sound.
fn check(header: Header<'_>) -> Result<u64, String> {
    let computed = header.computed_checksum();
    match header.checksum() {
        Some(stored) if stored == computed => {}
        Some(stored) => {
            return Err(format!(
                "the header's checksum is {computed:o}, it says {stored:o}: this is no header of \
                 a tar archive, or a damaged one"
            ));
        }
        None => return Err("this is no header of a tar archive: it has no checksum".to_owned()),
    }
    let Some(size) = header.size() else {
        return Err("the header's size is no octal number".to_owned());
    };
    let kind = header.kind();
    if size > 0 && !kind.has_content() {
        return Err(format!("a {kind} with a size ({size}), which has no content"));
    }
    Ok(size)
}
