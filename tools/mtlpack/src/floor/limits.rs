//! What a library is allowed to need.

use metallib::{Library, OsVersion, Platform, Version};

use super::need::Needs;
use super::report::{Findings, FloorKind};
use super::said::{Group, Inside};
use crate::Severity;
use crate::air;
use crate::error::{Error, Result};

const LIMIT: (Severity, FloorKind) = (Severity::Error, FloorKind::Limit);

/// What a library is allowed to need. What is not given is not asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The oldest system that it has to load on: platform and version.
    pub system: Option<(Platform, OsVersion)>,
    /// The platform that it has to be for.
    pub platform: Option<Platform>,
    /// The newest AIR version.
    pub air: Option<Version>,
    /// The newest version of the Metal language.
    pub language: Option<Version>,
}

impl Limits {
    /// Reads a system: `macos14`, `ios17.2`, `ios-simulator17`, `macosx10.15`.
    ///
    /// # Errors
    /// If it is another text.
    pub fn system(text: &str) -> Result<(Platform, OsVersion)> {
        air::system(text).ok_or_else(|| {
            Error::refused(format!(
                "`{text}` is no system; expected a platform and a version, such as macos14, \
                 ios17.2 or visionos-simulator2"
            ))
        })
    }

    /// Reads a platform: `macos`, `ios`, `ios-simulator`, …
    ///
    /// # Errors
    /// If it is another text.
    pub fn platform(text: &str) -> Result<Platform> {
        air::platform(text).ok_or_else(|| {
            let known: Vec<String> = (1..=12).map(|n| Platform::from_code(n).to_string()).collect();
            Error::refused(format!("`{text}` is no platform; known are {}", known.join(", ")))
        })
    }

    /// Reads a version: `2.6`, `3`.
    ///
    /// # Errors
    /// If it is another text.
    pub fn version(text: &str) -> Result<Version> {
        let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
        let number = |digits: &str| match digits.bytes().all(|byte| byte.is_ascii_digit()) {
            true => digits.parse().ok(),
            false => None,
        };
        let version = number(major).zip(number(minor));
        let version = version.map(|(major, minor)| Version::new(major, minor));
        let what = || Error::refused(format!("`{text}` is no version; expected one such as 2.6"));
        version.ok_or_else(what)
    }

    /// The platform that is asked for.
    fn wanted(&self) -> impl Iterator<Item = Platform> {
        let system = self.system.map(|(platform, _)| platform);
        let explicit = self.platform.filter(|platform| Some(*platform) != system);
        explicit.into_iter().chain(system)
    }
}

pub(super) fn check(
    library: &Library<'_>,
    groups: &[Group],
    needs: &[Needs],
    limits: &Limits,
    findings: &mut Findings<'_, '_>,
) {
    for wanted in limits.wanted() {
        header_platform(library, wanted, findings);
        for group in groups {
            module_platform(group, wanted, findings);
        }
    }
    if let Some((platform, os)) = limits.system {
        header_system(library, platform, os, findings);
        for (group, needs) in groups.iter().zip(needs) {
            system(group, needs, os, findings);
        }
    }
    for (group, needs) in groups.iter().zip(needs) {
        version("AIR", needs.air, limits.air, group, findings);
        version("Metal", needs.language, limits.language, group, findings);
    }
}

/// The header is for the platform, or does not say that it is not.
fn header_platform(library: &Library<'_>, wanted: Platform, findings: &mut Findings<'_, '_>) {
    let identity = library.identity();
    let what = match identity.platform() {
        Some(platform) if platform == wanted => return,
        Some(platform) => format!("the header is for {platform}, not for {wanted}"),
        None if identity.is_mac() != wanted.is_mac() => {
            let flag = if identity.is_mac() { "set" } else { "clear" };
            format!("the header's macOS flag is {flag}, so it is not for {wanted}")
        }
        None if library.functions().is_empty() => {
            format!("nothing says that it is for {wanted}: no platform in the header, no functions")
        }
        None => return,
    };
    findings.add(LIMIT, &[], what);
}

/// So are the modules.
fn module_platform(group: &Group, wanted: Platform, findings: &mut Findings<'_, '_>) {
    let Inside::Read(said) = &group.inside else { return };
    let triple = said.triple.as_deref().unwrap_or("none");
    if said.target().is_none_or(|target| target.platform != wanted) {
        findings.add(LIMIT, &group.functions, format!("triple {triple} is not for {wanted}"));
    }
}

/// A library without functions needs what its header says.
fn header_system(
    library: &Library<'_>,
    platform: Platform,
    os: OsVersion,
    findings: &mut Findings<'_, '_>,
) {
    let identity = library.identity();
    if library.functions().is_empty() && identity.platform().is_some() && identity.os > os {
        let what = format!("needs {platform} {}, not {os}: the header says so", identity.os);
        findings.add(LIMIT, &[], what);
    }
}

/// Nothing needs a newer system.
fn system(group: &Group, needs: &Needs, os: OsVersion, findings: &mut Findings<'_, '_>) {
    let Some(platform) = needs.platform else {
        let what = "which systems it loads on cannot be told: no platform is known".to_owned();
        return findings.add(LIMIT, &group.functions, what);
    };
    let unknown = needs.all.iter().filter(|need| need.os.is_none());
    let unknown: Vec<&str> = unknown.map(|need| need.what.as_str()).collect();
    if !unknown.is_empty() {
        let what = format!("which {platform} first has {} is not known", unknown.join(", "));
        findings.add(LIMIT, &group.functions, what);
    }
    let over: Vec<_> = needs.all.iter().filter(|need| need.os > Some(os)).collect();
    let Some(most) = over.iter().filter_map(|need| need.os).max() else { return };
    let words: Vec<&str> = over.iter().map(|need| need.what.as_str()).collect();
    let what = format!("needs {platform} {most}, not {os}: {}", words.join(", "));
    findings.add(LIMIT, &group.functions, what);
}

fn version(
    name: &str,
    found: Option<Version>,
    most: Option<Version>,
    group: &Group,
    findings: &mut Findings<'_, '_>,
) {
    let Some(most) = most else { return };
    match found {
        Some(found) if found > most => {
            let what = format!("{name} {found}, {most} at the most is allowed");
            findings.add(LIMIT, &group.functions, what);
        }
        Some(_) => {}
        None => {
            let what = format!("nothing says which version of {name} it is");
            findings.add(LIMIT, &group.functions, what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_limits() {
        assert_eq!(Limits::version("2.6").unwrap(), Version::new(2, 6));
        assert_eq!(Limits::version("3").unwrap(), Version::new(3, 0));
        for text in ["", "2.", ".6", "2.6.1", "+2.6", "x"] {
            let error = Limits::version(text).unwrap_err().to_string();
            assert_eq!(error, format!("`{text}` is no version; expected one such as 2.6"));
        }
        assert_eq!(Limits::platform("macosx").unwrap(), Platform::MACOS);
        let error = Limits::platform("beos").unwrap_err().to_string();
        assert!(error.starts_with("`beos` is no platform; known are macos, ios, tvos"), "{error}");
        assert!(error.ends_with("visionos-simulator"), "{error}");
        let error = Limits::system("14").unwrap_err().to_string();
        assert!(error.contains("`14` is no system"), "{error}");
    }
}
