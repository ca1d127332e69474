//! One pass over the bulk of a library: the hash of every module, and the UUID.
//!
//! The bytes are read window by window, so that no more than a few megabytes of a
//! mapped file are resident at a time.

use std::ops::Range;
use std::thread;

use metallib::{Library, WRAPPER_SIZE, Wrapper};
use metallib_write::{ModuleHasher, UuidForm, UuidHasher, hashed_sections, uuid_candidates};

use crate::error::{Error, Result};
use crate::io::{Input, IoError};

/// Bytes of one window.
const WINDOW: u64 = 1 << 20;

/// Bytes that one consumer takes before the next one does, so that the second finds
/// them in the processor's cache.
const SLICE: usize = 1 << 16;

/// Bytes of a module that are kept: wrapper and magic number of the bitcode.
pub(crate) const HEAD: usize = WRAPPER_SIZE as usize + 4;

/// What the pass found out about one module.
#[derive(Clone, Debug)]
pub(crate) struct ModuleFacts {
    /// SHA-256 of wrapper, bitcode and padding.
    pub(crate) hash: [u8; 32],
    head: Head,
    /// Where in the module the first byte of the padding lies that is not zero.
    pub(crate) dirty: Option<u64>,
}

impl ModuleFacts {
    /// The first bytes of the module, 24 if there are as many.
    pub(crate) fn head(&self) -> &[u8] {
        self.head.bytes()
    }
}

/// The first bytes of a module, collected from its parts.
#[derive(Clone, Debug, Default)]
struct Head {
    bytes: [u8; HEAD],
    length: usize,
}

impl Head {
    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    fn take(&mut self, part: &[u8]) {
        let free = self.bytes.iter_mut().skip(self.length);
        self.length += free.zip(part).map(|(to, from)| *to = *from).count();
    }
}

/// What the pass found out.
pub(crate) struct Scan {
    /// One for each module, in order.
    pub(crate) modules: Vec<ModuleFacts>,
    /// What each form that the stored UUID may follow gives for the library.
    pub(crate) uuids: Vec<(UuidForm, [u8; 16])>,
}

/// Reads every module once (twice with two threads, which then share the work).
///
/// `meanwhile` runs where it costs no time if a second thread is still at the UUID.
pub(crate) fn scan(
    input: &Input,
    library: &Library<'_>,
    threads: usize,
    meanwhile: impl FnOnce(),
) -> Result<Scan> {
    let ranges = module_ranges(library);
    let total: u64 = ranges.iter().map(|range| range.end - range.start).sum();
    let mut modules = ModuleScanner::new(library);
    let mut uuid = UuidScanner::new(library);
    if threads < 2 || total < WINDOW || uuid.hashers.is_empty() {
        walk(input, &ranges, |bytes| {
            modules.take(bytes);
            uuid.take(bytes);
        })?;
        meanwhile();
        return Ok(Scan { modules: modules.finish(), uuids: uuid.finish(input, library)? });
    }
    let uuids = thread::scope(|scope| {
        let work = || {
            walk(input, &ranges, |bytes| uuid.take(bytes))?;
            uuid.finish(input, library)
        };
        let worker = thread::Builder::new().spawn_scoped(scope, work);
        let own = walk(input, &ranges, |bytes| modules.take(bytes));
        meanwhile();
        let joined = worker.map_err(IoError::from)?.join();
        own?;
        joined.unwrap_or_else(|_| Err(Error::refused("a thread that computes the UUID died")))
    })?;
    Ok(Scan { modules: modules.finish(), uuids })
}

/// Where the modules with their tails lie; those that follow one another are one range.
fn module_ranges(library: &Library<'_>) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for module in library.modules() {
        let start = module.offset();
        let end = start + (module.bytes().len() + module.tail().len()) as u64;
        match ranges.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    ranges
}

/// Gives the bytes of the ranges in order, a small part at a time.
fn walk(input: &Input, ranges: &[Range<u64>], mut each: impl FnMut(&[u8])) -> Result<()> {
    for range in ranges {
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start.saturating_add(WINDOW));
            let window = input.window(start..end).map_err(IoError::from)?;
            window.chunks(SLICE).for_each(&mut each);
            start = end;
        }
    }
    Ok(())
}

/// Takes the bytes of all modules in order, whatever the cuts between them.
struct ModuleScanner<'l, 'a> {
    library: &'l Library<'a>,
    done: Vec<ModuleFacts>,
    hasher: ModuleHasher,
    head: Head,
    dirty: Option<u64>,
    position: usize,
}

impl<'l, 'a> ModuleScanner<'l, 'a> {
    fn new(library: &'l Library<'a>) -> Self {
        let done = Vec::with_capacity(library.modules().len());
        let hasher = ModuleHasher::new();
        let mut new =
            Self { library, done, hasher, head: Head::default(), dirty: None, position: 0 };
        new.close();
        new
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while let (Some(module), false) =
            (self.library.modules().get(self.done.len()), bytes.is_empty())
        {
            let (length, tail) = (module.bytes().len(), module.tail().len());
            let own = bytes.len().min(length.saturating_sub(self.position));
            let (part, rest) = bytes.split_at(own);
            self.take_part(part);
            let skipped = rest.len().min((length + tail).saturating_sub(self.position));
            self.position += skipped;
            bytes = rest.get(skipped..).unwrap_or_default();
            self.close();
        }
    }

    fn take_part(&mut self, part: &[u8]) {
        self.head.take(part);
        self.hasher.update(part);
        let end = self.position + part.len();
        if let (None, Some(wrapper)) = (self.dirty, Wrapper::parse(self.head.bytes())) {
            let padding = u64::from(wrapper.offset) + u64::from(wrapper.size);
            let padding = usize::try_from(padding).unwrap_or(usize::MAX).max(self.position);
            let zeros = part.get(padding - self.position..).unwrap_or_default();
            let found = zeros.iter().position(|&byte| byte != 0);
            self.dirty = found.map(|index| (padding + index) as u64);
        }
        self.position = end;
    }

    /// Closes every module that is complete, those of size 0 too.
    fn close(&mut self) {
        while let Some(module) = self.library.modules().get(self.done.len())
            && self.position >= module.bytes().len() + module.tail().len()
        {
            self.done.push(ModuleFacts {
                hash: std::mem::take(&mut self.hasher).finish(),
                head: std::mem::take(&mut self.head),
                dirty: self.dirty.take(),
            });
            self.position = 0;
        }
    }

    fn finish(self) -> Vec<ModuleFacts> {
        self.done
    }
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

    /// Adds what lies behind the bitcode, and ends.
    fn finish(mut self, input: &Input, library: &Library<'_>) -> Result<Vec<(UuidForm, [u8; 16])>> {
        if self.hashers.is_empty() {
            return Ok(Vec::new());
        }
        hashed_sections(library, |bytes| self.take(bytes)).map_err(Error::library(input.name()))?;
        Ok(self.hashers.into_iter().map(|(form, hasher)| (form, hasher.finish())).collect())
    }
}
