//! What a function is for: the payload of tag TYPE, and versions: tag VERS.

use std::fmt;

/// Type of a function, the one byte of tag TYPE.
///
/// Seen: 0 to 7. 8 and 255 are reported by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionType(u8);

/// Names by code, 0 to 8.
const NAMES: [&str; 9] = [
    "vertex",
    "fragment",
    "kernel",
    "unqualified",
    "visible",
    "extern",
    "intersection",
    "mesh",
    "object",
];

impl FunctionType {
    /// 0: vertex function.
    pub const VERTEX: Self = Self(0);
    /// 1: fragment function.
    pub const FRAGMENT: Self = Self(1);
    /// 2: compute kernel.
    pub const KERNEL: Self = Self(2);
    /// 3: plain function of a dynamic library.
    pub const UNQUALIFIED: Self = Self(3);
    /// 4: visible function.
    pub const VISIBLE: Self = Self(4);
    /// 5: Core Image function.
    pub const EXTERN: Self = Self(5);
    /// 6: intersection function.
    pub const INTERSECTION: Self = Self(6);
    /// 7: mesh function.
    pub const MESH: Self = Self(7);
    /// 8: object function.
    pub const OBJECT: Self = Self(8);
    /// 255: none.
    pub const NONE: Self = Self(255);

    /// The type of this code.
    #[must_use]
    pub const fn from_code(code: u8) -> Self {
        Self(code)
    }

    /// The type of this name, as printed.
    ///
    /// ```
    /// use metallib::FunctionType;
    ///
    /// assert_eq!(FunctionType::from_name("mesh"), Some(FunctionType::MESH));
    /// assert_eq!(FunctionType::from_code(77).to_string(), "unknown(77)");
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "none" {
            return Some(Self::NONE);
        }
        NAMES.iter().zip(0..).find(|(known, _)| **known == name).map(|(_, code)| Self(code))
    }

    /// Names that [`from_name`](Self::from_name) knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().chain(["none"])
    }

    /// The byte in the file.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.0
    }
}

impl fmt::Display for FunctionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.get(usize::from(self.0)) {
            Some(name) => f.write_str(name),
            None if *self == Self::NONE => f.write_str("none"),
            None => write!(f, "unknown({})", self.0),
        }
    }
}

/// A version of two numbers, as tag VERS holds them (u16 each).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Major number.
    pub major: u16,
    /// Minor number.
    pub minor: u16,
}

impl Version {
    /// Version `major.minor`.
    #[must_use]
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Payload of tag VERS: AIR version and Metal language version of the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Versions {
    /// Version of the intermediate representation, 1.6 to 2.9 seen.
    pub air: Version,
    /// Version of the Metal language, 1.0 to 4.0 seen.
    pub language: Version,
}

impl Versions {
    /// The eight bytes of the tag.
    #[must_use]
    pub fn bytes(self) -> [u8; 8] {
        let [a, b] = self.air.major.to_le_bytes();
        let [c, d] = self.air.minor.to_le_bytes();
        let [e, f] = self.language.major.to_le_bytes();
        let [g, h] = self.language.minor.to_le_bytes();
        [a, b, c, d, e, f, g, h]
    }

    /// Reads the eight bytes of the tag; `None` for any other length.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let &[a, b, c, d, e, f, g, h] = bytes else { return None };
        Some(Self {
            air: Version::new(u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])),
            language: Version::new(u16::from_le_bytes([e, f]), u16::from_le_bytes([g, h])),
        })
    }
}
