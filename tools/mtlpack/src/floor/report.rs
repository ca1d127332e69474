//! What `check` says.

use metallib::{Library, OsVersion, Platform, Version};

use super::need::Needs;
use super::said::{Group, Inside};
use crate::Severity;
#[cfg(feature = "serde")]
use crate::text::ser;

/// What a library needs, and whether it is what it says it is and within its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FloorReport {
    /// Name of the input.
    pub input: String,
    /// The platform it is for, by its header, else by all its triples; `None` if they differ.
    #[cfg_attr(feature = "serde", serde(serialize_with = "ser::maybe"))]
    pub platform: Option<Platform>,
    /// The oldest system that all its functions load on; `None` if it is not known.
    #[cfg_attr(feature = "serde", serde(serialize_with = "ser::maybe"))]
    pub os: Option<OsVersion>,
    /// The newest AIR version of its functions.
    #[cfg_attr(feature = "serde", serde(serialize_with = "ser::maybe"))]
    pub air: Option<Version>,
    /// The newest language version of its functions.
    #[cfg_attr(feature = "serde", serde(serialize_with = "ser::maybe"))]
    pub language: Option<Version>,
    /// Functions that need the same, those that need most first.
    pub groups: Vec<FloorGroup>,
    /// Where its parts disagree, and limits that are not held.
    pub findings: Vec<FloorFinding>,
}

impl FloorReport {
    /// Whether nothing disagrees and all limits are held.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }
}

/// Functions that need the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FloorGroup {
    /// The oldest system they load on; `None` if it is not known.
    #[cfg_attr(feature = "serde", serde(serialize_with = "ser::maybe"))]
    pub os: Option<OsVersion>,
    /// What asks for it.
    pub raised_by: Vec<String>,
    /// Triple of the modules.
    pub triple: Option<String>,
    /// The newest AIR version that VERS or the modules say.
    #[cfg_attr(feature = "serde", serde(serialize_with = "ser::maybe"))]
    pub air: Option<Version>,
    /// The newest language version that VERS or the modules say.
    #[cfg_attr(feature = "serde", serde(serialize_with = "ser::maybe"))]
    pub language: Option<Version>,
    /// Their names, in the order of the library.
    pub functions: Vec<String>,
}

/// What a finding is about. The names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum FloorKind {
    /// Header, VERS and module say different things.
    Disagreement,
    /// Opaque pointers under an AIR version that has none.
    OpaquePointers,
    /// A module that is not there or cannot be read.
    Unread,
    /// A limit that was asked for is not held.
    Limit,
}

/// One thing that `check` found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FloorFinding {
    /// Error, or a note that changes nothing.
    pub severity: Severity,
    /// What it is about.
    pub kind: FloorKind,
    /// What was found, and what was expected.
    pub what: String,
    /// How many functions it is about; 0 if it is about the header alone.
    pub count: usize,
    /// The first of them.
    pub functions: Vec<String>,
}

/// The most functions that a finding names.
const NAMED: usize = 20;

/// Collects findings: as many as there are groups of functions and questions.
pub(super) struct Findings<'l, 'a> {
    library: &'l Library<'a>,
    all: Vec<FloorFinding>,
}

impl<'l, 'a> Findings<'l, 'a> {
    pub(super) fn new(library: &'l Library<'a>) -> Self {
        Self { library, all: Vec::new() }
    }

    pub(super) fn add(
        &mut self,
        (severity, kind): (Severity, FloorKind),
        functions: &[usize],
        what: String,
    ) {
        let count = functions.len();
        let functions = names(self.library, functions.iter().take(NAMED));
        self.all.push(FloorFinding { severity, kind, what, count, functions });
    }
}

fn names<'i>(library: &Library<'_>, indices: impl Iterator<Item = &'i usize>) -> Vec<String> {
    let functions = indices.filter_map(|index| library.functions().get(*index));
    functions.map(|function| function.name().into_owned()).collect()
}

/// Puts the report together.
pub(super) fn make(
    input: &str,
    library: &Library<'_>,
    groups: &[Group],
    needs: &[Needs],
    findings: Findings<'_, '_>,
) -> FloorReport {
    let identity = library.identity();
    let header = identity.platform();
    let mut platforms: Vec<Option<Platform>> = needs.iter().map(|needs| needs.platform).collect();
    platforms.dedup();
    let by_triples = if let [one] = platforms[..] { one } else { None };
    let mut made: Vec<FloorGroup> = groups
        .iter()
        .zip(needs)
        .map(|(group, needs)| FloorGroup {
            os: needs.floor(),
            raised_by: needs.raised_by().map(|need| need.what.clone()).collect(),
            triple: if let Inside::Read(said) = &group.inside { said.triple.clone() } else { None },
            air: needs.air,
            language: needs.language,
            functions: names(library, group.functions.iter()),
        })
        .collect();
    made.sort_by_key(|group| (group.os.is_some(), std::cmp::Reverse(group.os)));
    let os = match made.first() {
        Some(first) => first.os,
        None => header.map(|_| identity.os),
    };
    FloorReport {
        input: input.to_owned(),
        platform: header.or(by_triples),
        os,
        air: needs.iter().filter_map(|needs| needs.air).max(),
        language: needs.iter().filter_map(|needs| needs.language).max(),
        groups: made,
        findings: findings.all,
    }
}
