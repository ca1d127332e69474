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
const WINDOW: u64 = 1 << 22;

/// Bytes that each of two hashes takes in turn, a few of their 64-byte blocks.
///
/// Each block of a hash waits for the one before it, but not for one of the other hash,
/// so a processor that sees both works at both: a tenth faster than one after the other.
const STEP: usize = 512;

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
        walk(input, &ranges, |window| interleave(window, &mut modules, &mut uuid))?;
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

/// Gives a window to both, in small steps that end where their blocks do.
fn interleave(window: &[u8], modules: &mut ModuleScanner<'_, '_>, uuid: &mut UuidScanner) {
    let (mut for_modules, mut for_uuid) = (window, window);
    while !for_modules.is_empty() || !for_uuid.is_empty() {
        let step = STEP - modules.position % STEP;
        let (part, rest) = for_modules.split_at(step.min(for_modules.len()));
        modules.take(part);
        for_modules = rest;
        let step = STEP - uuid.position % STEP;
        let (part, rest) = for_uuid.split_at(step.min(for_uuid.len()));
        uuid.take(part);
        for_uuid = rest;
    }
}

/// Gives the bytes of the ranges in order, window by window.
fn walk(input: &Input, ranges: &[Range<u64>], mut each: impl FnMut(&[u8])) -> Result<()> {
    for range in ranges {
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start.saturating_add(WINDOW));
            let window = input.window(start..end).map_err(IoError::from)?;
            each(&window);
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
    /// Where the present module's padding begins, once its head is known.
    padding: usize,
    /// Bytes of the present module, and of its tail, that are done.
    position: usize,
}

impl<'l, 'a> ModuleScanner<'l, 'a> {
    fn new(library: &'l Library<'a>) -> Self {
        let done = Vec::with_capacity(library.modules().len());
        let hasher = ModuleHasher::new();
        let head = Head::default();
        let (dirty, padding, position) = (None, usize::MAX, 0);
        let mut new = Self { library, done, hasher, head, dirty, padding, position };
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
        self.hasher.update(part);
        if self.position < HEAD {
            self.head.take(part);
            self.padding = Wrapper::parse(self.head.bytes()).map_or(usize::MAX, |wrapper| {
                let start = u64::from(wrapper.offset) + u64::from(wrapper.size);
                usize::try_from(start).unwrap_or(usize::MAX)
            });
        }
        let end = self.position + part.len();
        if end > self.padding && self.dirty.is_none() {
            let start = self.padding.max(self.position);
            let zeros = part.get(start - self.position..).unwrap_or_default();
            let found = zeros.iter().position(|&byte| byte != 0);
            self.dirty = found.map(|index| (start + index) as u64);
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
            (self.padding, self.position) = (usize::MAX, 0);
        }
    }

    fn finish(self) -> Vec<ModuleFacts> {
        self.done
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

    /// Adds what lies behind the bitcode, and ends.
    fn finish(mut self, input: &Input, library: &Library<'_>) -> Result<Vec<(UuidForm, [u8; 16])>> {
        if self.hashers.is_empty() {
            return Ok(Vec::new());
        }
        hashed_sections(library, |bytes| self.take(bytes)).map_err(Error::library(input.name()))?;
        Ok(self.hashers.into_iter().map(|(form, hasher)| (form, hasher.finish())).collect())
    }
}
