//! Modules of two libraries, compared window by window.

use std::ops::Range;
use std::thread;

use air_bitcode::GlobalReader;
use metallib::ModuleId;

use super::Side;
use super::eyes::Eyes;
use crate::error::{Error, Result};
use crate::io::{Input, IoError};
use crate::symbols::{ModuleSymbols, Which};

/// Bytes of one library that are read at a time, but for a module that is larger itself.
const WINDOW: u64 = 1 << 20;

/// Symbols of a module that are named; more are counted.
const NAMED: usize = 20;

/// Bytes of modules that are looked into, as multiples of both libraries: those that functions
/// share are looked into again for each other one.
const LOOKED: u64 = 4;

/// Symbols that only one of two modules has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Symbols {
    /// The first 20 by name that only the first one has; what is not UTF-8 is replaced.
    pub removed: Vec<String>,
    /// The first 20 that only the second one has.
    pub added: Vec<String>,
    /// How many more there are.
    pub more: u64,
}

/// What was found of two modules.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Whether they are the same, but for what is passed over.
    pub(super) same: bool,
    /// Whether their bytes are.
    pub(super) equal: bool,
    /// What symbols they do not share; nothing if one cannot be read.
    pub(super) symbols: Option<Symbols>,
}

/// Where two modules lie in their inputs.
#[derive(Clone, Debug)]
struct Work {
    old: Range<u64>,
    new: Range<u64>,
    /// Whether they are looked into if they differ.
    look: bool,
}

/// Compares pairs of modules, in this order, on as many threads.
pub(super) fn compare(
    old: Side<'_, '_>,
    new: Side<'_, '_>,
    eyes: &Eyes,
    threads: usize,
    pairs: &[(ModuleId, ModuleId)],
) -> Result<Vec<Outcome>> {
    let work = work(old, new, eyes, pairs)?;
    let job = Job { old: old.input, new: new.input, eyes };
    let size = work.len().div_ceil(threads.max(1)).max(1);
    if work.len() <= size {
        return job.run(&work);
    }
    thread::scope(|scope| {
        let mut running = Vec::new();
        for part in work.chunks(size) {
            let job = &job;
            let one = thread::Builder::new().spawn_scoped(scope, move || job.run(part));
            running.push(one.map_err(IoError::from)?);
        }
        let mut outcomes = Vec::with_capacity(work.len());
        for one in running {
            let died = |_| Error::refused("a thread that compares modules died");
            outcomes.extend(one.join().map_err(died)??);
        }
        Ok(outcomes)
    })
}

fn work(
    old: Side<'_, '_>,
    new: Side<'_, '_>,
    eyes: &Eyes,
    pairs: &[(ModuleId, ModuleId)],
) -> Result<Vec<Work>> {
    let range = |side: Side<'_, '_>, id: ModuleId| {
        let bytes = side.library.modules().get(id.index())?.bytes();
        let start = side.input.offset_of(bytes)?;
        Some(start..start.saturating_add(bytes.len() as u64))
    };
    let files = (old.input.bytes().len() as u64).saturating_add(new.input.bytes().len() as u64);
    let mut left = files.saturating_mul(LOOKED);
    let mut work = Vec::with_capacity(pairs.len());
    for (one, other) in pairs {
        let both = range(old, *one).zip(range(new, *other));
        let (old, new) = both.ok_or_else(|| {
            Error::refused("the libraries that are compared were not read from these inputs")
        })?;
        let size = (old.end - old.start).saturating_add(new.end - new.start);
        let look = size <= left;
        left = left.saturating_sub(size);
        if !look && eyes.ignored.paths {
            return Err(Error::refused(
                "so many functions share modules that these are not compared without their paths; \
                 do without --ignore paths",
            ));
        }
        work.push(Work { old, new, look });
    }
    Ok(work)
}

struct Job<'j> {
    old: &'j Input,
    new: &'j Input,
    eyes: &'j Eyes,
}

impl Job<'_> {
    fn run(&self, work: &[Work]) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::with_capacity(work.len());
        let mut reader = GlobalReader::new();
        let mut rest = work;
        while let Some(first) = rest.first() {
            if !first.look && first.old.end - first.old.start != first.new.end - first.new.start {
                outcomes.push(Outcome::default());
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let (batch, after) = rest.split_at(batch(rest));
            self.batch(batch, &mut reader, &mut outcomes)?;
            rest = after;
        }
        Ok(outcomes)
    }

    fn batch(
        &self,
        batch: &[Work],
        reader: &mut GlobalReader,
        outcomes: &mut Vec<Outcome>,
    ) -> Result<()> {
        let hull = |of: fn(&Work) -> &Range<u64>| {
            let start = batch.iter().map(|work| of(work).start).min().unwrap_or(0);
            start..batch.iter().map(|work| of(work).end).max().unwrap_or(0)
        };
        let (old, new) = (hull(|work| &work.old), hull(|work| &work.new));
        let old_bytes = self.old.window(old.clone()).map_err(IoError::from)?;
        let new_bytes = self.new.window(new.clone()).map_err(IoError::from)?;
        for Work { old: one, new: other, look } in batch {
            let part = |range: &Range<u64>, from: u64| {
                let at = |end: u64| usize::try_from(end.saturating_sub(from)).unwrap_or(usize::MAX);
                at(range.start)..at(range.end)
            };
            let one = old_bytes.get(part(one, old.start)).unwrap_or_default();
            let other = new_bytes.get(part(other, new.start)).unwrap_or_default();
            let equal = one == other;
            let same = equal || (*look && self.eyes.are_alike(one, other));
            let is_asked = !same && *look;
            let symbols = is_asked.then(|| symbols(reader, one, other)).flatten();
            outcomes.push(Outcome { same, equal, symbols });
        }
        Ok(())
    }
}

/// How many pairs are read together: those whose modules are neighbours in both libraries.
fn batch(work: &[Work]) -> usize {
    let Some(first) = work.first() else { return 0 };
    let (mut old, mut new) = (first.old.clone(), first.new.clone());
    let mut count = 1;
    for next in work.iter().skip(1) {
        // Neighbours follow each other with few bytes between them.
        let add = |range: &mut Range<u64>, next: &Range<u64>| {
            let is_near = range.end <= next.start && next.start - range.end <= WINDOW / 256;
            range.end = next.end.max(range.end);
            is_near && range.end - range.start <= WINDOW
        };
        if !(add(&mut old, &next.old) & add(&mut new, &next.new)) {
            break;
        }
        count += 1;
    }
    count
}

/// The symbols that only one of two modules has; nothing if one cannot be read.
fn symbols(reader: &mut GlobalReader, one: &[u8], other: &[u8]) -> Option<Symbols> {
    let mut read = |bytes| ModuleSymbols::read_by(reader, bytes, Which::All).ok();
    let (one, other) = (read(one)?, read(other)?);
    let (one, other) = (names(&one), names(&other));
    let mut symbols = Symbols::default();
    let mut more = 0;
    let mut only = |these: &[&[u8]], those: &[&[u8]]| -> Vec<String> {
        let mut only = these.iter().filter(|name| those.binary_search(name).is_err());
        let named = only.by_ref().take(NAMED);
        let named = named.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        more += only.count() as u64;
        named
    };
    symbols.removed = only(&one, &other);
    symbols.added = only(&other, &one);
    symbols.more = more;
    Some(symbols)
}

/// The names of symbols that have one, sorted.
fn names<'m>(symbols: &'m ModuleSymbols<'m>) -> Vec<&'m [u8]> {
    let names = symbols.iter().map(|symbol| symbol.name);
    let mut names: Vec<&[u8]> = names.filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether two files hold the same bytes.
pub(super) fn same_files(old: &Input, new: &Input) -> Result<bool> {
    let size = old.bytes().len() as u64;
    if size != new.bytes().len() as u64 {
        return Ok(false);
    }
    let mut start = 0;
    while start < size {
        let end = size.min(start.saturating_add(WINDOW));
        let one = old.window(start..end).map_err(IoError::from)?;
        let other = new.window(start..end).map_err(IoError::from)?;
        if *one != *other {
            return Ok(false);
        }
        start = end;
    }
    Ok(true)
}
