//! Named bytes to read from.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;

#[cfg(unix)]
use super::buffer::Buffer;
use super::error::{IoError, Result};
use super::map::map;
use super::window::Window;
use super::words::label;

/// The most that is read from something whose length is not known.
const STREAM_LIMIT: u64 = 1 << 32;

/// Files up to this length are not kept open: windows on them would save little memory.
const SMALL: u64 = 1 << 20;

/// Files up to this length are read, which takes less time than to map them.
const TINY: u64 = 64 << 10;

/// Windows up to this length are read; of larger ones only what is looked at is in memory.
#[cfg(unix)]
const MOST_READ: usize = 1 << 20;

/// What systems can map at once, and not page by page, if it begins at a multiple of this.
const LARGE_PAGE: u64 = 2 << 20;

/// Standard input gives its bytes once.
static STDIN_TAKEN: AtomicBool = AtomicBool::new(false);

/// An input with a name: a file, standard input, or bytes of the caller.
///
/// Regular files are mapped, but for small ones, so opening one of 200 MB costs nothing until bytes
/// are looked at.
/// While a file is mapped nobody may truncate it. On Windows a mapped file cannot be replaced
/// either: to write a result over its own input there, use [`Input::open_in_memory`] or drop the
/// input before the output is committed.
pub struct Input {
    name: String,
    path: Option<PathBuf>,
    source: Source,
}

enum Source {
    /// The file stays open for windows; a small one needs none.
    Mapped {
        file: Option<File>,
        map: Mmap,
    },
    Memory(Vec<u8>),
}

impl Input {
    /// Opens a file, or standard input for `-` (a file of that name is `./-`).
    ///
    /// A regular file is mapped unless it is small. Anything else (a pipe, a device) is read to its
    /// end.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened or read, if it is a folder, if standard input is asked for a
    /// second time, or if a pipe gives more than 4 GiB.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_as(path.as_ref(), true)
    }

    /// Like [`Input::open`], but a file is read to memory instead of being mapped.
    ///
    /// # Errors
    ///
    /// As for [`Input::open`].
    pub fn open_in_memory(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_as(path.as_ref(), false)
    }

    /// Gives a name to bytes that the caller has.
    ///
    /// ```
    /// let input = mtlpack::io::Input::from_bytes("generated", vec![1, 2, 3]);
    /// assert_eq!((input.name(), input.bytes()), ("generated", &[1, 2, 3][..]));
    /// assert_eq!(input.path(), None);
    /// ```
    #[must_use]
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), path: None, source: Source::Memory(bytes) }
    }

    /// All bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.source {
            Source::Mapped { map, .. } => map,
            Source::Memory(bytes) => bytes,
        }
    }

    /// The bytes as text, for lists of names and the like.
    ///
    /// # Errors
    ///
    /// If they are not UTF-8.
    pub fn text(&self) -> Result<&str> {
        std::str::from_utf8(self.bytes()).map_err(|error| IoError::NotText {
            name: self.name.clone(),
            offset: error.valid_up_to(),
        })
    }

    /// The name for messages: the path as given, `<stdin>`, or the caller's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The path for dependency files; `None` for standard input, pipes, and the caller's bytes.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// A part of the input, which for a mapped file is in memory only while the window lives.
    ///
    /// # Errors
    ///
    /// If the input does not have that range, if the file became shorter since it was opened, or
    /// if it cannot be read or mapped. The error inside is an [`IoError`].
    pub fn window(&self, range: Range<u64>) -> io::Result<Window<'_>> {
        let part = self.part(&range)?;
        match &self.source {
            #[cfg(unix)]
            Source::Mapped { file: Some(file), .. } if (1..=MOST_READ).contains(&part.len()) => {
                self.read_window(file, range.start, part.len())
            }
            _ => self.sparse_window(range),
        }
    }

    /// As [`Input::window`], for who looks at less than half of it: of a mapped file nothing else
    /// is read.
    ///
    /// # Errors
    ///
    /// As [`Input::window`].
    pub fn sparse_window(&self, range: Range<u64>) -> io::Result<Window<'_>> {
        let part = self.part(&range)?;
        match &self.source {
            Source::Mapped { file: Some(file), .. } if !part.is_empty() => {
                self.map_window(file, range)
            }
            _ => Ok(Window::borrowed(range.start, part)),
        }
    }

    /// As [`Input::window`], but the window shows more than the range: from and to multiples of
    /// 2 MiB, where the file has them. Between these a system can map 2 MiB at once, in far less
    /// time than page by page.
    ///
    /// # Errors
    ///
    /// As [`Input::window`].
    pub fn wide_window(&self, range: Range<u64>) -> io::Result<Window<'_>> {
        self.part(&range)?;
        let start = range.start - range.start % LARGE_PAGE;
        let end = range.end.next_multiple_of(LARGE_PAGE).min(self.bytes().len() as u64);
        self.sparse_window(start..end)
    }

    fn part(&self, range: &Range<u64>) -> io::Result<&[u8]> {
        let all = self.bytes();
        usize::try_from(range.start)
            .ok()
            .zip(usize::try_from(range.end).ok())
            .and_then(|(start, end)| all.get(start..end))
            .ok_or_else(|| self.no_range(range).into())
    }

    /// Where a slice lies within [`Input::bytes`], or `None` if it lies elsewhere.
    ///
    /// The bytes of a [`Window`] of a mapped file lie elsewhere: see [`Window::range`].
    ///
    /// ```
    /// let input = mtlpack::io::Input::from_bytes("x", b"hello".to_vec());
    /// assert_eq!(input.offset_of(&input.bytes()[2..4]), Some(2));
    /// assert_eq!(input.offset_of(b"ll"), None);
    /// ```
    #[must_use]
    pub fn offset_of(&self, slice: &[u8]) -> Option<u64> {
        let all = self.bytes();
        let offset = slice.as_ptr().addr().checked_sub(all.as_ptr().addr())?;
        (offset.checked_add(slice.len())? <= all.len()).then_some(offset as u64)
    }

    fn open_as(path: &Path, mapped: bool) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Self::from_stdin(&STDIN_TAKEN, &mut io::stdin().lock());
        }
        let name = label(path);
        let open = |cause| match path.is_dir() {
            true => IoError::Directory { name: name.clone() },
            false => IoError::Open { name: name.clone(), cause },
        };
        let file = File::open(path).map_err(open)?;
        let metadata = file.metadata().map_err(open)?;
        if metadata.is_dir() {
            return Err(IoError::Directory { name });
        }
        let source = Source::of(&name, file, &metadata, mapped)?;
        let path = metadata.is_file().then(|| path.to_path_buf());
        Ok(Self { name, path, source })
    }

    fn from_stdin(taken: &AtomicBool, reader: &mut dyn Read) -> Result<Self> {
        if taken.swap(true, Ordering::SeqCst) {
            return Err(IoError::StdinTwice);
        }
        let bytes = read_all("<stdin>", reader, STREAM_LIMIT, 0)?;
        Ok(Self::from_bytes("<stdin>", bytes))
    }

    #[cfg(unix)]
    fn read_window(&self, file: &File, start: u64, length: usize) -> io::Result<Window<'_>> {
        let name = || self.name.clone();
        let buffer = Buffer::read(file, start, length).map_err(|cause| match cause.kind() {
            io::ErrorKind::UnexpectedEof => IoError::Changed { name: name() },
            _ => IoError::Read { name: name(), cause },
        })?;
        Ok(Window::read(start, buffer))
    }

    fn map_window(&self, file: &File, range: Range<u64>) -> io::Result<Window<'_>> {
        let name = || self.name.clone();
        let length = file.metadata().map_err(|cause| IoError::Read { name: name(), cause })?.len();
        if length < range.end {
            return Err(IoError::Changed { name: name() }.into());
        }
        let start = range.start;
        let map = map(file, range).map_err(|cause| IoError::Map { name: name(), cause })?;
        Ok(Window::mapped(start, map))
    }

    fn no_range(&self, range: &Range<u64>) -> IoError {
        let length = self.bytes().len() as u64;
        IoError::Range { name: self.name.clone(), start: range.start, end: range.end, length }
    }
}

impl Source {
    /// Maps what can be mapped and reads the rest (also small files, among them those that claim
    /// to be empty, as those under `/proc` do, and files on systems that offer no mapping).
    fn of(name: &str, mut file: File, metadata: &fs::Metadata, mapped: bool) -> Result<Self> {
        if mapped
            && metadata.is_file()
            && metadata.len() > TINY
            && let Ok(map) = map(&file, 0..metadata.len())
        {
            // A command may have more inputs than files can be open.
            let file = (metadata.len() > SMALL).then_some(file);
            return Ok(Self::Mapped { file, map });
        }
        let limit = if metadata.is_file() { u64::MAX } else { STREAM_LIMIT };
        // One byte more, so that the end is seen without more room.
        let expected = usize::try_from(metadata.len().min(TINY)).unwrap_or_default() + 1;
        Ok(Self::Memory(read_all(name, &mut file, limit, expected)?))
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Input");
        debug.field("name", &self.name).field("length", &self.bytes().len());
        debug.finish_non_exhaustive()
    }
}

/// Reads to the end, but not beyond the limit.
fn read_all(name: &str, reader: &mut dyn Read, limit: u64, expected: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(expected);
    let read = reader.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    let read = read.map_err(|cause| IoError::Read { name: name.to_owned(), cause })?;
    if read as u64 > limit {
        let advice = "save it to a file and give its path";
        return Err(IoError::TooLarge { name: name.to_owned(), limit, advice });
    }
    Ok(bytes)
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
