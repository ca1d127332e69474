//! Batches: about a megabyte of pieces, seen through one window of an input.

use std::io::{self, Write};
use std::iter::Peekable;
use std::ops::Range;

use metallib_write::{Piece, UuidHasher};

use super::sources::{Sources, View};
use crate::error::Result;
use crate::io::{Input, IoError, OutputFile, Window};

/// Most bytes of a batch, and of the part of an input that its window shows.
pub(super) const BATCH: usize = 1 << 20;

/// Some bytes of a batch.
#[derive(Clone)]
enum Part<'p> {
    /// A range of the window.
    Window(Range<usize>),
    /// Bytes that lie in no input.
    Memory(&'p [u8]),
}

/// Consecutive bytes of the output.
pub(super) struct Batch<'p> {
    window: Option<Window<'p>>,
    parts: Parts<'p>,
}

/// What a batch consists of; ranges of the window that follow each other are one.
#[derive(Default)]
struct Parts<'p> {
    written: Vec<Part<'p>>,
    /// All of it is also in `written`.
    hashed: Vec<Part<'p>>,
}

impl<'p> Batch<'p> {
    /// Appends the batch to the output.
    pub(super) fn write(&self, output: &mut OutputFile) -> Result<()> {
        let mut parts = self.parts.written.iter().map(|part| self.bytes(part));
        let written: io::Result<()> = parts.try_for_each(|bytes| output.write_all(bytes));
        Ok(written.map_err(IoError::from)?)
    }

    /// Hashes what the UUID covers.
    pub(super) fn hash(&self, hasher: &mut UuidHasher) {
        self.parts.hashed.iter().for_each(|part| hasher.update(self.bytes(part)));
    }

    /// The bytes of a part; its range lies in the window, which was opened to hold all.
    fn bytes(&self, part: &Part<'p>) -> &[u8] {
        match part {
            Part::Memory(bytes) => bytes,
            Part::Window(range) => {
                let window = self.window.as_deref().unwrap_or_default();
                window.get(range.clone()).unwrap_or_default()
            }
        }
    }
}

/// Bytes of one piece, at most [`BATCH`].
struct Chunk<'p> {
    bytes: &'p [u8],
    hashed: bool,
}

impl View {
    /// Where in the view bytes are that lie at `offset` of an input, after widening the view
    /// to hold them; `None` if it would become too large.
    fn admit(&mut self, input: usize, offset: u64, length: usize) -> Option<Range<usize>> {
        let start = usize::try_from(offset.checked_sub(self.range.start)?).ok()?;
        let end = start.checked_add(length)?;
        (input == self.input && end <= BATCH).then_some(())?;
        self.range.end = self.range.end.max(self.range.start + end as u64);
        Some(start..end)
    }
}

/// Groups the pieces of a plan to batches.
struct Batches<'p, I: Iterator> {
    sources: Sources<'p>,
    chunks: Peekable<I>,
}

/// Pieces in chunks that fit into a batch.
fn chunks<'p>(pieces: impl Iterator<Item = Piece<'p>>) -> impl Iterator<Item = Chunk<'p>> {
    pieces.flat_map(|Piece { bytes, hashed }| {
        bytes.chunks(BATCH).map(move |bytes| Chunk { bytes, hashed })
    })
}

/// The batches of a plan's pieces.
pub(super) fn batches<'p>(
    pieces: impl Iterator<Item = Piece<'p>>,
    inputs: &'p [&'p Input],
) -> impl Iterator<Item = Result<Batch<'p>>> {
    Batches { sources: Sources::new(inputs), chunks: chunks(pieces).peekable() }
}

impl<'p, I: Iterator<Item = Chunk<'p>>> Iterator for Batches<'p, I> {
    type Item = Result<Batch<'p>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.chunks.peek()?;
        let (view, parts) = self.gather();
        let window = view.map(|view| match parts.are_sparse(&view) {
            true => self.sources.open_sparse(&view),
            false => self.sources.open(&view),
        });
        let window = window.transpose();
        Some(window.map(|window| Batch { window: window.flatten(), parts }))
    }
}

impl<'p, I: Iterator<Item = Chunk<'p>>> Batches<'p, I> {
    /// Takes chunks until the batch is full.
    fn gather(&mut self) -> (Option<View>, Parts<'p>) {
        let (mut view, mut parts, mut room) = (None, Parts::default(), BATCH);
        while let Some(chunk) = self.chunks.peek()
            && let Some(left) = room.checked_sub(chunk.bytes.len())
        {
            let (bytes, hashed) = (chunk.bytes, chunk.hashed);
            let part = match self.sources.locate(bytes) {
                None => Part::Memory(bytes),
                Some((input, offset)) => {
                    let view = view.get_or_insert(View { input, range: offset..offset });
                    match view.admit(input, offset, bytes.len()) {
                        Some(range) => Part::Window(range),
                        None => break,
                    }
                }
            };
            parts.push(part, hashed);
            room = left;
            self.chunks.next();
        }
        (view, parts)
    }
}

impl<'p> Parts<'p> {
    /// Whether less than half of a view is written.
    fn are_sparse(&self, view: &View) -> bool {
        let size = |part: &Part<'_>| match part {
            Part::Window(range) => range.len() as u64,
            Part::Memory(_) => 0,
        };
        self.written.iter().map(size).sum::<u64>() < (view.range.end - view.range.start) / 2
    }

    fn push(&mut self, part: Part<'p>, hashed: bool) {
        if hashed {
            append(&mut self.hashed, part.clone());
        }
        append(&mut self.written, part);
    }
}

/// Appends a part; a range of the window that continues the last one is joined to it.
fn append<'p>(parts: &mut Vec<Part<'p>>, part: Part<'p>) {
    if let (Some(Part::Window(last)), Part::Window(next)) = (parts.last_mut(), &part)
        && last.end == next.start
    {
        last.end = next.end;
        return;
    }
    parts.push(part);
}

#[cfg(test)]
impl Batch<'_> {
    /// Bytes to write, and bytes of the window.
    pub(super) fn sizes(&self) -> (usize, usize) {
        let bytes = self.parts.written.iter().map(|part| self.bytes(part).len()).sum();
        (bytes, self.window.as_ref().map_or(0, |window| window.len()))
    }
}
