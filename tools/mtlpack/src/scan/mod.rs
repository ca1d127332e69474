//! One pass over the bulk of a library: the hash of every module, and the UUID.
//!
//! The bytes are read window by window, so that no more than a few megabytes of a
//! mapped file are resident at a time.

mod batches;
mod modules;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use metallib::Library;
use metallib_write::{UuidForm, UuidHasher, hashed_sections, uuid_candidates};

use crate::error::{Error, Result};
use crate::io::{Input, IoError};
use batches::{WINDOW, batches, total, walk};
pub(crate) use modules::ModuleFacts;
use modules::ModuleScanner;

/// Bytes that SHA-256 takes at a time.
const BLOCK: usize = 64;

/// What the pass found out.
pub(crate) struct Scan<F> {
    /// One for each module, in order.
    pub(crate) modules: Vec<ModuleFacts>,
    /// What was seen in each module, in order.
    pub(crate) seen: Vec<F>,
    /// What each form that the stored UUID may follow gives for the library.
    pub(crate) uuids: Vec<(UuidForm, [u8; 16])>,
}

/// Reads every module once (twice with two threads, which then share the work).
///
/// `looker` makes what looks into each module as a whole; with two threads each has its own.
/// `meanwhile` runs where it costs no time if a second thread is still at the UUID.
pub(crate) fn scan<F: Send, L: FnMut(usize, &[u8]) -> F>(
    input: &Input,
    library: &Library<'_>,
    threads: usize,
    looker: impl Fn() -> L + Sync,
    meanwhile: impl FnOnce(),
) -> Result<Scan<F>> {
    let batches = &batches(library);
    let mut modules = ModuleScanner::new(library);
    let mut uuid = UuidScanner::new(library);
    // Modules with their numbers, as they come.
    let is_seen: Vec<AtomicBool> = batches.iter().map(|_| AtomicBool::new(false)).collect();
    // Whoever comes to a batch first looks at it: so the one who is ahead has more to do.
    let is_wanted = |batch: usize| is_seen.get(batch).is_some_and(|seen| !seen.swap(true, Relaxed));
    let look = |each: &mut dyn FnMut(&[u8])| -> Result<Vec<(usize, F)>> {
        let (mut look, mut seen) = (looker(), Vec::new());
        let module = |index, bytes: &[u8]| seen.push((index, look(index, bytes)));
        walk(input, library, batches, is_wanted, each, module)?;
        Ok(seen)
    };
    if threads < 2 || total(batches) < WINDOW || uuid.hashers.is_empty() {
        let seen = look(&mut |window| interleave(window, &mut modules, &mut uuid))?;
        let uuids = uuid.finish(input, library)?;
        // What was hashed last is still at hand.
        meanwhile();
        return Ok(Scan { modules: modules.finish(), seen: in_order(seen), uuids });
    }
    let (seen, uuids) = thread::scope(|scope| {
        let work = || {
            let seen = look(&mut |bytes| uuid.take(bytes))?;
            Ok((seen, uuid.finish(input, library)?))
        };
        let worker = thread::Builder::new().spawn_scoped(scope, work);
        let own = look(&mut |window| modules.take_window(window));
        meanwhile();
        let joined = worker.map_err(IoError::from)?.join();
        let died = |_| Err(Error::refused("a thread that computes the UUID died"));
        let (theirs, uuids) = joined.unwrap_or_else(died)?;
        Ok::<_, Error>(([own?, theirs].into_iter().flatten().collect(), uuids))
    })?;
    Ok(Scan { modules: modules.finish(), seen: in_order(seen), uuids })
}

/// What was seen, by the number of the module.
fn in_order<F>(mut seen: Vec<(usize, F)>) -> Vec<F> {
    seen.sort_by_key(|(index, _)| *index);
    seen.into_iter().map(|(_, seen)| seen).collect()
}

/// Gives a window to both, each in steps that end where its blocks do, so that most blocks of
/// the two are hashed in turn.
fn interleave(window: &[u8], modules: &mut ModuleScanner<'_, '_>, uuid: &mut UuidScanner) {
    let (mut for_modules, mut for_uuid) = (window, window);
    while !for_modules.is_empty() || !for_uuid.is_empty() {
        if uuid.hashers.is_empty() {
            return modules.take(for_modules);
        }
        let both = for_modules.len().min(for_uuid.len()).min(modules.bulk());
        let both = both - both % BLOCK;
        if both > 0 && uuid.position.is_multiple_of(BLOCK) {
            let (part, rest) = for_modules.split_at(both);
            let (for_both, uuid_rest) = for_uuid.split_at(both);
            uuid.take_beside(for_both, modules, part);
            (for_modules, for_uuid) = (rest, uuid_rest);
            continue;
        }
        let step = BLOCK - modules.position % BLOCK;
        let (part, rest) = for_modules.split_at(step.min(for_modules.len()));
        modules.take(part);
        for_modules = rest;
        let step = BLOCK - uuid.position % BLOCK;
        let (part, rest) = for_uuid.split_at(step.min(for_uuid.len()));
        uuid.take(part);
        for_uuid = rest;
    }
}

/// Computes the UUIDs that the stored one may be.
struct UuidScanner {
    hashers: Vec<(UuidForm, UuidHasher)>,
    /// Bytes that the hashers have taken.
    position: usize,
}

impl UuidScanner {
    fn new(library: &Library<'_>) -> Self {
        let identity = *library.identity();
        let forms = library.uuid().into_iter().flat_map(|stored| {
            uuid_candidates(&stored, identity.container).collect::<Vec<UuidForm>>()
        });
        let dynamic = library.is_dynamic();
        let hashers = forms.map(|form| (form, UuidHasher::new(form, identity, dynamic))).collect();
        // The hashers begin with header bytes 4 to 11, or 4 to 10 in old containers.
        Self { hashers, position: if identity.container.has_platform() { 8 } else { 7 } }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.hashers.iter_mut().for_each(|(_, hasher)| hasher.update(bytes));
        self.position += bytes.len();
    }

    /// Takes bytes, and has the scanner of modules take others, which are a module's bulk.
    fn take_beside(&mut self, bytes: &[u8], modules: &mut ModuleScanner<'_, '_>, bulk: &[u8]) {
        let Some(((_, first), rest)) = self.hashers.split_first_mut() else { return };
        modules.take_bulk(bulk, |hasher| first.update_beside(bytes, hasher, bulk));
        rest.iter_mut().for_each(|(_, hasher)| hasher.update(bytes));
        self.position += bytes.len();
    }

    /// Adds what lies behind the bitcode, and ends.
    fn finish(mut self, input: &Input, library: &Library<'_>) -> Result<Vec<(UuidForm, [u8; 16])>> {
        if self.hashers.is_empty() {
            return Ok(Vec::new());
        }
        hashed_sections(library, |bytes| self.take(bytes)).map_err(Error::library(input.name()))?;
        Ok(self.hashers.into_iter().map(|(form, hasher)| (form, hasher.finish())).collect())
    }
}
