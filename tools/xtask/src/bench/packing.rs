//! Packing many small modules.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use mtlpack::air_bitcode::{Head, Rename, Renamer};
use mtlpack_tests::{Sample, air_files};

use super::jobs::Job;
use super::large::Row;
use super::table;
use crate::run::Result;

/// How many `.air` files are packed.
const COUNT: usize = 1_000;

/// About as many bytes each has.
const SIZE: usize = 5_000;

/// What packing may cost, as a multiple of joining and hashing the same bytes.
const AIM: f64 = 3.0;

/// Appends the table of packing.
pub(super) fn measure(
    page: &mut String,
    program: &Path,
    folder: &Path,
    rounds: usize,
) -> Result<()> {
    let files = files(folder)?;
    let list = folder.join("air.txt");
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    fs::write(&list, names.join("\n"))?;
    let size = fs::metadata(files.first().ok_or("files that were written")?)?.len();
    writeln!(
        page,
        "\nPacking {COUNT} `.air` files of {size} bytes, copies of one with other names:"
    )?;
    table(page, &["what", "against", "median", "best", "aim", "peak memory"])?;
    for threads in ["1", "2"] {
        let line = row(program, folder, &files, &list, threads).measure(rounds)?;
        eprintln!("{line}");
        writeln!(page, "{line}")?;
    }
    Ok(())
}

fn row(program: &Path, folder: &Path, files: &[PathBuf], list: &Path, threads: &str) -> Row {
    let (out, copy) = (folder.join("packed.metallib"), folder.join("copy"));
    let argument = [OsString::from("@"), list.into()].into_iter().collect::<OsString>();
    let pack = [program.into(), "pack".into(), argument, "-o".into(), out.clone().into()];
    let pack: Vec<OsString> =
        pack.into_iter().chain(["--threads".into(), threads.into()]).collect();
    let cat = std::iter::once(OsString::from("cat")).chain(files.iter().map(OsString::from));
    let hash = ["openssl".into(), "dgst".into(), "-sha256".into(), OsString::from(&copy)];
    Row {
        what: format!("`pack`, {threads} thread{}", if threads == "1" { "" } else { "s" }),
        against: "`cat` of them, `openssl dgst -sha256` of that",
        ours: Job::new(pack).making(&out),
        theirs: Job::new(cat).redirected(&copy).then(hash),
        limit: Some(AIM),
    }
}

/// The `.air` file of one function whose size is nearest, with its function's name.
fn sample() -> Result<(Sample, Vec<u8>)> {
    let single = |air: Sample| match Head::full(&air.bytes).ok()?.entries.as_slice() {
        [entry] => Some((entry.name.to_vec(), air)),
        _ => None,
    };
    let all = air_files().into_iter().filter_map(single);
    let nearest = all.min_by_key(|(_, air)| air.bytes.len().abs_diff(SIZE));
    let (name, air) = nearest.ok_or("`.air` files are expected in the corpus")?;
    Ok((air, name))
}

/// Writes copies of a `.air` file with other names of its function.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let (air, name) = sample()?;
    let mut renamer = Renamer::new();
    let mut files = Vec::with_capacity(COUNT);
    for number in 0..COUNT {
        let new = format!("kernel_{number:04}");
        let mut bytes = Vec::new();
        let rename = Rename { old: &name, new: new.as_bytes() };
        renamer.rename(&air.bytes, &[rename], &mut bytes)?;
        let path = folder.join(format!("{number:04}.air"));
        fs::write(&path, bytes)?;
        files.push(path);
    }
    Ok(files)
}
