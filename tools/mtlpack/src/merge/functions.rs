//! Function lists, modules and reflection entries, one input after the other.

use std::collections::HashMap;

use metallib::{
    ArchiveId, BufferId, Dialect, Extension, FourCc, Function, LibraryBuilder, Module, ModuleId,
    Result,
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
    let mut shared = Shared::default();
    for (part, archives) in parts.into_iter().zip(archives) {
        let Part { content, .. } = part;
        let buffers = content.extension.as_ref().and_then(|e| e.buffers(FourCc::RLST)).cloned();
        let mut modules: Vec<(ModuleId, bool)> = Vec::with_capacity(content.modules.len());
        for module in content.modules {
            // Executables are not searched: it would read every module.
            let equal = dynamic.then(|| shared.find(output, &module)).flatten();
            modules.push(match equal {
                Some(id) => (id, true),
                None => (shared.add(output, module)?, false),
            });
        }
        let mut entries: HashMap<BufferId, BufferId> = HashMap::new();
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
                        let equal = known_module
                            .then(|| equal_entry(output.extension.as_ref(), entry))
                            .flatten();
                        Some(match equal {
                            Some(id) => id,
                            None => output.add_buffer(FourCc::RLST, entry.clone())?,
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
    Ok(())
}

/// An entry of the output's reflection list that equals this one.
fn equal_entry(
    extension: Option<&Extension<'_>>,
    entry: &metallib::BufferEntry<'_>,
) -> Option<BufferId> {
    let entries = extension?.buffers(FourCc::RLST)?.entries();
    let index = entries.iter().position(|known| known == entry)?;
    u32::try_from(index).ok().map(BufferId::from_index)
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

/// Modules of the output by size, to find equal ones.
#[derive(Default)]
struct Shared {
    by_size: HashMap<usize, Vec<ModuleId>>,
}

impl Shared {
    fn find(&self, output: &LibraryBuilder<'_>, module: &Module<'_>) -> Option<ModuleId> {
        let same = |id: &&ModuleId| {
            output.modules.get(id.index()).is_some_and(|known| known.bytes() == module.bytes())
        };
        self.by_size.get(&module.bytes().len())?.iter().find(same).copied()
    }

    fn add<'a>(&mut self, output: &mut LibraryBuilder<'a>, module: Module<'a>) -> Result<ModuleId> {
        let size = module.bytes().len();
        let id = output.add_module(module)?;
        self.by_size.entry(size).or_default().push(id);
        Ok(id)
    }
}
