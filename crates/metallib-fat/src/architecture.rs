//! Architectures of slices: two numbers, and the names they go by.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};

/// What a slice is for.
///
/// ```
/// use metallib_fat::Architecture;
/// let air: Architecture = "air64_v26".parse().unwrap();
/// assert_eq!(air, Architecture { cpu_type: Architecture::AIR64, cpu_subtype: 10 });
/// let other = Architecture { cpu_type: 0x0100_0013, cpu_subtype: 999 };
/// assert_eq!(other.to_string(), "unknown(16777235,999)");
/// assert_eq!(other.to_string().parse(), Ok(other));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Architecture {
    /// CPU type: 0x01000013 Apple's GPUs, 14 AMD, 15 Intel, 16 NVIDIA (reported), 17 AIR64.
    pub cpu_type: u32,
    /// CPU subtype; its meaning depends on the type.
    pub cpu_subtype: u32,
}

const APPLE: u32 = 0x0100_0013;
const AMD: u32 = 0x0100_0014;

/// AIR: subtypes 1 to 13 are versions of the language. The last is a guess by order.
const AIR: [(u32, &str); 13] = [
    (1, "v16"),
    (2, "v18"),
    (3, "v111"),
    (4, "v20"),
    (5, "v21"),
    (6, "v22"),
    (7, "v23"),
    (8, "v24"),
    (9, "v25"),
    (10, "v26"),
    (11, "v27"),
    (12, "v28"),
    (13, "v29"),
];

/// Apple's GPUs; the last four are reported, not seen.
const APPLE_GPUS: [(u32, &str); 28] = [
    (32, "gx2"),
    (17, "g4p"),
    (49, "g4g"),
    (65, "g5p"),
    (81, "g9p"),
    (97, "g9g"),
    (34, "g10p"),
    (114, "g11p"),
    (82, "g11m"),
    (130, "g11g"),
    (210, "g12p"),
    (290, "g13p"),
    (322, "g13g"),
    (530, "g13s"),
    (562, "g13c"),
    (594, "g13d"),
    (370, "g14p"),
    (402, "g14g"),
    (434, "g14s"),
    (498, "g14d"),
    (610, "g15p"),
    (275, "g15g"),
    (419, "g15s"),
    (435, "g16p"),
    (467, "g16s"),
    (355, "g17s"),
    (323, "g17p"),
    (371, "g18p"),
];

/// AMD's GPUs.
const AMD_GPUS: [(u32, &str); 13] = [
    (4000, "gfx600"),
    (4002, "gfx701"),
    (4003, "gfx704"),
    (4004, "gfx803"),
    (4005, "gfx802"),
    (5000, "gfx900"),
    (5001, "gfx904"),
    (5002, "gfx906"),
    (6001, "gfx1010"),
    (6002, "gfx1011"),
    (6003, "gfx1012"),
    (6004, "gfx1030"),
    (6005, "gfx1032"),
];

/// Every name: prefix, rest, architecture.
fn names() -> impl Iterator<Item = (&'static str, &'static str, Architecture)> {
    let of = |cpu_type, prefix, list: &'static [(u32, &'static str)]| {
        list.iter()
            .map(move |&(cpu_subtype, name)| (prefix, name, Architecture { cpu_type, cpu_subtype }))
    };
    of(Architecture::AIR64, "air64_", &AIR)
        .chain(of(APPLE, "applegpu_", &APPLE_GPUS))
        .chain(of(AMD, "amdgpu_", &AMD_GPUS))
}

impl Architecture {
    /// CPU type of slices that hold a Metal library.
    pub const AIR64: u32 = 0x0100_0017;

    /// Whether slices of this architecture hold a Metal library.
    #[must_use]
    pub const fn is_air(self) -> bool {
        self.cpu_type == Self::AIR64
    }
}

impl fmt::Display for Architecture {
    /// Its name, else `unknown(CPUTYPE,CPUSUBTYPE)` in decimal, as Apple's tool has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match names().find(|(.., architecture)| architecture == self) {
            Some((prefix, name, _)) => write!(f, "{prefix}{name}"),
            None => write!(f, "unknown({},{})", self.cpu_type, self.cpu_subtype),
        }
    }
}

impl FromStr for Architecture {
    type Err = Error;

    /// Reads what [`Display`](fmt::Display) writes; the names of GPUs also without what they
    /// begin with (`g13g`, `gfx900`).
    fn from_str(text: &str) -> Result<Self, Error> {
        let known = names().find(|(prefix, name, architecture)| {
            text.strip_prefix(prefix) == Some(name) || (!architecture.is_air() && text == *name)
        });
        let numbers = || {
            let inner = text.strip_prefix("unknown(")?.strip_suffix(')')?;
            let (cpu_type, cpu_subtype) = inner.split_once(',')?;
            let number = |text: &str| text.trim().parse().ok();
            Some(Self { cpu_type: number(cpu_type)?, cpu_subtype: number(cpu_subtype)? })
        };
        let unknown = || Error::nowhere(ErrorKind::UnknownName { name: text.to_owned() });
        known.map(|(.., architecture)| architecture).or_else(numbers).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_numbers_lead_to_each_other() {
        let mut seen = HashSet::new();
        for (prefix, name, architecture) in names() {
            assert_eq!(format!("{prefix}{name}").parse(), Ok(architecture));
            assert_eq!(architecture.to_string(), format!("{prefix}{name}"));
            assert!(seen.insert(architecture), "{prefix}{name} is there twice");
        }
        assert_eq!("g13g".parse(), "applegpu_g13g".parse::<Architecture>());
        for text in ["", "v26", "air64", "air64_v", "unknown(1)", "unknown(1,2", "unknown(-1,2)"] {
            assert!(text.parse::<Architecture>().is_err(), "{text}");
        }
    }
}
