//! The one `unsafe` of the project.

use std::fs::File;
use std::io;
use std::ops::Range;

use memmap2::{Mmap, MmapOptions};

/// Maps a range of an open file, read-only and private; the range need not be page-aligned.
///
/// The caller checks that the range lies within the file: bytes behind its end cannot be read.
///
/// # Errors
///
/// If the range is reversed, does not fit the address space, or the system refuses the mapping
/// (some file systems do not offer it).
#[allow(unsafe_code)]
pub(super) fn map(file: &File, range: Range<u64>) -> io::Result<Mmap> {
    let length = range.end.checked_sub(range.start).and_then(|n| usize::try_from(n).ok());
    let length = length.ok_or(io::ErrorKind::InvalidInput)?;
    let mut options = MmapOptions::new();
    options.offset(range.start).len(length);
    // SAFETY: The mapping is read-only (no write access is ever asked for) and lives as long as
    // the `Mmap`, which owns it. What the compiler cannot know is that the file stays as it is
    // while it is mapped: another process that writes to it changes bytes behind a `&[u8]`, and
    // one that truncates it makes reads beyond the new end fail with a signal. No program that
    // maps files can rule this out. It is accepted here because inputs are build products that
    // nobody edits in place (our own outputs are always renamed over their target, so an input
    // that is also the output stays intact), because no decision of ours that memory safety
    // depends on is made from mapped bytes (the libraries are safe code and check each access),
    // and because the length is checked against the file before each mapping.
    unsafe { options.map(file) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn maps_ranges_that_are_not_aligned() {
        let mut file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..=250).cycle().take(20_000).collect();
        file.write_all(&bytes).unwrap();
        for range in [0..20_000, 1..2, 4095..4097, 8191..20_000, 19_999..20_000] {
            let at = |offset| usize::try_from(offset).unwrap();
            let (start, end) = (at(range.start), at(range.end));
            assert_eq!(&map(&file, range).unwrap()[..], &bytes[start..end]);
        }
    }

    #[test]
    #[allow(clippy::reversed_empty_ranges)]
    fn refuses_a_reversed_range() {
        let file = tempfile::tempfile().unwrap();
        assert!(map(&file, 2..1).is_err());
    }
}
