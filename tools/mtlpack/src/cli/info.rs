//! `mtlpack info`.

use std::fmt::Display;
use std::io::{self, Write};

use super::failure::Failure;
use super::options::{Files, Format, FormatArg};
use super::printer::{Printer, clean, style};
use super::{Answer, json, source};
use crate::info::{Info, SourcesInfo};
use crate::io::Input;
use crate::{Named, uuid};

/// Say what libraries are: platform, oldest system, kind, versions, functions
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack info --short *.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: Files,
    /// One line for each file
    #[arg(long, conflicts_with = "format")]
    short: bool,
    #[command(flatten)]
    format: FormatArg,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let mut all = Vec::new();
    let done = source::for_each(&args.input.files, printer, |input, printer| {
        let info = read(input)?;
        match args.format.format {
            Format::Json => all.push(info),
            Format::Human if args.short => short(&info, printer.out())?,
            Format::Human => human(&info, printer)?,
        }
        Ok(())
    });
    if args.format.format == Format::Json {
        json::print(&all, printer)?;
    }
    done.map(|()| Answer::Yes)
}

fn read(input: &Input) -> Result<Info, Failure> {
    let library = source::parse(input)?;
    Ok(crate::info(Named { name: input.name(), library: &library }))
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

fn human(info: &Info, printer: &mut Printer) -> Result<(), Failure> {
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
