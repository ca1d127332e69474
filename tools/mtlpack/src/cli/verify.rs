//! `mtlpack verify`.

use std::io::Write;

use anstyle::Style;

use super::failure::Failure;
use super::options::{Files, Format, FormatArg, Threads};
use super::printer::{Printer, clean, style};
use super::{Answer, json, source};
use crate::{Report, Severity, UuidState, VerifyOptions};

/// Check everything that can be told from a library alone: ranges, hashes, UUID, modules, …
///
/// The exit status is 1 if there is an error in any of the files; warnings and notes do
/// not change it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack verify *.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: Files,
    /// Derive each function's tags from its module too, and compare them
    #[arg(long)]
    deep: bool,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    format: FormatArg,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let options = VerifyOptions { threads: args.threads.count() };
    let mut reports = Vec::new();
    let mut passed = true;
    let done = source::for_each(&args.input.files, printer, |input, printer| {
        let verify = if args.deep { crate::verify_deep } else { crate::verify };
        let report = verify(input, options)?;
        passed &= report.passed();
        match args.format.format {
            Format::Human => human(&report, printer)?,
            Format::Json => reports.push(report),
        }
        if source::is_module(input) {
            printer.note(source::MODULE_HINT);
        }
        Ok(())
    });
    if args.format.format == Format::Json {
        json::print(&reports, printer)?;
    }
    done.map(|()| if passed { Answer::Yes } else { Answer::No })
}

fn human(report: &Report, printer: &mut Printer) -> Result<(), Failure> {
    let name = clean(&report.input);
    for finding in &report.findings {
        let severity = printer.styled(color(finding.severity), finding.severity);
        // The finding says its severity first, in plain text.
        let text = finding.to_string();
        let rest = text.split_once(": ").map_or(text.as_str(), |(_, rest)| rest);
        writeln!(printer.out(), "{name}: {severity}: {}", clean(rest))?;
    }
    for omitted in &report.omitted {
        let severity = printer.styled(color(omitted.severity), omitted.severity);
        let (count, kind) = (omitted.count, omitted.kind);
        writeln!(printer.out(), "{name}: {severity}: {count} more of kind {kind}")?;
    }
    writeln!(printer.out(), "{name}: {}", summary(report))?;
    Ok(())
}

fn color(severity: Severity) -> Style {
    match severity {
        Severity::Error => style::ERROR,
        Severity::Warning => style::WARNING,
        Severity::Note => style::NOTE,
    }
}

fn summary(report: &Report) -> String {
    let count = |severity: Severity| match report.count(severity) {
        1 => format!("1 {severity}"),
        count => format!("{count} {severity}s"),
    };
    let uuid = match report.uuid {
        None => String::new(),
        Some(UuidState::Absent) => ", no UUID".to_owned(),
        Some(UuidState::Sha256 | UuidState::Md5) => ", UUID as the content gives it".to_owned(),
        Some(UuidState::Untold | UuidState::Other) => ", UUID of another origin".to_owned(),
    };
    format!(
        "{}, {}, {}; {} functions, {} modules hashed{uuid}",
        count(Severity::Error),
        count(Severity::Warning),
        count(Severity::Note),
        report.functions,
        report.modules
    )
}
