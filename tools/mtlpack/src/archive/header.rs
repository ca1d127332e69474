//! The header of a member: 512 bytes of POSIX `ustar`.

use std::ops::Range;

/// Size of a header, and what contents are padded to.
pub const BLOCK: usize = 512;

/// Where the fields of a header stand.
pub mod field {
    use super::Range;

    /// Name, or the part of it behind the prefix; NUL behind it unless it fills the field.
    pub const NAME: Range<usize> = 0..100;
    /// Mode, octal digits.
    pub const MODE: Range<usize> = 100..108;
    /// Number of the owner, octal digits.
    pub const USER_ID: Range<usize> = 108..116;
    /// Number of the group, octal digits.
    pub const GROUP_ID: Range<usize> = 116..124;
    /// Size of the content, octal digits.
    pub const SIZE: Range<usize> = 124..136;
    /// Seconds since 1970, octal digits.
    pub const MODIFIED: Range<usize> = 136..148;
    /// Sum of all bytes of the header, these eight taken as blanks; octal digits.
    pub const CHECKSUM: Range<usize> = 148..156;
    /// What the member is.
    pub const KIND: usize = 156;
    /// What a link points at.
    pub const LINK_NAME: Range<usize> = 157..257;
    /// `ustar`, NUL, and the version `00`.
    pub const MAGIC: Range<usize> = 257..265;
    /// Name of the owner.
    pub const USER: Range<usize> = 265..297;
    /// Name of the group.
    pub const GROUP: Range<usize> = 297..329;
    /// What stands in front of the name, with `/` between.
    pub const PREFIX: Range<usize> = 345..500;
}

/// What a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemberKind {
    /// A regular file: `0`, or NUL in archives of older writers.
    File,
    /// Another name of an earlier member.
    HardLink,
    /// A symbolic link.
    SymbolicLink,
    /// A character or block device.
    Device,
    /// A folder.
    Folder,
    /// A named pipe.
    Pipe,
    /// Anything else, such as the extended headers of pax (`x`, `g`) and GNU (`L`, `K`).
    Other(u8),
}

impl MemberKind {
    const fn from_code(code: u8) -> Self {
        match code {
            0 | b'0' => Self::File,
            b'1' => Self::HardLink,
            b'2' => Self::SymbolicLink,
            b'3' | b'4' => Self::Device,
            b'5' => Self::Folder,
            b'6' => Self::Pipe,
            code => Self::Other(code),
        }
    }

    /// Whether the member has content; of the others readers differ in what a size means.
    pub(super) const fn has_content(self) -> bool {
        matches!(self, Self::File | Self::Other(_))
    }
}

impl std::fmt::Display for MemberKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::File => "file",
            Self::HardLink => "hard link",
            Self::SymbolicLink => "symbolic link",
            Self::Device => "device",
            Self::Folder => "folder",
            Self::Pipe => "named pipe",
            Self::Other(code) => return write!(f, "kind `{}`", code.escape_ascii()),
        })
    }
}

/// The header of a member, byte for byte, and what its fields say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'h> {
    bytes: &'h [u8; BLOCK],
}

impl<'h> Header<'h> {
    /// A view of the bytes of a header.
    #[must_use]
    pub const fn new(bytes: &'h [u8; BLOCK]) -> Self {
        Self { bytes }
    }

    /// The bytes.
    #[must_use]
    pub const fn bytes(self) -> &'h [u8; BLOCK] {
        self.bytes
    }

    /// The name: the prefix, if there is one, `/`, and the field for the name.
    #[must_use]
    pub fn name(self) -> Vec<u8> {
        let (prefix, name) = (self.prefix(), self.text(field::NAME));
        if prefix.is_empty() { name.to_vec() } else { [prefix, b"/", name].concat() }
    }

    /// The prefix of the name; empty if the header is not of POSIX `ustar`.
    #[must_use]
    pub fn prefix(self) -> &'h [u8] {
        if self.is_ustar() { self.text(field::PREFIX) } else { &[] }
    }

    /// What the member is.
    #[must_use]
    pub const fn kind(self) -> MemberKind {
        MemberKind::from_code(self.bytes[field::KIND])
    }

    /// What a link points at.
    #[must_use]
    pub fn link_name(self) -> &'h [u8] {
        self.text(field::LINK_NAME)
    }

    /// Name of the owner.
    #[must_use]
    pub fn user(self) -> &'h [u8] {
        self.text(field::USER)
    }

    /// Name of the group.
    #[must_use]
    pub fn group(self) -> &'h [u8] {
        self.text(field::GROUP)
    }

    /// A number of the owner or the group that says something: the text of the field,
    /// unless that is nothing but zeros and what may stand around them.
    pub(crate) fn owner_number(self, field: Range<usize>) -> Option<&'h [u8]> {
        let is_around = |byte: &u8| matches!(byte, 0 | b' ');
        let raw = self.raw(field);
        let start = raw.iter().position(|byte| !is_around(byte))?;
        let end = raw.iter().rposition(|byte| !is_around(byte))?;
        let text = raw.get(start..=end)?;
        let digits = text.iter().position(|&byte| byte != b'0')?;
        // Zeros in front of the number say nothing.
        text.get(digits..)
    }

    /// The name of the owner or the group with all that stands behind it; nothing if the field
    /// is empty.
    pub(crate) fn owner_name(self, field: Range<usize>) -> Option<&'h [u8]> {
        let raw = self.raw(field);
        let start = raw.iter().position(|&byte| byte != 0)?;
        let end = raw.iter().rposition(|&byte| byte != 0)?;
        raw.get(start..=end)
    }

    /// The header without what is read of it by itself: names, owners, size, time. The rest
    /// is zero in sound archives, but for the mode.
    pub(crate) fn rest(self) -> [u8; BLOCK] {
        let mut rest = *self.bytes;
        let whole = [
            field::USER_ID,
            field::GROUP_ID,
            field::SIZE,
            field::MODIFIED,
            field::CHECKSUM,
            field::MAGIC,
            field::USER,
            field::GROUP,
        ];
        let text = |field: Range<usize>, text: &[u8]| field.start..field.start + text.len();
        let texts = [
            text(field::NAME, self.text(field::NAME)),
            text(field::PREFIX, self.prefix()),
            text(field::LINK_NAME, self.link_name()),
        ];
        for field in whole.into_iter().chain(texts) {
            rest.get_mut(field).unwrap_or_default().fill(0);
        }
        rest
    }

    /// Whether anything says whose the file was.
    pub(crate) fn has_owner(self) -> bool {
        let mut names = [field::USER, field::GROUP].into_iter();
        let mut numbers = [field::USER_ID, field::GROUP_ID].into_iter();
        numbers.any(|field| self.owner_number(field).is_some())
            || names.any(|field| self.owner_name(field).is_some())
    }

    /// Size of the content in bytes; `None` if the field holds no octal number.
    #[must_use]
    pub fn size(self) -> Option<u64> {
        self.number(field::SIZE)
    }

    /// Mode; `None` if the field holds no octal number.
    #[must_use]
    pub fn mode(self) -> Option<u64> {
        self.number(field::MODE)
    }

    /// Seconds since 1970; `None` if the field holds no octal number.
    #[must_use]
    pub fn modified(self) -> Option<u64> {
        self.number(field::MODIFIED)
    }

    /// The checksum that is stored; `None` if the field holds no octal number.
    #[must_use]
    pub fn checksum(self) -> Option<u64> {
        self.number(field::CHECKSUM)
    }

    /// The checksum that the bytes of the header have.
    #[must_use]
    pub fn computed_checksum(self) -> u64 {
        let byte = |(at, byte): (usize, &u8)| match field::CHECKSUM.contains(&at) {
            true => u64::from(b' '),
            false => u64::from(*byte),
        };
        self.bytes.iter().enumerate().map(byte).sum()
    }

    /// Whether the header is one of POSIX `ustar`; others have no prefix.
    #[must_use]
    pub fn is_ustar(self) -> bool {
        self.raw(field::MAGIC).starts_with(b"ustar\0")
    }

    fn raw(self, field: Range<usize>) -> &'h [u8] {
        self.bytes.get(field).unwrap_or_default()
    }

    /// A field up to its NUL.
    fn text(self, field: Range<usize>) -> &'h [u8] {
        let raw = self.raw(field);
        raw.split(|&byte| byte == 0).next().unwrap_or(raw)
    }

    /// Octal digits with blanks in front, and blanks or NULs behind.
    fn number(self, field: Range<usize>) -> Option<u64> {
        let raw = self.raw(field).trim_ascii_start();
        let end = raw.iter().position(|byte| matches!(byte, 0 | b' ')).unwrap_or(raw.len());
        let (digits, rest) = raw.split_at(end);
        if digits.is_empty() || rest.iter().any(|byte| !matches!(byte, 0 | b' ')) {
            return None;
        }
        digits.iter().try_fold(0_u64, |number, &digit| {
            let digit = digit.checked_sub(b'0').filter(|&digit| digit < 8)?;
            number.checked_mul(8)?.checked_add(u64::from(digit))
        })
    }
}
