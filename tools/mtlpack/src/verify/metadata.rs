//! Public and private metadata: what the typed views make of them.

use metallib::metadata::{
    arguments, debug_info, dependency_file, function_constants, return_type,
    vertex_attribute_types, vertex_attributes,
};
use metallib::{DataType, Error, ErrorKind, FourCc, Function, Library, Tag, TagList};

use super::findings::{Findings, Kind, Severity};

/// Tags that loaders are reported to know, without sample.
const REPORTED: [&[u8; 4]; 4] = [b"ARGC", b"ARGU", b"AGPC", b"AGPT"];

pub(super) fn check(library: &Library<'_>, findings: &mut Findings) {
    for (index, function) in library.functions().iter().enumerate() {
        // Most functions have no metadata, so nothing is spent on them.
        if !function.public.is_empty() {
            check_group(index, function, &function.public, findings);
            check_attributes(index, function, findings);
        }
        if !function.private.is_empty() {
            check_group(index, function, &function.private, findings);
        }
    }
}

fn check_group(index: usize, function: &Function<'_>, tags: &TagList<'_>, findings: &mut Findings) {
    for tag in tags.iter() {
        let place = || format!("{} > tag {}", function.place(index), tag.id);
        match read(&tag) {
            None => {
                let what = || format!("unknown tag of {} bytes", tag.payload.len());
                findings.add((Severity::Note, Kind::UnknownTag), tag.offset, place, what);
            }
            Some(Err(error)) if is_struct(&tag, &error) => {
                let what = || error.kind().to_string();
                findings.add((Severity::Note, Kind::Metadata), error.offset(), place, what);
            }
            Some(Err(error)) => findings.error(Kind::Metadata, &place(), &error),
            Some(Ok(())) => {}
        }
    }
}

/// Reads a tag through its view; `None` if it is not known.
fn read(tag: &Tag<'_>) -> Option<metallib::Result<()>> {
    let (payload, offset) = (tag.payload, tag.offset);
    Some(match tag.id {
        FourCc::CNST => function_constants(payload, offset).map(drop),
        FourCc::VATT => vertex_attributes(payload, offset).map(drop),
        FourCc::VATY => vertex_attribute_types(payload, offset).map(drop),
        FourCc::RETR => return_type(payload, offset).map(drop),
        FourCc::ARGR => arguments(payload, offset).map(drop),
        FourCc::DEBI => debug_info(payload, offset).map(drop),
        FourCc::DEPF => dependency_file(payload, offset).map(drop),
        id if REPORTED.contains(&&id.bytes()) => Ok(()),
        _ => return None,
    })
}

/// Whether reading stopped at a struct, whose layout nobody knows: that is no damage.
fn is_struct(tag: &Tag<'_>, error: &Error) -> bool {
    let index = usize::try_from(error.offset() - tag.offset).unwrap_or(usize::MAX);
    let typed = matches!(tag.id, FourCc::RETR | FourCc::ARGR);
    let stopped = matches!(error.kind(), ErrorKind::Value { .. });
    typed && stopped && tag.payload.get(index) == Some(&DataType::STRUCT.code())
}

/// VATT and VATY belong together and have the same count.
fn check_attributes(index: usize, function: &Function<'_>, findings: &mut Findings) {
    let (names, types) = (function.public.get(FourCc::VATT), function.public.get(FourCc::VATY));
    let place = |id: FourCc| move || format!("{} > tag {id}", function.place(index));
    let (names, types) = match (names, types) {
        (Some(names), Some(types)) => (names, types),
        (None, None) => return,
        (Some(tag), None) | (None, Some(tag)) => {
            let other = if tag.id == FourCc::VATT { FourCc::VATY } else { FourCc::VATT };
            let what = || format!("tag {} without tag {other}", tag.id);
            let kind = (Severity::Warning, Kind::Metadata);
            return findings.add(kind, tag.offset, place(tag.id), what);
        }
    };
    let Ok(attributes) = vertex_attributes(names.payload, names.offset) else { return };
    let Ok(codes) = vertex_attribute_types(types.payload, types.offset) else { return };
    if attributes.len() != codes.len() {
        let what =
            || format!("{} types for the {} attributes of tag VATT", codes.len(), attributes.len());
        let kind = (Severity::Error, Kind::Metadata);
        findings.add(kind, types.offset, place(types.id), what);
    }
}
