//! `mtlpack split`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::deliver::{self, Consumed, OutputReport, Report};
use super::failure::Failure;
use super::options::{Format, OneFile, Writing};
use super::printer::Printer;
use super::{Answer, json, source};
use crate::io::{Input, OutputFolder, Target, write_text};
use crate::{INDEX_FILE, Splitter, stream};

/// Split a library into one for each function
///
/// The folder also gets a file `index.tsv` with the names of the files and functions, in
/// order. Merged in that order, the parts are the original library, byte for byte.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack split default.metallib -o parts")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    /// Folder to write into, which is created
    #[arg(short, long, value_name = "DIR", required_unless_present = "dry_run")]
    output: Option<OsString>,
    /// Allow a folder that is not empty, and replace files in it
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    writing: Writing,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let inputs = [Input::open(&args.input.file)?];
    let [input] = &inputs;
    let library = source::parse(input)?;
    let splitter = Splitter::new(source::named(input, &library), args.writing.new_layout)
        .map_err(|error| Failure::on(error, &inputs))?;
    let folder = args.output.as_ref().map(PathBuf::from);
    let format = args.writing.format.format;
    let outputs = match &folder {
        Some(folder) if !args.writing.dry_run => write(args, folder, &splitter, input)?,
        _ => plan(folder.as_deref().unwrap_or(Path::new("")), &splitter)?,
    };
    let report = Report { outputs, notes: Vec::new() };
    match format {
        Format::Json => json::print(&report, printer)?,
        Format::Human if args.writing.dry_run => deliver::print(&report, format, printer)?,
        Format::Human => {}
    }
    Ok(Answer::Yes)
}

/// What each part will be.
fn plan(folder: &Path, splitter: &Splitter<'_, '_>) -> Result<Vec<OutputReport>, Failure> {
    let mut outputs = Vec::with_capacity(splitter.len() + 1);
    for (index, file) in splitter.file_names().iter().enumerate() {
        let part = splitter.part(index)?;
        outputs.push(planned(folder, file, part.plan()?.total_size()));
    }
    outputs.push(planned(folder, INDEX_FILE, splitter.index().len() as u64));
    Ok(outputs)
}

fn planned(folder: &Path, file: &str, size: u64) -> OutputReport {
    let file = Some(folder.join(file).display().to_string());
    OutputReport { file, size, outcome: "planned", regions: Vec::new() }
}

/// Writes the parts one by one: a library may have more of them than files can be open.
fn write(
    args: &Args,
    path: &Path,
    splitter: &Splitter<'_, '_>,
    input: &Input,
) -> Result<Vec<OutputReport>, Failure> {
    let index_path = path.join(INDEX_FILE);
    let consumed = Consumed { libraries: std::slice::from_ref(input), lists: &[] };
    let rule = match args.writing.depfile {
        Some(_) => Some(deliver::dependencies(std::slice::from_ref(&index_path), consumed)?),
        None => None,
    };
    let mut folder = OutputFolder::create(path, args.overwrite)?;
    let mut outputs = Vec::with_capacity(splitter.len() + 1);
    for (index, file) in splitter.file_names().iter().enumerate() {
        let part = splitter.part(index)?;
        let plan = part.plan()?;
        let mut output = folder.file(file)?;
        stream::write(&plan, &[input], &mut output, args.writing.threads.count())?;
        let target = Target::Path(path.join(file));
        outputs.push(deliver::written(&target, plan.total_size(), output.finish()?));
    }
    // The index comes last: where it is, the parts are complete.
    let text = splitter.index();
    let outcome = folder.write(INDEX_FILE, text.as_bytes())?;
    outputs.push(deliver::written(&Target::Path(index_path), text.len() as u64, outcome));
    if let Some((name, rule)) = args.writing.depfile.as_ref().zip(rule) {
        write_text(&Target::Path(name.into()), &rule)?;
    }
    Ok(outputs)
}
