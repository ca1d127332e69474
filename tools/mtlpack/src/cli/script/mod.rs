//! `mtlpack script`.

mod check;
mod convert;
mod fmt;
mod graph;
mod new;
mod sarif;

use std::path::PathBuf;

use mtlp_script::{Form, Report, Script};

use super::Answer;
use super::failure::Failure;
use super::options::refused;
use super::printer::Printer;
use crate::io::{Claims, Input, Target, write_text};

/// Check, make and convert pipeline scripts (.mtlp-json), which metal-tt compiles ahead of time
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack script new shaders.metallib -o shaders.mtlp-json
  mtlpack script check shaders.mtlp-json --library shaders.metallib")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Check(check::Args),
    New(new::Args),
    Fmt(fmt::Args),
    Convert(convert::Args),
    Graph(graph::Args),
}

impl Args {
    /// Where the response files are kept that outputs may not replace.
    pub(super) fn response_files_mut(&mut self) -> Option<&mut Vec<PathBuf>> {
        match &mut self.command {
            Command::New(args) => Some(&mut args.response_files),
            Command::Fmt(args) => Some(&mut args.response_files),
            Command::Convert(args) => Some(&mut args.response_files),
            Command::Check(_) | Command::Graph(_) => None,
        }
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    match &args.command {
        Command::Check(args) => check::run(args, printer),
        Command::New(args) => new::run(args, printer),
        Command::Fmt(args) => fmt::run(args, printer),
        Command::Convert(args) => convert::run(args, printer),
        Command::Graph(args) => graph::run(args, printer),
    }
}

/// Reads a script; one that is no JSON is an error.
fn parse(input: &Input) -> Result<Script, Failure> {
    Script::parse(input.bytes(), Form::of_name(input.name()))
        .map_err(|error| refused(lines(input, &Report::of_syntax(error))))
}

/// Findings for a message, one a line.
fn lines(input: &Input, report: &Report) -> String {
    let line = |placed: mtlp_script::Placed<'_>| {
        let (line, column, message) = (placed.line, placed.column, &placed.finding.message);
        format!("{}:{line}:{column}: {message}", input.name())
    };
    report.placed(input.bytes()).map(line).collect::<Vec<_>>().join("\n  ")
}

/// Writes a script that was made of inputs, none of which it may replace.
fn write<'p>(
    target: &Target,
    text: &str,
    read: impl IntoIterator<Item = &'p std::path::Path>,
) -> Result<(), Failure> {
    let mut claims = Claims::default();
    read.into_iter().for_each(|path| {
        claims.read(path);
    });
    target.path().map_or(Ok(()), |path| claims.write(path))?;
    write_text(target, text)?;
    Ok(())
}

/// Refuses a name that `metal-tt` would not take for this form.
fn check_name(target: &Target, form: Form) -> Result<(), Failure> {
    let name = target.name();
    if target.path().is_none() || Form::of_name(&name) == Some(form) {
        return Ok(());
    }
    Err(refused(format!("`{name}` must end in {}: metal-tt goes by the name", form.extension())))
}
