//! Reflection, and what no function refers to.

use metallib::{
    ArchiveId, BufferId, BufferList, ExtensionTag, ExtensionValue, FourCc, LibraryBuilder, Section,
    Sources,
};

/// Removes the reflection: RLST, and the functions' RFLT. Says whether there was any.
pub(crate) fn remove_reflection(library: &mut LibraryBuilder<'_>) -> bool {
    let mut removed = false;
    if let Some(extension) = &mut library.extension {
        removed |= extension.remove(FourCc::RLST);
    }
    for function in &mut library.functions {
        function.reflection = None;
        removed |= function.tags.get(FourCc::RFLT).is_some();
        function.tags.retain(|tag| tag.id != FourCc::RFLT);
    }
    removed
}

/// How much was removed that no function refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Removed {
    pub(super) archives: usize,
    pub(super) buffers: usize,
}

/// Removes source archives and reflection entries that no function refers to. There are no
/// such modules: a library's modules are those of its functions.
pub(super) fn remove_unused(library: &mut LibraryBuilder<'_>) -> Removed {
    let functions = &library.functions;
    let archives =
        kept(functions.iter().filter_map(|function| function.archive).map(ArchiveId::index));
    let buffers =
        kept(functions.iter().filter_map(|function| function.reflection).map(BufferId::index));
    let mut removed = Removed::default();
    let tags = library.extension.iter_mut().flat_map(|extension| &mut extension.tags);
    let (mut sources_seen, mut buffers_seen) = (false, false);
    for tag in tags {
        let id = tag.id;
        match &tag.value {
            // Functions refer to the first such section.
            ExtensionValue::Section(Section::Sources(sources)) if !sources_seen => {
                sources_seen = true;
                removed.archives = sources.archives.len().saturating_sub(archives.len());
                if removed.archives > 0 {
                    *tag = ExtensionTag::section(
                        id,
                        Section::Sources(some_sources(sources, &archives)),
                    );
                }
            }
            ExtensionValue::Section(Section::Buffers(list))
                if id == FourCc::RLST && !buffers_seen =>
            {
                buffers_seen = true;
                removed.buffers = list.entries().len().saturating_sub(buffers.len());
                if removed.buffers > 0 {
                    *tag =
                        ExtensionTag::section(id, Section::Buffers(some_buffers(list, &buffers)));
                }
            }
            _ => {}
        }
    }
    for function in &mut library.functions {
        let new = |kept: &[usize], old: usize| {
            kept.binary_search(&old).ok().and_then(|new| u32::try_from(new).ok())
        };
        if let Some(archive) = function.archive {
            function.archive = new(&archives, archive.index()).map(ArchiveId::from_index);
        }
        if let Some(buffer) = function.reflection {
            function.reflection = new(&buffers, buffer.index()).map(BufferId::from_index);
        }
    }
    removed
}

/// Indices in use, ascending.
fn kept(used: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut kept: Vec<usize> = used.collect();
    kept.sort_unstable();
    kept.dedup();
    kept
}

fn some_sources<'a>(all: &Sources<'a>, kept: &[usize]) -> Sources<'a> {
    let mut some = Sources::new(all.link_options.clone(), all.working_dir.clone());
    some.archives.extend(kept.iter().filter_map(|&index| all.archives.get(index)).cloned());
    some
}

fn some_buffers<'a>(all: &BufferList<'a>, kept: &[usize]) -> BufferList<'a> {
    let mut some = BufferList::default();
    let entries = kept.iter().filter_map(|&index| all.entries().get(index));
    entries.for_each(|entry| some.push(entry.clone()));
    some
}
