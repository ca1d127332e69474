//! `mtlpack join`.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;

use super::deliver::{Consumed, Product, deliver};
use super::failure::Failure;
use super::options::{Destination, Format, Writing, refused};
use super::printer::{Printer, clean};
use super::{Answer, json, source};
use crate::Mismatch;
use crate::io::Input;

/// Join a stripped library and its symbol companion again
///
/// The result is the library as it was before `strip-source --companion`. A companion that does
/// not belong to the library is refused, with all reasons.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack join release.metallib release.metallibsym -o debug.metallib
  mtlpack join release.metallib release.metallibsym --check")]
pub(super) struct Args {
    /// Library that was stripped of its sources, `-` for standard input
    library: PathBuf,
    /// Symbol companion (.metallibsym), which kept them
    companion: PathBuf,
    /// Only tell whether the two belong together; exit status 1 if they do not
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    pub(super) writing: Writing,
}

/// The answer of `--check`, for `--format json`.
#[derive(Serialize)]
struct Report<'r> {
    library: &'r str,
    companion: &'r str,
    belongs: bool,
    mismatches: &'r [Mismatch],
}

impl Args {
    fn check_arguments(&self) -> Result<(), Failure> {
        let Self { destination, writing, .. } = self;
        if !self.check {
            return destination.check(writing);
        }
        if destination.is_given() || writing.dry_run || writing.depfile().is_some() {
            return Err(refused(
                "--check writes nothing: it goes without -o, --in-place, --dry-run and --depfile",
            ));
        }
        Ok(())
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    args.check_arguments()?;
    let inputs = [Input::open(&args.library)?, Input::open(&args.companion)?];
    let [first, second] = &inputs;
    let (library, companion) = (source::parse(first)?, source::parse(second)?);
    let (ours, theirs) = (source::named(first, &library), source::named(second, &companion));
    let joined = crate::join(ours, theirs, args.writing.new_layout)
        .map_err(|error| Failure::on(error, &inputs))?;
    if args.check {
        let mismatches = joined.mismatches();
        let (library, companion) = (first.name(), second.name());
        let belongs = mismatches.is_empty();
        let report = Report { library, companion, belongs, mismatches };
        match args.writing.format.format {
            Format::Json => json::print(&report, printer)?,
            Format::Human => human(&report, printer)?,
        }
        return Ok(if belongs { Answer::Yes } else { Answer::No });
    }
    let edited = joined.library(first.name(), second.name())?;
    let target = args.destination.target(first)?;
    let products = [Product { draft: edited.into(), target }];
    deliver(&products, Consumed { libraries: &inputs, lists: &[] }, &args.writing, printer)?;
    Ok(Answer::Yes)
}

fn human(report: &Report<'_>, printer: &mut Printer) -> Result<(), Failure> {
    let Report { library, companion, belongs, mismatches } = report;
    let verdict = if *belongs { "belong together" } else { "do not belong together" };
    writeln!(printer.out(), "{} and {} {verdict}", clean(library), clean(companion))?;
    for mismatch in *mismatches {
        writeln!(printer.out(), "  {}", clean(&mismatch.what).replace('\n', "\\n"))?;
    }
    Ok(())
}
