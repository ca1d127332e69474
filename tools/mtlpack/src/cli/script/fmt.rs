//! `mtlpack script fmt`.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use super::super::Answer;
use super::super::failure::Failure;
use super::super::options::refused;
use super::super::printer::{Printer, clean};
use super::super::source;
use crate::io::{Input, Target, write_text};

/// Lay out scripts: two spaces a level, small parts on one line, no trailing commas
///
/// Keys keep their order, numbers their text, and unknown keys stay. A single script is printed
/// unless -o, --in-place or --check says otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack script fmt --in-place *.mtlp-json")]
pub(super) struct Args {
    /// Scripts to read, `-` for standard input
    #[arg(required = true, value_name = "SCRIPT")]
    scripts: Vec<PathBuf>,
    /// Script to write, `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<OsString>,
    /// Rewrite the scripts
    #[arg(long, conflicts_with = "output")]
    in_place: bool,
    /// Only name the scripts that would change: exit status 1 if there is one
    #[arg(long, conflicts_with_all = ["output", "in_place"])]
    check: bool,
    /// The response files of the command line: they are inputs too.
    #[arg(skip)]
    pub(super) response_files: Vec<PathBuf>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    if args.scripts.len() > 1 && !args.in_place && !args.check {
        return Err(refused("several scripts need --in-place or --check"));
    }
    let mut differs = false;
    source::for_each(&args.scripts, printer, |input, printer| {
        let text = super::parse(input)?.to_text();
        match &args.output {
            _ if args.check => {
                if text.as_bytes() != input.bytes() {
                    differs = true;
                    writeln!(printer.out(), "{}", clean(input.name()))?;
                }
                Ok(())
            }
            _ if args.in_place => in_place(input, &text),
            Some(output) => {
                let files = args.response_files.iter().map(PathBuf::as_path);
                super::write(&Target::parse(output), &text, files)
            }
            None => Ok(printer.out().write_all(text.as_bytes())?),
        }
    })?;
    Ok(if differs { Answer::No } else { Answer::Yes })
}

fn in_place(input: &Input, text: &str) -> Result<(), Failure> {
    let Some(path) = input.path() else {
        let name = input.name();
        return Err(refused(format!("{name} is no file that --in-place could rewrite; use -o")));
    };
    write_text(&Target::from(path.to_path_buf()), text)?;
    Ok(())
}
