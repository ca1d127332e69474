//! What `verify` finds, and the collector that bounds it.

use std::collections::BTreeMap;
use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Severity {
    /// The library is damaged, or contradicts itself: it does not verify.
    Error,
    /// Apple's tools do not write it so, or loaders are reported to refuse it.
    Warning,
    /// Unusual but sound, or something that cannot be told from this file.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// What a finding is about. The names are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* #[cfg_attr(feature = "serde", serde(rename = $name))] $kind,)*
        }

        impl fmt::Display for Kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$kind => $name,)* })
            }
        }
    };
}

kinds! {
    /// The framing is lost: the input does not parse.
    Framing = "framing",
    /// The layout is not that of Apple's tools.
    Layout = "layout",
    /// Header fields that contradict each other.
    Identity = "identity",
    /// A value that no known library has.
    UnknownValue = "unknown-value",
    /// A tag that this version of the program does not know.
    UnknownTag = "unknown-tag",
    /// A tag that functions always have is missing.
    MissingTag = "missing-tag",
    /// A tag stands twice in one function.
    RepeatedTag = "repeated-tag",
    /// A library without functions, or one that is marked as a stub.
    Empty = "empty",
    /// A name that is empty or not UTF-8.
    Name = "name",
    /// Two functions have the same name.
    DuplicateName = "duplicate-name",
    /// Functions that no loader takes together.
    MixedTypes = "mixed-types",
    /// Functions of different AIR or language versions, or targets.
    MixedVersions = "mixed-versions",
    /// A tag of a metadata group does not hold what it should.
    Metadata = "metadata",
    /// Size of a module, or of its bitcode.
    ModuleSize = "module-size",
    /// The wrapper in front of the bitcode.
    Wrapper = "wrapper",
    /// A module that cannot be read.
    Bitcode = "bitcode",
    /// NAME and TYPE against the entry point of the module.
    Entry = "entry",
    /// VERS against the versions that the module says.
    Versions = "versions",
    /// The target triple of modules against header and AIR version.
    Target = "target",
    /// Modules of different compilers.
    Producer = "producer",
    /// Tags against what the module's metadata gives for them.
    Derived = "derived",
    /// Tag DEBI against the module.
    DebugInfo = "debug-info",
    /// Bytes around a module.
    Padding = "padding",
    /// HASH is not the hash of the module.
    Hash = "hash",
    /// Functions that share a module or a reflection entry.
    Shared = "shared",
    /// The library's identifier.
    Uuid = "uuid",
    /// The reflection list.
    Reflection = "reflection",
    /// The embedded sources.
    Sources = "sources",
    /// Dynamic header and symbol lists.
    Symbols = "symbols",
    /// Something that was asked for on the command line is not so.
    Policy = "policy",
    /// The library is another than the one that was locked.
    Lock = "lock",
}

/// One thing that `verify` found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What it is about.
    pub kind: Kind,
    /// Absolute offset in the input, in bytes. For a tag: where its payload begins.
    pub offset: u64,
    /// Where in the structure: "function 12 `foo` > tag OFFT".
    pub place: String,
    /// What was found, and what was expected.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (offset {:#x}", self.severity, self.what, self.offset)?;
        if !self.place.is_empty() {
            write!(f, ", {}", self.place)?;
        }
        f.write_str(")")
    }
}

/// Findings that were counted but not kept, because there are so many of their kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Omitted {
    /// How much they matter.
    pub severity: Severity,
    /// What they are about.
    pub kind: Kind,
    /// How many there are beyond those that are listed.
    pub count: u64,
}

/// The most findings that are kept of one kind and severity.
const KEPT: u64 = 100;

/// Collects findings.
#[derive(Default)]
pub(super) struct Findings {
    kept: Vec<Finding>,
    counts: BTreeMap<(Severity, Kind), u64>,
}

impl Findings {
    /// Adds a finding; its words are only made if it is kept.
    pub(super) fn add<P: Into<String>, W: Into<String>>(
        &mut self,
        (severity, kind): (Severity, Kind),
        offset: u64,
        place: impl FnOnce() -> P,
        what: impl FnOnce() -> W,
    ) {
        let count = self.counts.entry((severity, kind)).or_insert(0);
        *count += 1;
        if *count <= KEPT {
            let (place, what) = (place().into(), what().into());
            self.kept.push(Finding { severity, kind, offset, place, what });
        }
    }

    /// Adds an error of the reader; its place is inside of `outer`.
    pub(super) fn error(&mut self, kind: Kind, outer: &str, error: &metallib::Error) {
        let inner = error.place();
        let separator = if outer.is_empty() || inner.is_empty() { "" } else { " > " };
        let place = || format!("{outer}{separator}{inner}");
        self.add((Severity::Error, kind), error.offset(), place, || error.kind().to_string());
    }

    /// Everything in file order, and what was counted only.
    pub(super) fn finish(mut self) -> (Vec<Finding>, Vec<Omitted>) {
        self.kept.sort_by_key(|finding| finding.offset);
        let omitted = self.counts.into_iter().filter(|(_, count)| *count > KEPT);
        let omitted = omitted.map(|((severity, kind), count)| Omitted {
            severity,
            kind,
            count: count - KEPT,
        });
        (self.kept, omitted.collect())
    }
}
