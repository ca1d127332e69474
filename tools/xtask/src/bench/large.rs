//! The two large libraries of the corpus.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::jobs::{Job, best, median};
use super::{keep_list, table};
use crate::corpus::collect;
use crate::run::Result;

/// What is measured, against what, and what it may cost.
pub(super) struct Row {
    pub(super) what: String,
    pub(super) against: &'static str,
    pub(super) ours: Job,
    pub(super) theirs: Job,
    pub(super) limit: Option<f64>,
}

const CONCATENATED: &str = "`cat F G >c; openssl dgst -sha256 c`";
const HASHED: &str = "`openssl dgst -sha256 F`";

/// Commands that read modules, with how many threads, and what they may cost.
const READING: [(&str, &str, Option<f64>); 6] = [
    ("verify", "1", Some(1.6)),
    ("verify", "2", Some(1.0)),
    ("symbols", "1", Some(0.35)),
    ("symbols", "2", Some(0.25)),
    ("info", "1", None),
    ("info", "2", None),
];

/// Where files are kept in memory, so that nothing waits for a disk.
const MEMORY: &str = "/dev/shm";

/// Appends the table of the large libraries.
pub(super) fn measure(
    page: &mut String,
    program: &Path,
    folder: &Path,
    rounds: usize,
) -> Result<()> {
    let [first, second] = libraries()?;
    let size = |path: &Path| fs::metadata(path).map(|found| found.len() / 1_000_000);
    writeln!(page, "F has {} MB, G {} MB.", size(&first)?, size(&second)?)?;
    let keep = keep_list(program, &first, folder)?;
    let rows = rows(program, [&first, &second], &keep, folder);
    // Once, so that both libraries are in memory.
    for row in &rows {
        row.theirs.time()?;
    }
    let columns = ["what", "against", "median", "best", "aim", "peak memory"];
    table(page, &columns)?;
    for row in rows {
        let line = row.measure(rounds)?;
        eprintln!("{line}");
        writeln!(page, "{line}")?;
    }
    Ok(())
}

/// The two largest files of the corpus, the larger first.
fn libraries() -> Result<[PathBuf; 2]> {
    let folder = mtlpack_tests::corpus_folder().join("large");
    let mut paths = Vec::new();
    collect(&folder, &mut paths)?;
    paths.sort_by_key(|path| std::cmp::Reverse(fs::metadata(path).map_or(0, |found| found.len())));
    match paths.as_slice() {
        [first, second, ..] => Ok([first.clone(), second.clone()]),
        _ => Err(format!("two libraries are expected in {}", folder.display()).into()),
    }
}

/// A command line.
fn words(words: &[&dyn AsRef<OsStr>]) -> Vec<OsString> {
    words.iter().map(|word| word.as_ref().to_owned()).collect()
}

fn hashed(path: &Path) -> Job {
    Job::new(words(&[&"openssl", &"dgst", &"-sha256", &path]))
}

fn rows(program: &Path, [first, second]: [&Path; 2], keep: &Path, folder: &Path) -> Vec<Row> {
    let mut rows = reading(program, first);
    let out = folder.join("out.metallib");
    let filter = words(&[&program, &"filter", &first, &"--keep-list", &keep, &"-o", &out]);
    rows.push(Row {
        what: "`filter F` to 100 functions".to_owned(),
        against: HASHED,
        ours: Job::new(filter).making(&out),
        theirs: hashed(first),
        limit: None,
    });
    let memory = Some(Path::new(MEMORY)).filter(|path| path.is_dir());
    for folder in memory.into_iter().chain([folder]) {
        let place = if folder == Path::new(MEMORY) { "in memory" } else { "to a disk" };
        rows.extend(renaming(program, first, folder, place));
        rows.extend(merging(program, [first, second], folder, place));
    }
    rows
}

/// Commands that read F.
fn reading(program: &Path, first: &Path) -> Vec<Row> {
    let mut rows = vec![Row {
        what: "`list F`".to_owned(),
        against: HASHED,
        ours: Job::new(words(&[&program, &"list", &first])),
        theirs: hashed(first),
        limit: None,
    }];
    for (command, threads, limit) in READING {
        rows.push(Row {
            what: format!("`{command} F`, {}", in_words(threads)),
            against: HASHED,
            ours: Job::new(words(&[&program, &command, &first, &"--threads", &threads])),
            theirs: hashed(first),
            limit,
        });
    }
    rows
}

/// Renaming every function of F.
fn renaming(program: &Path, first: &Path, folder: &Path, place: &str) -> Vec<Row> {
    let out = folder.join("mtlpack-out.metallib");
    let row = |(threads, limit): (&str, f64)| {
        let rename = [&program as &dyn AsRef<OsStr>, &"rename", &first, &"--prefix", &"ours_"];
        let rename = [&rename[..], &[&"-o", &out, &"--threads", &threads]].concat();
        Row {
            what: format!("`rename F --prefix ours_` {place}, {}", in_words(threads)),
            against: HASHED,
            ours: Job::new(words(&rename)).making(&out),
            theirs: hashed(first),
            limit: Some(limit),
        }
    };
    [("1", 2.8), ("2", 1.6)].map(row).into()
}

/// Merging F and G.
fn merging(program: &Path, [first, second]: [&Path; 2], folder: &Path, place: &str) -> Vec<Row> {
    let (out, copy) = (folder.join("mtlpack-out.metallib"), folder.join("mtlpack-copy"));
    let row = |(threads, limit): (&str, f64)| {
        let merge = [&program as &dyn AsRef<OsStr>, &"merge", &first, &second, &"-o", &out];
        let choice = [&"--on-duplicate" as &dyn AsRef<OsStr>, &"first", &"--threads", &threads];
        Row {
            what: format!("`merge F G` {place}, {}", in_words(threads)),
            against: CONCATENATED,
            ours: Job::new(words(&[&merge[..], &choice].concat())).making(&out),
            theirs: Job::new(words(&[&"cat", &first, &second]))
                .redirected(&copy)
                .then(words(&[&"openssl", &"dgst", &"-sha256", &copy])),
            limit: Some(limit),
        }
    };
    [("1", 1.1), ("2", 0.9)].map(row).into()
}

fn in_words(threads: &str) -> String {
    format!("{threads} thread{}", if threads == "1" { "" } else { "s" })
}

impl Row {
    /// Runs pairs; gives a line of the table.
    pub(super) fn measure(&self, rounds: usize) -> Result<String> {
        let (mut ratios, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let (base, taken) = (self.theirs.time()?.as_secs_f64(), self.ours.time()?);
            ratios.push(taken.as_secs_f64() / base);
            ours.push(taken.as_secs_f64());
            theirs.push(base);
        }
        let limit = self.limit.map_or_else(String::new, |limit| limit.to_string());
        let peak = self.ours.peak()?;
        let peak = peak.map_or_else(|| "not told".to_owned(), |peak| format!("{peak:.0} MiB"));
        Ok(format!(
            "| {} | {} | {:.2} | {:.2} | {limit} | {peak} |",
            self.what,
            self.against,
            median(ratios),
            best(&ours) / best(&theirs),
        ))
    }
}
