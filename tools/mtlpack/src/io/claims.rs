//! What a command reads and writes, so that no output destroys an input.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::{IoError, Result};
use super::place::identity;
use super::words::label;

/// The files of one command by what they are: links are followed, `./` and `..` resolved.
///
/// Name everything that is read before anything that is written:
///
/// ```
/// use mtlpack::io::{Claims, IoError};
///
/// # fn main() -> Result<(), IoError> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.metallib");
/// # std::fs::write(&path, b"").unwrap();
/// let mut claims = Claims::default();
/// claims.read(&path);
/// claims.write(&folder.path().join("b.metallib"))?;
/// let detour = folder.path().join("./a.metallib");
/// assert!(matches!(claims.write(&detour), Err(IoError::OverInput { .. })));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Claims {
    files: HashMap<PathBuf, Claim>,
}

#[derive(Debug)]
enum Claim {
    Read(String),
    Written,
}

impl Claims {
    /// Claims a file that is read. Tells whether it is an output as well: one that was
    /// claimed before stays one.
    pub fn read(&mut self, path: &Path) -> bool {
        let claim = self.files.entry(identity(path)).or_insert_with(|| Claim::Read(label(path)));
        matches!(claim, Claim::Written)
    }

    /// Claims the path of an output. Devices and pipes are written to rather than replaced,
    /// so they destroy nothing.
    ///
    /// # Errors
    ///
    /// If the path is that of a file that is read, or of another output.
    pub fn write(&mut self, path: &Path) -> Result<()> {
        let name = label(path);
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Ok(());
        }
        match self.files.entry(identity(path)) {
            Entry::Vacant(free) => {
                free.insert(Claim::Written);
                Ok(())
            }
            Entry::Occupied(taken) => Err(match taken.get() {
                Claim::Read(input) => IoError::OverInput { name, input: input.clone() },
                Claim::Written => IoError::SameTarget { name },
            }),
        }
    }

    /// Whether the file is read or written.
    #[must_use]
    pub fn has(&self, path: &Path) -> bool {
        self.files.contains_key(&identity(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_and_inputs_are_kept_apart() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("a"), b"").unwrap();
        let mut claims = Claims::default();
        assert!(!claims.read(&at("sub/../a")));
        let refused = claims.write(&at("a")).unwrap_err().to_string();
        assert!(refused.contains("sub/../a"), "{refused}");
        claims.write(&at("new/x")).unwrap();
        assert!(matches!(claims.write(&at("./new/./x")), Err(IoError::SameTarget { .. })));
        assert!(claims.has(&at("sub/../new/x")) && !claims.has(&at("new/y")));
        claims.write(folder.path()).unwrap();
    }

    #[test]
    fn an_output_may_come_before_the_input_that_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"").unwrap();
        let mut claims = Claims::default();
        claims.write(&path).unwrap();
        assert!(claims.read(&path));
        assert!(claims.write(&path).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_what_they_point_at() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), b"").unwrap();
        symlink("a", at("link")).unwrap();
        symlink("b", at("dangling")).unwrap();
        symlink(".", at("here")).unwrap();
        symlink("loop", at("loop")).unwrap();
        let mut claims = Claims::default();
        claims.read(&at("a"));
        for name in ["link", "here/a", "here/link"] {
            assert!(matches!(claims.write(&at(name)), Err(IoError::OverInput { .. })), "{name}");
        }
        claims.write(&at("dangling")).unwrap();
        assert!(claims.write(&at("here/b")).is_err());
        claims.write(&at("loop")).unwrap();
        for _ in 0..2 {
            claims.write(Path::new("/dev/null")).unwrap();
        }
    }
}
