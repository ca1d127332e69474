//! `mtlpack check`.

use std::io::Write;

use super::failure::Failure;
use super::options::{Files, Format, FormatArg, Threads};
use super::printer::{Printer, clean, style};
use super::{Answer, json, source};
use crate::{FloorFinding, FloorReport, Limits, Severity};

/// Say which system libraries need at the least, and check that it is not too new
///
/// Header, tag VERS, target triple, AIR version and language version of each module are asked
/// one by one. The exit status is 1 if a limit is not held, or if they disagree, which they do in
/// no library that was not edited.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack check default.metallib --min-os macos14 --max-msl 3.1")]
pub(super) struct Args {
    #[command(flatten)]
    input: Files,
    /// The oldest system they have to load on: macos14, ios17.2, ios-simulator17, …
    #[arg(long, value_name = "SYSTEM")]
    min_os: Option<String>,
    /// The newest AIR version they may have
    #[arg(long, value_name = "A.B")]
    max_air: Option<String>,
    /// The newest version of the Metal language they may have
    #[arg(long, value_name = "A.B")]
    max_msl: Option<String>,
    /// The platform they have to be for: macos, ios, ios-simulator, visionos, …
    #[arg(long, value_name = "PLATFORM")]
    platform: Option<String>,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    format: FormatArg,
}

impl Args {
    fn limits(&self) -> Result<Limits, Failure> {
        let system = self.min_os.as_deref().map(Limits::system).transpose()?;
        let platform = self.platform.as_deref().map(Limits::platform).transpose()?;
        let air = self.max_air.as_deref().map(Limits::version).transpose()?;
        let language = self.max_msl.as_deref().map(Limits::version).transpose()?;
        Ok(Limits { system, platform, air, language })
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let limits = args.limits()?;
    let mut reports = Vec::new();
    let mut holds = true;
    let done = source::for_each(&args.input.files, printer, |input, printer| {
        let library = source::parse(input)?;
        let report = crate::floor(input, &library, &limits, args.threads.count())?;
        holds &= report.holds();
        match args.format.format {
            Format::Human => human(&report, printer)?,
            Format::Json => reports.push(report),
        }
        Ok(())
    });
    if args.format.format == Format::Json {
        json::print(&reports, printer)?;
    }
    done.map(|()| if holds { Answer::Yes } else { Answer::No })
}

fn human(report: &FloorReport, printer: &mut Printer) -> Result<(), Failure> {
    let name = clean(&report.input);
    for finding in &report.findings {
        let color = if finding.severity == Severity::Error { style::ERROR } else { style::NOTE };
        let severity = printer.styled(color, finding.severity);
        let what = format!("{}{}", finding.what, about(finding));
        writeln!(printer.out(), "{name}: {severity}: {}", clean(&what))?;
    }
    writeln!(printer.out(), "{name}: {}", clean(&summary(report)))?;
    if report.groups.len() > 1 {
        for group in &report.groups {
            let os = group.os.map_or_else(|| "an unknown system".to_owned(), |os| os.to_string());
            let functions = functions(group.functions.len(), &group.functions);
            let raised = group.raised_by.join(", ");
            let line = format!("{os}{functions}: {raised}");
            writeln!(printer.out(), "{name}:   {}", clean(&line))?;
        }
    }
    Ok(())
}

/// Which functions a finding is about.
fn about(finding: &FloorFinding) -> String {
    functions(finding.count, &finding.functions)
}

/// The first names in backticks, and how many more there are.
fn functions(count: usize, names: &[String]) -> String {
    if count == 0 {
        return String::new();
    }
    // On one line, whatever they hold.
    let shown = names.iter().take(3).map(|name| format!("`{}`", name.replace('\n', "\\n")));
    let shown: Vec<String> = shown.collect();
    let more = count - shown.len().min(count);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!(" ({}{rest})", shown.join(", "))
}

/// The floor of the whole.
fn summary(report: &FloorReport) -> String {
    let platform = report.platform.map_or_else(|| "an unknown platform".into(), |p| p.to_string());
    let os = report.os.map_or_else(|| "an unknown version".into(), |os| os.to_string());
    let version = |name, version: Option<metallib::Version>| {
        version.map(|version| format!(", {name} {version}")).unwrap_or_default()
    };
    let (air, metal) = (version("AIR", report.air), version("Metal", report.language));
    let count: usize = report.groups.iter().map(|group| group.functions.len()).sum();
    let functions = crate::text::plural(count as u64, "function");
    let raised = match &report.groups[..] {
        [one] if !one.raised_by.is_empty() => {
            format!("; asked for by {}", one.raised_by.join(", "))
        }
        _ => String::new(),
    };
    format!("needs {platform} {os}{air}{metal}, {functions}{raised}")
}
