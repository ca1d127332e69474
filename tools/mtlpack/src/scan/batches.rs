//! The modules of a library in batches that are in memory one at a time.

use std::ops::Range;

use metallib::Library;

use crate::error::Result;
use crate::io::{Input, IoError, Window};

/// Bytes of the batches that are mapped at once: that pays from a few times 2 MiB on.
const SIGHT: u64 = 4 << 20;

/// Bytes that are looked at together: few enough for the processor's cache.
pub(super) const WINDOW: u64 = 1 << 20;

/// Modules that follow one another: as many as a window has room for, or a larger one alone.
pub(super) struct Batch {
    /// Where they lie, with their tails.
    range: Range<u64>,
    /// Which they are.
    modules: Range<usize>,
}

impl Batch {
    fn size(&self) -> u64 {
        self.range.end - self.range.start
    }
}

/// All modules in order.
pub(super) fn batches(library: &Library<'_>) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for (index, module) in library.modules().iter().enumerate() {
        let start = module.offset();
        let size = (module.bytes().len() + module.tail().len()) as u64;
        match batches.last_mut() {
            Some(last) if last.range.end == start && last.size() + size <= WINDOW => {
                last.range.end += size;
                last.modules.end += 1;
            }
            _ => batches.push(Batch { range: start..start + size, modules: index..index + 1 }),
        }
    }
    batches
}

/// How many bytes all batches have.
pub(super) fn total(batches: &[Batch]) -> u64 {
    batches.iter().map(Batch::size).sum()
}

/// Gives the bytes of the batches in order, window by window, to `bytes`; and to `module`
/// each module of those batches whose number `is_wanted`, as a whole.
pub(super) fn walk(
    input: &Input,
    library: &Library<'_>,
    batches: &[Batch],
    is_wanted: impl Fn(usize) -> bool,
    mut bytes: impl FnMut(&[u8]),
    mut module: impl FnMut(usize, &[u8]),
) -> Result<()> {
    let mut sight = Sight { input, window: None };
    for (number, batch) in batches.iter().enumerate() {
        let mut start = batch.range.start;
        while start < batch.range.end {
            let end = batch.range.end.min(start.saturating_add(WINDOW));
            let window = sight.show(start..end)?;
            bytes(window);
            if window.len() as u64 == batch.size() && is_wanted(number) {
                each_module(library, batch, window, &mut module);
            }
            start = end;
        }
        if !(1..=WINDOW).contains(&batch.size()) && is_wanted(number) {
            // Of a large module only the pages that are looked at become resident.
            let window = input.window(batch.range.clone()).map_err(IoError::from)?;
            each_module(library, batch, &window, &mut module);
        }
    }
    Ok(())
}

/// A wide window that moves over an input.
struct Sight<'i> {
    input: &'i Input,
    window: Option<Window<'i>>,
}

impl Sight<'_> {
    /// The bytes of a range, by the present window or by the next one.
    fn show(&mut self, range: Range<u64>) -> Result<&[u8]> {
        let shows = |window: &&Window<'_>| {
            let shown = window.range();
            shown.start <= range.start && range.end <= shown.end
        };
        if self.window.as_ref().filter(shows).is_none() {
            // The last one goes first, so that only one is in memory.
            self.window = None;
            let wide = range.start.saturating_add(SIGHT).min(self.input.bytes().len() as u64);
            let window = self.input.wide_window(range.start..range.end.max(wide));
            self.window = Some(window.map_err(IoError::from)?);
        }
        let Some(window) = &self.window else { return Ok(&[]) };
        let at = |offset: u64| usize::try_from(offset - window.range().start).unwrap_or(usize::MAX);
        Ok(window.get(at(range.start)..at(range.end)).unwrap_or_default())
    }
}

fn each_module(
    library: &Library<'_>,
    batch: &Batch,
    mut window: &[u8],
    module: &mut impl FnMut(usize, &[u8]),
) {
    for index in batch.modules.clone() {
        let Some(found) = library.modules().get(index) else { return };
        let (size, tail) = (found.bytes().len(), found.tail().len());
        module(index, window.get(..size).unwrap_or_default());
        window = window.get(size + tail..).unwrap_or_default();
    }
}
