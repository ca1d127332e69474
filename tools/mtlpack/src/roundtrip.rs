//! `roundtrip`: lay a library out anew, with everything recomputed, and compare.

use metallib::{FourCc, FunctionType, Irregularity, Library};
use metallib_write::{Plan, WriteOptions};

use crate::error::{Error, Result};
use crate::io::Input;
use crate::scan::{ModuleFacts, Scan, scan};

/// Where a new layout first differs from the input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Difference {
    /// Absolute offset in bytes.
    pub offset: u64,
    /// The part of the library that it lies in: "function list", "section RLST", …
    pub region: String,
    /// What the new layout has there, 16 bytes at the most.
    pub expected: Vec<u8>,
    /// What the input has there, 16 bytes at the most; none if it has ended.
    pub found: Vec<u8>,
}

/// Result of the comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum RoundtripOutcome {
    /// The new layout is the input, byte for byte.
    Same,
    /// It is not, although nothing says why.
    Differs(Difference),
    /// The input is not laid out as Apple's tools do it, so a new layout is another file.
    Irregular {
        /// The first reasons.
        #[cfg_attr(feature = "serde", serde(serialize_with = "as_text"))]
        reasons: Vec<Irregularity>,
        /// How many there are.
        count: usize,
    },
}

/// What [`roundtrip`] found out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RoundtripReport {
    /// Name of the input.
    pub input: String,
    /// Its size in bytes.
    pub size: u64,
    /// Result of the comparison.
    pub outcome: RoundtripOutcome,
    /// What was not computed anew, and why.
    pub notes: Vec<String>,
}

impl RoundtripReport {
    /// Whether the new layout is the input.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.outcome == RoundtripOutcome::Same
    }
}

#[cfg(feature = "serde")]
fn as_text<S: serde::Serializer>(list: &[Irregularity], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(list.iter().map(ToString::to_string))
}

/// Lays a library out anew and compares: every offset, size, count, MDSZ, HASH and
/// padding, and the UUID where it follows a form.
///
/// The output is never in memory as a whole, and of a mapped input only a megabyte or
/// two of its modules.
///
/// ```
/// use metallib::{Container, Dialect, FileType, LibraryBuilder, OsVersion, Platform};
/// use mtlpack::io::Input;
/// use mtlpack::{VerifyOptions, roundtrip};
///
/// let os = OsVersion::default();
/// let kind = FileType::Executable;
/// let builder =
///     LibraryBuilder::new(Dialect::Archiver, Container::new(3), Platform::IOS, os, kind);
/// let library = builder.finish().unwrap();
/// let bytes = mtlpack::Edited::unchanged(library).to_vec()?;
/// assert!(roundtrip(&Input::from_bytes("empty", bytes), VerifyOptions::default())?.passed());
/// # Ok::<(), mtlpack::Error>(())
/// ```
///
/// # Errors
/// If the input does not parse or cannot be read.
pub fn roundtrip(input: &Input, options: crate::VerifyOptions) -> Result<RoundtripReport> {
    let library = Library::parse(input.bytes()).map_err(Error::library(input.name()))?;
    let mut report = RoundtripReport {
        input: input.name().to_owned(),
        size: input.bytes().len() as u64,
        outcome: RoundtripOutcome::Same,
        notes: Vec::new(),
    };
    let irregular = library.irregularities();
    if !irregular.is_empty() {
        let (reasons, count) = (irregular.iter().cloned().collect(), irregular.count());
        report.outcome = RoundtripOutcome::Irregular { reasons, count };
        return Ok(report);
    }
    // HASH and UUID come from a pass that reads window by window; the plan copies the
    // modules by range and keeps the stored ones, which are then compared with these.
    let scan = scan(input, &library, options.threads, || |_, _: &[u8]| (), || ())?;
    let rebuild = WriteOptions { rebuild: true, ..WriteOptions::default() };
    let plan = Plan::new(&library, rebuild).map_err(Error::library(input.name()))?;
    note_uuid(&library, &scan, &mut report.notes);
    let hash = hash_difference(&library, &scan.modules, &mut report.notes);
    let layout = layout_difference(input.bytes(), |piece| input.offset_of(piece), &plan);
    let first = [layout, hash].into_iter().flatten().min_by_key(|found| found.offset);
    if let Some(difference) = first {
        report.outcome = RoundtripOutcome::Differs(difference);
    }
    Ok(report)
}

/// Says so if the UUID is not what a form gives, so that it stays as it is.
fn note_uuid(library: &Library<'_>, scan: &Scan<()>, notes: &mut Vec<String>) {
    let kept = |stored| scan.uuids.iter().all(|(_, uuid)| *uuid != stored);
    if library.uuid().is_some_and(kept) {
        let note = "the UUID was kept: it follows no form, so sources that it covers were \
                    removed, or another writer made it";
        notes.push(note.to_owned());
    }
}

/// Compares every stored HASH with that of the module.
fn hash_difference(
    library: &Library<'_>,
    modules: &[ModuleFacts],
    notes: &mut Vec<String>,
) -> Option<Difference> {
    let mut kept = 0_usize;
    let mut first = None;
    for function in library.functions() {
        let facts = function.module.and_then(|id| modules.get(id.index()));
        let (Some(tag), Some(facts)) = (function.tags.get(FourCc::HASH), facts) else { continue };
        if tag.payload == facts.hash {
            continue;
        }
        if function.function_type() == Some(FunctionType::EXTERN) {
            kept += 1;
        } else if first.is_none() {
            first = Some(difference(tag.offset, "function list", &facts.hash, tag.payload));
        }
    }
    if kept > 0 {
        notes.push(format!(
            "{kept} HASH tags of Core Image functions were kept: what they hash is not known"
        ));
    }
    first
}

/// The first difference of two runs of bytes at this offset.
fn difference(offset: u64, region: &str, expected: &[u8], found: &[u8]) -> Difference {
    let same = expected.iter().zip(found).take_while(|(a, b)| a == b).count();
    let part = |bytes: &[u8]| bytes.iter().skip(same).take(16).copied().collect();
    Difference {
        offset: offset + same as u64,
        region: region.to_owned(),
        expected: part(expected),
        found: part(found),
    }
}

/// Compares the pieces of the plan with the input, where `offset_of` tells of a piece that is a
/// part of the input where it is.
pub(crate) fn layout_difference(
    input: &[u8],
    offset_of: impl Fn(&[u8]) -> Option<u64>,
    plan: &Plan<'_>,
) -> Option<Difference> {
    let mut position = 0;
    for piece in plan.pieces() {
        // A range of the input that goes where it was cannot differ; what is left to
        // compare are new bytes, which are few.
        if offset_of(piece.bytes) != Some(position) {
            let found = part(input, position, piece.bytes.len());
            if found != piece.bytes {
                let region = region_of(plan, position, piece.bytes, found);
                return Some(difference(position, &region, piece.bytes, found));
            }
        }
        position += piece.bytes.len() as u64;
    }
    let rest = part(input, position, usize::MAX);
    (!rest.is_empty()).then(|| difference(position, "end of the file", &[], rest))
}

/// At most `size` bytes from an offset on.
fn part(bytes: &[u8], offset: u64, size: usize) -> &[u8] {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    let end = start.saturating_add(size).min(bytes.len());
    bytes.get(start..end).unwrap_or_default()
}

/// The part of the output that the first difference lies in.
fn region_of(plan: &Plan<'_>, start: u64, expected: &[u8], found: &[u8]) -> String {
    let at = start + expected.iter().zip(found).take_while(|(a, b)| a == b).count() as u64;
    let holds = |offset: u64, size: u64| (offset..offset + size).contains(&at);
    let region = plan.regions().iter().find(|region| holds(region.offset, region.size));
    region.map_or_else(|| "end of the file".to_owned(), |region| region.name.clone())
}
