//! Putting results where they belong: plan or write, dependency file, report.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;

use metallib_write::{Plan, Region};
use serde::Serialize;

use super::failure::Failure;
use super::json;
use super::options::{Format, Writing};
use super::printer::{Printer, clean, style};
use crate::error::Error;
use crate::io::{Input, Outcome, OutputFile, Prepared, Target, commit_all, depfile};
use crate::{Edited, stream};

/// A library that a command made, and where it goes; `None` if only the plan is asked for.
pub(super) struct Product<'p, 'a> {
    pub(super) edited: &'p Edited<'a>,
    pub(super) target: Option<Target>,
}

/// What a command read: libraries, and lists of names beside them.
#[derive(Clone, Copy)]
pub(super) struct Consumed<'c> {
    pub(super) libraries: &'c [Input],
    pub(super) lists: &'c [Input],
}

/// What became of the results, for `--format json`.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) outputs: Vec<OutputReport>,
    pub(super) notes: Vec<String>,
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

impl From<&Region> for RegionReport {
    fn from(region: &Region) -> Self {
        let Region { name, offset, size, copied } = region.clone();
        Self { name, offset, size, copied }
    }
}

/// Writes all results, or none of them; with `--dry-run` prints their plans.
pub(super) fn deliver(
    products: &[Product<'_, '_>],
    consumed: Consumed<'_>,
    writing: &Writing,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let mut report = Report { outputs: Vec::new(), notes: Vec::new() };
    let mut plans = Vec::with_capacity(products.len());
    for product in products {
        report.notes.extend(product.edited.notes.iter().cloned());
        plans.push(product.edited.plan()?);
    }
    report.notes.iter().for_each(|note| printer.note(note));
    let targets: Vec<Option<&Target>> = products.iter().map(|p| p.target.as_ref()).collect();
    if writing.dry_run {
        report.outputs = targets.iter().zip(&plans).map(|(to, plan)| planned(*to, plan)).collect();
        return print(&report, writing.format.format, printer);
    }
    let targets: Vec<&Target> = targets.into_iter().flatten().collect();
    refuse_mixture(&targets, writing.format.format)?;
    // Whatever can fail happens before the first target is replaced.
    let dependencies = prepare_depfile(writing.depfile.as_deref(), &targets, consumed)?;
    let libraries: Vec<&Input> = consumed.libraries.iter().collect();
    let mut prepared: Vec<Prepared> = Vec::with_capacity(plans.len() + 1);
    for (target, plan) in targets.iter().zip(&plans) {
        let mut output = OutputFile::open(target)?;
        stream::write(plan, &libraries, &mut output, writing.threads.count())?;
        prepared.push(output.prepare()?);
    }
    prepared.extend(dependencies);
    let outcomes = commit_all(prepared)?;
    for ((target, plan), outcome) in targets.iter().zip(&plans).zip(outcomes) {
        report.outputs.push(written(target, plan.total_size(), outcome));
    }
    match writing.format.format {
        Format::Json => json::print(&report, printer),
        Format::Human => Ok(()),
    }
}

fn planned(target: Option<&Target>, plan: &Plan<'_>) -> OutputReport {
    OutputReport {
        file: target.map(Target::name),
        size: plan.total_size(),
        outcome: "planned",
        regions: plan.regions().iter().map(RegionReport::from).collect(),
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

/// A report and a library cannot both go to standard output.
fn refuse_mixture(targets: &[&Target], format: Format) -> Result<(), Failure> {
    if format == Format::Json && targets.iter().any(|target| target.path().is_none()) {
        let what = "the library and the report of --format json would both go to standard \
                    output; give a file with -o";
        return Err(Error::refused(what).into());
    }
    Ok(())
}

/// The dependency file, complete but not in place.
fn prepare_depfile(
    depfile_name: Option<&OsStr>,
    targets: &[&Target],
    consumed: Consumed<'_>,
) -> Result<Option<Prepared>, Failure> {
    let Some(name) = depfile_name else { return Ok(None) };
    let outputs: Vec<PathBuf> =
        targets.iter().filter_map(|target| target.path()).map(PathBuf::from).collect();
    if outputs.is_empty() {
        let what = "a dependency file names the output, which is standard output here; give -o";
        return Err(Error::refused(what).into());
    }
    let text = dependencies(&outputs, consumed)?;
    let mut file = OutputFile::create(name)?;
    file.write_all(text.as_bytes())?;
    Ok(Some(file.prepare()?))
}

/// The rule of a dependency file.
pub(super) fn dependencies(outputs: &[PathBuf], consumed: Consumed<'_>) -> Result<String, Failure> {
    let inputs = consumed.libraries.iter().chain(consumed.lists).filter_map(Input::path);
    let inputs: Vec<PathBuf> = inputs.map(PathBuf::from).collect();
    Ok(depfile(outputs, &inputs)?)
}

/// Prints plans.
pub(super) fn print(report: &Report, format: Format, printer: &mut Printer) -> Result<(), Failure> {
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
