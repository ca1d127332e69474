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
        let seen = look(&mut |window| uuid.take_beside(window, &mut modules))?;
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
        let own = look(&mut |window| modules.take_window(window, None));
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

/// Computes the UUIDs that the stored one may be.
struct UuidScanner {
    hashers: Vec<(UuidForm, UuidHasher)>,
}

impl UuidScanner {
    fn new(library: &Library<'_>) -> Self {
        let identity = *library.identity();
        let forms = library.uuid().into_iter().flat_map(|stored| {
            uuid_candidates(&stored, identity.container).collect::<Vec<UuidForm>>()
        });
        let dynamic = library.is_dynamic();
        let hashers = forms.map(|form| (form, UuidHasher::new(form, identity, dynamic))).collect();
        Self { hashers }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.hashers.iter_mut().for_each(|(_, hasher)| hasher.update(bytes));
    }

    /// Takes a window, and has the scanner of modules take it too.
    fn take_beside(&mut self, window: &[u8], modules: &mut ModuleScanner<'_, '_>) {
        let (first, rest) = match self.hashers.split_first_mut() {
            Some(((_, first), rest)) => (Some(first), rest),
            None => (None, &mut [][..]),
        };
        modules.take_window(window, first);
        rest.iter_mut().for_each(|(_, hasher)| hasher.update(window));
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
