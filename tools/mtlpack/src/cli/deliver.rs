//! Putting results where they belong: plan or write, dependency file, report.

use std::io::Write;
use std::path::{Path, PathBuf};

use metallib_write::Region;
use serde::Serialize;

use super::failure::Failure;
use super::json;
use super::options::{Format, Writing, refused};
use super::printer::{Printer, clean, style};
use crate::io::{Claims, Input, Outcome, OutputFile, Prepared, Target, commit_all, depfile};
use crate::names::escape_word;
use crate::stream::{Written, plan_draft, write_draft};
use crate::{Draft, Renaming};

/// A library that a command made, and where it goes; `None` if only the plan is asked for.
pub(super) struct Product<'a> {
    pub(super) draft: Draft<'a>,
    pub(super) target: Option<Target>,
}

/// What a command read: libraries, and lists of names beside them.
#[derive(Clone, Copy)]
pub(super) struct Consumed<'c> {
    pub(super) libraries: &'c [Input],
    pub(super) lists: &'c [Input],
}

/// What became of the results, for `--format json`.
#[derive(Default, Serialize)]
pub(super) struct Report<'p> {
    pub(super) outputs: Vec<OutputReport>,
    pub(super) renames: Vec<RenameReport<'p>>,
    pub(super) notes: Vec<String>,
}

/// A function that got another name.
#[derive(Serialize)]
pub(super) struct RenameReport<'p> {
    input: &'p str,
    #[serde(serialize_with = "crate::text::ser::lossy")]
    old: &'p [u8],
    #[serde(serialize_with = "crate::text::ser::lossy")]
    new: &'p [u8],
}

/// One result.
#[derive(Serialize)]
pub(super) struct OutputReport {
    pub(super) file: Option<String>,
    pub(super) size: u64,
    pub(super) outcome: &'static str,
    pub(super) regions: Vec<RegionReport>,
}

/// A part of a planned output.
#[derive(Serialize)]
pub(super) struct RegionReport {
    name: String,
    offset: u64,
    size: u64,
    copied: u64,
}

impl<'c> Consumed<'c> {
    /// The files that were read beside the libraries.
    pub(super) fn beside_libraries(self, writing: &'c Writing) -> impl Iterator<Item = &'c Path> {
        let lists = self.lists.iter().filter_map(Input::path);
        lists.chain(writing.response_files.iter().map(PathBuf::as_path))
    }
}

impl<'p> From<&'p Renaming> for RenameReport<'p> {
    fn from(renaming: &'p Renaming) -> Self {
        let Renaming { input, old, new } = renaming;
        Self { input, old, new }
    }
}

impl RegionReport {
    pub(super) fn new(name: &str, offset: u64, size: u64, copied: u64) -> Self {
        Self { name: name.to_owned(), offset, size, copied }
    }
}

impl From<&Region> for RegionReport {
    fn from(region: &Region) -> Self {
        let Region { name, offset, size, copied } = region.clone();
        Self { name, offset, size, copied }
    }
}

/// Writes all results, or none of them; with `--dry-run` prints their plans.
pub(super) fn deliver(
    products: &[Product<'_>],
    consumed: Consumed<'_>,
    writing: &Writing,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let targets: Vec<Option<&Target>> = products.iter().map(|p| p.target.as_ref()).collect();
    keep_apart(&targets, consumed, writing)?;
    let mut report = Report::default();
    if writing.is_reported() {
        let renames = products.iter().flat_map(|product| product.draft.renames());
        report.renames.extend(renames.map(RenameReport::from));
    }
    let libraries: Vec<&Input> = consumed.libraries.iter().collect();
    let threads = writing.threads.count();
    if writing.dry_run {
        for (target, product) in targets.iter().zip(products) {
            let plan = plan_draft(&product.draft, &libraries, threads)?;
            report.notes.extend(plan.notes.iter().cloned());
            report.outputs.push(planned(*target, &plan));
        }
        report.notes.iter().for_each(|note| printer.note(note));
        return print(&report, writing.format.format, printer);
    }
    let targets: Vec<&Target> = targets.into_iter().flatten().collect();
    refuse_mixture(&targets, writing)?;
    // Whatever can fail happens before the first target is replaced.
    let dependencies = prepare_depfile(&targets, consumed, writing)?;
    let mut prepared: Vec<Prepared> = Vec::with_capacity(products.len() + 1);
    let mut sizes = Vec::with_capacity(products.len());
    for (target, product) in targets.iter().zip(products) {
        let mut output = OutputFile::open(target)?;
        let Written { size, notes, .. } =
            write_draft(&product.draft, &libraries, &mut output, threads)?;
        prepared.push(output.prepare()?);
        sizes.push(size);
        report.notes.extend(notes);
    }
    report.notes.iter().for_each(|note| printer.note(note));
    prepared.extend(dependencies);
    let outcomes = commit_all(prepared)?;
    for ((target, size), outcome) in targets.iter().zip(sizes).zip(outcomes) {
        report.outputs.push(written(target, size, outcome));
    }
    match writing.format.format {
        Format::Json => json::print(&report, printer),
        Format::Human => Ok(()),
    }
}

fn planned(target: Option<&Target>, plan: &Written) -> OutputReport {
    OutputReport {
        file: target.map(Target::name),
        size: plan.size,
        outcome: "planned",
        regions: plan.regions.iter().map(RegionReport::from).collect(),
    }
}

/// An output that is in place.
pub(super) fn written(target: &Target, size: u64, outcome: Outcome) -> OutputReport {
    let outcome = match outcome {
        Outcome::Written => "written",
        Outcome::Unchanged => "unchanged",
    };
    OutputReport { file: Some(target.name()), size, outcome, regions: Vec::new() }
}

/// Refuses outputs that would replace what is read, or each other. Only the first may
/// replace one of the libraries that it was made from: it does so when it is complete.
pub(super) fn keep_apart(
    targets: &[Option<&Target>],
    consumed: Consumed<'_>,
    writing: &Writing,
) -> Result<(), Failure> {
    let mut claims = Claims::default();
    for path in consumed.beside_libraries(writing) {
        claims.read(path);
    }
    let mut paths = targets.iter().map(|target| target.and_then(Target::path));
    let first = paths.next().flatten();
    first.map_or(Ok(()), |path| claims.write(path))?;
    let libraries = consumed.libraries.iter().filter_map(Input::path);
    let over_itself = libraries.fold(false, |over, path| over | claims.read(path));
    paths.flatten().try_for_each(|path| claims.write(path))?;
    let Some(depfile) = writing.depfile() else { return Ok(()) };
    match first {
        Some(first) if over_itself => Err(refused(format!(
            "`{}` is its own input, so a dependency file would say that it depends on itself; \
             leave out --depfile or give another output",
            first.display()
        ))),
        _ => Ok(depfile.path().map_or(Ok(()), |path| claims.write(path))?),
    }
}

/// Only one of library, dependency file and report can go to standard output.
pub(super) fn refuse_mixture(targets: &[&Target], writing: &Writing) -> Result<(), Failure> {
    let to_stdout = targets.iter().filter(|target| target.path().is_none());
    let mut users: Vec<&str> = to_stdout.map(|_| "the library").collect();
    users.extend(writing.text_on_stdout());
    match users[..] {
        [first, second, ..] => Err(refused(format!(
            "{first} and {second} would both go to standard output; give a file for one of them"
        ))),
        _ => Ok(()),
    }
}

/// The dependency file, complete but not in place.
pub(super) fn prepare_depfile(
    targets: &[&Target],
    consumed: Consumed<'_>,
    writing: &Writing,
) -> Result<Option<Prepared>, Failure> {
    let Some(target) = writing.depfile() else { return Ok(None) };
    let outputs: Vec<&Path> = targets.iter().filter_map(|target| target.path()).collect();
    if outputs.is_empty() {
        let what = "a dependency file names the output, which is standard output here; give -o";
        return Err(refused(what));
    }
    let text = dependencies(&outputs, consumed)?;
    let mut file = OutputFile::open_text(&target)?;
    file.write_all(text.as_bytes())?;
    Ok(Some(file.prepare()?))
}

/// The rule of a dependency file.
pub(super) fn dependencies(outputs: &[&Path], consumed: Consumed<'_>) -> Result<String, Failure> {
    // Response files are no prerequisites: build systems write them for one command and
    // delete them after it, so the output would never be up to date.
    let read = consumed.libraries.iter().chain(consumed.lists);
    let inputs: Vec<&Path> = read.filter_map(Input::path).collect();
    Ok(depfile(outputs, &inputs)?)
}

/// Prints plans.
pub(super) fn print(
    report: &Report<'_>,
    format: Format,
    printer: &mut Printer,
) -> Result<(), Failure> {
    if format == Format::Json {
        return json::print(report, printer);
    }
    for output in &report.outputs {
        let name = output.file.as_deref().unwrap_or("output");
        let heading = format!("{}: {} bytes", clean(name), output.size);
        let heading = printer.styled(style::HEADING, heading);
        writeln!(printer.out(), "{heading}")?;
        for region in &output.regions {
            let RegionReport { name, offset, size, copied } = region;
            writeln!(
                printer.out(),
                "  {offset:#010x} {size:>10}  {:<8}  {}",
                origin(*size, *copied),
                clean(name)
            )?;
        }
    }
    print_renames(&report.renames, printer)
}

/// Prints old and new names by input, with the escapes of a map of `rename`.
fn print_renames(renames: &[RenameReport<'_>], printer: &mut Printer) -> Result<(), Failure> {
    for of_input in renames.chunk_by(|a, b| a.input == b.input) {
        let input = of_input.first().map_or("", |rename| rename.input);
        let heading = format!("{}: {} renamed", clean(input), of_input.len());
        let heading = printer.styled(style::HEADING, heading);
        writeln!(printer.out(), "{heading}")?;
        for RenameReport { old, new, .. } in of_input {
            writeln!(printer.out(), "  {} -> {}", escape_word(old), escape_word(new))?;
        }
    }
    Ok(())
}

/// How much of a region comes from the inputs as it is.
fn origin(size: u64, copied: u64) -> String {
    match copied {
        0 if size > 0 => "made".to_owned(),
        _ if copied == size => "copied".to_owned(),
        _ => format!("{}% copied", copied.saturating_mul(100) / size.max(1)),
    }
}
