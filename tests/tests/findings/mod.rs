//! What `verify` says of a result beyond what it says of the inputs.

use std::collections::{BTreeMap, BTreeSet};

use air_bitcode::Module;
use metallib::Library;
use mtlpack::io::Input;
use mtlpack::{Finding, Kind, Severity, VerifyOptions, verify};

/// How often each kind of finding is there, and what may rightly differ between libraries.
#[derive(Debug)]
pub struct Known {
    counts: BTreeMap<(Severity, Kind), usize>,
    versions: BTreeSet<String>,
    triples: BTreeSet<Option<String>>,
    producers: BTreeSet<Option<String>>,
    /// Whether functions have reflection entries.
    reflection: BTreeSet<bool>,
    /// Whether functions have source archives.
    sources: BTreeSet<bool>,
    container: String,
    system: String,
}

impl Known {
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        let library = Library::parse(bytes).unwrap();
        let mut known = Self {
            counts: counts(&findings(name, bytes)),
            versions: library.functions().iter().map(|f| format!("{:?}", f.versions())).collect(),
            triples: BTreeSet::new(),
            producers: BTreeSet::new(),
            reflection: library.functions().iter().map(|f| f.reflection.is_some()).collect(),
            sources: library.functions().iter().map(|f| f.archive.is_some()).collect(),
            container: format!("{:?}", library.identity().container),
            system: format!("{:?}", (library.identity().platform(), library.identity().os)),
        };
        for module in library.modules() {
            let module = Module::parse(module.bytes()).unwrap();
            known.triples.insert(module.triple().unwrap());
            known.producers.insert(module.air_info().unwrap().producer);
        }
        known
    }
}

/// All that `verify` finds in a canonical library.
fn findings(name: &str, bytes: &[u8]) -> Vec<Finding> {
    let input = Input::from_bytes(name, bytes.to_vec());
    let mut report = verify(&input, VerifyOptions { threads: 2 }).unwrap();
    report.allow_empty();
    assert!(report.canonical && report.omitted.is_empty(), "{name}: {report:?}");
    report.findings
}

fn counts(findings: &[Finding]) -> BTreeMap<(Severity, Kind), usize> {
    findings.iter().fold(BTreeMap::new(), |mut counts, finding| {
        *counts.entry((finding.severity, finding.kind)).or_default() += 1;
        counts
    })
}

/// A result that was made of these: it is canonical, and nothing more is found in it than in
/// them, but for what says that they really differ.
///
/// These are mixed versions (versions of functions or triples differ), several producers,
/// functions with and without reflection or sources, and modules for another system or
/// container than the header says (systems, containers or versions differ).
pub fn no_more_than(inputs: &[&Known], name: &str, result: &[u8]) {
    fn differ<T: Ord>(inputs: &[&Known], of: impl Fn(&Known) -> &BTreeSet<T>) -> bool {
        inputs.iter().flat_map(|known| of(known)).collect::<BTreeSet<_>>().len() > 1
    }
    let findings = findings(name, result);
    for (kind, count) in counts(&findings) {
        let before: usize =
            inputs.iter().map(|known| known.counts.get(&kind).copied().unwrap_or(0)).sum();
        let is_meant = match kind {
            (Severity::Warning, Kind::MixedVersions) => {
                differ(inputs, |known| &known.versions) || differ(inputs, |known| &known.triples)
            }
            (Severity::Note, Kind::Reflection) => differ(inputs, |known| &known.reflection),
            (Severity::Note, Kind::Sources) => differ(inputs, |known| &known.sources),
            (Severity::Note, Kind::Identity) => {
                inputs.iter().any(|known| known.container != inputs[0].container)
                    || differ(inputs, |known| &known.versions)
            }
            (Severity::Note, Kind::Producer) => differ(inputs, |known| &known.producers),
            (Severity::Note, Kind::Target) => {
                inputs.iter().any(|known| known.system != inputs[0].system)
            }
            _ => false,
        };
        assert!(kind.0 != Severity::Error, "{name}: {findings:?}");
        assert!(count <= before || is_meant, "{name}: {before} {kind:?} before, now {findings:?}");
    }
}
