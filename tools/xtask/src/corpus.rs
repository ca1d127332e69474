//! Round trip of every library of the corpus with everything recomputed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use metallib::Library;
use metallib_write::{Hashes, Plan, UuidAction, UuidStatus, WriteOptions, uuid_status};
use mtlpack::io::Input;
use mtlpack_tests::corpus_folder;

use crate::run::Result;

/// Arguments of `cargo xtask corpus`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The large libraries too
    #[arg(long)]
    large: bool,
}

/// Rebuilds every library; fails if any differs.
pub(crate) fn run(args: &Args) -> Result<()> {
    let root = corpus_folder();
    let mut paths = Vec::new();
    for part in ["libraries", "air"].into_iter().chain(args.large.then_some("large")) {
        collect(&root.join(part), &mut paths)?;
    }
    paths.sort();
    let (mut count, mut bytes, mut failures) = (0, 0, 0);
    for path in &paths {
        let input = Input::open(path)?;
        if !input.bytes().starts_with(&metallib::MAGIC) {
            continue;
        }
        count += 1;
        bytes += input.bytes().len();
        if let Err(error) = roundtrip(input.bytes()) {
            failures += 1;
            println!("{}: {error}", path.display());
        }
    }
    println!("{count} libraries, {bytes} bytes, {failures} failures in {}", root.display());
    match (count, failures) {
        (0, _) => Err("no library there: unpack the corpus or set MTLPACK_CORPUS".into()),
        (_, 0) => Ok(()),
        _ => Err("some libraries do not come back byte for byte".into()),
    }
}

/// All files below a folder.
pub(crate) fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    let wrong = |error| format!("cannot read {}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// Parses, lays out, hashes and writes anew, and compares with the source.
fn roundtrip(bytes: &[u8]) -> Result<()> {
    let library = Library::parse(bytes)?;
    if let Some(reason) = library.irregularities().iter().next() {
        return Err(format!("irregular: {reason}").into());
    }
    let uuid = match uuid_status(&library)? {
        UuidStatus::Follows(form) => UuidAction::Recompute(form),
        UuidStatus::Absent | UuidStatus::Other => UuidAction::Keep,
    };
    let plan = Plan::new(&library, WriteOptions { rebuild: true, hashes: Hashes::All, uuid })?;
    let mut rest = Compare { expected: bytes, position: 0 };
    plan.write_to(&mut rest)?;
    if rest.expected.is_empty() { Ok(()) } else { Err("the output is too short".into()) }
}

/// Compares what is written with what is expected.
struct Compare<'a> {
    expected: &'a [u8],
    position: usize,
}

impl Write for Compare<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(rest) = self.expected.strip_prefix(bytes) else {
            let same = bytes.iter().zip(self.expected).take_while(|(ours, theirs)| ours == theirs);
            let offset = self.position + same.count();
            return Err(io::Error::other(format!("the output differs at offset {offset:#x}")));
        };
        self.expected = rest;
        self.position += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_where_outputs_differ() {
        let mut compare = Compare { expected: b"abcdef", position: 0 };
        compare.write_all(b"abc").unwrap();
        let error = compare.write_all(b"dXf").unwrap_err();
        assert_eq!(error.to_string(), "the output differs at offset 0x4");
        assert!(compare.write_all(b"defg").is_err());
        compare.write_all(b"def").unwrap();
        assert!(compare.expected.is_empty());
    }
}
