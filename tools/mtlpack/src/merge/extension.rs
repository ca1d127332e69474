//! The header extension of the output and its sections.

use std::borrow::Cow;
use std::collections::HashSet;

use metallib::{
    Archive, Container, Dialect, Extension, ExtensionTag, ExtensionValue, FileType, FourCc,
    LibraryBuilder, Section, Sources, SymbolList, Tag, TagList,
};

use super::archives::{self, ArchiveMaps, sources_of};
use super::union::TagUnion;
use super::{InstallName, Part, terminated};
use crate::error::{Error, Result};

/// Makes the output's extension out of those of the parts; gives where each part's
/// archives went. Reflection entries follow with the functions.
pub(super) fn combine<'a>(
    output: &mut LibraryBuilder<'a>,
    parts: &[Part<'_, 'a>],
    name: &InstallName<'_>,
    notes: &mut Vec<String>,
) -> Result<ArchiveMaps> {
    let wrong = || Error::library("output");
    let (archives, maps) = archives::combine(parts, output.dialect, notes).map_err(wrong())?;
    if !output.identity.container.has_extension() {
        return Ok(maps);
    }
    let mut union = TagUnion::default();
    for (index, part) in parts.iter().enumerate() {
        refuse_two_sources(part)?;
        let tags = part.content.extension.iter().flat_map(|extension| &extension.tags);
        let mut previous = None;
        for tag in tags {
            if let Some(tag) = new_tag(&mut union, tag, part.name, parts)? {
                union.insert(tag, previous, index == 0);
            }
            previous = Some(tag.id);
        }
    }
    let mut extension = union.finish();
    if let Some(sources) = sources(parts, output.identity.container, archives, notes) {
        // HSRC of an older container becomes HSRD, in its place.
        let id = sources.id();
        let has_own = extension.get(id).is_some();
        let other = if id == FourCc::HSRD { FourCc::HSRC } else { FourCc::HSRD };
        match extension.tags.iter_mut().find(|tag| tag.id == other) {
            Some(tag) if !has_own => tag.id = id,
            _ => {
                extension.remove(other);
            }
        }
        extension.set(ExtensionTag::section(id, Section::Sources(sources)));
    }
    if let Some(tags) = dynamic_header(parts, output, name, notes)? {
        extension.set(ExtensionTag::section(FourCc::HDYN, Section::Dynamic(tags)));
    }
    for id in [FourCc::ILST, FourCc::VLST] {
        if let Some(list) = symbols(parts, id)? {
            extension.set(ExtensionTag::section(id, Section::Symbols(list)));
        }
    }
    output.extension = Some(extension);
    Ok(maps)
}

/// What is to be added of a tag of one part: a tag that others have had is replaced or
/// checked here. The contents of lists are combined afterwards.
fn new_tag<'a>(
    union: &mut TagUnion<'a>,
    tag: &ExtensionTag<'a>,
    input: &str,
    parts: &[Part<'_, 'a>],
) -> Result<Option<ExtensionTag<'a>>> {
    use ExtensionValue::{Absent, Data, Section as Sect};
    let empty_list = || {
        let empty = Section::Buffers(metallib::BufferList::default());
        ExtensionTag::section(tag.id, empty)
    };
    let is_reflection = tag.id == FourCc::RLST;
    match (&tag.value, union.get(tag.id).map(|known| &known.value)) {
        (Sect(Section::Buffers(_)), None) if is_reflection => return Ok(Some(empty_list())),
        (Sect(Section::Buffers(_)), Some(Absent)) if is_reflection => union.replace(empty_list()),
        (Sect(Section::Buffers(_)), Some(Sect(_))) if tag.id == FourCc::SLST => {
            return Err(two_script_lists(parts));
        }
        (_, None) => return Ok(Some(tag.clone())),
        (Sect(Section::Opaque(new)), Some(Sect(Section::Opaque(old)))) if new != old => {
            return Err(differ(tag.id, input));
        }
        (Data(new), Some(Data(old))) if new != old && tag.id != FourCc::UUID => {
            return Err(differ(tag.id, input));
        }
        (Sect(_), Some(Absent)) => union.replace(tag.clone()),
        (Sect(_), Some(Data(_))) | (Data(_), Some(Sect(_))) => return Err(differ(tag.id, input)),
        _ => {}
    }
    Ok(None)
}

/// Functions refer to one section of sources; how two of one library belong together is
/// not known.
fn refuse_two_sources(part: &Part<'_, '_>) -> Result<()> {
    let sections = part.content.extension.iter().flat_map(Extension::sections);
    let is_sources =
        |tag: &&ExtensionTag<'_>| matches!(tag.value, ExtensionValue::Section(Section::Sources(_)));
    if sections.filter(is_sources).count() < 2 {
        return Ok(());
    }
    Err(Error::refused(format!(
        "{} holds sources twice (HSRC and HSRD); how the two belong together is not known, so \
         strip them off first (strip-source)",
        part.name
    )))
}

fn differ(id: FourCc, input: &str) -> Error {
    Error::refused(format!(
        "tag {id} of the header extension in {input} differs from that of an earlier input; \
         what it means is not known, so the two cannot be combined"
    ))
}

fn two_script_lists(parts: &[Part<'_, '_>]) -> Error {
    let has = |part: &&Part<'_, '_>| {
        part.content.extension.as_ref().is_some_and(|e| e.buffers(FourCc::SLST).is_some())
    };
    let names: Vec<&str> = parts.iter().filter(has).map(|part| part.name).collect();
    Error::refused(format!(
        "{} hold script lists (SLST); how two are combined is not known, merge only one of them",
        names.join(" and ")
    ))
}

/// The sources section: archives of all, link options and working directory of the
/// first input that has sources.
fn sources<'a>(
    parts: &[Part<'_, 'a>],
    container: Container,
    archives: Vec<Archive<'a>>,
    notes: &mut Vec<String>,
) -> Option<Sources<'a>> {
    let with_sources = || parts.iter().filter_map(|part| Some((part.name, sources_of(part)?)));
    let (first_name, first) = with_sources().next()?;
    let dir = with_sources().find_map(|(_, sources)| sources.working_dir.clone());
    // The HSRC of an older container becomes HSRD; one that was there all along stays.
    let has_older = parts
        .iter()
        .any(|part| sources_of(part).is_some() && !part.content.identity.container.has_platform());
    let working_dir = match dir {
        None if container.has_platform() && has_older => Some(Cow::Borrowed(&[][..])),
        dir => dir,
    };
    let mut united = Sources::new(first.link_options.clone(), working_dir);
    united.archives = archives;
    for (name, sources) in with_sources() {
        if sources.link_options != united.link_options {
            notes.push(format!("link options are those of {first_name}, not of {name}"));
        }
        if sources.working_dir.is_some() && sources.working_dir != united.working_dir {
            notes.push(format!(
                "the working directory is not that of {name}: there is room for one"
            ));
        }
    }
    Some(united)
}

/// The dynamic header: NAME of all inputs, DYNL and unknown tags united in order.
fn dynamic_header<'a>(
    parts: &[Part<'_, 'a>],
    output: &LibraryBuilder<'a>,
    wanted: &InstallName<'_>,
    notes: &mut Vec<String>,
) -> Result<Option<TagList<'a>>> {
    let headers: Vec<&TagList<'a>> =
        parts.iter().filter_map(|part| part.content.extension.as_ref()?.dynamic_header()).collect();
    // Executables of the linker have the header from container 1.2.9 on, so that what is
    // converted gets one; inputs that are so already and have none are let alone.
    let is_converted = |part: &Part<'_, '_>| {
        let (old, new) = (&part.content, output);
        old.identity.container < new.identity.container || old.dialect != new.dialect
    };
    let usual = output.dialect == Dialect::Linker
        && output.identity.container.patch() >= 9
        && output.identity.file_type() == FileType::Executable
        && parts.iter().any(is_converted);
    if headers.is_empty() && wanted.wanted.is_none() && !usual {
        return Ok(None);
    }
    let mut tags = match headers.first() {
        Some(first) => (*first).clone(),
        None => TagList::new(),
    };
    let wrong = || Error::library("output");
    match name(&headers, wanted, usual, notes)? {
        Some(name) if tags.get(FourCc::NAME).is_none() => {
            let rest = std::mem::take(&mut tags);
            tags.push(FourCc::NAME, &name).map_err(wrong())?;
            rest.iter().try_for_each(|tag| tags.push(tag.id, tag.payload)).map_err(wrong())?;
        }
        Some(name) => tags.set(FourCc::NAME, &name).map_err(wrong())?,
        None => {}
    }
    let key = |tag: &Tag<'_>| (tag.id, tag.payload.to_vec());
    let mut known: HashSet<(FourCc, Vec<u8>)> =
        headers.first().into_iter().flat_map(|first| first.iter()).map(|tag| key(&tag)).collect();
    for header in headers.iter().skip(1) {
        let is_new = |tag: &Tag<'_>| tag.id != FourCc::NAME && !known.contains(&key(tag));
        let new: Vec<Tag<'_>> = header.iter().filter(is_new).collect();
        for tag in new {
            tags.push(tag.id, tag.payload).map_err(wrong())?;
            known.insert(key(&tag));
        }
    }
    Ok(Some(tags))
}

/// NAME with its NUL: the option, else what all inputs that have one agree on, else the
/// output's file name.
fn name(
    headers: &[&TagList<'_>],
    wanted: &InstallName<'_>,
    needed: bool,
    notes: &mut Vec<String>,
) -> Result<Option<Vec<u8>>> {
    if let Some(name) = &wanted.wanted {
        return Ok(Some(name.clone()));
    }
    let mut names = headers.iter().filter_map(|header| header.payload(FourCc::NAME));
    let Some(first) = names.next() else {
        return Ok(wanted.file.filter(|_| needed).map(terminated));
    };
    if names.all(|name| name == first) {
        return Ok(Some(first.to_vec()));
    }
    let Some(output) = wanted.file else {
        return Err(Error::refused(
            "the inputs have different names in their dynamic headers, and the output has no \
             file name; give one with --name",
        ));
    };
    notes.push(format!("the inputs' names (NAME of HDYN) differ; the output's is `{output}`"));
    Ok(Some(terminated(output)))
}

/// ILST or VLST of all parts: what several have once, in order.
fn symbols<'a>(parts: &[Part<'_, 'a>], id: FourCc) -> Result<Option<SymbolList<'a>>> {
    let mut united: Option<SymbolList<'a>> = None;
    // What the inputs before the present one have.
    let mut symbols: HashSet<&[u8]> = HashSet::new();
    let mut names: HashSet<Option<&[u8]>> = HashSet::new();
    for part in parts {
        let Some(list) = part.content.extension.as_ref().and_then(|e| e.symbols(id)) else {
            continue;
        };
        let united = united.get_or_insert_with(SymbolList::default);
        for symbol in list.symbols().iter().filter(|symbol| !symbols.contains(symbol.as_bytes())) {
            let name = symbol.payload(FourCc::NAME);
            if names.contains(&name) {
                let name = name.unwrap_or_default();
                return Err(Error::refused(format!(
                    "symbol `{}` of section {id} in {} differs from that of an earlier input",
                    String::from_utf8_lossy(name.strip_suffix(&[0]).unwrap_or(name)),
                    part.name
                )));
            }
            united.push(symbol.clone());
        }
        symbols.extend(list.symbols().iter().map(TagList::as_bytes));
        names.extend(list.symbols().iter().map(|symbol| symbol.payload(FourCc::NAME)));
    }
    Ok(united)
}
