//! `mtlpack extract`.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::failure::Failure;
use super::options::{Format, FormatArg, OneFile, folder, refused};
use super::printer::{Printer, clean};
use super::{Answer, json, source};
use crate::io::{Claims, Input, Outcome, OutputFolder, Prepared};
use crate::{Extracted, Extraction, ModuleForm};

/// Take modules out of a library, as files
///
/// The files are named after the functions. A module that several functions share becomes
/// one file, named after the first of them; a note says so.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack extract --function vector_add default.metallib -o air")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    /// Take only the module of the function of this name; may be given several times
    #[arg(long = "function", value_name = "NAME")]
    functions: Vec<String>,
    /// Folder to write into, which is created; it must be empty
    #[arg(short, long, value_name = "DIR", required_unless_present = "dry_run")]
    output: Option<OsString>,
    /// Write the bitcode alone (.bc), without wrapper and padding (.air)
    #[arg(long)]
    raw: bool,
    /// Allow a folder that is not empty, and replace files in it
    #[arg(long)]
    overwrite: bool,
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
    notes: Vec<String>,
}

/// One file.
#[derive(Serialize)]
struct Output {
    file: String,
    size: usize,
    outcome: &'static str,
    functions: Vec<String>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let input = Input::open(&args.input.file)?;
    let library = source::parse(&input)?;
    let names: Vec<&str> = args.functions.iter().map(String::as_str).collect();
    let form = if args.raw { ModuleForm::Raw } else { ModuleForm::Air };
    let extraction = crate::extract(source::named(&input, &library), &names, form)?;
    let folder = args.output.as_deref().map(folder).transpose()?;
    let path = folder.as_deref().unwrap_or(Path::new(""));
    let outcomes = match (&folder, args.dry_run) {
        (Some(folder), false) => write(args, &input, &extraction, folder)?,
        _ => vec!["planned"; extraction.modules.len()],
    };
    let name = |index: &usize| library.functions().get(*index).map(|f| f.name().into_owned());
    let output = |(module, outcome): (&Extracted<'_>, &'static str)| Output {
        file: path.join(&module.file).display().to_string(),
        size: module.bytes.len(),
        outcome,
        functions: module.functions.iter().filter_map(name).collect(),
    };
    let outputs = extraction.modules.iter().zip(outcomes).map(output).collect();
    let report = Report { outputs, notes: extraction.notes(&library) };
    report.notes.iter().for_each(|note| printer.note(note));
    match args.format.format {
        Format::Json => json::print(&report, printer)?,
        Format::Human if args.dry_run => human(&report, printer)?,
        Format::Human => {}
    }
    Ok(Answer::Yes)
}

fn human(report: &Report, printer: &mut Printer) -> Result<(), Failure> {
    for Output { file, size, .. } in &report.outputs {
        writeln!(printer.out(), "{}: {size} bytes", clean(file))?;
    }
    Ok(())
}

/// Writes all files, or none: each is complete before the first gets its name.
fn write(
    args: &Args,
    input: &Input,
    extraction: &Extraction<'_>,
    path: &Path,
) -> Result<Vec<&'static str>, Failure> {
    let mut claims = Claims::default();
    for path in args.response_files.iter().map(PathBuf::as_path).chain(input.path()) {
        claims.read(path);
    }
    for module in &extraction.modules {
        claims.write(&path.join(&module.file))?;
    }
    let mut folder = OutputFolder::create(path, args.overwrite)?;
    let mut prepared: Vec<Prepared> = Vec::with_capacity(extraction.modules.len());
    for module in &extraction.modules {
        let mut file = folder.file(&module.file)?;
        // A window, so that a mapped library is not all in memory at the end.
        let offset = input.offset_of(module.bytes);
        let offset = offset.ok_or_else(|| refused("a module lies outside its library"))?;
        let window = input.window(offset..offset.saturating_add(module.bytes.len() as u64))?;
        file.write_all(&window)?;
        prepared.push(file.prepare()?);
    }
    let commit = |file: Prepared| match file.commit()? {
        Outcome::Written => Ok("written"),
        Outcome::Unchanged => Ok("unchanged"),
    };
    prepared.into_iter().map(commit).collect()
}
