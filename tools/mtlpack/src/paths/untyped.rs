//! Paths in what no code knows the form of, or no edit rewrites: unknown tags and sections,
//! scripts, tags of known form whose texts are no paths, what stands behind a text.
//!
//! What is printable there is taken for text, as `strings` takes it. Nothing of it can be
//! rewritten, so what finds a path here is refused what it wants to do with it.

use std::borrow::Cow;
use std::ops::Range;

use air_bitcode::Envelope;
use metallib::{Extension, ExtensionTag, ExtensionValue, FourCc, Function, Section, Tag, TagList};

use super::PathOccurrence;
use super::find::{At, look, strings_in};
use super::text::{Form, may_hold, spans};

/// What of a tag is looked through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All, though it is not known what it is.
    Unknown,
    /// All: names and numbers that no edit rewrites.
    All,
    /// Nothing, for it is a name of a function.
    Nothing,
    /// What stands behind so many bytes, which are a number, or a hash.
    Behind(usize),
    /// What stands behind the NUL of a text that is looked at by itself, and is behind so many
    /// bytes.
    BehindText(usize),
    /// What stands in front of the NUL: the id of a source archive, which is packed behind it.
    Id,
    /// What stands beside the strings of a reflection entry, which begins behind so many bytes.
    BesideStrings(usize),
    /// What is compressed in an unknown way, or is text after all.
    Packed,
}

/// The parts of tags of the function list, and of symbols.
const fn in_list(id: FourCc) -> Part {
    match id {
        FourCc::NAME => Part::Nothing,
        FourCc::TYPE | FourCc::LAYR | FourCc::TESS => Part::Behind(1),
        FourCc::MDSZ | FourCc::VERS | FourCc::SOFF | FourCc::RFLT => Part::Behind(8),
        FourCc::OFFT => Part::Behind(24),
        FourCc::HASH => Part::Behind(32),
        FourCc::ALIS => Part::All,
        _ => Part::Unknown,
    }
}

/// The parts of tags of metadata groups.
const fn in_metadata(id: FourCc) -> Part {
    match id {
        FourCc::CNST | FourCc::VATT | FourCc::VATY | FourCc::RETR | FourCc::ARGR => Part::All,
        FourCc::DEBI => Part::BehindText(4),
        FourCc::DEPF => Part::BehindText(0),
        _ => Part::Unknown,
    }
}

/// The parts of tags of the dynamic header.
const fn in_dynamic(id: FourCc) -> Part {
    match id {
        FourCc::NAME | FourCc::DYNL => Part::BehindText(0),
        _ => Part::Unknown,
    }
}

/// The parts of tags of symbols, whose names are those of other libraries' functions.
const fn in_symbol(id: FourCc) -> Part {
    match id {
        FourCc::NAME => Part::All,
        id => in_list(id),
    }
}

/// The parts of tags of reflection entries and scripts; buffers begin behind some padding.
const fn in_buffer(id: FourCc, padding: usize) -> Part {
    match id {
        FourCc::RBUF => Part::BesideStrings(padding),
        FourCc::RBUZ | FourCc::SBUZ => Part::Packed,
        FourCc::RBSZ | FourCc::SBSZ => Part::Behind(4),
        _ => Part::Unknown,
    }
}

/// The parts of tags of source archives; of a second archive nothing is known.
const fn in_archive(id: FourCc) -> Part {
    match id {
        FourCc::SARC => Part::Id,
        _ => Part::Unknown,
    }
}

impl Part {
    /// The bytes of a payload that are looked through.
    fn of(self, payload: &[u8]) -> Cow<'_, [u8]> {
        let nul = |from: usize| {
            let text = payload.get(from..).unwrap_or_default();
            from + text.iter().position(|&byte| byte == 0).unwrap_or(text.len())
        };
        let behind = |from: usize| payload.get(from..).unwrap_or_default();
        match self {
            Self::Unknown | Self::All | Self::Packed => payload.into(),
            Self::Nothing => Cow::default(),
            Self::Behind(size) => behind(size).into(),
            Self::BehindText(size) => behind(nul(size)).into(),
            Self::Id => payload.get(..nul(0)).unwrap_or_default().into(),
            Self::BesideStrings(padding) => beside_strings(payload, padding).into(),
        }
    }

    /// Where these bytes begin.
    fn start(self, payload: &[u8], part: &[u8]) -> u64 {
        match self {
            Self::Behind(_) | Self::BehindText(_) => (payload.len() - part.len()) as u64,
            _ => 0,
        }
    }
}

/// A buffer without its strings, which are looked at by themselves.
fn beside_strings(payload: &[u8], padding: usize) -> Vec<u8> {
    let mut rest = payload.to_vec();
    for range in strings_in(payload.get(padding..).unwrap_or_default()) {
        let range = padding + range.start..padding + range.end;
        rest.get_mut(range).unwrap_or_default().fill(0);
    }
    rest
}

/// Bytes of the shortest text that is looked at, and of the shortest path in one.
const SHORTEST: usize = 4;

/// Bytes of the shortest path in what is compressed: in any bytes shorter ones turn up.
const SHORTEST_PACKED: usize = 14;

/// The paths in the unknown tags of a function, which is that of this index.
pub(super) fn in_function(
    index: usize,
    function: &Function<'_>,
    each: &mut impl FnMut(PathOccurrence),
) {
    let Function { tags, public, private, .. } = function;
    let at = At { function: Some(index), ..At::new("", 0) };
    in_tags(tags, in_list, "function list", at, each);
    in_tags(public, in_metadata, "public metadata", at, each);
    in_tags(private, in_metadata, "private metadata", at, each);
}

/// The paths in what is not known of a tag of the header extension, and of its section.
pub(super) fn in_section(tag: &ExtensionTag<'_>, each: &mut impl FnMut(PathOccurrence)) {
    let id = tag.id;
    let section = match &tag.value {
        ExtensionValue::Absent => return,
        ExtensionValue::Data(data) => {
            if id != FourCc::UUID {
                let place = format!("header extension: unknown tag {id}");
                look_in(data, At::new(&place, tag.offset), each);
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
            look_in(bytes, At::new(&place, tag.range.offset), each);
        }
        Section::Dynamic(tags) => in_tags(tags, in_dynamic, &area, at, each),
        Section::Symbols(list) => {
            list.symbols().iter().for_each(|tags| in_tags(tags, in_symbol, &area, at, each));
        }
        Section::Buffers(list) => {
            let entries = list.entries().iter();
            entries.for_each(|entry| {
                let size = |tag: &Tag<'_>| {
                    tag.payload.len() - entry.content(tag).len().min(tag.payload.len())
                };
                let first = entry.tags.iter().find(|tag| tag.id == FourCc::RBUF);
                let padding = first.as_ref().map_or(0, size);
                in_tags(&entry.tags, |id| in_buffer(id, padding), &area, at, each);
            });
        }
        Section::Sources(sources) => {
            for (index, archive) in sources.archives.iter().enumerate() {
                let archived = At { archive: Some(index), ..at };
                in_tags(&archive.tags, in_archive, &area, archived, each);
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
pub(super) fn in_envelope(
    module: &[u8],
    each: &mut impl FnMut(&[u8], Form, At<'_>),
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
    part: impl Fn(FourCc) -> Part,
    area: &str,
    at: At<'_>,
    each: &mut impl FnMut(PathOccurrence),
) {
    let mut packed_seen = false;
    for tag in tags.iter() {
        let mut part = part(tag.id);
        // The second is nobody's.
        if part == Part::Id && std::mem::replace(&mut packed_seen, true) {
            part = Part::All;
        }
        if !may_hold(tag.payload) {
            continue;
        }
        let bytes = part.of(tag.payload);
        let what = if part == Part::Unknown { "unknown tag" } else { "tag" };
        let place = format!("{area}: {what} {}", tag.id);
        let offset = tag.offset + part.start(tag.payload, &bytes);
        let least = if part == Part::Packed { SHORTEST_PACKED } else { SHORTEST };
        look_in(&bytes, At { place: &place, offset, least, ..at }, each);
    }
}

fn look_in(bytes: &[u8], at: At<'_>, each: &mut impl FnMut(PathOccurrence)) {
    in_bytes(bytes, at, &mut |text, form, at| look(text, form, at, each));
}

/// Gives the texts among bytes that may hold a path.
pub(super) fn in_bytes(bytes: &[u8], at: At<'_>, each: &mut impl FnMut(&[u8], Form, At<'_>)) {
    if !may_hold(bytes) {
        return;
    }
    for range in printable(bytes) {
        let Some(run) = bytes.get(range.clone()).filter(|run| may_hold(run)) else { continue };
        let skipped = length_size(run);
        let run = run.get(skipped..).unwrap_or_default();
        let inside = if at.is_packed { 0 } else { (range.start + skipped) as u64 };
        let at = At { offset: at.offset + inside, least: at.least.max(SHORTEST), ..at };
        each(run, Form::Text, at);
    }
}

/// How many of the first bytes of a text may be the length of the rest, its NUL counted or not.
/// What a path begins with is none: `/` is 47.
fn length_size(run: &[u8]) -> usize {
    if spans(run, Form::Text).next().is_some_and(|span| span.range.start == 0) {
        return 0;
    }
    let is_length = |size: usize| {
        let Some((length, rest)) = run.split_at_checked(size) else { return false };
        let is = |number: usize| number.to_le_bytes().starts_with(length);
        is(rest.len()) || is(rest.len() + 1)
    };
    [2, 1].into_iter().find(|size| is_length(*size)).unwrap_or(0)
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
        look_in(bytes, At::new("x", 100), &mut |found| {
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
        let long = format!("/Users/{}", "a".repeat(0x2121 - 7));
        assert_eq!(found(format!("!!{long}").as_bytes()), one(&long, 102));
        // A path of which the first byte would be a length, with NUL and without.
        for size in [47, 48, 49, 303, 304] {
            let path = format!("/data/{}", "a".repeat(size - 6));
            assert_eq!(found(path.as_bytes()), one(&path, 100));
            assert_eq!(found(format!("{path}\0").as_bytes()), one(&path, 100));
        }
        let drive = format!("C:/{}", "a".repeat(0x43 - 2));
        assert_eq!(found(drive.as_bytes()), one(&drive, 100));
        for other in [&b"a/b/c"[..], b"/x\0/y", b"x/usr/lib", b"\0\0/\x01", b"1/2 a/ b"] {
            assert_eq!(found(other), [], "{}", other.escape_ascii());
        }
    }
}
