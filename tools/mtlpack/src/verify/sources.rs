//! Embedded sources: each archive is a bzip2 stream, then zeros.

use std::convert::Infallible;

use metallib::{Archive, FourCc, Library, Sources, Tag, printable};

use super::findings::{Findings, Kind, Severity};
use crate::archive::{Outcome, STREAM_COST, unpack_into};

const ERROR: (Severity, Kind) = (Severity::Error, Kind::Sources);
const WARNING: (Severity, Kind) = (Severity::Warning, Kind::Sources);
const NOTE: (Severity, Kind) = (Severity::Note, Kind::Sources);

/// The most that is unpacked of one archive, in bytes.
const ARCHIVE_LIMIT: u64 = 256 << 20;

/// The most that is unpacked of all archives together: a small file can hold many.
const TOTAL_LIMIT: u64 = 1 << 30;

pub(super) fn check(library: &Library<'_>, findings: &mut Findings) {
    let Some(sources) = library.sources() else { return };
    let tag = library.extension().and_then(|extension| {
        [FourCc::HSRC, FourCc::HSRD].iter().find_map(|&id| extension.get(id))
    });
    let (offset, id) = tag.map_or((0, sources.id()), |tag| (tag.range.offset, tag.id));
    let container = library.identity().container;
    let expected = if container.has_platform() { FourCc::HSRD } else { FourCc::HSRC };
    if id != expected {
        let what = || format!("sources in section {id}, container {container} has {expected}");
        findings.add(WARNING, offset, || format!("section {id}"), what);
    }
    check_archives(id, sources, offset, findings);
    check_users(library, id, offset, findings);
    check_object_files(library, findings);
}

fn check_archives(id: FourCc, sources: &Sources<'_>, offset: u64, findings: &mut Findings) {
    let mut budget = TOTAL_LIMIT;
    let (mut padded, mut padding) = (0_usize, 0_u64);
    for (index, archive) in sources.archives.iter().enumerate() {
        let place = format!("section {id} > archive {index} `{}`", printable(archive.id()));
        let zeros = check_archive(&place, archive, &mut budget, findings);
        padded += usize::from(zeros > 0);
        padding += zeros;
    }
    if padded > 0 {
        let total = sources.archives.len();
        let what = || {
            format!("{padding} bytes of padding behind the streams of {padded} of {total} archives")
        };
        findings.add(NOTE, offset, || format!("section {id}"), what);
    }
}

/// Checks one archive; gives the zeros behind its stream.
fn check_archive(
    place: &str,
    archive: &Archive<'_>,
    budget: &mut u64,
    findings: &mut Findings,
) -> u64 {
    for tag in archive.tags.iter().filter(|tag| tag.id != FourCc::SARC) {
        let what = || format!("unknown tag of {} bytes", tag.payload.len());
        let place = || format!("{place} > tag {}", tag.id);
        findings.add((Severity::Note, Kind::UnknownTag), tag.offset, place, what);
    }
    let Some(tag) = archive.tags.get(FourCc::SARC) else {
        let what = || "an archive without tag SARC";
        findings.add(WARNING, archive.tags.offset(), || place, what);
        return 0;
    };
    let start = data_offset(archive, &tag);
    let data = archive.data();
    if !data.starts_with(b"BZh") {
        let what = || "the archive is no bzip2 stream (BZh)";
        findings.add(ERROR, start, || place, what);
        return 0;
    }
    match unpack(data, budget) {
        Outcome::Whole { packed } => {
            return check_padding(place, data, start, packed, findings);
        }
        Outcome::Damaged { at } => {
            let what = || "the bzip2 stream is damaged here or shortly before";
            findings.add(ERROR, start + at, || place, what);
        }
        Outcome::Cut => {
            let what = || "the bzip2 stream is cut: it ends with the archive";
            findings.add(ERROR, start + data.len() as u64, || place, what);
        }
        Outcome::Limited => {
            let what = || {
                let (one, all) = (ARCHIVE_LIMIT >> 20, TOTAL_LIMIT >> 20);
                format!("not unpacked to its end: {one} MiB an archive, {all} MiB in all are read")
            };
            findings.add(NOTE, start, || place, what);
        }
    }
    0
}

/// Absolute offset of the bzip2 stream.
fn data_offset(archive: &Archive<'_>, tag: &Tag<'_>) -> u64 {
    tag.offset + archive.id().len() as u64 + 1
}

/// What stands behind the stream: zeros, or nothing.
fn check_padding(
    place: &str,
    data: &[u8],
    start: u64,
    stream: u64,
    findings: &mut Findings,
) -> u64 {
    let padding = usize::try_from(stream).ok().and_then(|stream| data.get(stream..));
    let padding = padding.unwrap_or_default();
    let Some(index) = padding.iter().position(|&byte| byte != 0) else {
        return padding.len() as u64;
    };
    let what = || {
        let size = padding.len();
        format!("of the {size} bytes behind the bzip2 stream this one is the first not zero")
    };
    findings.add(WARNING, start + stream + index as u64, || place, what);
    0
}

/// Unpacks a stream into nothing.
fn unpack(data: &[u8], budget: &mut u64) -> Outcome {
    let Some(left) = budget.checked_sub(STREAM_COST) else {
        return Outcome::Limited;
    };
    *budget = left;
    let mut unpacked = 0_u64;
    let each = |chunk: &[u8]| {
        unpacked = unpacked.saturating_add(chunk.len() as u64);
        Ok::<_, Infallible>(())
    };
    let limit = ARCHIVE_LIMIT.min(left);
    let Ok(outcome) = unpack_into(data, limit, each);
    let spent = if outcome == Outcome::Limited { limit } else { unpacked };
    *budget = left.saturating_sub(spent);
    outcome
}

/// Either every function has sources or none has.
fn check_users(library: &Library<'_>, id: FourCc, offset: u64, findings: &mut Findings) {
    let total = library.functions().len();
    let without = library.functions().iter().filter(|function| function.archive.is_none()).count();
    if without > 0 {
        let what = || format!("{without} of {total} functions have no sources");
        findings.add(NOTE, offset, || format!("section {id}"), what);
    }
}

/// A function that has sources also says from which object file it was linked, and the other
/// way round.
fn check_object_files(library: &Library<'_>, findings: &mut Findings) {
    for (index, function) in library.functions().iter().enumerate() {
        let tags = (function.tags.get(FourCc::SOFF), function.private.get(FourCc::DEPF));
        let (tag, other) = match tags {
            (Some(tag), None) => (tag, FourCc::DEPF),
            (None, Some(tag)) => (tag, FourCc::SOFF),
            _ => continue,
        };
        let place = || format!("{} > tag {}", function.place(index), tag.id);
        let what = || format!("tag {} without tag {other}", tag.id);
        findings.add(WARNING, tag.offset, place, what);
    }
}

#[cfg(test)]
#[path = "sources_tests.rs"]
mod tests;
