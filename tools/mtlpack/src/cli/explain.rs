//! `mtlpack explain`.

use std::io::Write;

use super::failure::Failure;
use super::options::{Format, FormatArg};
use super::printer::{Printer, style};
use super::{Answer, json};

/// Say what a message of Metal or its tools is about, and which command shows it
///
/// Messages are found by their words, so a part of one does, and so does a line of a log around
/// it. The exit status is 1 if none is found. Without a message all that are known are listed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  mtlpack explain 'deployment target (0x00020008) is not supported'"
)]
pub(super) struct Args {
    /// The message, as it was printed
    #[arg(value_name = "MESSAGE")]
    message: Option<String>,
    #[command(flatten)]
    format: FormatArg,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let found = match &args.message {
        Some(message) => crate::explain(message),
        None => crate::MESSAGES.iter().collect(),
    };
    match args.format.format {
        Format::Json => json::print(&found, printer)?,
        Format::Human => {
            for (index, message) in found.iter().enumerate() {
                let heading = printer.styled(style::HEADING, message.message);
                let gap = if index == 0 { "" } else { "\n" };
                let out = printer.out();
                writeln!(out, "{gap}{heading}")?;
                writeln!(out, "  from     {}", message.from)?;
                writeln!(out, "  cause    {}", message.cause)?;
                writeln!(out, "  field    {}", message.field)?;
                writeln!(out, "  command  {}", message.command)?;
            }
        }
    }
    if found.is_empty() {
        printer
            .note("no known message has these words; `mtlpack explain` lists all that are known");
        return Ok(Answer::No);
    }
    Ok(Answer::Yes)
}
