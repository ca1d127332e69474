//! Reading the header extension and the sections it points at.

use std::borrow::Cow;
use std::collections::HashSet;

use byteorder::{ByteOrder, LittleEndian};

use crate::FourCc;
use crate::buffers::BufferList;
use crate::cursor::Cursor;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::header::Range64;
use crate::section::{Extension, ExtensionTag, ExtensionValue, Section};
use crate::source::Source;
use crate::sources::Sources;
use crate::symbols::SymbolList;
use crate::tags::{Tag, TagList};

/// Tags that hold offset and size of a section.
pub(crate) const SECTIONS: [FourCc; 8] = [
    FourCc::HSRC,
    FourCc::HSRD,
    FourCc::HSRP,
    FourCc::HDYN,
    FourCc::VLST,
    FourCc::ILST,
    FourCc::RLST,
    FourCc::SLST,
];

/// Reads the extension behind the function list, where the container has one.
///
/// A library that leaves no room for it (public metadata directly behind the list) has none.
pub(crate) fn read_extension<'a>(
    source: &mut Source<'a>,
    list_end: u64,
) -> Result<Option<Extension<'a>>> {
    let public = source.header.public.offset;
    if !source.header.identity.container.has_extension() || public == list_end {
        return Ok(None);
    }
    let end = if public > list_end { public } else { source.bytes.len() as u64 };
    let range = Range64 { offset: list_end, size: end.saturating_sub(list_end) };
    let mut cursor = source.range(range, "header extension")?;
    let tags = TagList::read_borrowed(&mut cursor)?;
    let mut state = Seen { claimed: claimed_ranges(&tags), ids: HashSet::new(), unknown_end: 0 };
    let mut extension = Extension::default();
    for tag in tags {
        let id = tag.id;
        extension.tags.push(read_tag(source, tag, &mut state).within(|| format!("tag {id}"))?);
    }
    Ok(Some(extension))
}

/// What earlier tags of the extension have taken.
struct Seen {
    /// Ranges that known section tags name; an unknown tag cannot mean the same bytes.
    claimed: Vec<Range64>,
    /// Names that have occurred.
    ids: HashSet<FourCc>,
    /// End of the last section of an unknown tag.
    unknown_end: u64,
}

/// The range that the first tag of each known section names.
fn claimed_ranges(tags: &[Tag<'_>]) -> Vec<Range64> {
    SECTIONS
        .iter()
        .filter_map(|id| tags.iter().find(|tag| tag.id == *id))
        .filter_map(|tag| pair(tag.payload))
        .filter(|range| range.size > 0)
        .collect()
}

fn pair(payload: &[u8]) -> Option<Range64> {
    (payload.len() == 16).then(|| {
        let mut words = [0; 2];
        LittleEndian::read_u64_into(payload, &mut words);
        let [offset, size] = words;
        Range64 { offset, size }
    })
}

fn read_tag<'a>(
    source: &mut Source<'a>,
    tag: Tag<'a>,
    seen: &mut Seen,
) -> Result<ExtensionTag<'a>> {
    let found = tag.payload.len() as u64;
    let known = SECTIONS.contains(&tag.id);
    if (known || tag.id == FourCc::UUID) && found != 16 {
        let kind = ErrorKind::TagSize { tag: tag.id, found, expected: 16 };
        return Err(Error::new(kind, tag.offset));
    }
    let first = seen.ids.insert(tag.id);
    if !first {
        let what = format!("tag {} occurs twice in the header extension", tag.id);
        source.irregular.note(tag.offset, what);
    }
    let is_section =
        |range: &Range64| if known { first } else { looks_like_section(source, *range, seen) };
    let Some(range) = pair(tag.payload).filter(|_| tag.id != FourCc::UUID).filter(is_section)
    else {
        let mut data = ExtensionTag::data(tag.id, tag.payload);
        data.offset = tag.offset;
        return Ok(data);
    };
    let value = if range == Range64::default() {
        ExtensionValue::Absent
    } else if known {
        ExtensionValue::Section(read_section(source, tag.id, range)?)
    } else {
        seen.unknown_end = range.end();
        ExtensionValue::Section(opaque(source, range)?)
    };
    Ok(ExtensionTag { id: tag.id, value, range, offset: tag.offset })
}

/// Whether an unknown tag of 16 bytes names bytes behind the bitcode that no other tag
/// claims; then they are carried with the tag.
fn looks_like_section(source: &Source<'_>, range: Range64, seen: &Seen) -> bool {
    let behind = range.offset >= source.header.bitcode.end().max(seen.unknown_end);
    let inside = range.end() <= source.bytes.len() as u64;
    let free = |other: &Range64| range.end() <= other.offset || other.end() <= range.offset;
    range.size > 0 && behind && inside && seen.claimed.iter().all(free)
}

fn opaque<'a>(source: &Source<'a>, range: Range64) -> Result<Section<'a>> {
    Ok(Section::Opaque(Cow::Borrowed(source.range(range, "section")?.rest())))
}

fn read_section<'a>(source: &mut Source<'a>, id: FourCc, range: Range64) -> Result<Section<'a>> {
    let mut cursor = source.range(range, "section")?;
    if range.size == 0 {
        return opaque(source, range);
    }
    let irregular = &mut source.irregular;
    Ok(match id {
        FourCc::HSRC | FourCc::HSRD => Section::Sources(Sources::read(&mut cursor, id, irregular)?),
        FourCc::HDYN => {
            let tags = TagList::read(&mut cursor)?;
            if !cursor.rest().is_empty() {
                irregular.note(cursor.offset(), "bytes behind ENDT of the dynamic header");
            }
            Section::Dynamic(tags)
        }
        FourCc::ILST | FourCc::VLST => Section::Symbols(SymbolList::read(&mut cursor, irregular)?),
        FourCc::RLST | FourCc::SLST => Section::Buffers(BufferList::read(&mut cursor, irregular)?),
        _ => opaque(source, range)?,
    })
}

impl<'a> TagList<'a> {
    /// Reads tags up to `ENDT` and gives each with the input's lifetime.
    fn read_borrowed(cursor: &mut Cursor<'a>) -> Result<Vec<Tag<'a>>> {
        let mut tags = Vec::new();
        while let Some(tag) = crate::tags::next_tag(cursor)? {
            tags.push(tag);
        }
        Ok(tags)
    }
}
