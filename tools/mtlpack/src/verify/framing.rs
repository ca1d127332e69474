//! Where a library is not laid out as Apple's tools do it.

use metallib::{HEADER_SIZE, Header, Library};

use super::findings::{Findings, Kind, Severity};

const IRREGULAR: (Severity, Kind) = (Severity::Warning, Kind::Layout);

pub(super) fn check(library: &Library<'_>, findings: &mut Findings) {
    let irregular = library.irregularities();
    for reason in irregular.iter() {
        let place = || place_of(library, reason.offset);
        findings.add(IRREGULAR, reason.offset, place, || reason.what.clone());
    }
    let rest = irregular.count() - irregular.iter().count();
    if rest > 0 {
        let what = || format!("{rest} more places where the layout is irregular");
        findings.add(IRREGULAR, 0, || "library", what);
    }
    let container = library.identity().container;
    if container.has_extension() && library.extension().is_none() {
        let what = || format!("container {container} without header extension, expected ENDT");
        let offset = library.header().map_or(0, |header| header.functions.end() + 4);
        findings.add(IRREGULAR, offset, || "header extension", what);
    }
}

/// The part of the file that an offset lies in.
fn place_of(library: &Library<'_>, offset: u64) -> String {
    let Some(header) = library.header() else { return "library".to_owned() };
    let extension = library.extension();
    let sections = extension.into_iter().flat_map(metallib::Extension::sections);
    for tag in sections {
        if (tag.range.offset..tag.range.end()).contains(&offset) {
            return format!("section {}", tag.id);
        }
    }
    function_place(library, offset).unwrap_or_else(|| fixed_part(header, offset).to_owned())
}

/// The function and tag whose bytes in the function list an offset lies in.
fn function_place(library: &Library<'_>, offset: u64) -> Option<String> {
    let holds = |start: u64, size: usize| (start..start + size as u64).contains(&offset);
    let mut functions = library.functions().iter().enumerate();
    let found = functions.find(|(_, f)| holds(f.tags.offset(), f.tags.as_bytes().len()));
    let (index, function) = found?;
    let tag = function.tags.iter().find(|tag| holds(tag.offset, tag.payload.len()))?;
    Some(format!("{} > tag {}", function.place(index), tag.id))
}

fn fixed_part(header: &Header, offset: u64) -> &'static str {
    let list_end = header.functions.end().saturating_add(4);
    let inside = |range: metallib::Range64| (range.offset..range.end()).contains(&offset);
    match offset {
        _ if offset < HEADER_SIZE => "header",
        _ if (header.functions.offset..list_end).contains(&offset) => "function list",
        _ if inside(header.public) => "public metadata",
        _ if inside(header.private) => "private metadata",
        _ if inside(header.bitcode) => "bitcode section",
        _ if (list_end..header.public.offset).contains(&offset) => "header extension",
        _ => "end of the file",
    }
}
