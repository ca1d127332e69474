//! The modules of a library against its header, and against each other.

use std::collections::HashMap;
use std::sync::Arc;

use metallib::{Library, Version};

use super::super::findings::{Findings, Kind, Severity};
use super::{Traits, Users, place_of};
use crate::air::{Triple, versions};

const CONTAINER: u64 = 8;

/// Modules that say the same, by the first of them.
struct Group<'s> {
    module: usize,
    count: usize,
    traits: &'s Traits,
}

struct Check<'c, 'a> {
    library: &'c Library<'a>,
    users: &'c Users,
    findings: &'c mut Findings,
}

pub(super) fn check<'s>(
    library: &Library<'_>,
    users: &Users,
    modules: impl Iterator<Item = (usize, &'s Arc<Traits>)>,
    findings: &mut Findings,
) {
    let groups = groups(modules);
    let mut check = Check { library, users, findings };
    for group in &groups {
        check.triple(group);
        check.language(group);
    }
    let triple = |traits: &Traits| traits.triple.clone();
    check.mixed(&groups, (Severity::Warning, Kind::MixedVersions), "triple", triple);
    let producer = |traits: &Traits| traits.producer.clone();
    check.mixed(&groups, (Severity::Note, Kind::Producer), "producer", producer);
    check.container(&groups);
}

fn groups<'s>(modules: impl Iterator<Item = (usize, &'s Arc<Traits>)>) -> Vec<Group<'s>> {
    let mut groups: Vec<Group<'s>> = Vec::new();
    let mut known: HashMap<&Traits, usize> = HashMap::new();
    let mut last: Option<(&Arc<Traits>, usize)> = None;
    for (module, traits) in modules {
        let same = last.filter(|(other, _)| Arc::ptr_eq(other, traits));
        let index = match same {
            Some((_, index)) => index,
            None => *known.entry(traits).or_insert(groups.len()),
        };
        last = Some((traits, index));
        match groups.get_mut(index) {
            Some(group) => group.count += 1,
            None => groups.push(Group { module, count: 1, traits }),
        }
    }
    groups
}

fn air(traits: &Traits) -> Option<Version> {
    version(traits.air?)
}

fn version([major, minor, _]: [i64; 3]) -> Option<Version> {
    Some(Version::new(u16::try_from(major).ok()?, u16::try_from(minor).ok()?))
}

impl Check<'_, '_> {
    /// A finding about the modules of a group, at the first of them.
    fn add(&mut self, kind: (Severity, Kind), group: &Group<'_>, what: impl FnOnce() -> String) {
        let Some(module) = self.library.modules().get(group.module) else { return };
        let place = || place_of(self.library, self.users, group.module);
        let what = || match group.count {
            1 => what(),
            count => format!("{} ({count} modules say so)", what()),
        };
        self.findings.add(kind, module.offset(), place, what);
    }

    /// The header fits the triple.
    fn triple(&mut self, group: &Group<'_>) {
        const ERROR: (Severity, Kind) = (Severity::Error, Kind::Target);
        const WARNING: (Severity, Kind) = (Severity::Warning, Kind::Target);
        let Some(text) = &group.traits.triple else {
            return self.add(WARNING, group, || "the module has no target triple".to_owned());
        };
        let Some(triple) = Triple::parse(text) else {
            return self.add(WARNING, group, || {
                format!("triple `{text}`, expected one such as air64-apple-macosx14.0.0")
            });
        };
        self.triple_version(group, text, triple);
        let identity = self.library.identity();
        let Some(platform) = identity.platform() else {
            if triple.platform.is_mac() != identity.is_mac() {
                let flag = if identity.is_mac() { "set" } else { "clear" };
                let what = || format!("triple `{text}`, but the header's macOS flag is {flag}");
                self.add(ERROR, group, what);
            }
            return;
        };
        let what = || format!("triple `{text}`, but the header is for {platform} {}", identity.os);
        if platform != triple.platform || triple.os > identity.os {
            self.add(ERROR, group, what);
        } else if triple.os < identity.os {
            // Sound: the library asks for more than this module needs, as merged ones do.
            self.add((Severity::Note, Kind::Target), group, what);
        }
    }

    /// `air64_v26` is AIR 2.6, and the system is new enough for it.
    fn triple_version(&mut self, group: &Group<'_>, text: &str, triple: Triple) {
        let Some(air) = air(group.traits) else { return };
        if triple.air.is_some_and(|expected| expected != air) {
            let what = || format!("triple `{text}`, but the module says AIR {air}");
            self.add((Severity::Error, Kind::Target), group, what);
        }
        let newest = versions::air_of(triple.platform, triple.os);
        if let Some(newest) = newest.filter(|newest| *newest < air) {
            let what =
                || format!("triple `{text}` with AIR {air}, that system came with AIR {newest}");
            self.add((Severity::Note, Kind::Target), group, what);
        }
    }

    /// The language is not newer than that of the AIR version.
    fn language(&mut self, group: &Group<'_>) {
        let language = group.traits.language.and_then(version);
        let (Some(air), Some(language)) = (air(group.traits), language) else { return };
        if let Some(newest) = versions::language_of(air).filter(|newest| *newest < language) {
            let what = || format!("language {language} with AIR {air}, which came with {newest}");
            self.add((Severity::Note, Kind::Versions), group, what);
        }
    }

    /// All modules say the same.
    fn mixed(
        &mut self,
        groups: &[Group<'_>],
        kind: (Severity, Kind),
        name: &str,
        of: impl Fn(&Traits) -> Option<String>,
    ) {
        let Some(first) = groups.first() else { return };
        let expected = of(first.traits);
        let mut others = groups.iter().filter(|group| of(group.traits) != expected);
        let Some(other) = others.next() else { return };
        let count = other.count + others.map(|group| group.count).sum::<usize>();
        let words = |text: Option<String>| {
            text.map_or_else(|| format!("no {name}"), |text| format!("{name} `{text}`"))
        };
        let what = || {
            let first = place_of(self.library, self.users, first.module);
            let (found, expected) = (words(of(other.traits)), words(expected));
            let more = if count > 1 { format!(" ({count} modules differ)") } else { String::new() };
            format!("{found}, but {first} has {expected}{more}")
        };
        let place = || place_of(self.library, self.users, other.module);
        let offset = self.library.modules().get(other.module).map_or(0, metallib::Module::offset);
        self.findings.add(kind, offset, place, what);
    }

    /// The container is the newest that Apple's tools write for one of the modules: those of
    /// the compiler's time, or the newest, which write older modules too.
    fn container(&mut self, groups: &[Group<'_>]) {
        let (container, dialect) = (self.library.identity().container, self.library.dialect());
        let patch = |group: &Group<'_>| {
            let producer = group.traits.producer.as_deref().unwrap_or_default();
            versions::patch(dialect, air(group.traits)?, producer)
        };
        let Some(patches) = groups.iter().map(patch).collect::<Option<Vec<_>>>() else { return };
        let Some(newest) = patches.into_iter().max() else { return };
        let of_today = groups.iter().filter_map(|group| air(group.traits));
        let of_today = of_today.filter_map(versions::newest_patch).max();
        if newest != container.patch() && of_today != Some(container.patch()) {
            let what = || format!("container {container}, expected 1.2.{newest} for its modules");
            self.findings.add((Severity::Note, Kind::Identity), CONTAINER, || "header", what);
        }
    }
}
