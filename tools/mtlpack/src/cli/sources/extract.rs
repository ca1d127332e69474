//! `mtlpack sources extract`.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::super::failure::Failure;
use super::super::options::{Format, FormatArg, OneFile, folder};
use super::super::printer::{Printer, clean};
use super::super::{Answer, json, source};
use super::MaxSize;
use crate::io::{Claims, Input, Outcome, OutputFolder, Prepared};
use crate::{SOURCES_INDEX, SourceExtraction, SourceFile};

/// Take the embedded sources out, as files
///
/// Each archive gets a folder of its own, named after its id, with its files below it: that of
/// `/src/a.metal` is `src/a.metal` there. The folder also gets a file `index.tsv` with a line for
/// each file: its path, the archive's id, and its name as it stands in the archive. If anything is
/// wrong with any archive, nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack sources extract debug.metallib -o src")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    /// Folder to write into, which is created; it must be empty
    #[arg(short, long, value_name = "DIR", required_unless_present = "dry_run")]
    output: Option<OsString>,
    /// Allow a folder that is not empty, and replace files in it
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    max_size: MaxSize,
    /// Print what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    format: FormatArg,
    /// The response files of the command line: they are inputs too.
    #[arg(skip)]
    pub(super) response_files: Vec<PathBuf>,
}

/// What was written.
#[derive(Serialize)]
struct Report {
    outputs: Vec<Output>,
}

/// One file; the index belongs to no archive.
#[derive(Serialize)]
struct Output {
    file: String,
    size: u64,
    outcome: &'static str,
    archive: Option<usize>,
    member: Option<String>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let input = Input::open(&args.input.file)?;
    let library = source::parse(&input)?;
    let named = source::named(&input, &library);
    let extraction = crate::extract_sources(named, args.max_size.budget())?;
    let folder = args.output.as_deref().map(folder).transpose()?;
    let path = folder.as_deref().unwrap_or(Path::new(""));
    let index = extraction.index();
    let outcomes = match (&folder, args.dry_run) {
        (Some(folder), false) => write(args, &input, &extraction, &index, folder)?,
        _ => vec!["planned"; extraction.files().len().saturating_add(1)],
    };
    let files = extraction.files().iter().map(|file| Output::of(file, path));
    let last = Output {
        file: path.join(SOURCES_INDEX).display().to_string(),
        size: index.len() as u64,
        outcome: "planned",
        archive: None,
        member: None,
    };
    let outputs = files.chain([last]).zip(outcomes);
    let outputs = outputs.map(|(output, outcome)| Output { outcome, ..output }).collect();
    let report = Report { outputs };
    match args.format.format {
        Format::Json => json::print(&report, printer)?,
        Format::Human if args.dry_run => {
            for Output { file, size, .. } in &report.outputs {
                writeln!(printer.out(), "{}: {size} bytes", clean(file))?;
            }
        }
        Format::Human => {}
    }
    Ok(Answer::Yes)
}

impl Output {
    fn of(file: &SourceFile, folder: &Path) -> Self {
        Self {
            file: folder.join(&file.path).display().to_string(),
            size: file.size,
            outcome: "planned",
            archive: Some(file.archive),
            member: Some(String::from_utf8_lossy(&file.name).into_owned()),
        }
    }
}

/// Writes all files, or none: each is complete before the first gets its name. The index comes
/// last: where it is, the files are complete.
fn write(
    args: &Args,
    input: &Input,
    extraction: &SourceExtraction<'_, '_>,
    index: &str,
    path: &Path,
) -> Result<Vec<&'static str>, Failure> {
    let mut claims = Claims::default();
    for path in args.response_files.iter().map(PathBuf::as_path).chain(input.path()) {
        claims.read(path);
    }
    for file in extraction.files() {
        claims.write(&path.join(&file.path))?;
    }
    claims.write(&path.join(SOURCES_INDEX))?;
    let mut folder = OutputFolder::create(path, args.overwrite)?;
    let mut prepared: Vec<Prepared> = Vec::new();
    let mut add = |path: &str, content: &[u8]| -> Result<(), Failure> {
        let mut file = folder.file_below(path)?;
        file.write_all(content)?;
        prepared.push(file.prepare()?);
        Ok(())
    };
    extraction.for_each(|file, content| add(&file.path, content))?;
    add(SOURCES_INDEX, index.as_bytes())?;
    let commit = |file: Prepared| match file.commit()? {
        Outcome::Written => Ok("written"),
        Outcome::Unchanged => Ok("unchanged"),
    };
    prepared.into_iter().map(commit).collect()
}
