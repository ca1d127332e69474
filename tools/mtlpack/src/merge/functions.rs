//! Function lists, modules and reflection entries, one input after the other.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use metallib::{
    ArchiveId, BufferEntry, BufferId, BufferList, Dialect, FourCc, Function, LibraryBuilder,
    Module, ModuleId, Result,
};

use super::Part;
use super::archives::ArchiveMaps;

/// Appends the functions of all parts to the output.
///
/// In dynamic libraries equal modules are stored once, as Apple does, and with them
/// their reflection entries; in executables never.
pub(super) fn combine<'a>(
    output: &mut LibraryBuilder<'a>,
    parts: Vec<Part<'_, 'a>>,
    archives: &ArchiveMaps,
    dynamic: bool,
) -> Result<()> {
    let mut shared = Shared { dynamic, ..Shared::default() };
    let mut unused = UnusedEntries::default();
    for (part, archives) in parts.into_iter().zip(archives) {
        let Part { content, .. } = part;
        let buffers = content.extension.as_ref().and_then(|e| e.buffers(FourCc::RLST)).cloned();
        let mut modules: Vec<(ModuleId, bool)> = Vec::with_capacity(content.modules.len());
        for module in content.modules {
            modules.push(match shared.find(output, &module) {
                Some(id) => (id, true),
                None => (shared.add(output, module)?, false),
            });
        }
        let mut entries: HashMap<BufferId, BufferId> = HashMap::new();
        unused.add(buffers.as_ref(), &content.functions);
        for mut function in content.functions {
            let module = function.module.and_then(|id| modules.get(id.index()));
            function.module = module.map(|(id, _)| *id);
            let known_module = module.is_some_and(|(_, known)| *known);
            function.archive = function
                .archive
                .and_then(|id| archives.get(id.index()).copied().map(ArchiveId::from_index));
            if let Some(old) = function.reflection {
                let entry = buffers.as_ref().and_then(|list| list.entries().get(old.index()));
                let new = match (entries.get(&old), entry) {
                    (Some(&new), _) => Some(new),
                    (None, Some(entry)) => {
                        let equal =
                            known_module.then(|| shared.find_entry(output, entry)).flatten();
                        Some(match equal {
                            Some(id) => id,
                            None => shared.add_entry(output, entry.clone())?,
                        })
                    }
                    (None, None) => None,
                };
                if let Some(new) = new {
                    entries.insert(old, new);
                }
                function.reflection = new;
            }
            convert(&mut function, content.dialect, output.dialect)?;
            output.functions.push(function);
        }
    }
    for entry in unused.entries {
        output.add_buffer(FourCc::RLST, entry)?;
    }
    Ok(())
}

/// Reflection entries that no function refers to: at the end of the list, and those that
/// several inputs have once.
#[derive(Default)]
struct UnusedEntries<'a> {
    entries: Vec<BufferEntry<'a>>,
    /// Indices of the entries by a hash of their content.
    known: HashMap<u64, Vec<usize>>,
    hasher: RandomState,
}

impl<'a> UnusedEntries<'a> {
    /// Adds those of one input. Two of one input never become one.
    fn add(&mut self, buffers: Option<&BufferList<'a>>, functions: &[Function<'_>]) {
        let used: HashSet<usize> =
            functions.iter().filter_map(|f| f.reflection).map(BufferId::index).collect();
        let all = buffers.map_or(&[][..], BufferList::entries).iter().enumerate();
        let mut seen: HashMap<u64, usize> = HashMap::new();
        for (_, entry) in all.filter(|(index, _)| !used.contains(index)) {
            let hash = content_hash(&self.hasher, entry);
            let nth = seen.entry(hash).or_insert(0);
            let known = self.known.entry(hash).or_default();
            let equal = known.get(*nth).and_then(|index| self.entries.get(*index));
            *nth += 1;
            if equal != Some(entry) {
                known.push(self.entries.len());
                self.entries.push(entry.clone());
            }
        }
    }
}

/// Hash of what two entries must have alike to be equal.
fn content_hash(hasher: &RandomState, entry: &BufferEntry<'_>) -> u64 {
    let tags: Vec<(FourCc, Cow<'_, [u8]>)> =
        entry.tags.iter().map(|tag| (tag.id, entry.content(&tag))).collect();
    hasher.hash_one(tags)
}

/// Brings a function's tags into the order of the output's dialect.
fn convert(function: &mut Function<'_>, from: Dialect, to: Dialect) -> Result<()> {
    if from == to {
        return Ok(());
    }
    // The linker always writes MDSZ; old archivers did not.
    if to == Dialect::Linker
        && function.module.is_some()
        && function.tags.get(FourCc::MDSZ).is_none()
    {
        function.tags.set(FourCc::MDSZ, &[0; 8])?;
    }
    function.tags.reorder(to.function_tag_order());
    Ok(())
}

/// Modules and reflection entries of a dynamic library by what they hold, to find equal
/// ones. Executables are not searched: it would read every module.
#[derive(Default)]
struct Shared {
    dynamic: bool,
    modules: HashMap<u64, Vec<ModuleId>>,
    entries: HashMap<u64, Vec<BufferId>>,
    hasher: RandomState,
}

impl Shared {
    fn find(&self, output: &LibraryBuilder<'_>, module: &Module<'_>) -> Option<ModuleId> {
        let same = |id: &&ModuleId| {
            output.modules.get(id.index()).is_some_and(|known| known.bytes() == module.bytes())
        };
        let hash = self.dynamic.then(|| self.hasher.hash_one(module.bytes()))?;
        self.modules.get(&hash)?.iter().find(same).copied()
    }

    fn add<'a>(&mut self, output: &mut LibraryBuilder<'a>, module: Module<'a>) -> Result<ModuleId> {
        let hash = self.dynamic.then(|| self.hasher.hash_one(module.bytes()));
        let id = output.add_module(module)?;
        if let Some(hash) = hash {
            self.modules.entry(hash).or_default().push(id);
        }
        Ok(id)
    }

    fn find_entry(&self, output: &LibraryBuilder<'_>, entry: &BufferEntry<'_>) -> Option<BufferId> {
        let entries = output.extension.as_ref()?.buffers(FourCc::RLST)?.entries();
        let same = |id: &&BufferId| entries.get(id.index()) == Some(entry);
        self.entries.get(&content_hash(&self.hasher, entry))?.iter().find(same).copied()
    }

    fn add_entry<'a>(
        &mut self,
        output: &mut LibraryBuilder<'a>,
        entry: BufferEntry<'a>,
    ) -> Result<BufferId> {
        let hash = self.dynamic.then(|| content_hash(&self.hasher, &entry));
        let id = output.add_buffer(FourCc::RLST, entry)?;
        if let Some(hash) = hash {
            self.entries.entry(hash).or_default().push(id);
        }
        Ok(id)
    }
}
