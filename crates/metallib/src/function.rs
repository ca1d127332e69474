//! Functions: entries of the function list with what belongs to them.

use std::borrow::Cow;

use byteorder::{ByteOrder, LittleEndian};

use crate::function_type::{FunctionType, Versions};
use crate::tags::TagList;
use crate::{DataType, FourCc};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The id of the element at this index of its list.
            ///
            /// An id that no list has is found out when a library is built.
            #[must_use]
            pub const fn from_index(index: u32) -> Self {
                Self(index)
            }

            /// Index in the list.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Which module: an index into [`Library::modules`](crate::Library::modules).
    ModuleId;
    /// Which source archive: an index into [`Sources::archives`](crate::Sources::archives).
    ArchiveId;
    /// Which buffer: an index into [`BufferList::entries`](crate::BufferList::entries).
    BufferId;
}

/// Payload of tag OFFT: where the parts of a function lie, each in its own section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offsets {
    /// Of the public group's size word, from the start of the public metadata.
    pub public: u64,
    /// Of the private group's size word, from the start of the private metadata.
    pub private: u64,
    /// Of the module, from the start of the bitcode section.
    pub bitcode: u64,
}

impl Offsets {
    /// The 24 bytes of the tag.
    #[must_use]
    pub fn bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        LittleEndian::write_u64_into(&[self.public, self.private, self.bitcode], &mut bytes);
        bytes
    }

    /// Reads the 24 bytes of the tag; `None` for any other length.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut words = [0; 3];
        (bytes.len() == 24).then(|| LittleEndian::read_u64_into(bytes, &mut words))?;
        let [public, private, bitcode] = words;
        Some(Self { public, private, bitcode })
    }
}

/// An entry of the function list, with its metadata groups and references.
///
/// The tags that hold positions (OFFT, MDSZ, SOFF, RFLT) keep the values of the
/// input; the writer puts the new ones in their place.
#[derive(Clone, Debug, Default)]
pub struct Function<'a> {
    /// Tags of the function list, in order.
    pub tags: TagList<'a>,
    /// Tags of the public metadata group.
    pub public: TagList<'a>,
    /// Tags of the private metadata group.
    pub private: TagList<'a>,
    /// The module; `None` if the entry has no OFFT, and then it has no groups either.
    pub module: Option<ModuleId>,
    /// The source archive, tag SOFF.
    pub archive: Option<ArchiveId>,
    /// The reflection buffer, tag RFLT.
    pub reflection: Option<BufferId>,
}

impl Function<'_> {
    /// Name without its NUL; empty if there is no NAME.
    #[must_use]
    pub fn name_bytes(&self) -> &[u8] {
        let name = self.tags.payload(FourCc::NAME).unwrap_or_default();
        name.strip_suffix(&[0]).unwrap_or(name)
    }

    /// Name as text; bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.name_bytes())
    }

    /// What messages call the function, given its index: "function 12 `foo`".
    ///
    /// Control characters of the name are escaped and a very long name is shortened.
    #[must_use]
    pub fn place(&self, index: usize) -> String {
        match self.name_bytes() {
            [] => format!("function {index} (without a name)"),
            name => format!("function {index} `{}`", printable(name)),
        }
    }

    /// Tag TYPE.
    #[must_use]
    pub fn function_type(&self) -> Option<FunctionType> {
        match self.tags.payload(FourCc::TYPE) {
            Some(&[code]) => Some(FunctionType::from_code(code)),
            _ => None,
        }
    }

    /// Tag VERS.
    #[must_use]
    pub fn versions(&self) -> Option<Versions> {
        self.tags.payload(FourCc::VERS).and_then(Versions::from_bytes)
    }

    /// Tag HASH as stored: SHA-256 of the module, but for newer Core Image libraries.
    #[must_use]
    pub fn hash(&self) -> Option<&[u8; 32]> {
        self.tags.payload(FourCc::HASH)?.try_into().ok()
    }

    /// Tag OFFT as stored in the input.
    #[must_use]
    pub fn offsets(&self) -> Option<Offsets> {
        self.tags.payload(FourCc::OFFT).and_then(Offsets::from_bytes)
    }

    /// Tag MDSZ as stored in the input.
    #[must_use]
    pub fn stored_module_size(&self) -> Option<u64> {
        self.word(FourCc::MDSZ)
    }

    /// Tag LAYR: type of the render target array index of a vertex function.
    #[must_use]
    pub fn layer(&self) -> Option<DataType> {
        match self.tags.payload(FourCc::LAYR) {
            Some(&[code]) => Some(DataType::from_code(code)),
            _ => None,
        }
    }

    /// Tag TESS: patch type (1 triangle, 2 quad) and number of control points.
    #[must_use]
    pub fn tessellation(&self) -> Option<(u8, u8)> {
        match self.tags.payload(FourCc::TESS) {
            Some(&[byte]) => Some((byte & 3, byte >> 2)),
            _ => None,
        }
    }

    /// A tag of eight bytes as a number: MDSZ, SOFF, RFLT.
    #[must_use]
    pub fn word(&self, id: FourCc) -> Option<u64> {
        let payload = self.tags.payload(id)?;
        (payload.len() == 8).then(|| LittleEndian::read_u64(payload))
    }
}

/// The most characters of a name that messages show.
const SHOWN: usize = 400;

/// Text of an input as messages show it: on one line, and of a bounded length.
///
/// ```
/// assert_eq!(metallib::printable(b"a\x1b[1m \xff"), "a\\u{1b}[1m \u{fffd}");
/// ```
#[must_use]
pub fn printable(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut shown = String::with_capacity(text.len().min(SHOWN));
    for (index, c) in text.chars().enumerate() {
        match c {
            _ if index == SHOWN => return shown + "…",
            c if c.is_control() => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    shown
}
