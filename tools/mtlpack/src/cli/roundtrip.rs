//! `mtlpack roundtrip`.

use std::io::Write;

use serde::Serialize;

use super::failure::Failure;
use super::options::{Files, Format, FormatArg, Threads};
use super::printer::{Printer, clean};
use super::{Answer, json, source};
use crate::text::hex;
use crate::{RoundtripOutcome, RoundtripReport, VerifyOptions};

/// Lay libraries out anew, everything recomputed, and compare with the files
///
/// The exit status is 1 if any of the files does not come back byte for byte.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack roundtrip default.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: Files,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    format: FormatArg,
}

/// The answer for one file, for `--format json`.
#[derive(Serialize)]
struct Report {
    input: String,
    size: u64,
    outcome: &'static str,
    difference: Option<Difference>,
    irregularities: usize,
    reasons: Vec<String>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Difference {
    offset: u64,
    region: String,
    expected: String,
    found: String,
}

impl From<RoundtripReport> for Report {
    fn from(report: RoundtripReport) -> Self {
        let RoundtripReport { input, size, outcome, notes } = report;
        let mut report = Self {
            input,
            size,
            outcome: "same",
            difference: None,
            irregularities: 0,
            reasons: Vec::new(),
            notes,
        };
        match outcome {
            RoundtripOutcome::Same => {}
            RoundtripOutcome::Differs(difference) => {
                report.outcome = "differs";
                report.difference = Some(Difference {
                    offset: difference.offset,
                    region: difference.region,
                    expected: hex(&difference.expected),
                    found: hex(&difference.found),
                });
            }
            RoundtripOutcome::Irregular { reasons, count } => {
                report.outcome = "irregular";
                report.irregularities = count;
                report.reasons = reasons.iter().map(ToString::to_string).collect();
            }
        }
        report
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let options = VerifyOptions { threads: args.threads.count() };
    let mut reports = Vec::new();
    let mut passed = true;
    let done = source::for_each(&args.input.files, printer, |input, printer| {
        let report = crate::roundtrip(input, options);
        let report = report.map_err(|error| Failure::on(error, [input]))?;
        passed &= report.passed();
        let report = Report::from(report);
        match args.format.format {
            Format::Human => human(&report, printer)?,
            Format::Json => reports.push(report),
        }
        Ok(())
    });
    if args.format.format == Format::Json {
        json::print(&reports, printer)?;
    }
    done.map(|()| if passed { Answer::Yes } else { Answer::No })
}

fn human(report: &Report, printer: &mut Printer) -> Result<(), Failure> {
    let name = clean(&report.input).into_owned();
    let verdict = match (&report.difference, report.irregularities) {
        (Some(Difference { offset, region, expected, found }), _) => {
            format!("differs in {region} (offset {offset:#x}): expected {expected}, found {found}")
        }
        (None, 0) => format!("the same, {} bytes", report.size),
        (None, count) => format!("irregular, {count} reasons"),
    };
    writeln!(printer.out(), "{name}: {}", clean(&verdict))?;
    for reason in &report.reasons {
        writeln!(printer.out(), "  {}", clean(reason))?;
    }
    for note in &report.notes {
        printer.note(format_args!("{name}: {note}"));
    }
    Ok(())
}
