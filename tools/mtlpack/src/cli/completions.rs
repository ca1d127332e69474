//! `mtlpack completions`.

use std::io::Write;

use clap_complete::Shell;

use super::Answer;
use super::failure::Failure;
use super::printer::Printer;

/// Print the script that lets a shell complete arguments of mtlpack
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack completions zsh > ~/.zfunc/_mtlpack")]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "mtlpack", &mut script);
    printer.out().write_all(&script)?;
    Ok(Answer::Yes)
}
