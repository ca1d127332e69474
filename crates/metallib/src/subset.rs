//! A library of some of another's functions.

use std::collections::HashMap;

use crate::FourCc;
use crate::buffers::BufferList;
use crate::builder::LibraryBuilder;
use crate::error::Result;
use crate::function::{ArchiveId, BufferId, Function, ModuleId};
use crate::library::Library;
use crate::section::{Extension, ExtensionTag, ExtensionValue, Section};
use crate::sources::Sources;

/// Takes functions out of a library, any number of times.
///
/// What belongs to no function (imports, dynamic header, unknown sections, archives and
/// buffers that nobody refers to) stays; what belongs only to functions left out goes.
pub struct Subset<'l, 'a> {
    library: &'l Library<'a>,
    /// Indices of the archives that no function refers to, ascending.
    free_archives: Vec<usize>,
    /// Indices of the reflection entries that no function refers to, ascending.
    free_buffers: Vec<usize>,
}

impl<'l, 'a> Subset<'l, 'a> {
    /// Prepares taking functions out of `library`.
    ///
    /// # Errors
    /// If the library is irregular and `new_layout` is false.
    pub fn new(library: &'l Library<'a>, new_layout: bool) -> Result<Self> {
        library.check_editable(new_layout)?;
        let archives = library.sources().map_or(0, |sources| sources.archives.len());
        let buffers = library.reflection().map_or(0, |list| list.entries().len());
        let functions = library.functions.iter();
        let used_archives = functions.clone().filter_map(|f| f.archive).map(ArchiveId::index);
        let used_buffers = functions.filter_map(|f| f.reflection).map(BufferId::index);
        Ok(Self {
            library,
            free_archives: free(archives, used_archives),
            free_buffers: free(buffers, used_buffers),
        })
    }

    /// The functions at these indices, in this order, with what belongs to them.
    ///
    /// # Errors
    /// If there are more parts than a u32 can count.
    pub fn of(&self, indices: &[usize]) -> Result<LibraryBuilder<'a>> {
        let chosen: Vec<&Function<'a>> =
            indices.iter().filter_map(|&index| self.library.functions.get(index)).collect();
        let archives = keep(
            &self.free_archives,
            chosen.iter().filter_map(|f| f.archive).map(ArchiveId::index),
        );
        let buffers = keep(
            &self.free_buffers,
            chosen.iter().filter_map(|f| f.reflection).map(BufferId::index),
        );
        let mut part = LibraryBuilder {
            identity: self.library.identity,
            dialect: self.library.dialect,
            functions: Vec::with_capacity(chosen.len()),
            modules: Vec::new(),
            extension: self.library.extension.as_ref().map(|e| extension(e, &archives, &buffers)),
        };
        let mut modules: HashMap<ModuleId, ModuleId> = HashMap::new();
        for function in chosen {
            let mut function = function.clone();
            function.archive =
                function.archive.and_then(|id| renumber(&archives, id.index())).map(ArchiveId);
            function.reflection =
                function.reflection.and_then(|id| renumber(&buffers, id.index())).map(BufferId);
            if let Some(old) = function.module
                && let Some(module) = self.library.modules.get(old.index())
            {
                function.module = Some(match modules.get(&old) {
                    Some(&new) => new,
                    None => {
                        let new = part.add_module(module.clone())?;
                        modules.insert(old, new);
                        new
                    }
                });
            }
            part.functions.push(function);
        }
        Ok(part)
    }
}

/// Indices below `count` that are not used, ascending.
fn free(count: usize, used: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut is_free = vec![true; count];
    for index in used {
        if let Some(is_free) = is_free.get_mut(index) {
            *is_free = false;
        }
    }
    (0..).zip(is_free).filter_map(|(index, is_free)| is_free.then_some(index)).collect()
}

/// Indices to keep, ascending: those used by nobody and those of the chosen functions.
fn keep(free: &[usize], chosen: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut kept: Vec<usize> = free.iter().copied().chain(chosen).collect();
    kept.sort_unstable();
    kept.dedup();
    kept
}

fn renumber(kept: &[usize], old: usize) -> Option<u32> {
    kept.binary_search(&old).ok().and_then(|new| u32::try_from(new).ok())
}

/// The extension with only these archives and reflection entries.
fn extension<'a>(whole: &Extension<'a>, archives: &[usize], buffers: &[usize]) -> Extension<'a> {
    // Functions refer to the archives of the first such section; another one is carried.
    let is_first =
        |sources: &Sources<'a>| whole.sources().is_some_and(|first| std::ptr::eq(first, sources));
    let tags = whole.tags.iter().map(|tag| match &tag.value {
        ExtensionValue::Section(Section::Sources(sources)) if is_first(sources) => {
            let mut part = Sources::new(sources.link_options.clone(), sources.working_dir.clone());
            part.archives.extend(archives.iter().filter_map(|&i| sources.archives.get(i)).cloned());
            ExtensionTag::section(tag.id, Section::Sources(part))
        }
        ExtensionValue::Section(Section::Buffers(list)) if tag.id == FourCc::RLST => {
            let mut part = BufferList::default();
            let entries = list.entries();
            buffers
                .iter()
                .filter_map(|&i| entries.get(i))
                .for_each(|entry| part.push(entry.clone()));
            ExtensionTag::section(tag.id, Section::Buffers(part))
        }
        _ => tag.clone(),
    });
    Extension { tags: tags.collect() }
}
