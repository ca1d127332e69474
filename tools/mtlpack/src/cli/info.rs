//! `mtlpack info`.

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;

use super::failure::Failure;
use super::options::{Files, Format, FormatArg, Threads};
use super::printer::{Printer, clean, style};
use super::{Answer, json, source};
use crate::info::{Info, SourcesInfo};
use crate::{BitcodeInfo, Counted, UnreadModule, uuid};

/// Say what libraries are: platform, oldest system, kind, versions, functions
///
/// Every module is read, for its triple, producer, versions and compile options; not for
/// --short.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack info --short *.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: Files,
    /// One line for each file, without looking into modules
    #[arg(long, conflicts_with = "format")]
    short: bool,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    format: FormatArg,
}

/// What a library is, and what its modules say.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    info: Info,
    bitcode: BitcodeInfo,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let mut all = Vec::new();
    let done = source::for_each(&args.input.files, printer, |input, printer| {
        let library = source::parse(input)?;
        let info = crate::info(source::named(input, &library));
        if args.short {
            return Ok(short(&info, printer.out())?);
        }
        let bitcode = crate::bitcode_info(input, &library, args.threads.count())?;
        match args.format.format {
            Format::Json => all.push(Report { info, bitcode }),
            Format::Human => human(&info, &bitcode, printer)?,
        }
        Ok(())
    });
    if args.format.format == Format::Json {
        json::print(&all, printer)?;
    }
    done.map(|()| Answer::Yes)
}

fn short(info: &Info, out: &mut impl Write) -> io::Result<()> {
    let mut parts = vec![info.kind.to_string(), target(info)];
    parts.push(format!("{} {}", info.container, info.dialect));
    parts.extend(info.air_versions.iter().map(|version| format!("AIR {version}")));
    parts.extend(info.language_versions.iter().map(|version| format!("Metal {version}")));
    parts.push(functions(info));
    parts.extend(info.sources.as_ref().map(|_| "sources".to_owned()));
    parts.extend((!info.canonical).then(|| "irregular".to_owned()));
    writeln!(out, "{}: {}", clean(&info.input), parts.join(", "))
}

/// Platform and oldest system.
fn target(info: &Info) -> String {
    match (info.platform, info.minimum_os) {
        (Some(platform), Some(os)) => format!("{platform} {os}"),
        _ if info.mac => "macos or mac-catalyst (not recorded)".to_owned(),
        _ => {
            "iOS, tvOS, watchOS or a simulator (containers up to 1.2.5 do not say which)".to_owned()
        }
    }
}

fn functions(info: &Info) -> String {
    let name = |found: Option<metallib::FunctionType>| {
        found.map_or_else(|| "without type".to_owned(), |found| found.to_string())
    };
    let counts = info.functions_by_type.iter();
    let counts: Vec<String> =
        counts.map(|one| format!("{} {}", one.count, name(one.function_type))).collect();
    match counts.is_empty() {
        true => "no functions".to_owned(),
        false => counts.join(" + "),
    }
}

fn human(info: &Info, bitcode: &BitcodeInfo, printer: &mut Printer) -> Result<(), Failure> {
    let heading = printer.styled(style::HEADING, clean(&info.input));
    writeln!(printer.out(), "{heading}")?;
    let stub = if info.stub { " (stub)" } else { "" };
    let mut lines = Lines(printer);
    lines.add("kind", format_args!("{}{stub}", info.kind))?;
    lines.add("target", target(info))?;
    lines.add("container", format_args!("{}, {} dialect", info.container, info.dialect))?;
    lines.all("AIR", &info.air_versions)?;
    lines.all("Metal language", &info.language_versions)?;
    lines.add("functions", functions(info))?;
    lines.add("modules", format_args!("{} in {} bytes", info.modules, info.bitcode_size))?;
    modules(bitcode, &mut lines)?;
    lines.add("sources", sources(info.sources.as_ref()))?;
    if let Some(entries) = info.reflection_entries {
        lines.add("reflection", count(entries, "entry", "entries"))?;
    }
    lines.all("imports", &info.imports)?;
    lines.all("variables", &info.variables)?;
    lines.add("install name", info.install_name.as_deref().unwrap_or("none"))?;
    lines.all("linked with", &info.linked_libraries)?;
    lines.add("UUID", info.uuid.as_ref().map_or_else(|| "none".to_owned(), uuid::format))?;
    lines.add("file size", format_args!("{} bytes", info.size))?;
    lines.add("layout", layout(info))?;
    for reason in &info.reasons {
        lines.add("", format_args!("{} (offset {:#x})", reason.what, reason.offset))?;
    }
    Ok(())
}

/// What the modules say of themselves.
fn modules(bitcode: &BitcodeInfo, lines: &mut Lines<'_>) -> io::Result<()> {
    let all = bitcode.modules;
    let part = |one: &Counted| match one.modules == all {
        true => one.value.clone(),
        false => format!("{} ({} of {all} modules)", one.value, one.modules),
    };
    let groups = [
        ("triple", &bitcode.triples),
        ("producer", &bitcode.producers),
        ("module AIR", &bitcode.air_versions),
        ("module language", &bitcode.languages),
    ];
    for (label, values) in groups {
        lines.all(label, &values.iter().map(part).collect::<Vec<_>>())?;
    }
    // What all have fits one line.
    let (common, rest): (Vec<_>, Vec<_>) =
        bitcode.compile_options.iter().partition(|one| one.modules == all);
    let common: Vec<&str> = common.iter().map(|one| one.value.as_str()).collect();
    if !common.is_empty() {
        lines.add("compile options", common.join(" "))?;
    }
    lines.all("compile options", &rest.into_iter().map(part).collect::<Vec<_>>())?;
    if bitcode.unread > 0 {
        lines.add("unread", format_args!("{}:", count(bitcode.unread, "module", "modules")))?;
        for UnreadModule { place, what } in &bitcode.errors {
            lines.add("", format_args!("{place}: {what}"))?;
        }
    }
    Ok(())
}

fn sources(sources: Option<&SourcesInfo>) -> String {
    match sources {
        None => "none".to_owned(),
        Some(found) => format!(
            "{} in {}, link options `{}`",
            count(found.archives, "archive", "archives"),
            found.section,
            found.link_options
        ),
    }
}

fn layout(info: &Info) -> String {
    match (info.irregularities, info.reasons.len() as u64) {
        (0, _) => "canonical".to_owned(),
        (all, shown) if all == shown => {
            format!("irregular, for {}:", count(all, "reason", "reasons"))
        }
        (all, shown) => format!("irregular, for {all} reasons, the first {shown} of which are:"),
    }
}

fn count(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Lines of a label and a value.
struct Lines<'p>(&'p mut Printer);

impl Lines<'_> {
    fn add(&mut self, label: &str, value: impl Display) -> io::Result<()> {
        writeln!(self.0.out(), "  {label:<16}{}", clean(&value.to_string()))
    }

    /// A line for each value, none if there is none.
    fn all(&mut self, label: &str, values: &[impl Display]) -> io::Result<()> {
        values.iter().try_for_each(|value| self.add(label, value))
    }
}
