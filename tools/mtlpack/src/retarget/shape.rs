//! What a container may hold.
//!
//! | container | what is done |
//! |---|---|
//! | an older one than before | reflection goes: each container has another version of it, and no system needs it |
//! | before 1.2.9, from there on | an executable's NAME goes from HDYN; the linker's executables get one |
//! | before 1.2.6, from there on | HSRD becomes HSRC, which has no working directory; HSRC becomes HSRD |
//! | before 1.2.5 | dynamic libraries are refused |
//! | before 1.2.4 | sources are refused |
//! | before 1.2.3 | the header extension goes with the UUID; whatever else is in it is refused |

use std::borrow::Cow;

use metallib::{
    Container, Dialect, Extension, ExtensionTag, ExtensionValue, FileType, FourCc, LibraryBuilder,
    Section, TagList,
};

use crate::edited::Named;
use crate::error::{Error, Result};
use crate::strip::remove_reflection;

/// Has a library hold what libraries of its container hold; says whether anything changed.
pub(super) fn fit<'a>(
    input: Named<'_, 'a>,
    builder: &mut LibraryBuilder<'a>,
    name: &str,
    notes: &mut Vec<String>,
) -> Result<bool> {
    let (old, new) = (input.library.identity().container, builder.identity.container);
    if old == new {
        return Ok(false);
    }
    notes.push(format!("container {old} became {new}"));
    if new < old && remove_reflection(builder) {
        notes.push(format!(
            "reflection removed: that of container {old} is another than that of {new}"
        ));
    }
    // What an executable has no more is not in the way.
    dynamic_header(builder, name).map_err(Error::library(input.name))?;
    refuse(input.name, builder)?;
    sources(builder, old, notes);
    if !new.has_extension() {
        builder.extension = None;
    } else if builder.extension.is_none() {
        builder.extension = Some(Extension::default());
    }
    Ok(true)
}

/// Refuses what the container has no room for.
fn refuse(name: &str, builder: &LibraryBuilder<'_>) -> Result<()> {
    let container = builder.identity.container;
    let no_room = |what: &str, since: &str, instead: &str| {
        Err(Error::refused(format!(
            "{name} has {what}, for which container {container} has no room (from {since} on)\
             {instead}"
        )))
    };
    if container < Container::new(5) && builder.identity.file_type() == FileType::Dynamic {
        return no_room("the form of a dynamic library", "1.2.5", "");
    }
    if container < Container::new(4) && builder.identity.file_type() == FileType::CoreImage {
        return no_room("the form of a Core Image library", "1.2.4", "");
    }
    let Some(extension) = &builder.extension else { return Ok(()) };
    if container < Container::new(4) && extension.sources().is_some() {
        return no_room("embedded sources", "1.2.4", "; `mtlpack strip --source` removes them");
    }
    let is_other = |tag: &&ExtensionTag<'_>| {
        tag.id != FourCc::UUID && !matches!(tag.value, ExtensionValue::Absent)
    };
    if !container.has_extension()
        && let Some(tag) = extension.tags.iter().find(is_other)
    {
        return no_room(&format!("{} in its header extension", tag.id), "1.2.3", "");
    }
    Ok(())
}

/// Gives the sources section the form of the container.
fn sources(builder: &mut LibraryBuilder<'_>, old: Container, notes: &mut Vec<String>) {
    let has_folder = builder.identity.container.has_platform();
    if old.has_platform() == has_folder {
        return;
    }
    for tag in builder.extension.iter_mut().flat_map(|extension| &mut extension.tags) {
        let ExtensionValue::Section(Section::Sources(sources)) = &tag.value else { continue };
        let mut sources = sources.clone();
        let folder = sources.working_dir.take();
        if has_folder {
            sources.working_dir = Some(folder.unwrap_or(Cow::Borrowed(&[])));
        } else if folder.is_some_and(|folder| !folder.is_empty()) {
            notes.push("the working directory of the sources is gone: HSRC has none".to_owned());
        }
        *tag = ExtensionTag::section(sources.id(), Section::Sources(sources));
    }
}

/// Gives an executable the NAME that the linker's executables of 1.2.9 have, and no others.
fn dynamic_header(builder: &mut LibraryBuilder<'_>, name: &str) -> metallib::Result<()> {
    let is_named = builder.identity.container >= Container::new(9);
    let kind = builder.identity.file_type();
    if builder.dialect != Dialect::Linker
        || !matches!(kind, FileType::Executable | FileType::CoreImage)
    {
        return Ok(());
    }
    let header = builder.extension.as_ref().and_then(Extension::dynamic_header);
    let has_name = header.is_some_and(|tags| tags.get(FourCc::NAME).is_some());
    if is_named == has_name {
        return Ok(());
    }
    let mut tags = TagList::new();
    if is_named {
        let name = if kind == FileType::CoreImage { "" } else { name };
        tags.push(FourCc::NAME, &[name.as_bytes(), b"\0"].concat())?;
    }
    let others = header.into_iter().flat_map(TagList::iter);
    let others: Vec<_> = others.filter(|tag| tag.id != FourCc::NAME).collect();
    for tag in others {
        tags.push(tag.id, tag.payload)?;
    }
    if tags.is_empty() {
        if let Some(extension) = &mut builder.extension {
            extension.remove(FourCc::HDYN);
        }
        return Ok(());
    }
    builder.set_dynamic_header(tags)
}
