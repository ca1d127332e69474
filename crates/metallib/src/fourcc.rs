//! Four-character codes: the names of tags and sections.

use std::fmt;

/// The four ASCII bytes that name a tag or a section, such as `NAME` or `RLST`.
///
/// Any four bytes are accepted, since unknown tags are carried.
///
/// ```
/// use metallib::FourCc;
///
/// assert_eq!(FourCc::NAME.to_string(), "NAME");
/// assert_eq!(FourCc::new(*b"A\0\xffB").to_string(), r"A\x00\xffB");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FourCc([u8; 4]);

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        impl FourCc {
            $($(#[$doc])* pub const $name: FourCc = FourCc::from_name(stringify!($name));)*
        }
    };
}

codes! {
    /// Name of a function, symbol, variable or dynamic library: text and one NUL.
    NAME;
    /// Function type: one byte, see [`FunctionType`](crate::FunctionType).
    TYPE;
    /// SHA-256 of the function's module: 32 bytes.
    HASH;
    /// Size of the function's module: u64.
    MDSZ;
    /// Offsets of public group, private group and module in their sections: 3 × u64.
    OFFT;
    /// AIR and language versions: 4 × u16.
    VERS;
    /// Offset of the function's source archive in the sources section: u64.
    SOFF;
    /// Offset of the function's entry in the reflection list: u64.
    RFLT;
    /// Data type of a vertex function's render target array index: u8.
    LAYR;
    /// Tessellation: u8, control points << 2 | patch type.
    TESS;
    /// Alias: two strings, alias name and function name (reported, no sample).
    ALIS;
    /// Specialised function (reported, no sample).
    SPCI;
    /// Stitched function (reported, no sample).
    STCI;
    /// Skipped by loaders (reported, no sample).
    STCE;
    /// End of a tag list; it has neither length nor payload.
    ENDT;
    /// Function constants, public metadata.
    CNST;
    /// Vertex attributes, public metadata.
    VATT;
    /// Vertex attribute types, public metadata.
    VATY;
    /// Return type of a Core Image function, public metadata.
    RETR;
    /// Arguments of a Core Image function, public metadata.
    ARGR;
    /// Argument count of older libraries: u16 (reported, no sample).
    ARGC;
    /// Arguments of older libraries (reported, no sample).
    ARGU;
    /// Argument pack count of older libraries: u16 (reported, no sample).
    AGPC;
    /// Argument packs of older libraries (reported, no sample).
    AGPT;
    /// Line and source path, private metadata.
    DEBI;
    /// Path of the linked `.air`, private metadata.
    DEPF;
    /// Embedded sources, containers up to 1.2.5.
    HSRC;
    /// Embedded sources with working directory, containers from 1.2.6.
    HSRD;
    /// Seen only as (0, 0) in the place of HSRC and HSRD; meaning not known.
    HSRP;
    /// Dynamic header.
    HDYN;
    /// Exported variable list (reported, no sample).
    VLST;
    /// Imported symbol list.
    ILST;
    /// Reflection list.
    RLST;
    /// Script list (reported, no sample).
    SLST;
    /// Identifier of the library: 16 bytes.
    UUID;
    /// Reflection buffer: u32 length, padding, flatbuffer.
    RBUF;
    /// Compressed reflection buffer (reported, no sample).
    RBUZ;
    /// Size of a compressed reflection buffer when unpacked (reported, no sample).
    RBSZ;
    /// Script buffer (reported, no sample).
    SBUF;
    /// Compressed script buffer (reported, no sample).
    SBUZ;
    /// Size of a compressed script buffer when unpacked (reported, no sample).
    SBSZ;
    /// Source archive: u32 length, id, bzip2 stream, zero padding.
    SARC;
    /// Install name of a dynamic library that this one is linked with.
    DYNL;
}

impl FourCc {
    /// A code of these four bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 4]) -> Self {
        Self(bytes)
    }

    /// The first four bytes of a name; shorter names are filled with NUL.
    const fn from_name(name: &str) -> Self {
        match name.as_bytes() {
            [a, b, c, d, ..] => Self([*a, *b, *c, *d]),
            _ => Self([0; 4]),
        }
    }

    /// The four bytes, in file order.
    #[must_use]
    pub const fn bytes(self) -> [u8; 4] {
        self.0
    }

    /// Whether the tag's length is a u32 rather than a u16.
    ///
    /// In the measured files this holds for `SARC` and `RBUF`; the other buffers
    /// (`RBUZ`, `SBUF`, `SBUZ`) are reported to be alike.
    #[must_use]
    pub fn has_wide_length(self) -> bool {
        matches!(self, Self::SARC | Self::RBUF | Self::RBUZ | Self::SBUF | Self::SBUZ)
    }
}

impl fmt::Display for FourCc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for FourCc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{self}'")
    }
}
