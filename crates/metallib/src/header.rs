//! The 88-byte header: identity of the library and the ranges of its sections.

use std::fmt;

use crate::cursor::Cursor;
use crate::error::{Error, ErrorKind, Result};

/// Size of the header in bytes; the function list begins behind it.
pub const HEADER_SIZE: u64 = 88;

/// The first four bytes of every library.
pub const MAGIC: [u8; 4] = *b"MTLB";

const MACOS_FLAG: u16 = 0x8000;
const STUB_FLAG: u8 = 0x80;
const AIR64_FLAG: u8 = 0x80;

/// Container version "1.2.N"; N is called the patch.
///
/// ```
/// use metallib::Container;
///
/// assert!(Container::new(3).has_extension());
/// assert!(!Container::new(5).has_platform());
/// assert_eq!(Container::new(9).to_string(), "1.2.9");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Container(u16);

impl Container {
    /// Container 1.2.`patch`; 2 to 9 were seen.
    #[must_use]
    pub const fn new(patch: u16) -> Self {
        Self(patch)
    }

    /// The last number of the version.
    #[must_use]
    pub const fn patch(self) -> u16 {
        self.0
    }

    /// Whether a header extension follows the function list (1.2.3 and later).
    #[must_use]
    pub const fn has_extension(self) -> bool {
        self.0 >= 3
    }

    /// Whether platform and OS version are filled in (1.2.6 and later).
    #[must_use]
    pub const fn has_platform(self) -> bool {
        self.0 >= 6
    }

    /// Whether a library may hold a reflection list (1.2.7 and later).
    #[must_use]
    pub const fn has_reflection(self) -> bool {
        self.0 >= 7
    }
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.2.{}", self.0)
    }
}

/// What kind of library a file is: bits 0 to 6 of header byte 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileType {
    /// 0: functions that pipelines are made of.
    Executable,
    /// 1: Core Image kernels.
    CoreImage,
    /// 2: dynamic library.
    Dynamic,
    /// 3: symbol companion (`.metallibsym`): a library together with its sources.
    SymbolCompanion,
    /// Any other value.
    Unknown(u8),
}

impl FileType {
    /// The type of this code (0 to 127).
    #[must_use]
    pub const fn from_code(code: u8) -> Self {
        match code & !STUB_FLAG {
            0 => Self::Executable,
            1 => Self::CoreImage,
            2 => Self::Dynamic,
            3 => Self::SymbolCompanion,
            other => Self::Unknown(other),
        }
    }

    /// The code of this type.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Executable => 0,
            Self::CoreImage => 1,
            Self::Dynamic => 2,
            Self::SymbolCompanion => 3,
            Self::Unknown(code) => code,
        }
    }
}

impl fmt::Display for FileType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Executable => f.write_str("executable"),
            Self::CoreImage => f.write_str("core-image"),
            Self::Dynamic => f.write_str("dynamic"),
            Self::SymbolCompanion => f.write_str("symbol-companion"),
            Self::Unknown(code) => write!(f, "unknown({code})"),
        }
    }
}

/// Target platform: bits 0 to 6 of header byte 11, the Mach-O platform numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Platform(u8);

/// Names by Mach-O platform number, from 1.
const PLATFORMS: [&str; 12] = [
    "macos",
    "ios",
    "tvos",
    "watchos",
    "bridgeos",
    "mac-catalyst",
    "ios-simulator",
    "tvos-simulator",
    "watchos-simulator",
    "driverkit",
    "visionos",
    "visionos-simulator",
];

impl Platform {
    /// macOS.
    pub const MACOS: Self = Self(1);
    /// iOS on devices.
    pub const IOS: Self = Self(2);
    /// Mac Catalyst; its OS version is the iOS one.
    pub const MAC_CATALYST: Self = Self(6);
    /// visionOS on devices.
    pub const VISIONOS: Self = Self(11);

    /// The platform of this number (bit 7 is not part of it).
    #[must_use]
    pub const fn from_code(code: u8) -> Self {
        Self(code & !AIR64_FLAG)
    }

    /// The platform of this name, as printed.
    ///
    /// ```
    /// use metallib::Platform;
    ///
    /// assert_eq!(Platform::from_name("ios-simulator").map(Platform::code), Some(7));
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        PLATFORMS.iter().zip(1..).find(|(known, _)| **known == name).map(|(_, code)| Self(code))
    }

    /// The Mach-O platform number.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// Whether libraries of this platform carry the macOS flag in the major version.
    #[must_use]
    pub const fn is_mac(self) -> bool {
        matches!(self.0, 1 | 6)
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match usize::from(self.0).checked_sub(1).and_then(|index| PLATFORMS.get(index)) {
            Some(name) => f.write_str(name),
            None => write!(f, "unknown({})", self.0),
        }
    }
}

/// Version of the oldest system the library is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OsVersion {
    /// Header bytes 12 and 13.
    pub major: u16,
    /// Header byte 14.
    pub minor: u8,
    /// Header byte 15; 0 in every measured file.
    pub update: u8,
}

impl fmt::Display for OsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        if self.update == 0 { Ok(()) } else { write!(f, ".{}", self.update) }
    }
}

/// Identity of a library: header bytes 4 to 15, unknown values kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// Bytes 4 and 5: bit 15 is the macOS flag, bits 0 to 14 the major version, 1.
    pub major_word: u16,
    /// Bytes 6 and 7: minor version, 2.
    pub minor: u16,
    /// Bytes 8 and 9: patch of the container version.
    pub container: Container,
    /// Byte 10: file type, bit 7 "stub".
    pub type_byte: u8,
    /// Byte 11: platform with bit 7 set, 0 up to container 1.2.5.
    pub platform_byte: u8,
    /// Bytes 12 to 15, 0 up to container 1.2.5.
    pub os: OsVersion,
}

impl Identity {
    /// Identity of a new library. Platform and OS are only stored from container 1.2.6.
    #[must_use]
    pub fn new(container: Container, platform: Platform, os: OsVersion, kind: FileType) -> Self {
        let mut identity = Self {
            major_word: 1 | if platform.is_mac() { MACOS_FLAG } else { 0 },
            minor: 2,
            container,
            type_byte: kind.code(),
            platform_byte: 0,
            os: OsVersion::default(),
        };
        if container.has_platform() {
            identity.set_platform(platform);
            identity.os = os;
        }
        identity
    }

    /// Bytes 4 to 15 of the header.
    #[must_use]
    pub fn bytes(&self) -> [u8; 12] {
        let [a, b] = self.major_word.to_le_bytes();
        let [c, d] = self.minor.to_le_bytes();
        let [e, f] = self.container.patch().to_le_bytes();
        let [g, h] = self.os.major.to_le_bytes();
        let (kind, platform) = (self.type_byte, self.platform_byte);
        [a, b, c, d, e, f, kind, platform, g, h, self.os.minor, self.os.update]
    }

    /// Major version without the macOS flag; 1 in every measured file.
    #[must_use]
    pub const fn major(&self) -> u16 {
        self.major_word & !MACOS_FLAG
    }

    /// Whether the macOS flag is set (macOS and Mac Catalyst).
    #[must_use]
    pub const fn is_mac(&self) -> bool {
        self.major_word & MACOS_FLAG != 0
    }

    /// Kind of library.
    #[must_use]
    pub const fn file_type(&self) -> FileType {
        FileType::from_code(self.type_byte)
    }

    /// Changes the kind of library; the stub flag stays.
    pub fn set_file_type(&mut self, kind: FileType) {
        self.type_byte = (self.type_byte & STUB_FLAG) | kind.code();
    }

    /// Whether the stub flag is set (reported, no sample).
    #[must_use]
    pub const fn is_stub(&self) -> bool {
        self.type_byte & STUB_FLAG != 0
    }

    /// Target platform; `None` where the container does not record it.
    #[must_use]
    pub const fn platform(&self) -> Option<Platform> {
        if self.platform_byte == 0 { None } else { Some(Platform::from_code(self.platform_byte)) }
    }

    /// Changes the platform byte; the macOS flag stays.
    pub fn set_platform(&mut self, platform: Platform) {
        self.platform_byte = AIR64_FLAG | platform.code();
    }
}

/// A range of the file as the header states it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Range64 {
    /// Absolute offset in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
}

impl Range64 {
    /// The absolute end; saturates.
    #[must_use]
    pub const fn end(self) -> u64 {
        self.offset.saturating_add(self.size)
    }
}

/// The header as it stands in a file.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | `MTLB` |
/// | 4 | 12 | [`Identity`] |
/// | 16 | 8 | file size |
/// | 24 | 16 | function list: offset, size without the u32 count |
/// | 40 | 16 | public metadata |
/// | 56 | 16 | private metadata |
/// | 72 | 16 | bitcode |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// Bytes 4 to 15.
    pub identity: Identity,
    /// Size of the whole library in bytes.
    pub file_size: u64,
    /// Function list; the size does not count the u32 in front of it.
    pub functions: Range64,
    /// Public metadata.
    pub public: Range64,
    /// Private metadata.
    pub private: Range64,
    /// Bitcode.
    pub bitcode: Range64,
}

impl Header {
    /// Reads the header at the start of `data`.
    ///
    /// # Errors
    /// If the data does not begin with `MTLB`, is shorter than 88 bytes, or has a
    /// container version other than 1.2.
    pub fn parse(data: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(data, 0);
        if data.get(..4) != Some(&MAGIC) {
            return Err(crate::sniff::not_a_library(data));
        }
        Self::read(&mut cursor).map_err(|error| error.within("header"))
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let mut fixed = Cursor::new(cursor.take(HEADER_SIZE, "header")?, 0);
        fixed.take(4, "magic")?;
        let identity = Identity {
            major_word: fixed.u16("major version")?,
            minor: fixed.u16("minor version")?,
            container: Container(fixed.u16("patch")?),
            type_byte: fixed.u8("file type")?,
            platform_byte: fixed.u8("platform")?,
            os: OsVersion {
                major: fixed.u16("OS major version")?,
                minor: fixed.u8("OS minor version")?,
                update: fixed.u8("OS update version")?,
            },
        };
        let (major, minor) = (identity.major(), identity.minor);
        if (major, minor) != (1, 2) {
            return Err(Error::new(ErrorKind::Version { major, minor }, 4));
        }
        let file_size = fixed.u64("file size")?;
        let mut range = || -> Result<Range64> {
            Ok(Range64 { offset: fixed.u64("offset")?, size: fixed.u64("size")? })
        };
        let (functions, public, private, bitcode) = (range()?, range()?, range()?, range()?);
        Ok(Self { identity, file_size, functions, public, private, bitcode })
    }
}
