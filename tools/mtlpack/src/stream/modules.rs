//! Batches of modules: read through one window, edited, hashed.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use air_bitcode::Renamer;
use metallib::{Module, ModuleId};
use metallib_write::{ModuleFacts, module_hashes};

use super::sources::{Sources, View};
use crate::draft::{Draft, EditTotals};
use crate::error::Result;
use crate::io::{Input, Window};

/// Most bytes of a batch, but for a single module that is larger. Several are in memory at
/// once, edited and not.
const BATCH: usize = 256 << 10;

/// Consecutive modules; those of a batch with a view follow each other in an input.
struct ModuleBatch {
    modules: Range<usize>,
    view: Option<View>,
    /// Bytes with tails.
    size: usize,
}

/// All modules of a draft in batches.
pub(super) struct ModuleBatches<'d, 'a> {
    draft: &'d Draft<'a>,
    sources: Sources<'d>,
    batches: Vec<ModuleBatch>,
    spare: Spare,
}

/// Buffers of batches that are done: fresh memory costs a fault for each page.
#[derive(Clone, Default)]
struct Spare(Arc<Mutex<Vec<Vec<u8>>>>);

/// Bytes whose memory is used again.
struct Edited {
    bytes: Vec<u8>,
    spare: Spare,
}

impl Spare {
    /// An empty buffer with room for so many bytes.
    fn take(&self, size: usize) -> Edited {
        let used = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut bytes = used.unwrap_or_default();
        bytes.clear();
        bytes.reserve(size);
        Edited { bytes, spare: self.clone() }
    }
}

impl Drop for Edited {
    fn drop(&mut self) {
        // Not that of a module which is much larger than others.
        if self.bytes.capacity() <= 2 * BATCH {
            let bytes = std::mem::take(&mut self.bytes);
            self.spare.0.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
        }
    }
}

/// A batch as the output has it.
#[derive(Default)]
pub(super) struct Made<'d> {
    bytes: Bytes<'d>,
    facts: Vec<ModuleFacts>,
    /// Modules that are still to be hashed: number in the batch, and where they lie in it.
    unhashed: Vec<(usize, Range<usize>)>,
    totals: EditTotals,
}

#[derive(Default)]
enum Bytes<'d> {
    /// Nothing was edited.
    Window(Window<'d>),
    Own(Edited),
    #[default]
    Nothing,
}

impl Made<'_> {
    /// The modules with their tails.
    pub(super) fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Window(window) => window,
            Bytes::Own(edited) => &edited.bytes,
            Bytes::Nothing => &[],
        }
    }

    /// One for each module. Those that are still to be hashed have no hash.
    pub(super) fn facts(&self) -> &[ModuleFacts] {
        &self.facts
    }

    /// The bytes of the modules that are still to be hashed.
    pub(super) fn unhashed(&self) -> Vec<&[u8]> {
        let bytes = self.bytes();
        let module = |(_, range): &(_, Range<usize>)| bytes.get(range.clone()).unwrap_or_default();
        self.unhashed.iter().map(module).collect()
    }

    /// Puts hashes of [`Made::unhashed`] into facts, which are those of this batch.
    pub(super) fn put_hashes(&self, facts: &mut [ModuleFacts], hashes: Vec<[u8; 32]>) {
        for ((index, _), hash) in self.unhashed.iter().zip(hashes) {
            if let Some(facts) = facts.get_mut(*index) {
                facts.hash = Some(hash);
            }
        }
    }

    /// The batch with all modules hashed.
    pub(super) fn hashed(mut self) -> Self {
        let hashes = module_hashes(&self.unhashed());
        let mut facts = std::mem::take(&mut self.facts);
        self.put_hashes(&mut facts, hashes);
        self.facts = facts;
        self.unhashed.clear();
        self
    }

    /// Takes note of the next module.
    fn note(&mut self, range: Range<usize>, is_hashed: bool) {
        let size = range.len() as u64;
        if is_hashed {
            self.unhashed.push((self.facts.len(), range));
        }
        self.facts.push(ModuleFacts { size, hash: None });
    }

    pub(super) fn totals(&self) -> &EditTotals {
        &self.totals
    }
}

impl<'d, 'a> ModuleBatches<'d, 'a> {
    pub(super) fn new(draft: &'d Draft<'a>, inputs: &'d [&'d Input]) -> Self {
        let sources = Sources::new(inputs);
        let mut batches: Vec<ModuleBatch> = Vec::new();
        for (index, module) in draft.edited().library.modules().iter().enumerate() {
            let size = module.bytes().len() + module.tail().len();
            let view = view(&sources, module);
            match batches.last_mut() {
                Some(last) if last.takes(view.as_ref(), size) => last.add(view.as_ref(), size),
                _ => batches.push(ModuleBatch { modules: index..index + 1, view, size }),
            }
        }
        Self { draft, sources, batches, spare: Spare::default() }
    }

    pub(super) fn draft(&self) -> &'d Draft<'a> {
        self.draft
    }

    pub(super) fn count(&self) -> usize {
        self.batches.len()
    }

    /// Bytes of all modules before they are edited.
    pub(super) fn size(&self) -> u64 {
        self.batches.iter().map(|batch| batch.size as u64).sum()
    }

    /// Reads and edits a batch; its modules are still to be hashed.
    ///
    /// # Errors
    /// If a module cannot be read or edited, or an input was changed since it was opened.
    pub(super) fn make(&self, index: usize) -> Result<Made<'d>> {
        let mut made = Made::default();
        let Some(batch) = self.batches.get(index) else { return Ok(made) };
        let window = batch.view.as_ref().map(|view| self.sources.open(view)).transpose()?;
        let window = window.flatten();
        let edited = batch.modules.clone().any(|index| self.draft.is_to_edit(id(index)));
        made.bytes = match window {
            Some(window) if !edited => {
                self.each(batch, Some(&window), |_, module, range, _| {
                    made.note(range, module.is_fresh());
                    Ok(())
                })?;
                Bytes::Window(window)
            }
            window => Bytes::Own(self.edit(batch, window.as_ref(), &mut made)?),
        };
        Ok(made)
    }

    /// Gives the bytes of a batch in which something is edited.
    fn edit(
        &self,
        batch: &ModuleBatch,
        window: Option<&Window<'_>>,
        made: &mut Made<'_>,
    ) -> Result<Edited> {
        let mut renamer = Renamer::new();
        // A rename seldom adds more than this.
        let mut edited = self.spare.take(batch.size + batch.size / 32);
        let out = &mut edited.bytes;
        self.each(batch, window, |index, module, _, bytes| {
            let start = out.len();
            let totals = &mut made.totals;
            let edited = self.draft.edit(id(index), bytes, &mut renamer, out, totals)?;
            if edited.is_none() {
                out.extend_from_slice(bytes);
            }
            let is_hashed = edited.map_or(module.is_fresh(), |edited| !edited.keeps_hash);
            made.note(start..out.len(), is_hashed);
            out.extend_from_slice(module.tail());
            Ok(())
        })?;
        Ok(edited)
    }

    /// Gives every module of a batch with its place in it, and its bytes, which come from the
    /// window if there is one.
    fn each(
        &self,
        batch: &ModuleBatch,
        window: Option<&Window<'_>>,
        mut each: impl FnMut(usize, &Module<'_>, Range<usize>, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut position = 0;
        let modules = self.draft.edited().library.modules();
        for index in batch.modules.clone() {
            let Some(module) = modules.get(index) else { continue };
            let length = module.bytes().len();
            let range = position..position + length;
            // A view holds all modules of its batch.
            let bytes = match window {
                Some(window) => window.get(range.clone()).unwrap_or_default(),
                None => module.bytes(),
            };
            each(index, module, range, bytes)?;
            position += length + module.tail().len();
        }
        Ok(())
    }
}

impl ModuleBatch {
    /// Whether a module of this size at this place can be added.
    fn takes(&self, view: Option<&View>, size: usize) -> bool {
        let follows = match (&self.view, view) {
            (Some(own), Some(next)) => own.input == next.input && own.range.end == next.range.start,
            (None, None) => true,
            _ => false,
        };
        follows && self.size + size <= BATCH
    }

    fn add(&mut self, view: Option<&View>, size: usize) {
        self.modules.end += 1;
        self.size += size;
        if let (Some(own), Some(next)) = (&mut self.view, view) {
            own.range.end = next.range.end;
        }
    }
}

/// Where a module with its tail lies, if it lies in an input.
fn view(sources: &Sources<'_>, module: &Module<'_>) -> Option<View> {
    let (input, start) = sources.locate(module.bytes())?;
    let end = start + module.bytes().len() as u64;
    let tail = module.tail();
    if tail.is_empty() || sources.locate(tail) == Some((input, end)) {
        let range = start..end + tail.len() as u64;
        return Some(View { input, range });
    }
    None
}

fn id(index: usize) -> ModuleId {
    ModuleId::from_index(u32::try_from(index).unwrap_or(u32::MAX))
}
