//! Which system each thing that is said of a function needs.

use metallib::{Library, OsVersion, Platform, Version};

use super::said::{Group, Inside, Said};
use crate::air::versions::{air_for, system_of};

/// One demand on the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Need {
    /// The oldest system that meets it; none if no known one does.
    pub(super) os: Option<OsVersion>,
    /// What it is, in words.
    pub(super) what: String,
}

/// All demands of a group of functions.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    /// The platform they are on, by the header, else by the triple.
    pub(super) platform: Option<Platform>,
    pub(super) all: Vec<Need>,
    /// The highest AIR and language version that anything says.
    pub(super) air: Option<Version>,
    pub(super) language: Option<Version>,
}

impl Needs {
    /// The oldest system that meets all demands; none if one of them is not known.
    pub(super) fn floor(&self) -> Option<OsVersion> {
        let all: Option<Vec<OsVersion>> = self.all.iter().map(|need| need.os).collect();
        all?.into_iter().max()
    }

    /// The demands that no system before the floor meets.
    pub(super) fn raised_by(&self) -> impl Iterator<Item = &Need> {
        let floor = self.floor();
        self.all.iter().filter(move |need| need.os.is_none() || need.os == floor)
    }
}

pub(super) fn of(library: &Library<'_>, group: &Group) -> Needs {
    let identity = library.identity();
    let nothing = Said::default();
    let said = if let Inside::Read(said) = &group.inside { said } else { &nothing };
    let target = said.target();
    let platform = identity.platform().or(target.map(|target| target.platform));
    let mut needs = Needs { platform, ..Needs::default() };
    let Some(platform) = platform else { return needs.versions(group, said, None) };
    if identity.platform().is_some() {
        needs.add(Some(identity.os), || format!("header: {platform} {}", identity.os));
    }
    if let (Some(target), Some(triple)) = (target, &said.triple)
        && target.platform == platform
    {
        needs.add(Some(target.os), || format!("triple {triple}"));
    }
    needs.versions(group, said, Some(platform))
}

impl Needs {
    fn add(&mut self, os: Option<OsVersion>, what: impl FnOnce() -> String) {
        self.all.push(Need { os, what: what() });
    }

    /// Adds what AIR and language versions need: those of VERS, and of the module where it says
    /// others.
    fn versions(mut self, group: &Group, said: &Said, platform: Option<Platform>) -> Self {
        let vers = group.versions;
        let pairs = [vers.map(|v| v.air), said.air];
        for (name, version) in named(pairs, ["VERS", "air.version"]) {
            self.air = self.air.max(Some(version));
            let Some(platform) = platform else { continue };
            self.add(system_of(platform, version), || format!("AIR {version} ({name})"));
        }
        let pairs = [vers.map(|v| v.language), said.language];
        for (name, version) in named(pairs, ["VERS", "air.language_version"]) {
            self.language = self.language.max(Some(version));
            let Some(platform) = platform else { continue };
            let os = air_for(version).and_then(|air| system_of(platform, air));
            self.add(os, || format!("Metal {version} ({name})"));
        }
        self
    }
}

/// Two values with their names, or one with both if they are equal.
fn named(values: [Option<Version>; 2], names: [&str; 2]) -> Vec<(String, Version)> {
    let [first, second] = values;
    if let Some(both) = first.filter(|_| first == second) {
        return vec![(names.join(" and "), both)];
    }
    let pairs = values.into_iter().zip(names);
    pairs.filter_map(|(value, name)| Some((name.to_owned(), value?))).collect()
}
