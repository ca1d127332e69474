//! HASH of each function, and the UUID of the library.

use metallib::{FourCc, FunctionType, Library};
use metallib_write::UuidForm;

use super::findings::{Findings, Kind, Severity};
use crate::scan::ModuleFacts;

/// What a library's stored UUID is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum UuidState {
    /// There is none.
    #[cfg_attr(feature = "serde", serde(rename = "absent"))]
    Absent,
    /// It follows the formula, in its SHA-256 form.
    #[cfg_attr(feature = "serde", serde(rename = "sha-256"))]
    Sha256,
    /// It follows the formula, in its MD5 form.
    #[cfg_attr(feature = "serde", serde(rename = "md5"))]
    Md5,
    /// It follows neither, but sources that it covers may have been removed.
    #[cfg_attr(feature = "serde", serde(rename = "untold"))]
    Untold,
    /// It follows neither, although the sources are there.
    #[cfg_attr(feature = "serde", serde(rename = "other"))]
    Other,
}

/// Compares the stored hashes.
pub(super) fn check(library: &Library<'_>, facts: &[ModuleFacts], findings: &mut Findings) {
    for (index, function) in library.functions().iter().enumerate() {
        let facts = function.module.and_then(|id| facts.get(id.index()));
        let (Some(stored), Some(facts)) = (function.hash(), facts) else { continue };
        if *stored == facts.hash {
            continue;
        }
        let offset = function.tags.get(FourCc::HASH).map_or(0, |tag| tag.offset);
        let place = || format!("{} > tag HASH", function.place(index));
        if function.function_type() == Some(FunctionType::EXTERN) {
            let what = || {
                "HASH is not the SHA-256 of the module; what newer Core Image libraries hash is \
                 not known"
            };
            findings.add((Severity::Note, Kind::Hash), offset, place, what);
        } else {
            let what = || {
                format!(
                    "HASH is {}…, the SHA-256 of the module is {}…",
                    start_of(stored),
                    start_of(&facts.hash)
                )
            };
            findings.add((Severity::Error, Kind::Hash), offset, place, what);
        }
    }
}

/// The first eight bytes in hex.
fn start_of(hash: &[u8]) -> String {
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Compares the stored UUID with those that its possible forms give.
pub(super) fn check_uuid(
    library: &Library<'_>,
    computed: &[(UuidForm, [u8; 16])],
    findings: &mut Findings,
) -> UuidState {
    let Some(stored) = library.uuid() else { return UuidState::Absent };
    let form = computed.iter().find(|(_, uuid)| *uuid == stored).map(|(form, _)| *form);
    match form {
        Some(UuidForm::Sha256) => return UuidState::Sha256,
        Some(UuidForm::Md5) => return UuidState::Md5,
        None => {}
    }
    let tag = library.extension().and_then(|extension| extension.get(FourCc::UUID));
    let offset = tag.map_or(0, |tag| tag.offset);
    let place = || "header extension > tag UUID";
    if library.sources().is_some() {
        let what = || "the UUID follows neither form, though the sources that it covers are there";
        findings.add((Severity::Warning, Kind::Uuid), offset, place, what);
        return UuidState::Other;
    }
    let what = || {
        "the UUID is not reproducible from this file: it covers sources that were removed, or \
         another writer made it"
    };
    findings.add((Severity::Note, Kind::Uuid), offset, place, what);
    UuidState::Untold
}
