//! `mtlpack verify`.

use std::io::Write;
use std::path::PathBuf;

use anstyle::Style;
use metallib::{FunctionType, Library};

use super::failure::Failure;
use super::options::{Files, Format, FormatArg, Threads};
use super::printer::{Printer, clean, style};
use super::{Answer, json, source};
use crate::io::Input;
use crate::{Lock, Policy, Report, Severity, UuidState, VerifyOptions};

/// Check everything that can be told from a library alone: ranges, hashes, UUID, modules, …
///
/// The exit status is 1 if there is an error in any of the files; warnings and notes do
/// not change it. A library without functions is an error, and so is what the options ask for
/// and is not so.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack verify *.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: Files,
    /// Derive each function's tags from its module too, and compare them
    #[arg(long)]
    deep: bool,
    /// Pass libraries without functions, and stubs
    #[arg(long)]
    allow_empty: bool,
    /// Ask for this many functions at the least
    #[arg(long, value_name = "N")]
    min_functions: Option<u64>,
    /// Ask for a function of this name, or one that matches the pattern; may be repeated
    #[arg(long, value_name = "NAME|GLOB")]
    require: Vec<String>,
    /// Allow no function of this name, or that matches the pattern; may be repeated
    #[arg(long, value_name = "NAME|GLOB")]
    forbid: Vec<String>,
    /// Ask for a function of this type: kernel, vertex, fragment, …; may be repeated
    #[arg(long, value_name = "TYPE", value_parser = function_type)]
    require_type: Vec<FunctionType>,
    /// Allow no embedded sources
    #[arg(long)]
    no_source: bool,
    /// Allow no absolute paths
    #[arg(long)]
    no_paths: bool,
    /// Ask for what `lock` wrote down
    #[arg(long, value_name = "LOCK")]
    lock: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    format: FormatArg,
}

fn function_type(name: &str) -> Result<FunctionType, String> {
    let known = || FunctionType::names().collect::<Vec<_>>().join(", ");
    FunctionType::from_name(name).ok_or_else(|| format!("known types are {}", known()))
}

impl Args {
    fn policy(&self) -> Result<Policy, Failure> {
        let lock = self.lock.as_ref().map(|path| -> Result<Lock, Failure> {
            let input = Input::open(path)?;
            Ok(Lock::parse(input.name(), input.text()?)?)
        });
        Ok(Policy {
            min_functions: self.min_functions,
            require: self.require.clone(),
            forbid: self.forbid.clone(),
            require_type: self.require_type.clone(),
            no_source: self.no_source,
            no_paths: self.no_paths,
            lock: lock.transpose()?,
        })
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let options = VerifyOptions { threads: args.threads.count() };
    let policy = args.policy()?;
    let mut reports = Vec::new();
    let mut passed = true;
    let done = source::for_each(&args.input.files, printer, |input, printer| {
        let verify = if args.deep { crate::verify_deep } else { crate::verify };
        let mut report = verify(input, options)?;
        if args.allow_empty {
            report.allow_empty();
        }
        // What does not parse has its error already.
        if let Ok(library) = Library::parse(input.bytes()) {
            report.findings.extend(crate::policy(input, &library, &policy, options.threads)?);
            report.findings.sort_by_key(|finding| finding.offset);
        }
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
