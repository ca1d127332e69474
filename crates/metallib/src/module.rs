//! Modules: the blobs of the bitcode section, and their 20-byte wrapper.

use std::borrow::Cow;

use byteorder::{ByteOrder, LittleEndian};

/// Magic number of the bitcode wrapper, as a little-endian u32.
pub const WRAPPER_MAGIC: u32 = 0x0B17_C0DE;

/// Size of the bitcode wrapper in bytes.
pub const WRAPPER_SIZE: u32 = 20;

/// Modules are padded with zeros to a multiple of this many bytes.
pub const MODULE_ALIGNMENT: u64 = 16;

/// First bytes of raw LLVM bitcode.
pub const BITCODE_MAGIC: [u8; 4] = *b"BC\xc0\xde";

/// The wrapper in front of a module's bitcode: five little-endian u32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// Always 0.
    pub version: u32,
    /// Offset of the bitcode from the wrapper's start, always 20.
    pub offset: u32,
    /// Size of the bitcode in bytes, without wrapper and padding; a multiple of 4.
    pub size: u32,
    /// `0xFFFF_FFFF` in every measured module.
    pub cpu_type: u32,
}

impl Wrapper {
    /// Reads the wrapper at the start of `data`, if there is one.
    #[must_use]
    pub fn parse(data: &[u8]) -> Option<Self> {
        let mut words = data.get(..20)?.chunks_exact(4).map(LittleEndian::read_u32);
        (words.next()? == WRAPPER_MAGIC).then_some(())?;
        Some(Self {
            version: words.next()?,
            offset: words.next()?,
            size: words.next()?,
            cpu_type: words.next()?,
        })
    }

    /// Size of the padded module that this wrapper describes.
    #[must_use]
    pub fn module_size(&self) -> u64 {
        (u64::from(self.offset) + u64::from(self.size)).next_multiple_of(MODULE_ALIGNMENT)
    }
}

/// Wraps raw bitcode: wrapper, bitcode, zeros to a multiple of 16.
///
/// Bytes that already begin with a wrapper are padded and otherwise left alone.
/// `None` if the bitcode is larger than the wrapper's u32 can say.
///
/// ```
/// let module = metallib::wrap(b"BC\xc0\xde").unwrap();
/// assert_eq!(module.len(), 32);
/// assert_eq!(metallib::Wrapper::parse(&module).unwrap().size, 4);
/// ```
#[must_use]
pub fn wrap(bitcode: &[u8]) -> Option<Vec<u8>> {
    let mut module = Vec::with_capacity(bitcode.len() + 36);
    if Wrapper::parse(bitcode).is_none() {
        let size = u32::try_from(bitcode.len()).ok()?;
        for word in [WRAPPER_MAGIC, 0, WRAPPER_SIZE, size, u32::MAX] {
            module.extend_from_slice(&word.to_le_bytes());
        }
    }
    module.extend_from_slice(bitcode);
    module.resize(module.len().next_multiple_of(16), 0);
    Some(module)
}

/// One blob of the bitcode section.
#[derive(Clone, Debug)]
pub struct Module<'a> {
    bytes: Cow<'a, [u8]>,
    tail: Cow<'a, [u8]>,
    offset: u64,
    fresh: bool,
}

impl<'a> Module<'a> {
    /// A module as it stands in a library; its HASH is the function's stored one.
    pub(crate) fn stored(bytes: &'a [u8], tail: &'a [u8], offset: u64) -> Self {
        Self { bytes: Cow::Borrowed(bytes), tail: Cow::Borrowed(tail), offset, fresh: false }
    }

    /// A new module: the writer computes its HASH.
    #[must_use]
    pub fn new(bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        Self { bytes: bytes.into(), tail: Cow::Borrowed(&[]), offset: 0, fresh: true }
    }

    /// This module with other bytes, in the same place: its tail stays. The writer computes
    /// the HASH of its functions anew, unless `keep_hash`.
    #[must_use]
    pub fn with_bytes(&self, bytes: impl Into<Cow<'a, [u8]>>, keep_hash: bool) -> Self {
        Self { bytes: bytes.into(), fresh: !keep_hash, ..self.clone() }
    }

    /// Wrapper, bitcode and padding: what MDSZ counts and HASH covers.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes between this module and the next: one zero in some files of 2015, else none.
    #[must_use]
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// Absolute offset in the input; 0 for a new module.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the module is new, so that stored hashes do not speak of it.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// The wrapper, if the module has one.
    #[must_use]
    pub fn wrapper(&self) -> Option<Wrapper> {
        Wrapper::parse(&self.bytes)
    }
}
