//! `verify`: is a library what it says it is, inside and out?

mod findings;
mod framing;
mod functions;
mod hashes;
mod identity;
mod inside;
mod metadata;
mod modules;
mod reflection;
mod sections;
mod sources;

pub use findings::{Finding, Kind, Omitted, Severity};
pub use hashes::UuidState;

use metallib::Library;

use crate::error::Result;
use crate::io::Input;
use crate::scan::scan;
use findings::Findings;
use inside::{Looker, Users};

/// How [`verify`] works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyOptions {
    /// Threads that hash: two are used at the most, one for the modules and one for the
    /// UUID.
    pub threads: usize,
}

/// As many threads as the machine runs at once.
impl Default for VerifyOptions {
    fn default() -> Self {
        Self { threads: std::thread::available_parallelism().map_or(1, usize::from) }
    }
}

/// What [`verify`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Report {
    /// Name of the input.
    pub input: String,
    /// Its size in bytes.
    pub size: u64,
    /// What was found, by offset; at most 100 of one kind and severity.
    pub findings: Vec<Finding>,
    /// What was found beyond that.
    pub omitted: Vec<Omitted>,
    /// Entries of the function list.
    pub functions: usize,
    /// Modules whose hash was computed.
    pub modules: usize,
    /// What the stored UUID is; `None` if the input does not parse.
    pub uuid: Option<UuidState>,
    /// Whether a new layout of all parts gives the same bytes.
    pub canonical: bool,
}

impl Report {
    /// Whether there is no error.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.count(Severity::Error) == 0
    }

    /// Makes a warning of the error that there are no functions, or only a stub of them.
    pub fn allow_empty(&mut self) {
        let empty = self.findings.iter_mut().filter(|finding| finding.kind == Kind::Empty);
        empty.for_each(|finding| finding.severity = Severity::Warning);
    }

    /// How many findings have this severity, with those that are not listed.
    #[must_use]
    pub fn count(&self, severity: Severity) -> u64 {
        let listed = self.findings.iter().filter(|finding| finding.severity == severity).count();
        let omitted = self.omitted.iter().filter(|omitted| omitted.severity == severity);
        listed as u64 + omitted.map(|omitted| omitted.count).sum::<u64>()
    }
}

/// Checks everything about a library that can be told from the file alone.
///
/// An input that does not parse gives a report with one error. Modules are read in
/// parts of a megabyte, so a large mapped file needs little memory; each is decoded as far
/// as the library says the same things as it does.
///
/// ```
/// use mtlpack::io::Input;
/// use mtlpack::{Kind, VerifyOptions, verify};
///
/// let input = Input::from_bytes("text", b"not a library".to_vec());
/// let report = verify(&input, VerifyOptions::default())?;
/// assert!(!report.passed());
/// assert_eq!(report.findings[0].kind, Kind::Framing);
/// # Ok::<(), mtlpack::Error>(())
/// ```
///
/// # Errors
/// If the input cannot be read to its end: files are mapped, and may change.
pub fn verify(input: &Input, options: VerifyOptions) -> Result<Report> {
    run(input, options, false)
}

/// Does what [`verify`] does, and derives from each function's module what the library says of
/// the function: LAYR, TESS, the public group (VATT, VATY, CNST, RETR, ARGR) and what DEBI
/// holds, as [`derive::entries`](crate::derive::entries) does. NAME, TYPE and VERS are compared
/// by [`verify`], too.
///
/// A tag that is another one, is missing, or is there and not derived is an error; another line
/// or path in DEBI is a warning. What cannot be derived is a note: a type or an input that no
/// known library has is not known to be wrong. All are of [`Kind::Derived`].
///
/// # Errors
/// As [`verify`].
pub fn verify_deep(input: &Input, options: VerifyOptions) -> Result<Report> {
    run(input, options, true)
}

fn run(input: &Input, options: VerifyOptions, deep: bool) -> Result<Report> {
    let mut findings = Findings::default();
    let mut report = Report {
        input: input.name().to_owned(),
        size: input.bytes().len() as u64,
        findings: Vec::new(),
        omitted: Vec::new(),
        functions: 0,
        modules: 0,
        uuid: None,
        canonical: false,
    };
    match Library::parse(input.bytes()) {
        Err(error) => findings.error(Kind::Framing, "", &error),
        Ok(library) => {
            let users = Users::of(&library);
            let looker = || {
                let mut looker = Looker::new(&library, &users, deep);
                move |index, module: &[u8]| looker.look(index, module)
            };
            let structure = || check_structure(&library, &mut findings);
            let scan = scan(input, &library, options.threads, looker, structure)?;
            inside::check(&library, &users, &scan.seen, &mut findings);
            modules::check(&library, &scan.modules, &mut findings);
            hashes::check(&library, &scan.modules, &mut findings);
            report.uuid = Some(hashes::check_uuid(&library, &scan.uuids, &mut findings));
            report.functions = library.functions().len();
            report.modules = library.modules().len();
            report.canonical = library.is_canonical();
        }
    }
    (report.findings, report.omitted) = findings.finish();
    Ok(report)
}

/// What can be told without reading the modules.
fn check_structure(library: &Library<'_>, findings: &mut Findings) {
    framing::check(library, findings);
    identity::check(library, findings);
    functions::check(library, findings);
    metadata::check(library, findings);
    sections::check(library, findings);
    reflection::check(library, findings);
    sources::check(library, findings);
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;

    #[test]
    fn reports_serialise_with_stable_names() {
        let input = Input::from_bytes("cut", b"MTLB\x01\0\x02\0".to_vec());
        let report = verify(&input, VerifyOptions::default()).unwrap();
        let json = serde_json::to_string(&report).unwrap();
        assert_eq!(
            json,
            "{\"input\":\"cut\",\"size\":8,\"findings\":[{\"severity\":\"error\",\
             \"kind\":\"framing\",\"offset\":0,\"place\":\"header\",\
             \"what\":\"header needs 88 bytes, 8 are left\"}],\"omitted\":[],\
             \"functions\":0,\"modules\":0,\"uuid\":null,\"canonical\":false}"
        );
        let names = [UuidState::Sha256, UuidState::Md5, UuidState::Untold, UuidState::Other];
        let json = serde_json::to_string(&(names, Kind::DuplicateName)).unwrap();
        assert_eq!(json, "[[\"sha-256\",\"md5\",\"untold\",\"other\"],\"duplicate-name\"]");
    }
}
