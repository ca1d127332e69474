//! Target triples: `air64-apple-macosx14.0.0`, `air64_v26-apple-ios17.0.0-simulator`.

use metallib::{OsVersion, Platform, Version};

/// Name in a triple, what follows the version, and name of the platform.
const PLATFORMS: [(&str, &str, &str); 12] = [
    ("macosx", "", "macos"),
    ("ios", "", "ios"),
    ("tvos", "", "tvos"),
    ("watchos", "", "watchos"),
    ("bridgeos", "", "bridgeos"),
    ("ios", "macabi", "mac-catalyst"),
    ("ios", "simulator", "ios-simulator"),
    ("tvos", "simulator", "tvos-simulator"),
    ("watchos", "simulator", "watchos-simulator"),
    ("driverkit", "", "driverkit"),
    ("xros", "", "visionos"),
    ("xros", "simulator", "visionos-simulator"),
];

/// The last AIR version whose triples never say it: of newer compilers, too.
const LAST_PLAIN: Version = Version::new(2, 2);

/// What a triple says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Triple {
    /// The AIR version of `air64_vMN`; none if it is `air64`.
    pub(crate) air: Option<Version>,
    pub(crate) platform: Platform,
    pub(crate) os: OsVersion,
}

impl Triple {
    /// Reads a triple; none if it is of another form.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (architecture, rest) = text.strip_prefix("air64")?.split_once("-apple-")?;
        let air = match architecture {
            "" => None,
            version => Some(air_version(version.strip_prefix("_v")?)?),
        };
        let (system, environment) = rest.split_once('-').unwrap_or((rest, ""));
        let digits = system.find(|c: char| c.is_ascii_digit())?;
        let (name, version) = system.split_at_checked(digits)?;
        let known = PLATFORMS.iter().find(|found| (found.0, found.1) == (name, environment))?;
        Some(Self { air, platform: Platform::from_name(known.2)?, os: os_version(version)? })
    }
}

impl Triple {
    /// The text of the triple for another AIR version, platform or system, in the form of the
    /// old text; none if it stays.
    pub(crate) fn retargeted(
        &self,
        text: &str,
        air: Version,
        platform: Option<Platform>,
        os: Option<OsVersion>,
    ) -> Option<String> {
        let architecture = match self.air {
            // The compilers that write the version write the plain form for older ones.
            Some(_) if air > LAST_PLAIN => format!("air64_v{}{}", air.major, air.minor),
            _ => "air64".to_owned(),
        };
        let (platform, os) = (platform.unwrap_or(self.platform), os.unwrap_or(self.os));
        let name = platform.to_string();
        let known = PLATFORMS.iter().find(|known| known.2 == name)?;
        let (_, rest) = text.split_once("-apple-")?;
        let rest = if (platform, os) == (self.platform, self.os) {
            rest.to_owned()
        } else {
            let OsVersion { major, minor, update } = os;
            let dash = if known.1.is_empty() { "" } else { "-" };
            format!("{}{major}.{minor}.{update}{dash}{}", known.0, known.1)
        };
        let new = format!("{architecture}-apple-{rest}");
        (new != text).then_some(new)
    }
}

/// Reads a system as people write it: `macos14`, `ios17.2`, `ios-simulator 17`, `macosx10.15`.
pub(crate) fn system(text: &str) -> Option<(Platform, OsVersion)> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let (name, version) = text.split_at_checked(digits)?;
    Some((platform(name.trim_end_matches(['-', ' ']))?, os_version(version)?))
}

/// The platform of a name, or of its name in triples.
pub(crate) fn platform(name: &str) -> Option<Platform> {
    let lower = name.to_ascii_lowercase();
    let in_triples = PLATFORMS.iter().find(|known| known.1.is_empty() && known.0 == lower);
    Platform::from_name(in_triples.map_or(&lower, |known| known.2))
}

/// "26" is 2.6, "210" is 2.10.
fn air_version(digits: &str) -> Option<Version> {
    let (major, minor) = digits.split_at_checked(1)?;
    Some(Version::new(major.parse().ok()?, minor.parse().ok()?))
}

fn os_version(text: &str) -> Option<OsVersion> {
    let mut numbers = text.split('.');
    let major = numbers.next()?.parse().ok()?;
    let mut small = || numbers.next().map_or(Some(0), |number| number.parse().ok());
    let version = OsVersion { major, minor: small()?, update: small()? };
    numbers.next().is_none().then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<String> {
        let Triple { air, platform, os } = Triple::parse(text)?;
        Some(format!("{} {platform} {os}", air.map_or(String::new(), |air| air.to_string())))
    }

    #[test]
    fn systems_as_people_write_them() {
        let read = |text| system(text).map(|(platform, os)| format!("{platform} {os}"));
        let cases = [
            ("macos14", "macos 14.0"),
            ("macOS-10.15", "macos 10.15"),
            ("macosx26.1.2", "macos 26.1.2"),
            ("ios-simulator17.2", "ios-simulator 17.2"),
            ("xros 2", "visionos 2.0"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "macos", "14", "beos5", "macos14.", "macos14.0.0.1", "ios1e1"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn triples_get_other_targets_in_their_own_form() {
        let made = |text: &str, air: (u16, u16), target: Option<&str>| {
            let target = target.map(|text| system(text).unwrap());
            let (platform, os) = (target.map(|t| t.0), target.map(|t| t.1));
            let air = Version::new(air.0, air.1);
            Triple::parse(text).unwrap().retargeted(text, air, platform, os)
        };
        let plain = "air64-apple-macosx14.0.0";
        assert_eq!(made(plain, (2, 6), None), None);
        assert_eq!(made(plain, (2, 5), Some("macos14")), None);
        assert_eq!(made(plain, (2, 5), Some("macos13.2")).unwrap(), "air64-apple-macosx13.2.0");
        let versioned = "air64_v27-apple-ios18";
        assert_eq!(made(versioned, (2, 6), None).unwrap(), "air64_v26-apple-ios18");
        assert_eq!(
            made(versioned, (2, 10), Some("ios-simulator17.1.2")).unwrap(),
            "air64_v210-apple-ios17.1.2-simulator"
        );
        assert_eq!(made(versioned, (2, 2), None).unwrap(), "air64-apple-ios18");
        assert_eq!(
            made(versioned, (2, 7), Some("visionos2")).unwrap(),
            "air64_v27-apple-xros2.0.0"
        );
    }

    #[test]
    fn triples_of_all_forms() {
        let cases = [
            ("air64-apple-macosx14.0.0", " macos 14.0"),
            ("air64_v26-apple-macosx10.15.4", "2.6 macos 10.15.4"),
            ("air64_v210-apple-ios27", "2.10 ios 27.0"),
            ("air64-apple-ios17.2.0-simulator", " ios-simulator 17.2"),
            ("air64-apple-ios17.2.0-macabi", " mac-catalyst 17.2"),
            ("air64_v27-apple-xros2.0.0-simulator", "2.7 visionos-simulator 2.0"),
        ];
        for (text, expected) in cases {
            assert_eq!(parsed(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "air64-apple-macosx",
            "air64_27-apple-macosx14.0.0",
            "air64-apple-macosx14.0.0-simulator",
            "air64-apple-macosx14.0.0.0",
            "air64-apple-beos1.0.0",
            "spir64-unknown-unknown",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
