//! Putting complete outputs in place, all of them or none.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, SpooledTempFile, TempPath};

use super::error::{IoError, Result};
use super::place::folder_of;

const CHUNK: usize = 64 << 10;

/// What became of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The target was created, replaced, or written to.
    Written,
    /// The target already had the same bytes and was left alone.
    Unchanged,
}

/// A complete output that is not in place yet; dropping it leaves the target as it was.
#[must_use = "an output that is not committed disappears"]
pub struct Prepared {
    name: String,
    step: Step,
}

enum Step {
    Keep { target: PathBuf },
    Replace { temp: TempPath, target: PathBuf },
    Stream { spool: Box<SpooledTempFile>, to: Stream },
}

/// A target that is written to rather than replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stream {
    Path(PathBuf),
    Stdout,
}

impl Prepared {
    /// Puts the output in place.
    ///
    /// # Errors
    ///
    /// If the target cannot be replaced (it is then as it was) or, for standard output, devices
    /// and pipes, written to: [`IoError::BrokenPipe`] if nobody reads any more.
    pub fn commit(self) -> Result<Outcome> {
        let name = self.name;
        match self.step {
            Step::Keep { .. } => return Ok(Outcome::Unchanged),
            Step::Replace { temp, target } => {
                let placed = temp.persist(target);
                placed.map_err(|error| IoError::Rename { name, cause: error.error })?;
            }
            Step::Stream { spool, to } => {
                let sent = to.send(*spool);
                sent.map_err(|cause| IoError::write(&name, cause))?;
            }
        }
        Ok(Outcome::Written)
    }

    /// What [`Prepared::commit`] will answer.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self.step {
            Step::Keep { .. } => Outcome::Unchanged,
            _ => Outcome::Written,
        }
    }

    fn is_stream(&self) -> bool {
        matches!(self.step, Step::Stream { .. })
    }

    /// Equal for two outputs with the same target.
    fn key(&self) -> (PathBuf, OsString) {
        let path = match &self.step {
            Step::Keep { target } | Step::Replace { target, .. } => target,
            Step::Stream { to: Stream::Path(path), .. } => path,
            Step::Stream { to: Stream::Stdout, .. } => return (PathBuf::new(), "-".into()),
        };
        let folder = folder_of(path);
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        (folder, path.file_name().unwrap_or_default().to_owned())
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Prepared");
        debug.field("name", &self.name).field("outcome", &self.outcome()).finish_non_exhaustive()
    }
}

/// Puts several outputs in place: first the files, then what goes to streams.
///
/// As everything that is likely to fail happened in
/// [`prepare`](super::OutputFile::prepare), no target is replaced if any output is incomplete.
/// The outcomes have the order of the outputs.
///
/// # Errors
///
/// If two outputs have the same target (nothing is replaced then), or as for
/// [`Prepared::commit`]; outputs after the failing one are not put in place.
pub fn commit_all(outputs: Vec<Prepared>) -> Result<Vec<Outcome>> {
    let mut keys = Vec::with_capacity(outputs.len());
    for output in &outputs {
        let key = output.key();
        if keys.contains(&key) {
            return Err(IoError::SameTarget { name: output.name.clone() });
        }
        keys.push(key);
    }
    let numbered = outputs.into_iter().enumerate();
    let (streams, files): (Vec<_>, Vec<_>) = numbered.partition(|(_, output)| output.is_stream());
    let mut outcomes = Vec::with_capacity(keys.len());
    for (index, output) in files.into_iter().chain(streams) {
        outcomes.push((index, output.commit()?));
    }
    outcomes.sort_by_key(|(index, _)| *index);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

impl Stream {
    fn send(self, mut spool: SpooledTempFile) -> io::Result<()> {
        spool.rewind()?;
        match self {
            Self::Stdout => copy(&mut spool, &mut io::stdout().lock()),
            Self::Path(path) => {
                let mut file = OpenOptions::new().write(true).truncate(true).open(path)?;
                copy(&mut spool, &mut file)
            }
        }
    }
}

fn copy(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let filled = read_full(from, &mut chunk)?;
        if filled.is_empty() {
            return to.flush();
        }
        to.write_all(filled)?;
    }
}

/// Compares with the target, then makes the temporary file ready to take its place.
pub(super) fn stage(name: String, mut temp: NamedTempFile, target: PathBuf) -> Result<Prepared> {
    let failed = |cause| IoError::write(&name, cause);
    if is_same(temp.as_file_mut(), &target).map_err(failed)? {
        return Ok(Prepared { name, step: Step::Keep { target } });
    }
    adopt(temp.as_file(), &name, &target)?;
    temp.as_file().sync_all().map_err(failed)?;
    let temp = temp.into_temp_path();
    Ok(Prepared { name, step: Step::Replace { temp, target } })
}

pub(super) fn stage_stream(name: String, spool: Box<SpooledTempFile>, to: Stream) -> Prepared {
    Prepared { name, step: Step::Stream { spool, to } }
}

/// Takes over the mode of an existing target, which must allow writing.
fn adopt(temp: &File, name: &str, target: &Path) -> Result<()> {
    let Ok(found) = fs::metadata(target) else { return Ok(()) };
    if let Err(cause) = OpenOptions::new().write(true).open(target)
        && cause.kind() == ErrorKind::PermissionDenied
    {
        return Err(IoError::Protected { name: name.to_owned() });
    }
    if cfg!(unix) {
        let kept = temp.set_permissions(found.permissions());
        kept.map_err(|cause| IoError::write(name, cause))?;
    }
    Ok(())
}

/// Whether a file has the content of ours; a file that cannot be read has not.
fn is_same(ours: &mut File, target: &Path) -> io::Result<bool> {
    let Ok(mut theirs) = File::open(target) else { return Ok(false) };
    let length = ours.metadata()?.len();
    if !theirs.metadata().is_ok_and(|found| found.is_file() && found.len() == length) {
        return Ok(false);
    }
    ours.rewind()?;
    let (mut left, mut right) = (vec![0; CHUNK], vec![0; CHUNK]);
    loop {
        let left = read_full(ours, &mut left)?;
        let Ok(right) = read_full(&mut theirs, &mut right) else { return Ok(false) };
        if left != right || left.is_empty() {
            return Ok(left == right);
        }
    }
}

/// Fills the buffer as far as the reader has bytes.
fn read_full<'a>(reader: &mut dyn Read, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..)
        && !rest.is_empty()
    {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(buffer.get(..filled).unwrap_or_default())
}

#[cfg(test)]
#[path = "commit_tests.rs"]
mod tests;
