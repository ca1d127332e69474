//! Batches of modules: read through one window, edited, hashed.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use air_bitcode::Renamer;
use metallib::{Module, ModuleId};
use metallib_write::{ModuleFacts, module_hash};

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
pub(super) struct Made<'d> {
    bytes: Bytes<'d>,
    facts: Vec<ModuleFacts>,
    totals: EditTotals,
}

enum Bytes<'d> {
    /// Nothing was edited.
    Window(Window<'d>),
    Own(Edited),
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

    /// One for each module.
    pub(super) fn facts(&self) -> &[ModuleFacts] {
        &self.facts
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

    /// Reads and edits a batch.
    ///
    /// # Errors
    /// If a module cannot be read or edited, or an input was changed since it was opened.
    pub(super) fn make(&self, index: usize) -> Result<Made<'d>> {
        let mut made =
            Made { bytes: Bytes::Nothing, facts: Vec::new(), totals: EditTotals::default() };
        let Some(batch) = self.batches.get(index) else { return Ok(made) };
        let window = batch.view.as_ref().map(|view| self.sources.open(view)).transpose()?;
        let window = window.flatten();
        let edited = batch.modules.clone().any(|index| self.draft.is_to_edit(id(index)));
        if let (Some(window), false) = (&window, edited) {
            self.each(batch, Some(window), |_, module, bytes| {
                made.facts.push(facts(bytes, module.is_fresh()));
                Ok(())
            })?;
        } else {
            made.bytes = Bytes::Own(self.edit(batch, window.as_ref(), &mut made)?);
            return Ok(made);
        }
        made.bytes = window.map_or(made.bytes, Bytes::Window);
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
        self.each(batch, window, |index, module, bytes| {
            let start = out.len();
            let totals = &mut made.totals;
            let edited = self.draft.edit(id(index), bytes, &mut renamer, out, totals)?;
            made.facts.push(match edited {
                Some(edited) => facts(out.get(start..).unwrap_or_default(), !edited.keeps_hash),
                None => {
                    out.extend_from_slice(bytes);
                    facts(bytes, module.is_fresh())
                }
            });
            out.extend_from_slice(module.tail());
            Ok(())
        })?;
        Ok(edited)
    }

    /// Gives every module of a batch with its bytes, which come from the window if there is one.
    fn each(
        &self,
        batch: &ModuleBatch,
        window: Option<&Window<'_>>,
        mut each: impl FnMut(usize, &Module<'_>, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut position = 0;
        let modules = self.draft.edited().library.modules();
        for index in batch.modules.clone() {
            let Some(module) = modules.get(index) else { continue };
            let length = module.bytes().len();
            match window {
                // The view was made to hold all modules of the batch.
                Some(window) => {
                    let bytes = window.get(position..position + length).unwrap_or_default();
                    each(index, module, bytes)?;
                }
                None => each(index, module, module.bytes())?,
            }
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

fn facts(bytes: &[u8], hashed: bool) -> ModuleFacts {
    let hash = hashed.then(|| module_hash(bytes));
    ModuleFacts { size: bytes.len() as u64, hash }
}

fn id(index: usize) -> ModuleId {
    ModuleId::from_index(u32::try_from(index).unwrap_or(u32::MAX))
}
