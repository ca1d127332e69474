//! Many results under plain names in one folder.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::commit::Outcome;
use super::error::{IoError, Result};
use super::output::{OutputFile, fill};
use super::words::label;

/// A folder that takes files under plain names, also in folders below it.
///
/// A name stays inside: separators, `.` and `..` are refused, and so are symbolic links that were
/// there before. Two names that differ in case only are refused too, because on the usual file
/// systems of macOS and Windows the second would replace the first.
///
/// ```
/// use mtlpack::io::{IoError, OutputFolder};
///
/// # fn main() -> Result<(), IoError> {
/// # let temporary = tempfile::tempdir().unwrap();
/// # let path = temporary.path().join("out");
/// let mut folder = OutputFolder::create(&path, false)?;
/// folder.write("a.air", b"bytes")?;
/// assert!(matches!(folder.write("../b.air", b""), Err(IoError::Name { .. })));
/// assert!(matches!(OutputFolder::create(&path, false), Err(IoError::NotEmpty { .. })));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    taken: BTreeSet<String>,
    /// Folders that were made here: those that nothing came into disappear again.
    made: Vec<PathBuf>,
}

impl OutputFolder {
    /// Uses a folder, which is created (with those above it) if it does not exist.
    ///
    /// # Errors
    ///
    /// If it cannot be created or listed, if the path is not a folder, or if there is something
    /// in it and `overwrite` is false.
    pub fn create(path: impl AsRef<Path>, overwrite: bool) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        let name = || label(&path);
        let made = if path.exists() { Vec::new() } else { vec![path.clone()] };
        fs::create_dir_all(&path).map_err(|cause| match cause.kind() {
            ErrorKind::AlreadyExists => IoError::NotAFolder { name: name() },
            _ => IoError::Create { name: name(), cause },
        })?;
        let mut entries =
            fs::read_dir(&path).map_err(|cause| IoError::Open { name: name(), cause })?;
        if !overwrite && entries.next().is_some() {
            return Err(IoError::NotEmpty { name: name() });
        }
        Ok(Self { path, taken: BTreeSet::new(), made })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins a file in the folder.
    ///
    /// # Errors
    ///
    /// If the name is not a plain one or was given before (also in other case), if a symbolic
    /// link of that name exists, and as for [`OutputFile::create`].
    pub fn file(&mut self, name: &str) -> Result<OutputFile> {
        self.begin(name, &[], name)
    }

    /// Begins a file in a folder below this one, which is created: `path` has `/` between plain
    /// names.
    ///
    /// # Errors
    ///
    /// If a name is not a plain one, if the path was given before (also in other case), if a
    /// symbolic link has one of the names, if a folder cannot be created, and as for
    /// [`OutputFile::create`].
    pub fn file_below(&mut self, path: &str) -> Result<OutputFile> {
        let mut folders: Vec<&str> = path.split('/').collect();
        let name = folders.pop().unwrap_or_default();
        self.begin(path, &folders, name)
    }

    fn begin(&mut self, path: &str, folders: &[&str], name: &str) -> Result<OutputFile> {
        let refuse = |reason| IoError::Name { name: path.to_owned(), reason };
        for name in folders.iter().chain([&name]) {
            check(name, cfg!(windows)).map_err(refuse)?;
        }
        if self.taken.contains(&path.to_lowercase()) {
            return Err(refuse("the folder gets a file of that name already (in any case)"));
        }
        let folder = self.enter(folders)?;
        let file = folder.join(name);
        if fs::symlink_metadata(&file).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(refuse("it exists and is not a regular file; remove it first"));
        }
        let output = OutputFile::create(file)?;
        self.taken.insert(path.to_lowercase());
        Ok(output)
    }

    /// The folder below this one, with all between; no link is followed.
    fn enter(&mut self, folders: &[&str]) -> Result<PathBuf> {
        let mut path = self.path.clone();
        for name in folders {
            path.push(name);
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => {
                    let reason = "it exists and is no folder; remove it first";
                    return Err(IoError::Name { name: label(&path), reason });
                }
                Err(_) => {
                    let created = fs::create_dir(&path);
                    created.map_err(|cause| IoError::Create { name: label(&path), cause })?;
                    self.made.push(path.clone());
                }
            }
        }
        Ok(path)
    }

    /// Writes a file in the folder.
    ///
    /// # Errors
    ///
    /// As for [`OutputFolder::file`] and [`OutputFile::finish`].
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<Outcome> {
        fill(self.file(name)?, bytes)
    }

    /// Removes a file that an earlier command left in the folder. Tells whether there was
    /// one: what is no regular file, or was written through this value, stays.
    ///
    /// # Errors
    ///
    /// If the name is not a plain one, or the file cannot be removed.
    pub fn remove(&mut self, name: &str) -> Result<bool> {
        check(name, cfg!(windows))
            .map_err(|reason| IoError::Name { name: name.to_owned(), reason })?;
        let path = self.path.join(name);
        let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        if !is_file || self.taken.contains(&name.to_lowercase()) {
            return Ok(false);
        }
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(cause) => Err(IoError::Remove { name: label(&path), cause }),
        }
    }
}

impl Drop for OutputFolder {
    /// Takes away the folders that it made and that are empty: nothing was written into them.
    fn drop(&mut self) {
        for path in self.made.iter().rev() {
            let _ = fs::remove_dir(path);
        }
    }
}

/// Whether a name is a plain one; Windows gives a meaning to more of them.
fn check(name: &str, windows: bool) -> Result<(), &'static str> {
    match name {
        "" => return Err("it is empty"),
        "." | ".." => return Err("it leads out of the folder"),
        _ if name.contains(['/', '\\']) => return Err("it contains a separator"),
        _ if name.contains('\0') => return Err("it contains a NUL character"),
        _ => {}
    }
    if !windows {
        return Ok(());
    }
    if name.contains(|c: char| c < ' ' || "<>:\"|?*".contains(c)) {
        return Err("it contains a character that Windows does not allow");
    }
    if name.ends_with(['.', ' ']) || is_device(name) {
        return Err("Windows does not allow it");
    }
    Ok(())
}

/// Names that Windows gives to devices, whatever follows the first full stop, in any case.
pub(crate) fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_uppercase();
    let numbered =
        |kind| stem.strip_prefix(kind).is_some_and(|n| matches!(n.as_bytes(), [b'0'..=b'9']));
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creates_and_refuses_folders() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("a/b");
        let mut folder = OutputFolder::create(&path, false).unwrap();
        assert_eq!(folder.path(), path);
        assert_eq!(folder.write("f", b"1").unwrap(), Outcome::Written);
        assert!(matches!(OutputFolder::create(&path, false), Err(IoError::NotEmpty { .. })));
        let mut again = OutputFolder::create(&path, true).unwrap();
        assert_eq!(again.write("f", b"1").unwrap(), Outcome::Unchanged);
        let file = path.join("f");
        assert!(matches!(OutputFolder::create(&file, true), Err(IoError::NotAFolder { .. })));
        assert!(OutputFolder::create(file.join("x"), true).is_err());
    }

    #[test]
    fn refuses_names_that_collide_or_climb() {
        let temporary = tempfile::tempdir().unwrap();
        let mut folder = OutputFolder::create(temporary.path(), false).unwrap();
        for name in ["", ".", "..", "a/b", "/a", "a\\b", "..\\a", "a\0b"] {
            assert!(matches!(folder.write(name, b""), Err(IoError::Name { .. })), "{name}");
        }
        for name in ["..a", "a..b", "a b", "ünï"] {
            folder.write(name, b"").unwrap();
        }
        folder.write("Foo", b"").unwrap();
        assert!(matches!(folder.write("foo", b""), Err(IoError::Name { .. })));
    }

    #[test]
    fn takes_files_in_folders_below() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("out");
        let mut folder = OutputFolder::create(&path, false).unwrap();
        for name in ["a/b/f", "a/g", "a/b/h"] {
            folder.file_below(name).unwrap().finish().unwrap();
        }
        assert!(matches!(folder.file_below("A/b/F"), Err(IoError::Name { .. })));
        for name in ["", "a/../b", "a//b", "/a", "a/", "./a", "a/b\\c", "a/\0/b"] {
            assert!(matches!(folder.file_below(name), Err(IoError::Name { .. })), "{name}");
        }
        let error = folder.file_below("a/g/x").unwrap_err().to_string();
        assert!(error.ends_with("it exists and is no folder; remove it first"), "{error}");
        // What was begun and not finished leaves no folder behind.
        drop(folder.file_below("c/d/e").unwrap());
        assert!(path.join("c/d").is_dir());
        drop(folder);
        assert!(!path.join("c").exists() && path.join("a/b/h").is_file());
        let nothing = temporary.path().join("nothing");
        drop(OutputFolder::create(&nothing, false).unwrap());
        assert!(!nothing.exists());
    }

    #[test]
    fn removes_only_old_regular_files() {
        let temporary = tempfile::tempdir().unwrap();
        for name in ["old", "new", "other"] {
            fs::write(temporary.path().join(name), b"").unwrap();
        }
        fs::create_dir(temporary.path().join("folder")).unwrap();
        let mut folder = OutputFolder::create(temporary.path(), true).unwrap();
        folder.write("new", b"1").unwrap();
        assert!(folder.remove("old").unwrap());
        for name in ["old", "new", "NEW", "folder"] {
            assert!(!folder.remove(name).unwrap(), "{name}");
        }
        assert!(folder.remove("../x").is_err());
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 3);
    }

    #[test]
    fn knows_what_windows_refuses() {
        for name in ["a:b", "a<b>", "nul", "COM1.air", "a.", "a ", "x\n"] {
            assert!(check(name, true).is_err(), "{name}");
            assert!(check(name, false).is_ok(), "{name}");
        }
        for name in ["a.air", "nulls", "COM", "com12", "console.air"] {
            assert!(check(name, true).is_ok(), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn does_not_follow_links() {
        let temporary = tempfile::tempdir().unwrap();
        let outside = temporary.path().join("outside");
        let path = temporary.path().join("out");
        fs::create_dir(&path).unwrap();
        std::os::unix::fs::symlink(&outside, path.join("link")).unwrap();
        let mut folder = OutputFolder::create(&path, true).unwrap();
        assert!(matches!(folder.write("link", b"x"), Err(IoError::Name { .. })));
        assert!(!outside.exists());
        fs::create_dir(&outside).unwrap();
        assert!(matches!(folder.file_below("link/x"), Err(IoError::Name { .. })));
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
