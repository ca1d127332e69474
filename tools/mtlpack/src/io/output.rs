//! A result on its way to its target.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, SpooledTempFile};

use super::commit::{self, Outcome, Prepared, Stream};
use super::error::{IoError, Result};
use super::place::{Place, folder_of, resolve};
use super::target::Target;
use super::words::label;

/// Up to this length, what goes to standard output or a device waits in memory.
const SPOOL_IN_MEMORY: usize = 16 << 20;
const BUFFER: usize = 256 << 10;

/// An output that appears all at once, or not at all.
///
/// * A file is written as a temporary one in the target's folder and renamed at the end. Until
///   then the old target is untouched, and dropping the output leaves no trace.
/// * A target that already holds the same bytes is not touched, so its time stays
///   ([`Outcome::Unchanged`]).
/// * The mode of an existing target is kept; a new file gets the usual mode. Owner, access lists
///   and hard links of an old target are not carried over.
/// * A symbolic link stays, and what it points at is replaced (or created).
/// * What goes to standard output, a device or a named pipe waits aside until the end, so that a
///   command which fails half-way gives nothing there either.
///
/// # Example
///
/// A stream whose beginning is known only at its end:
///
/// ```
/// use mtlpack::io::{Outcome, OutputFile};
/// use std::io::Write;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("a.metallib");
/// let mut output = OutputFile::create(&path)?;
/// output.write_all(b"????")?;
/// for batch in [b"first", b"after"] {
///     output.write_all(batch)?;
/// }
/// output.write_at(0, b"done")?;
/// assert_eq!(output.finish()?, Outcome::Written);
/// assert_eq!(std::fs::read(&path)?, b"donefirstafter");
/// # Ok(())
/// # }
/// ```
pub struct OutputFile {
    name: String,
    sink: BufWriter<Sink>,
    written: u64,
    failed: bool,
}

/// Where the bytes are until they are committed.
enum Sink {
    File { temp: NamedTempFile, target: PathBuf },
    Spool { spool: Box<SpooledTempFile>, to: Stream },
}

/// A second handle of an output's temporary file; see [`OutputFile::early_sync`].
#[derive(Debug)]
pub struct EarlySync(File);

impl EarlySync {
    /// Waits until what was written so far is on the disk. Failures are left to
    /// [`OutputFile::prepare`], which syncs again.
    pub fn sync(&self) {
        let _ = self.0.sync_data();
    }
}

impl OutputFile {
    /// Begins an output to a path (`-` has no special meaning here).
    ///
    /// # Errors
    ///
    /// If the path is a folder, its folder does not exist, or no file can be created there.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        match resolve(path)? {
            Place::Replace(target) => Self::replacing(label(path), target),
            Place::Direct(to) => Ok(Self::spooling(label(path), Stream::Path(to))),
        }
    }

    /// Begins a binary output to a target.
    ///
    /// # Errors
    ///
    /// As for [`OutputFile::create`], and if standard output is a terminal.
    pub fn open(target: &Target) -> Result<Self> {
        match target {
            Target::Path(path) => Self::create(path),
            Target::Stdout => Self::to_stdout(io::stdout().is_terminal()),
        }
    }

    /// Begins an output of text to a target; a terminal is welcome.
    ///
    /// # Errors
    ///
    /// As for [`OutputFile::create`].
    pub fn open_text(target: &Target) -> Result<Self> {
        match target {
            Target::Path(path) => Self::create(path),
            Target::Stdout => Self::to_stdout(false),
        }
    }

    /// The name for messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many bytes were written so far, patches not counted.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The file behind the output, for bringing what was written to the disk while more is
    /// being written: [`prepare`](Self::prepare) then has less to wait for. `None` if the
    /// output is no file, or the system gives no second handle.
    #[must_use]
    pub fn early_sync(&self) -> Option<EarlySync> {
        match self.sink.get_ref() {
            Sink::File { temp, .. } => temp.as_file().try_clone().ok().map(EarlySync),
            Sink::Spool { .. } => None,
        }
    }

    /// Replaces bytes that were already written; the next `write` still appends.
    ///
    /// # Errors
    ///
    /// If the patch reaches beyond what was written, or writing fails.
    pub fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let (length, written) = (bytes.len() as u64, self.written);
        if offset.checked_add(length).is_none_or(|end| end > written) {
            return Err(IoError::Patch { name: self.name.clone(), offset, length, written });
        }
        patch(&mut self.sink, offset, bytes).map_err(|cause| {
            self.failed = true;
            IoError::write(&self.name, cause)
        })
    }

    /// Completes the output: everything that can fail before the target is replaced.
    ///
    /// # Errors
    ///
    /// If bytes cannot be written or compared, an earlier write failed, or the target is
    /// write-protected. The target is then as it was.
    pub fn prepare(self) -> Result<Prepared> {
        let name = self.name;
        if self.failed {
            return Err(IoError::Incomplete { name });
        }
        match self.sink.into_inner() {
            Ok(Sink::File { temp, target }) => commit::stage(name, temp, target),
            Ok(Sink::Spool { spool, to }) => Ok(commit::stage_stream(name, spool, to)),
            Err(error) => Err(IoError::write(&name, error.into_error())),
        }
    }

    /// Completes the output and puts it in place.
    ///
    /// # Errors
    ///
    /// As for [`OutputFile::prepare`] and [`Prepared::commit`].
    pub fn finish(self) -> Result<Outcome> {
        self.prepare()?.commit()
    }

    fn replacing(name: String, target: PathBuf) -> Result<Self> {
        let temp = match temporary(folder_of(&target)) {
            Ok(temp) => temp,
            Err(cause) => return Err(not_created(name, &target, cause)),
        };
        Ok(Self::over(name, Sink::File { temp, target }))
    }

    fn spooling(name: String, to: Stream) -> Self {
        let spool = Box::new(SpooledTempFile::new(SPOOL_IN_MEMORY));
        Self::over(name, Sink::Spool { spool, to })
    }

    fn to_stdout(terminal: bool) -> Result<Self> {
        match terminal {
            true => Err(IoError::Terminal),
            false => Ok(Self::spooling(Target::Stdout.name(), Stream::Stdout)),
        }
    }

    fn over(name: String, sink: Sink) -> Self {
        let sink = BufWriter::with_capacity(BUFFER, sink);
        Self { name, sink, written: 0, failed: false }
    }

    /// Names the target, and makes sure that an incomplete output is never committed.
    fn failure(&mut self, cause: io::Error) -> IoError {
        self.failed |= cause.kind() != ErrorKind::Interrupted;
        IoError::write(&self.name, cause)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.sink.write(bytes).map_err(|cause| self.failure(cause))?;
        self.written = self.written.saturating_add(count as u64);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush().map_err(|cause| self.failure(cause).into())
    }
}

impl fmt::Debug for OutputFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("OutputFile");
        debug.field("name", &self.name).field("written", &self.written).finish_non_exhaustive()
    }
}

impl Sink {
    fn inner(&mut self) -> &mut dyn ReadWriteSeek {
        match self {
            Self::File { temp, .. } => temp,
            Self::Spool { spool, .. } => spool,
        }
    }
}

trait ReadWriteSeek: Read + Write + Seek {}
impl<T: Read + Write + Seek> ReadWriteSeek for T {}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner().flush()
    }
}

impl Seek for Sink {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner().seek(to)
    }
}

/// Writes bytes to a target that may be standard output, unless that is a terminal.
///
/// # Errors
///
/// As for [`OutputFile::open`] and [`OutputFile::finish`].
pub fn write_bytes(target: &Target, bytes: &[u8]) -> Result<Outcome> {
    fill(OutputFile::open(target)?, bytes)
}

/// Writes text to a target; a terminal is welcome.
///
/// # Errors
///
/// As for [`OutputFile::open_text`] and [`OutputFile::finish`].
pub fn write_text(target: &Target, text: &str) -> Result<Outcome> {
    fill(OutputFile::open_text(target)?, text.as_bytes())
}

/// Writes all of an output.
pub(super) fn fill(mut output: OutputFile, bytes: &[u8]) -> Result<Outcome> {
    output.write_all(bytes)?;
    output.finish()
}

/// Seeking flushes the buffer first.
fn patch(sink: &mut BufWriter<Sink>, offset: u64, bytes: &[u8]) -> io::Result<()> {
    sink.seek(SeekFrom::Start(offset))?;
    sink.write_all(bytes)?;
    sink.seek(SeekFrom::End(0)).map(drop)
}

/// A hidden file in a folder, with the mode of any new file.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".mtlpack-").suffix(".tmp");
    #[cfg(unix)]
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(mode);
    builder.tempfile_in(folder)
}

fn not_created(name: String, target: &Path, cause: io::Error) -> IoError {
    let folder = folder_of(target);
    match cause.kind() {
        ErrorKind::NotFound if !folder.is_dir() => {
            IoError::MissingFolder { name, folder: label(folder) }
        }
        // Folders of the system such as `/proc` say of a new file that it was not found.
        ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            IoError::Folder { name, folder: label(folder) }
        }
        _ => IoError::Create { name, cause },
    }
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
