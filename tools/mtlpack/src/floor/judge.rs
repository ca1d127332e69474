//! Where header, VERS and module disagree.

use metallib::{Library, Version};

use super::report::{Findings, FloorKind};
use super::said::{Group, Inside, OPAQUE_POINTERS, Said};
use crate::Severity;
use crate::air::{Triple, versions};

const DISAGREE: (Severity, FloorKind) = (Severity::Error, FloorKind::Disagreement);

/// The header by itself.
pub(super) fn library(library: &Library<'_>, findings: &mut Findings<'_, '_>) {
    let identity = library.identity();
    if let Some(platform) = identity.platform()
        && platform.is_mac() != identity.is_mac()
    {
        let flag = flag(identity.is_mac());
        let what = format!("the header is for {platform}, but its macOS flag is {flag}");
        findings.add(DISAGREE, &[], what);
    }
}

fn flag(is_set: bool) -> &'static str {
    if is_set { "set" } else { "clear" }
}

/// Functions of which the same is said.
pub(super) fn group(library: &Library<'_>, group: &Group, findings: &mut Findings<'_, '_>) {
    let unread = (Severity::Error, FloorKind::Unread);
    match &group.inside {
        Inside::Nothing => {
            let what = "no module, which would say what the function needs".to_owned();
            findings.add(unread, &group.functions, what);
        }
        Inside::Damaged(error) => {
            findings.add(unread, &group.functions, format!("the module cannot be read: {error}"));
        }
        Inside::Read(said) => {
            let mut judge = Judge { library, group, said, findings };
            judge.target();
            judge.vers();
            judge.language();
            judge.pointers();
        }
    }
}

struct Judge<'j, 'f, 'l, 'a> {
    library: &'j Library<'a>,
    group: &'j Group,
    said: &'j Said,
    findings: &'j mut Findings<'f, 'l>,
}

impl Judge<'_, '_, '_, '_> {
    fn add(&mut self, kind: (Severity, FloorKind), what: String) {
        self.findings.add(kind, &self.group.functions, what);
    }

    /// The triple against the header and the AIR version.
    fn target(&mut self) {
        let Some(text) = &self.said.triple else {
            return self.add(DISAGREE, "the module has no target triple".to_owned());
        };
        let Some(triple) = self.said.target() else {
            let what = format!("triple {text}, expected one such as air64-apple-macosx14.0.0");
            return self.add(DISAGREE, what);
        };
        if let (Some(stated), Some(air)) = (triple.air, self.said.air)
            && stated != air
        {
            self.add(DISAGREE, format!("triple {text}, but air.version is {air}"));
        }
        self.header(text, triple);
    }

    fn header(&mut self, text: &str, triple: Triple) {
        let identity = self.library.identity();
        let Some(platform) = identity.platform() else {
            if triple.platform.is_mac() != identity.is_mac() {
                let flag = flag(identity.is_mac());
                self.add(DISAGREE, format!("triple {text}, but the header's macOS flag is {flag}"));
            }
            return;
        };
        let what = format!("triple {text}, but the header is for {platform} {}", identity.os);
        if platform != triple.platform {
            self.add(DISAGREE, what);
        } else if triple.os > identity.os {
            let more = "a loader that asks the header takes it, one that asks the module does not";
            self.add(DISAGREE, format!("{what}: {more}"));
        } else if triple.os < identity.os {
            // Sound: the library asks for more than these functions need, as merged ones do.
            self.add((Severity::Note, FloorKind::Disagreement), what);
        }
    }

    /// VERS against the module.
    fn vers(&mut self) {
        let vers = self.group.versions;
        let said = self.said;
        let pairs = [
            ("AIR", "air.version", vers.map(|v| v.air), said.air),
            ("Metal", "air.language_version", vers.map(|v| v.language), said.language),
        ];
        for (name, list, stored, found) in pairs {
            let what = match (stored, found) {
                (Some(stored), Some(found)) if stored == found => continue,
                (Some(stored), Some(found)) => {
                    format!("VERS says {name} {stored}, but {list} is {found}")
                }
                (Some(stored), None) => {
                    format!("VERS says {name} {stored}, but the module has no {list}")
                }
                (None, Some(found)) => format!("{list} is {found}, but there is no VERS"),
                (None, None) => format!("neither VERS nor {list}"),
            };
            self.add(DISAGREE, what);
        }
    }

    /// No language newer than that of the AIR version.
    fn language(&mut self) {
        let (Some(air), Some(language)) = (self.said.air, self.said.language) else { return };
        let newest: Option<Version> = versions::language_of(air);
        if let Some(newest) = newest.filter(|newest| *newest < language) {
            let what = format!("Metal {language} with AIR {air}, which came with Metal {newest}");
            self.add((Severity::Note, FloorKind::Disagreement), what);
        }
    }

    /// No opaque pointers under an AIR version that has none.
    fn pointers(&mut self) {
        let Some(air) = self.said.air.filter(|_| self.said.opaque_pointers) else { return };
        let what = format!(
            "opaque pointers under AIR {air}, expected {OPAQUE_POINTERS} or later: systems read \
             such a module as one of typed pointers and fail with \"Failed to upgrade function \
             bitcode\""
        );
        self.add((Severity::Error, FloorKind::OpaquePointers), what);
    }
}
