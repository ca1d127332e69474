//! How messages show paths and the system's reasons.

use std::io;
use std::path::Path;

/// A path as messages show it.
pub(super) fn label(path: &Path) -> String {
    path.display().to_string()
}

/// The system's reason in the style of our messages, the same on every system for common ones.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotADirectory => "a part of the path is not a folder".to_owned(),
        io::ErrorKind::StorageFull => "no space left on the device".to_owned(),
        _ => plain(&error.to_string()),
    }
}

/// Without the trailing error number and full stop, and with the first letter in lower case.
fn plain(text: &str) -> String {
    let text = text.split(" (os error").next().unwrap_or(text).trim_end_matches('.');
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => "unknown reason".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_one_style() {
        assert_eq!(plain("The disk is tired. (os error 5)"), "the disk is tired");
        assert_eq!(plain(""), "unknown reason");
        let missing = io::Error::from(io::ErrorKind::NotFound);
        assert_eq!(reason(&missing), "no such file or folder");
    }
}
