//! A part of an input that is in memory only while it is looked at.

use std::fmt;
use std::ops::{Deref, Range};

use memmap2::Mmap;

#[cfg(unix)]
use super::buffer::Buffer;

/// A range of an [`Input`](super::Input), which derefs to its bytes.
///
/// For a mapped file it is read into memory that is used again (on Unix, up to a megabyte), or is
/// a mapping of its own, given back when it is dropped: walking over a file of 200 MB window by
/// window keeps only the present window resident. It costs a few system calls, so ask for batches
/// (a megabyte; a few of them where it is mapped) rather than for single items. A window is
/// `Send` and `Sync`: hand it to a scoped thread to hash it.
pub struct Window<'a> {
    start: u64,
    bytes: Bytes<'a>,
}

enum Bytes<'a> {
    Mapped(Mmap),
    /// To map a page costs more than to copy it, where all of it is looked at once.
    #[cfg(unix)]
    Read(Buffer),
    Borrowed(&'a [u8]),
}

impl<'a> Window<'a> {
    pub(super) fn mapped(start: u64, map: Mmap) -> Self {
        // Only a hint: a refusal changes nothing but speed.
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Sequential);
        Self { start, bytes: Bytes::Mapped(map) }
    }

    #[cfg(unix)]
    pub(super) fn read(start: u64, buffer: Buffer) -> Self {
        Self { start, bytes: Bytes::Read(buffer) }
    }

    pub(super) fn borrowed(start: u64, bytes: &'a [u8]) -> Self {
        Self { start, bytes: Bytes::Borrowed(bytes) }
    }

    /// Where the window lies in its input.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.start..self.start.saturating_add(self.len() as u64)
    }
}

impl Deref for Window<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            #[cfg(unix)]
            Bytes::Read(buffer) => buffer.bytes(),
            Bytes::Borrowed(bytes) => bytes,
        }
    }
}

impl AsRef<[u8]> for Window<'_> {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Window<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Window").field("range", &self.range()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_can_be_handed_to_threads() {
        fn check<T: Send + Sync>() {}
        check::<Window<'_>>();
        let window = Window::borrowed(7, b"abc");
        let sum = std::thread::scope(|scope| {
            scope.spawn(|| window.iter().map(|b| u32::from(*b)).sum::<u32>()).join().unwrap()
        });
        assert_eq!(sum, 294);
        assert_eq!(window.range(), 7..10);
        assert_eq!(format!("{window:?}"), "Window { range: 7..10, .. }");
    }
}
