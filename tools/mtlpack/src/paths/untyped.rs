//! Paths in what no code knows the form of: unknown tags, unknown sections, scripts.
//!
//! What is printable there is taken for text, as `strings` takes it. Nothing of it can be
//! rewritten, so what finds a path here is refused what it wants to do with it.

use std::ops::Range;

use air_bitcode::Envelope;
use metallib::{Extension, ExtensionTag, ExtensionValue, FourCc, Function, Section, TagList};

use super::PathOccurrence;
use super::find::{At, look};
use super::text::{Form, may_hold};

/// Tags of the function list that have a known form.
const FUNCTION: [FourCc; 11] = [
    FourCc::NAME,
    FourCc::TYPE,
    FourCc::HASH,
    FourCc::MDSZ,
    FourCc::OFFT,
    FourCc::VERS,
    FourCc::SOFF,
    FourCc::RFLT,
    FourCc::LAYR,
    FourCc::TESS,
    FourCc::ALIS,
];

/// Tags of metadata groups that have a known form.
const METADATA: [FourCc; 7] = [
    FourCc::CNST,
    FourCc::VATT,
    FourCc::VATY,
    FourCc::RETR,
    FourCc::ARGR,
    FourCc::DEBI,
    FourCc::DEPF,
];

/// Tags of symbols that have a known form.
const SYMBOL: [FourCc; 6] =
    [FourCc::NAME, FourCc::TYPE, FourCc::HASH, FourCc::MDSZ, FourCc::OFFT, FourCc::VERS];

/// Tags of reflection entries that have a known form, or are compressed.
const REFLECTION: [FourCc; 3] = [FourCc::RBUF, FourCc::RBUZ, FourCc::RBSZ];

/// Tags of scripts in which no text can stand.
const SCRIPT: [FourCc; 2] = [FourCc::SBUZ, FourCc::SBSZ];

/// Bytes of the shortest text that is looked at, and of the shortest path in one.
const SHORTEST: usize = 4;

/// The paths in the unknown tags of a function, which is that of this index.
pub(super) fn in_function(
    index: usize,
    function: &Function<'_>,
    each: &mut impl FnMut(PathOccurrence),
) {
    let Function { tags, public, private, .. } = function;
    let areas: [(&TagList<'_>, &[FourCc], &str); 3] = [
        (tags, &FUNCTION, "function list"),
        (public, &METADATA, "public metadata"),
        (private, &METADATA, "private metadata"),
    ];
    for (tags, known, area) in areas {
        in_tags(tags, known, area, At { function: Some(index), ..At::new("", 0) }, each);
    }
}

/// The paths in what is not known of a tag of the header extension, and of its section.
pub(super) fn in_section(tag: &ExtensionTag<'_>, each: &mut impl FnMut(PathOccurrence)) {
    let id = tag.id;
    let section = match &tag.value {
        ExtensionValue::Absent => return,
        ExtensionValue::Data(data) => {
            if id != FourCc::UUID {
                let place = format!("header extension: unknown tag {id}");
                in_bytes(data, At::new(&place, tag.offset), each);
            }
            return;
        }
        ExtensionValue::Section(section) => section,
    };
    let (area, at) = (format!("section {id}"), At::new("", 0));
    let each = &mut *each;
    match section {
        Section::Opaque(bytes) => {
            let place = format!("unknown section {id}");
            in_bytes(bytes, At::new(&place, tag.range.offset), each);
        }
        Section::Dynamic(tags) => in_tags(tags, &[FourCc::NAME, FourCc::DYNL], &area, at, each),
        Section::Symbols(list) => {
            list.symbols().iter().for_each(|tags| in_tags(tags, &SYMBOL, &area, at, each));
        }
        Section::Buffers(list) => {
            let known = if id == FourCc::RLST { &REFLECTION[..] } else { &SCRIPT };
            list.entries().iter().for_each(|entry| in_tags(&entry.tags, known, &area, at, each));
        }
        Section::Sources(sources) => {
            for (index, archive) in sources.archives.iter().enumerate() {
                let archived = At { archive: Some(index), ..at };
                in_tags(&archive.tags, &[FourCc::SARC], &area, archived, each);
            }
        }
    }
}

/// All of these paths in a library, or one that is being edited.
pub(crate) fn untyped(
    functions: &[Function<'_>],
    extension: Option<&Extension<'_>>,
    mut each: impl FnMut(PathOccurrence),
) {
    let numbered = functions.iter().enumerate();
    numbered.for_each(|(index, function)| in_function(index, function, &mut each));
    let tags = extension.into_iter().flat_map(|extension| &extension.tags);
    tags.for_each(|tag| in_section(tag, &mut each));
}

/// The paths in what is beside a module's bitcode: between the wrapper and it, and behind it.
/// No real module has anything but padding there.
pub(crate) fn in_envelope(
    module: &[u8],
    each: &mut impl FnMut(PathOccurrence),
) -> air_bitcode::Result<()> {
    let Envelope { gap, stream, tail, .. } = Envelope::parse(module)?;
    let behind = module.len() - tail.len();
    let parts = [("in front of", gap, behind - stream.len() - gap.len()), ("behind", tail, behind)];
    for (side, bytes, offset) in parts {
        let place = format!("module: bytes {side} the bitcode");
        in_bytes(bytes, At::new(&place, offset as u64), each);
    }
    Ok(())
}

fn in_tags(
    tags: &TagList<'_>,
    known: &[FourCc],
    area: &str,
    at: At<'_>,
    each: &mut impl FnMut(PathOccurrence),
) {
    for tag in tags.iter().filter(|tag| !known.contains(&tag.id) && may_hold(tag.payload)) {
        let place = format!("{area}: unknown tag {}", tag.id);
        in_bytes(tag.payload, At { place: &place, offset: tag.offset, ..at }, each);
    }
}

pub(super) fn in_bytes(bytes: &[u8], at: At<'_>, each: &mut impl FnMut(PathOccurrence)) {
    if !may_hold(bytes) {
        return;
    }
    for range in printable(bytes) {
        let Some(run) = bytes.get(range.clone()) else { continue };
        let skipped = usize::from(begins_with_length(run));
        let run = run.get(skipped..).unwrap_or_default();
        let offset = at.offset + (range.start + skipped) as u64;
        look(run, Form::Text, At { offset, is_inside: true, ..at }, &mut |found| {
            if found.path.len() >= SHORTEST {
                each(found);
            }
        });
    }
}

/// Whether the first byte of a text may be the length of the rest, its NUL counted or not.
fn begins_with_length(run: &[u8]) -> bool {
    let Some((first, rest)) = run.split_first() else { return false };
    let is_low_byte = |length: usize| length.to_le_bytes().first() == Some(first);
    is_low_byte(rest.len()) || is_low_byte(rest.len() + 1)
}

/// Where texts stand: UTF-8 without control characters.
fn printable(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let valid = bytes.utf8_chunks().map(move |chunk| {
        let text = chunk.valid();
        let from = start;
        start += text.len() + chunk.invalid().len();
        (from, text)
    });
    let runs = valid.flat_map(|(from, text)| {
        let mut at = from;
        text.split(|c: char| c.is_ascii_control() && c != '\t').map(move |run| {
            // What divides texts is one byte.
            let range = at..at + run.len();
            at = range.end + 1;
            range
        })
    });
    runs.filter(|range| range.len() >= SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(bytes: &[u8]) -> Vec<(String, u64)> {
        let mut all = Vec::new();
        in_bytes(bytes, At::new("x", 100), &mut |found| {
            all.push((String::from_utf8(found.path).unwrap(), found.offset));
        });
        all
    }

    #[test]
    fn texts_are_found_among_other_bytes() {
        let one = |path: &str, offset| vec![(path.to_owned(), offset)];
        assert_eq!(found(b"/Users/me/x"), one("/Users/me/x", 100));
        assert_eq!(found(b"\x01\0/tmp/x\0\xff"), one("/tmp/x", 102));
        assert_eq!(found(b"\xf0/tmp/gr\xc3\xb6\xc3\x9fe\xf0"), one("/tmp/größe", 101));
        // Lengths of one byte and of two.
        assert_eq!(found(b"\x24\0/x"), []);
        let path = format!("/{}", "a".repeat(34));
        assert_eq!(found(format!("#{path}").as_bytes()), one(&path, 101));
        assert_eq!(found(format!("\0${path}\0").as_bytes()), one(&path, 102));
        assert_eq!(found(b"x=/a/b y=/c/d").len(), 2);
        for other in [&b"a/b/c"[..], b"/x\0/y", b"x/usr/lib", b"\0\0/\x01", b"1/2 a/ b"] {
            assert_eq!(found(other), [], "{}", other.escape_ascii());
        }
    }
}
