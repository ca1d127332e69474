//! What a path for an output really is.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::{IoError, Result};
use super::words::label;

/// As many links as systems follow.
const LINK_LIMIT: usize = 40;

/// How an output reaches its path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// By renaming a temporary file to this path, which is no link.
    Replace(PathBuf),
    /// By writing into what is there: a device, a named pipe, a descriptor of this process.
    Direct(PathBuf),
}

/// Finds out how to write to a path, following symbolic links.
///
/// # Errors
///
/// If the path is a folder or cannot be looked at, or if its links lead in a circle.
pub(super) fn resolve(path: &Path) -> Result<Place> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(IoError::Directory { name: label(path) }),
        Ok(found) if !found.is_file() => Ok(Place::Direct(path.to_path_buf())),
        Ok(_) => follow(path),
        Err(cause) if cause.kind() == ErrorKind::NotFound => named_file(path).and_then(follow),
        Err(cause) => Err(IoError::Open { name: label(path), cause }),
    }
}

/// Refuses paths that cannot become a file.
fn named_file(path: &Path) -> Result<&Path> {
    let name = || label(path);
    match path.as_os_str().as_encoded_bytes().last() {
        None => Err(IoError::Name { name: name(), reason: "it is empty" }),
        Some(b'/') => Err(IoError::Directory { name: name() }),
        Some(b'\\') if cfg!(windows) => Err(IoError::Directory { name: name() }),
        Some(_) => Ok(path),
    }
}

/// Follows links to a name that is none, which need not exist.
fn follow(path: &Path) -> Result<Place> {
    let mut target = path.to_path_buf();
    for _ in 0..LINK_LIMIT {
        if !fs::symlink_metadata(&target).is_ok_and(|found| found.is_symlink()) {
            return Ok(Place::Replace(target));
        }
        if cfg!(unix) && (target.starts_with("/dev") || target.starts_with("/proc")) {
            return Ok(Place::Direct(path.to_path_buf()));
        }
        let link = fs::read_link(&target)
            .map_err(|cause| IoError::Open { name: label(&target), cause })?;
        target = target.parent().map_or_else(|| link.clone(), |folder| folder.join(&link));
    }
    Err(IoError::Name { name: label(path), reason: "its symbolic links lead in a circle" })
}

/// What a file is whatever it is called, whether it exists or not: an absolute path without
/// links and detours, as far as its folders exist.
pub(super) fn identity(path: &Path) -> PathBuf {
    if let Ok(found) = fs::canonicalize(path) {
        return found;
    }
    match resolve(path) {
        Ok(Place::Replace(target)) => beneath(&target),
        _ => beneath(path),
    }
}

/// The path with those of its folders resolved that exist.
fn beneath(path: &Path) -> PathBuf {
    let Some(name) = path.file_name() else {
        return std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    };
    let folder = folder_of(path);
    fs::canonicalize(folder).unwrap_or_else(|_| beneath(folder)).join(name)
}

/// The folder that a file is in, for paths of one name the present one.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_files_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        assert_eq!(resolve(&path).unwrap(), Place::Replace(path.clone()));
        assert!(matches!(resolve(folder.path()), Err(IoError::Directory { .. })));
        assert!(matches!(resolve(&path.join("")), Err(IoError::Directory { .. })));
        assert!(matches!(resolve(Path::new("")), Err(IoError::Name { .. })));
        fs::write(&path, b"").unwrap();
        assert!(matches!(resolve(&path.join("in a file")), Err(IoError::Open { .. })));
        assert_eq!(folder_of(Path::new("x")), Path::new("."));
        assert_eq!(folder_of(Path::new("a/x")), Path::new("a"));
    }

    #[cfg(unix)]
    #[test]
    fn follows_links() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        symlink("sub/second", at("first")).unwrap();
        symlink("../real", at("sub/second")).unwrap();
        assert_eq!(resolve(&at("first")).unwrap(), Place::Replace(at("sub/../real")));
        symlink("loop", at("loop")).unwrap();
        assert!(resolve(&at("loop")).is_err());
        symlink("sub", at("to a folder")).unwrap();
        assert!(matches!(resolve(&at("to a folder")), Err(IoError::Directory { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_directly() {
        assert_eq!(resolve(Path::new("/dev/null")).unwrap(), Place::Direct("/dev/null".into()));
    }
}
