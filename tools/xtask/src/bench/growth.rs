//! Libraries of more and more functions: time must grow with them, not faster.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use metallib::{
    Container, Dialect, FileType, FunctionSpec, FunctionType, LibraryBuilder, OsVersion, Platform,
    Version, Versions,
};
use metallib_write::{Plan, UuidAction, UuidForm, WriteOptions};

use super::jobs::{Job, median};
use super::{keep_list, table};
use crate::run::Result;

/// How many functions the libraries have; the second is what others are compared with.
const COUNTS: [u32; 3] = [1_000, 10_000, 100_000];

/// Bytes of bitcode and of reflection of a function.
const SIZES: (usize, usize) = (1000, 200);

/// Appends the table of the growing libraries.
pub(super) fn measure(
    page: &mut String,
    program: &Path,
    folder: &Path,
    rounds: usize,
) -> Result<()> {
    writeln!(page, "\nTime for libraries of more functions, as multiples of that for 10,000:")?;
    let mut lines = Vec::new();
    for count in COUNTS {
        let path = folder.join(format!("{count}.metallib"));
        fs::write(&path, library(count)?)?;
        let keep = keep_list(program, &path, folder)?;
        let out = folder.join("out.metallib");
        let program = || OsString::from(program);
        let list = Job::new([program(), "list".into(), path.clone().into()]);
        let words = [program(), "filter".into(), path.into(), "--keep-list".into(), keep.into()];
        let filter = Job::new(words.into_iter().chain(["-o".into(), out.clone().into()]));
        lines.push((count, time(&list, rounds)?, time(&filter.making(&out), rounds)?));
    }
    table(page, &["functions", "`list`", "`filter` to 100 functions"])?;
    let base = lines.get(1).copied().unwrap_or_default();
    for (count, list, filter) in lines {
        writeln!(page, "| {count} | {:.2} | {:.2} |", list / base.1, filter / base.2)?;
    }
    Ok(())
}

fn time(job: &Job, rounds: usize) -> Result<f64> {
    let times = (0..rounds).map(|_| Ok(job.time()?.as_secs_f64()));
    Ok(median(times.collect::<Result<_>>()?))
}

/// A library in the linker dialect, as large ones are.
fn library(count: u32) -> Result<Vec<u8>> {
    let os = OsVersion { major: 14, minor: 0, update: 0 };
    let (container, kind) = (Container::new(7), FileType::Executable);
    let mut builder = LibraryBuilder::new(Dialect::Linker, container, Platform::MACOS, os, kind);
    let versions = Versions { air: Version::new(2, 6), language: Version::new(3, 1) };
    for number in 0..count {
        let bitcode = [&metallib::BITCODE_MAGIC, &number.to_le_bytes(), &[0; SIZES.0][..]].concat();
        let module = metallib::wrap(&bitcode).ok_or("a small module can be wrapped")?;
        let name = format!("kernel_of_a_library_with_many_{number}");
        let mut spec = FunctionSpec::new(name, FunctionType::KERNEL, versions, module);
        spec.reflection = Some(vec![1; SIZES.1].into());
        builder.add(spec)?;
    }
    let uuid = UuidAction::Recompute(UuidForm::Sha256);
    let options = WriteOptions { uuid, ..WriteOptions::default() };
    Ok(Plan::new(&builder.finish()?, options)?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_have_as_many_functions_as_asked_for() {
        let bytes = library(50).unwrap();
        let library = metallib::Library::parse(&bytes).unwrap();
        assert!(library.is_canonical());
        assert_eq!(library.functions().len(), 50);
    }
}
