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

/// Gives the bytes that the UUID hashes to `each`, and keeps nothing.
pub(crate) struct Hashed<F> {
    each: F,
    end: u64,
}

impl<F: FnMut(&[u8])> Hashed<F> {
    pub(crate) fn new(each: F) -> Self {
        Self { each, end: 0 }
    }
}

impl<'p, F: FnMut(&[u8])> Sink<'p> for Hashed<F> {
    fn region(&mut self, _: impl Into<String>) {}

    fn new_bytes(&mut self, bytes: &[u8], hashed: bool) {
        self.end += bytes.len() as u64;
        if hashed {
            (self.each)(bytes);
        }
    }

    fn borrow(&mut self, bytes: &'p [u8], hashed: bool) {
        self.new_bytes(bytes, hashed);
    }

    fn end(&self) -> u64 {
        self.end
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
    /// Pieces that begin at this offset of the output.
    pub(crate) fn beginning_at(offset: u64) -> Self {
        Self { end: offset, ..Self::default() }
    }

    fn grow(&mut self, size: usize, copied: usize) {
        self.end += size as u64;
        if let Some(region) = self.regions.last_mut() {
            region.size += size as u64;
            region.copied += copied as u64;
        }
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
        let (offset, size, copied) = (self.end, 0, 0);
        self.regions.push(Region { name: name.into(), offset, size, copied });
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
