//! `mtlpack script convert`.

use std::ffi::OsString;
use std::path::PathBuf;

use mtlp_script::{Form, Severity};

use super::super::Answer;
use super::super::failure::Failure;
use super::super::options::refused;
use super::super::printer::Printer;
use crate::io::{Input, Target};
use crate::text::plural;

/// Convert a script between .mtlp-json and .mtl4-json (Metal 4), as far as both can say it
///
/// Apple documents the second form nowhere: known of it is what was seen in public files. What the
/// other form is not known to say is refused by name, and nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack script convert shaders.mtlp-json -o shaders.mtl4-json")]
pub(super) struct Args {
    /// Script to read, `-` for standard input
    #[arg(value_name = "SCRIPT")]
    script: PathBuf,
    /// Script to write, `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: OsString,
    /// The response files of the command line: they are inputs too.
    #[arg(skip)]
    pub(super) response_files: Vec<PathBuf>,
}

pub(super) fn run(args: &Args, _: &mut Printer) -> Result<Answer, Failure> {
    let input = Input::open(&args.script)?;
    let script = super::parse(&input)?;
    let to = match script.form() {
        Form::Mtlp => Form::Mtl4,
        Form::Mtl4 => Form::Mtlp,
    };
    let target = Target::parse(&args.output);
    super::check_name(&target, to)?;
    let converted = mtlp_script::convert(&script).map_err(|report| {
        let errors = plural(report.count(Severity::Error), "error");
        let (name, lines) = (input.name(), super::lines(&input, &report));
        refused(format!("{name} cannot be converted ({errors}):\n  {lines}"))
    })?;
    let read = input.path().into_iter().chain(args.response_files.iter().map(PathBuf::as_path));
    super::write(&target, &converted.to_text(), read)?;
    Ok(Answer::Yes)
}
