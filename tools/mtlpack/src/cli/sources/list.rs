//! `mtlpack sources list`.

use std::io::Write;

use super::super::failure::Failure;
use super::super::options::{Format, FormatArg, OneFile};
use super::super::printer::{Printer, clean, style};
use super::super::{Answer, json, source};
use super::MaxSize;
use crate::error::Error;
use crate::io::Input;
use crate::{ArchiveReport, SourcesReport};

/// List the embedded sources: link options, archives, their files, and who refers to them
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack sources list debug.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    #[command(flatten)]
    max_size: MaxSize,
    #[command(flatten)]
    format: FormatArg,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let input = Input::open(&args.input.file)?;
    let library = source::parse(&input)?;
    let report = crate::list_sources(source::named(&input, &library), args.max_size.budget())?;
    match args.format.format {
        Format::Json => json::print(&report, printer)?,
        Format::Human => human(&report, printer)?,
    }
    let faults: Vec<_> = report.archives.iter().filter_map(|found| found.fault.as_ref()).collect();
    if faults.is_empty() {
        return Ok(Answer::Yes);
    }
    if faults.iter().any(|fault| fault.is_limit()) {
        printer.note(super::super::failure::SIZE_HINT);
    }
    let (count, all) = (faults.len(), report.archives.len());
    let what = format!("{}: {count} of {all} archives cannot be unpacked", report.input);
    Err(Error::refused(what).into())
}

fn human(report: &SourcesReport, printer: &mut Printer) -> Result<(), Failure> {
    let input = clean(&report.input);
    let heading = match report.section {
        Some(section) => format!("{input}: {} archives in {section}", report.archives.len()),
        None => format!("{input}: no embedded sources"),
    };
    let heading = printer.styled(style::HEADING, heading);
    writeln!(printer.out(), "{heading}")?;
    let facts =
        [("link options", &report.link_options), ("working directory", &report.working_dir)];
    for (name, value) in facts.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)))
    {
        writeln!(printer.out(), "  {name}: {}", line(value))?;
    }
    for (index, archive) in report.archives.iter().enumerate() {
        human_archive(index, archive, printer)?;
    }
    report.notes.iter().for_each(|note| printer.note(format_args!("{input}: {note}")));
    Ok(())
}

fn human_archive(
    index: usize,
    archive: &ArchiveReport,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let ArchiveReport { id, offset, packed_size, padding, unpacked_size, .. } = archive;
    let mut heading = format!("archive {index} `{}` at {offset:#x}", line(id));
    if let (Some(packed), Some(padding), Some(unpacked)) = (packed_size, padding, unpacked_size) {
        heading += &format!(": {packed} bytes packed, {unpacked} unpacked, {padding} of padding");
    }
    let heading = printer.styled(style::HEADING, heading);
    let out = printer.out();
    writeln!(out, "{heading}")?;
    if let Some(fault) = &archive.fault {
        writeln!(out, "  cannot be unpacked: {}", line(&fault.to_string()))?;
    }
    if let Some(name) = &archive.original_name {
        writeln!(out, "  original file: {}", line(name))?;
    }
    let functions = match archive.functions.len() {
        0 => "none".to_owned(),
        _ => archive.functions.join(", "),
    };
    writeln!(out, "  functions: {}", line(&functions))?;
    for member in &archive.members {
        let kind = match member.kind.as_str() {
            "file" => String::new(),
            kind => format!(" ({kind})"),
        };
        writeln!(out, "  {:>10}  {}{kind}", member.size, line(&member.name))?;
    }
    Ok(())
}

/// Text of the file on one line, safe for a terminal.
fn line(text: &str) -> String {
    clean(text).replace('\n', "\\n")
}
