//! Programs of others that read bytes and print text.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::process::{Command, Output, Stdio};

/// Runs a program with some bytes as its standard input, and waits for its end.
///
/// The bytes are in a file without name while it runs, so it may read them when it likes.
///
/// # Errors
/// If the program cannot be started ([`io::ErrorKind::NotFound`] where there is none), or
/// there is no place for the bytes.
pub fn run_on(program: impl AsRef<OsStr>, arguments: &[&str], bytes: &[u8]) -> io::Result<Output> {
    // A folder for temporary files that is not there is no program that is not there.
    let mut file = aside(bytes).map_err(|cause| {
        let folder = std::env::temp_dir();
        let what = format!("no temporary file in `{}`: {cause}", folder.display());
        io::Error::other(what)
    })?;
    file.rewind()?;
    Command::new(program).args(arguments).stdin(Stdio::from(file)).output()
}

/// A temporary file that holds these bytes.
fn aside(bytes: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    Ok(file)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn programs_read_what_they_are_given() {
        let output = run_on("cat", &["-"], b"some bytes").unwrap();
        assert_eq!((output.stdout.as_slice(), output.status.success()), (&b"some bytes"[..], true));
        let missing = run_on("no-program-of-this-name", &[], b"").unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
