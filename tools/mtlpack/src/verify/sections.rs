//! The header extension, the dynamic header and the symbol lists.

use metallib::{Extension, ExtensionTag, ExtensionValue, FileType, FourCc, Library, SymbolList};

use super::findings::{Findings, Kind, Severity};

/// Tags of the extension that are known.
const KNOWN: [FourCc; 9] = [
    FourCc::HSRP,
    FourCc::HSRC,
    FourCc::HSRD,
    FourCc::HDYN,
    FourCc::VLST,
    FourCc::ILST,
    FourCc::RLST,
    FourCc::SLST,
    FourCc::UUID,
];

/// Tags that a symbol may have.
const SYMBOL: [FourCc; 5] = [FourCc::NAME, FourCc::HASH, FourCc::MDSZ, FourCc::OFFT, FourCc::VERS];

pub(super) fn check(library: &Library<'_>, findings: &mut Findings) {
    let Some(extension) = library.extension() else { return };
    for tag in &extension.tags {
        check_tag(tag, findings);
    }
    check_dynamic(library, extension, findings);
    for id in [FourCc::ILST, FourCc::VLST] {
        if let Some(list) = extension.symbols(id) {
            check_symbols(id, list, findings);
        }
    }
}

fn check_tag(tag: &ExtensionTag<'_>, findings: &mut Findings) {
    let id = tag.id;
    let place = || format!("header extension > tag {id}");
    if !KNOWN.contains(&id) {
        let what = || match &tag.value {
            ExtensionValue::Section(_) => {
                let (offset, size) = (tag.range.offset, tag.range.size);
                format!("unknown tag for a section of {size} bytes at {offset:#x}")
            }
            _ => format!("unknown tag of {} bytes", tag.payload_size()),
        };
        findings.add((Severity::Note, Kind::UnknownTag), tag.offset, place, what);
    } else if let ExtensionValue::Section(_) = tag.value {
        if tag.range.size == 0 {
            let what = || format!("section {id} is 0 bytes");
            findings.add((Severity::Note, kind_of(id)), tag.offset, place, what);
        } else if id == FourCc::HSRP {
            let what = || format!("HSRP names {} bytes; only (0, 0) was seen", tag.range.size);
            findings.add((Severity::Note, Kind::UnknownValue), tag.offset, place, what);
        }
    }
}

fn kind_of(id: FourCc) -> Kind {
    match id {
        FourCc::RLST | FourCc::SLST => Kind::Reflection,
        FourCc::HSRC | FourCc::HSRD | FourCc::HSRP => Kind::Sources,
        _ => Kind::Symbols,
    }
}

fn check_dynamic(library: &Library<'_>, extension: &Extension<'_>, findings: &mut Findings) {
    let tags = extension.dynamic_header();
    let name = tags.and_then(|tags| tags.get(FourCc::NAME));
    if library.identity().file_type() == FileType::Dynamic && name.is_none() {
        let offset = extension.get(FourCc::HDYN).map_or(0, |tag| tag.range.offset);
        let what = || "a dynamic library without install name (NAME of the dynamic header)";
        findings.add((Severity::Warning, Kind::Symbols), offset, || "section HDYN", what);
    }
    for tag in tags.into_iter().flat_map(metallib::TagList::iter) {
        let place = || format!("section HDYN > tag {}", tag.id);
        if !matches!(tag.id, FourCc::NAME | FourCc::DYNL) {
            let what = || format!("unknown tag of {} bytes", tag.payload.len());
            findings.add((Severity::Note, Kind::UnknownTag), tag.offset, place, what);
        } else if tag.payload.last() != Some(&0) {
            let what = || "the name has no NUL at its end";
            findings.add((Severity::Error, Kind::Symbols), tag.offset, place, what);
        }
    }
}

fn check_symbols(id: FourCc, list: &SymbolList<'_>, findings: &mut Findings) {
    for (index, tags) in list.symbols().iter().enumerate() {
        let place = || format!("section {id} > symbol {index}");
        match tags.get(FourCc::NAME) {
            None => {
                let what = || "tag NAME is missing; loaders want one for each symbol";
                let kind = (Severity::Error, Kind::MissingTag);
                findings.add(kind, tags.offset(), place, what);
            }
            Some(tag) if tag.payload.last() != Some(&0) => {
                let what = || "the name has no NUL at its end";
                findings.add((Severity::Error, Kind::Symbols), tag.offset, place, what);
            }
            Some(_) => {}
        }
        for tag in tags.iter().filter(|tag| !SYMBOL.contains(&tag.id)) {
            let place = || format!("section {id} > symbol {index} > tag {}", tag.id);
            let what = || format!("unknown tag of {} bytes", tag.payload.len());
            findings.add((Severity::Note, Kind::UnknownTag), tag.offset, place, what);
        }
    }
}
