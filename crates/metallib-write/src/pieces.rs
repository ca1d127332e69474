//! What an output consists of: borrowed ranges and new bytes, in order.

use std::ops::Range;

/// Borrowed ranges shorter than this are copied, so that there are fewer pieces.
const SHORT: usize = 64;

/// Some bytes of the output.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'p> {
    /// The bytes.
    pub bytes: &'p [u8],
    /// Whether the bytes are part of what the UUID hashes.
    pub hashed: bool,
}

/// A named range of the output, for `--dry-run`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// What it is: "header", "function list", "section RLST", …
    pub name: String,
    /// Absolute offset in the output.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// How many of its bytes are copied from an input by range.
    pub copied: u64,
}

enum Content<'p> {
    Borrowed(&'p [u8]),
    Scratch(Range<usize>),
}

/// What parts of an output are encoded into.
pub(crate) trait Sink<'p> {
    /// Begins a region; what follows belongs to it.
    fn region(&mut self, name: impl Into<String>);

    /// Appends new bytes.
    fn new_bytes(&mut self, bytes: &[u8], hashed: bool);

    /// Appends bytes that live elsewhere.
    fn borrow(&mut self, bytes: &'p [u8], hashed: bool);

    /// Offset in the output behind the last bytes.
    fn end(&self) -> u64;
}

/// Gives bytes to `each` as they come, with whether the UUID hashes them, and keeps none.
pub(crate) struct Passing<F> {
    each: F,
    regions: Vec<Region>,
    end: u64,
}

impl<F: FnMut(&[u8], bool)> Passing<F> {
    /// Bytes that begin at this offset of the output.
    pub(crate) fn beginning_at(end: u64, each: F) -> Self {
        Self { each, regions: Vec::new(), end }
    }

    pub(crate) fn into_regions(self) -> Vec<Region> {
        self.regions
    }

    fn pass(&mut self, bytes: &[u8], hashed: bool, copied: usize) {
        grow(&mut self.regions, bytes.len(), copied);
        self.end += bytes.len() as u64;
        (self.each)(bytes, hashed);
    }
}

impl<'p, F: FnMut(&[u8], bool)> Sink<'p> for Passing<F> {
    fn region(&mut self, name: impl Into<String>) {
        self.regions.push(Region::beginning_at(self.end, name));
    }

    fn new_bytes(&mut self, bytes: &[u8], hashed: bool) {
        self.pass(bytes, hashed, 0);
    }

    fn borrow(&mut self, bytes: &'p [u8], hashed: bool) {
        self.pass(bytes, hashed, if bytes.len() < SHORT { 0 } else { bytes.len() });
    }

    fn end(&self) -> u64 {
        self.end
    }
}

impl Region {
    fn beginning_at(offset: u64, name: impl Into<String>) -> Self {
        Self { name: name.into(), offset, size: 0, copied: 0 }
    }
}

/// Adds bytes to the last region, of which some are copied.
fn grow(regions: &mut [Region], size: usize, copied: usize) {
    if let Some(region) = regions.last_mut() {
        region.size += size as u64;
        region.copied += copied as u64;
    }
}

/// Pieces under construction.
#[derive(Default)]
pub(crate) struct Pieces<'p> {
    scratch: Vec<u8>,
    items: Vec<(Content<'p>, bool)>,
    regions: Vec<Region>,
    end: u64,
}

impl<'p> Pieces<'p> {
    fn grow(&mut self, size: usize, copied: usize) {
        self.end += size as u64;
        grow(&mut self.regions, size, copied);
    }

    pub(crate) fn regions(&self) -> &[Region] {
        &self.regions
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Piece<'_>> {
        self.items.iter().map(|(content, hashed)| {
            let bytes = match content {
                Content::Borrowed(bytes) => bytes,
                Content::Scratch(range) => self.scratch.get(range.clone()).unwrap_or_default(),
            };
            Piece { bytes, hashed: *hashed }
        })
    }
}

impl<'p> Sink<'p> for Pieces<'p> {
    fn region(&mut self, name: impl Into<String>) {
        self.regions.push(Region::beginning_at(self.end, name));
    }

    fn new_bytes(&mut self, bytes: &[u8], hashed: bool) {
        let start = self.scratch.len();
        self.scratch.extend_from_slice(bytes);
        let end = self.scratch.len();
        match self.items.last_mut() {
            Some((Content::Scratch(range), same)) if *same == hashed && range.end == start => {
                range.end = end;
            }
            _ => self.items.push((Content::Scratch(start..end), hashed)),
        }
        self.grow(bytes.len(), 0);
    }

    fn borrow(&mut self, bytes: &'p [u8], hashed: bool) {
        if bytes.len() < SHORT {
            return self.new_bytes(bytes, hashed);
        }
        self.items.push((Content::Borrowed(bytes), hashed));
        self.grow(bytes.len(), bytes.len());
    }

    fn end(&self) -> u64 {
        self.end
    }
}
