//! What belongs to an AIR version: container, language, systems. Measured on 1,083 libraries.

use metallib::{Dialect, OsVersion, Platform, Version};

const fn v(major: u16, minor: u16) -> Version {
    Version::new(major, minor)
}

/// AIR version, the language version that came with it, and the container of its linker.
const AIR: [(Version, Version, u16); 13] = [
    (v(1, 6), v(1, 0), 2),
    (v(1, 8), v(1, 1), 2),
    (v(1, 11), v(1, 2), 2),
    (v(2, 0), v(2, 0), 2),
    (v(2, 1), v(2, 1), 3),
    (v(2, 2), v(2, 2), 4),
    (v(2, 3), v(2, 3), 5),
    (v(2, 4), v(2, 4), 6),
    (v(2, 5), v(3, 0), 7),
    (v(2, 6), v(3, 1), 7),
    (v(2, 7), v(3, 2), 8),
    (v(2, 8), v(4, 0), 9),
    // Reported of the tools and systems of 2026; the one library seen has 3.1.
    (v(2, 9), v(4, 1), 9),
];

/// Systems and the AIR version that came with them, per kind of system, oldest first.
const MACOS: [(u16, u8, Version); 12] = [
    (10, 11, v(1, 8)),
    (10, 12, v(1, 11)),
    (10, 13, v(2, 0)),
    (10, 14, v(2, 1)),
    (10, 15, v(2, 2)),
    (11, 0, v(2, 3)),
    (12, 0, v(2, 4)),
    (13, 0, v(2, 5)),
    (14, 0, v(2, 6)),
    (15, 0, v(2, 7)),
    (26, 0, v(2, 8)),
    (27, 0, v(2, 9)),
];
const IOS: [(u16, u8, Version); 13] = [
    (8, 0, v(1, 6)),
    (9, 0, v(1, 8)),
    (10, 0, v(1, 11)),
    (11, 0, v(2, 0)),
    (12, 0, v(2, 1)),
    (13, 0, v(2, 2)),
    (14, 0, v(2, 3)),
    (15, 0, v(2, 4)),
    (16, 0, v(2, 5)),
    (17, 0, v(2, 6)),
    (18, 0, v(2, 7)),
    (26, 0, v(2, 8)),
    // As macOS 27: no library for it was seen.
    (27, 0, v(2, 9)),
];
const VISIONOS: [(u16, u8, Version); 4] =
    [(1, 0, v(2, 6)), (2, 0, v(2, 7)), (26, 0, v(2, 8)), (27, 0, v(2, 9))];

/// The newest language version of an AIR version, where it is known.
pub(crate) fn language_of(air: Version) -> Option<Version> {
    AIR.iter().find(|known| known.0 == air).map(|known| known.1)
}

/// The systems of a platform, oldest first; none of a platform of which nothing is known.
/// Mac Catalyst counts its systems as iOS does.
fn systems(platform: Platform) -> Option<&'static [(u16, u8, Version)]> {
    Some(match platform.to_string().as_str() {
        "macos" => &MACOS,
        "ios" | "ios-simulator" | "tvos" | "tvos-simulator" | "mac-catalyst" => &IOS,
        "visionos" | "visionos-simulator" => &VISIONOS,
        _ => return None,
    })
}

/// The newest AIR version of a system, where it is known: only for the releases of the tables.
pub(crate) fn air_of(platform: Platform, os: OsVersion) -> Option<Version> {
    let fits = |&&(major, minor, _): &&(u16, u8, Version)| {
        major == os.major && (major != 10 || platform != Platform::MACOS || minor == os.minor)
    };
    systems(platform)?.iter().find(fits).map(|system| system.2)
}

/// What is known of the AIR versions that a system reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    /// The newest; of a system between two of the tables, that of the older.
    Newest(Version),
    /// It is older than all that are known.
    TooOld,
    /// Nothing is known of its platform.
    Unknown,
}

/// What a system reads.
pub(crate) fn reads(platform: Platform, os: OsVersion) -> Reads {
    let Some(systems) = systems(platform) else { return Reads::Unknown };
    let mut older = systems.iter().filter(|known| (known.0, known.1) <= (os.major, os.minor));
    older.next_back().map_or(Reads::TooOld, |known| Reads::Newest(known.2))
}

/// Whether two platforms count their systems in the same way.
pub(crate) fn count_alike(one: Platform, other: Platform) -> bool {
    one == other || systems(one).is_some_and(|of_one| systems(other) == Some(of_one))
}

/// Whether this is an AIR version that is known.
pub(crate) fn is_air(version: Version) -> bool {
    AIR.iter().any(|known| known.0 == version)
}

/// Whether this is a language version that is known.
pub(crate) fn is_language(version: Version) -> bool {
    AIR.iter().any(|known| known.1 == version)
}

/// The first system of a platform that came with this AIR version or a later one.
pub(crate) fn system_of(platform: Platform, air: Version) -> Option<OsVersion> {
    let (major, minor, _) = *systems(platform)?.iter().find(|system| system.2 >= air)?;
    Some(OsVersion { major, minor, update: 0 })
}

/// The first AIR version that came with this language version or a later one.
pub(crate) fn air_for(language: Version) -> Option<Version> {
    AIR.iter().find(|known| known.1 >= language).map(|known| known.0)
}

/// The patch of the container that Apple's newest tools write for an AIR version, where it is
/// known; versions that were never seen count as the next one.
pub(crate) fn newest_patch(air: Version) -> Option<u16> {
    AIR.iter().find(|known| known.0 >= air).map(|known| known.2)
}

/// The patch of the container that Apple's tools write for a module, where it is known.
///
/// The archiver's patch follows from the compiler (`metalfe` number of the producer). Of
/// modules of other compilers nothing is known.
pub(crate) fn patch(dialect: Dialect, air: Version, producer: &str) -> Option<u16> {
    let by_air = AIR.iter().find(|known| known.0 == air)?.2;
    let compiler = metalfe(producer)?;
    if dialect == Dialect::Linker {
        return Some(by_air);
    }
    let before = |other: &[u32]| compiler.as_slice() < other;
    Some(match () {
        () if before(&[902]) => 2,
        () if before(&[902, 14]) => 3,
        () if before(&[3903]) => 4,
        () if before(&[31001, 363]) && !before(&[31001, 23]) => 5,
        () if air == v(2, 7) && before(&[32023, 830]) => 7,
        () => by_air,
    })
}

/// The number of Apple's compiler in a producer: "… (metalfe-32023.883)".
pub(crate) fn metalfe(producer: &str) -> Option<Vec<u32>> {
    let (_, rest) = producer.split_once("metalfe-")?;
    let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.split('.').map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_follow_from_versions() {
        let first = |platform: &str, air| {
            let platform = Platform::from_name(platform).unwrap();
            system_of(platform, air).map(|os| os.to_string())
        };
        assert_eq!(first("macos", v(2, 2)).as_deref(), Some("10.15"));
        assert_eq!(first("macos", v(1, 6)).as_deref(), Some("10.11"));
        assert_eq!(first("ios-simulator", v(2, 4)).as_deref(), Some("15.0"));
        assert_eq!(first("mac-catalyst", v(2, 5)).as_deref(), Some("16.0"));
        assert_eq!(first("visionos", v(2, 3)).as_deref(), Some("1.0"));
        assert_eq!((first("macos", v(3, 0)), first("watchos", v(2, 0))), (None, None));
        let languages = [(2, 4), (3, 0), (3, 1), (3, 2), (4, 0), (4, 1), (4, 2)];
        let airs = languages.map(|(major, minor)| air_for(v(major, minor)));
        let known = [v(2, 4), v(2, 5), v(2, 6), v(2, 7), v(2, 8), v(2, 9)].map(Some);
        assert_eq!(airs, [&known[..], &[None]].concat()[..]);
    }

    #[test]
    fn systems_between_two_read_what_the_older_does() {
        let os = |major, minor| OsVersion { major, minor, update: 0 };
        assert_eq!(reads(Platform::MACOS, os(14, 5)), Reads::Newest(v(2, 6)));
        assert_eq!(reads(Platform::MACOS, os(10, 16)), Reads::Newest(v(2, 2)));
        assert_eq!(reads(Platform::IOS, os(20, 0)), Reads::Newest(v(2, 7)));
        assert_eq!(reads(Platform::IOS, os(99, 0)), Reads::Newest(v(2, 9)));
        assert_eq!(reads(Platform::MACOS, os(10, 10)), Reads::TooOld);
        let driver = Platform::from_name("driverkit").unwrap();
        assert_eq!(reads(driver, os(20, 0)), Reads::Unknown);
        assert!(count_alike(Platform::IOS, Platform::MAC_CATALYST));
        assert!(
            !count_alike(Platform::IOS, Platform::MACOS) && !count_alike(driver, Platform::IOS)
        );
    }

    #[test]
    fn containers_follow_from_the_compiler() {
        let apple = |number| format!("Apple metal version {number} (metalfe-{number})");
        let patch_of = |air, number| patch(Dialect::Archiver, air, &apple(number));
        assert_eq!(patch_of(v(1, 8), "802.1"), Some(2));
        assert_eq!(patch_of(v(2, 0), "902.9.53"), Some(3));
        assert_eq!(patch_of(v(2, 2), "902.14.11"), Some(4));
        assert_eq!(patch_of(v(2, 4), "31001.143"), Some(5));
        assert_eq!(patch_of(v(2, 4), "31001.363"), Some(6));
        assert_eq!(patch_of(v(2, 7), "32023.404"), Some(7));
        assert_eq!(patch_of(v(2, 7), "32023.830.2"), Some(8));
        assert_eq!(patch(Dialect::Linker, v(2, 6), &apple("32023.404")), Some(7));
        assert_eq!(patch(Dialect::Linker, v(3, 0), &apple("40000.1")), None);
        assert_eq!(patch(Dialect::Linker, v(2, 6), "clang"), None);
    }
}
