//! The command `mtlpack`: arguments in, text and exit status out.
//!
//! One file a command, each a thin layer over a function of this library. What they
//! share: `options` (arguments), `printer` (the only way to standard output and
//! standard error), `failure` (messages and exit status), `source` (inputs).

mod check;
mod completions;
mod deliver;
mod diff;
mod disassemble;
mod explain;
mod extract;
mod failure;
mod filter;
mod hexdump;
mod info;
mod inspect;
mod join;
mod json;
mod lipo;
mod list;
mod lock;
mod merge;
mod normalize;
mod options;
mod pack;
mod parts;
mod paths;
mod printer;
mod rename;
mod replace;
mod retarget;
mod roundtrip;
mod script;
mod size;
mod source;
mod sources;
mod split;
mod strip;
mod strip_source;
mod symbols;
mod thin;
mod uuid;
mod verify;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use failure::Failure;
use options::{Color, Writing};
use printer::Printer;

/// Read, pack and rewrite Apple Metal libraries (.metallib) on any system.
#[derive(Debug, Parser)]
#[command(
    name = "mtlpack",
    version,
    max_term_width = 100,
    after_help = "\
`-` stands for standard input or output, `@FILE` for the arguments in FILE.
Exit status: 0 fine, 1 the answer is \"no\", 2 error."
)]
struct Cli {
    /// When to colour text
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 1000)]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Info(info::Args),
    List(list::Args),
    Inspect(inspect::Args),
    #[command(visible_alias = "nm")]
    Symbols(symbols::Args),
    Paths(paths::Args),
    Verify(verify::Args),
    Check(check::Args),
    Lock(lock::Args),
    Diff(diff::Args),
    Size(size::Args),
    Roundtrip(roundtrip::Args),
    #[command(visible_alias = "link")]
    Pack(pack::Args),
    Merge(merge::Args),
    Split(split::Args),
    Extract(extract::Args),
    Disassemble(disassemble::Args),
    Filter(filter::Args),
    Rename(rename::Args),
    Replace(replace::Args),
    Sources(sources::Args),
    Strip(strip::Args),
    StripSource(strip_source::Args),
    Join(join::Args),
    Normalize(normalize::Args),
    Retarget(retarget::Args),
    Script(script::Args),
    Uuid(uuid::Args),
    Lipo(lipo::Args),
    Thin(thin::Args),
    Explain(explain::Args),
    Completions(completions::Args),
}

/// What a command that did its work has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// All is well: exit status 0.
    Yes,
    /// The answer is "no": exit status 1.
    No,
}

impl Command {
    /// What a command that writes was told about writing.
    fn writing_mut(&mut self) -> Option<&mut Writing> {
        match self {
            Self::Pack(args) => Some(&mut args.writing),
            Self::Merge(args) => Some(&mut args.writing),
            Self::Split(args) => Some(&mut args.writing),
            Self::Filter(args) => Some(&mut args.writing),
            Self::Rename(args) => Some(&mut args.writing),
            Self::Replace(args) => Some(&mut args.writing),
            Self::Strip(args) => Some(&mut args.writing),
            Self::StripSource(args) => Some(&mut args.writing),
            Self::Join(args) => Some(&mut args.writing),
            Self::Normalize(args) => Some(&mut args.writing),
            Self::Retarget(args) => Some(&mut args.writing),
            Self::Uuid(args) => Some(&mut args.writing),
            Self::Lipo(args) => Some(&mut args.writing),
            Self::Thin(args) => Some(&mut args.writing),
            Self::Info(_)
            | Self::List(_)
            | Self::Inspect(_)
            | Self::Symbols(_)
            | Self::Paths(_)
            | Self::Extract(_)
            | Self::Disassemble(_)
            | Self::Sources(_)
            | Self::Script(_)
            | Self::Verify(_)
            | Self::Check(_)
            | Self::Lock(_)
            | Self::Diff(_)
            | Self::Size(_)
            | Self::Explain(_)
            | Self::Roundtrip(_)
            | Self::Completions(_) => None,
        }
    }

    /// Where a command keeps the response files that its outputs may not replace.
    fn response_files_mut(&mut self) -> Option<&mut Vec<PathBuf>> {
        match self {
            Self::Extract(args) => Some(&mut args.response_files),
            Self::Disassemble(args) => Some(&mut args.response_files),
            Self::Lock(args) => Some(&mut args.response_files),
            Self::Sources(args) => args.response_files_mut(),
            Self::Script(args) => args.response_files_mut(),
            other => other.writing_mut().map(|writing| &mut writing.response_files),
        }
    }

    fn run(self, printer: &mut Printer) -> Result<Answer, Failure> {
        match self {
            Self::Info(args) => info::run(&args, printer),
            Self::List(args) => list::run(&args, printer),
            Self::Inspect(args) => inspect::run(&args, printer),
            Self::Symbols(args) => symbols::run(&args, printer),
            Self::Paths(args) => paths::run(&args, printer),
            Self::Verify(args) => verify::run(&args, printer),
            Self::Check(args) => check::run(&args, printer),
            Self::Lock(args) => lock::run(&args, printer),
            Self::Diff(args) => diff::run(&args, printer),
            Self::Size(args) => size::run(&args, printer),
            Self::Roundtrip(args) => roundtrip::run(&args, printer),
            Self::Pack(args) => pack::run(&args, printer),
            Self::Merge(args) => merge::run(&args, printer),
            Self::Split(args) => split::run(&args, printer),
            Self::Extract(args) => extract::run(&args, printer),
            Self::Disassemble(args) => disassemble::run(&args, printer),
            Self::Filter(args) => filter::run(&args, printer),
            Self::Rename(args) => rename::run(&args, printer),
            Self::Replace(args) => replace::run(&args, printer),
            Self::Sources(args) => sources::run(&args, printer),
            Self::Strip(args) => strip::run(&args, printer),
            Self::StripSource(args) => strip_source::run(&args, printer),
            Self::Join(args) => join::run(&args, printer),
            Self::Normalize(args) => normalize::run(&args, printer),
            Self::Retarget(args) => retarget::run(&args, printer),
            Self::Script(args) => script::run(&args, printer),
            Self::Uuid(args) => uuid::run(&args, printer),
            Self::Lipo(args) => lipo::run(&args, printer),
            Self::Thin(args) => thin::run(&args, printer),
            Self::Explain(args) => explain::run(&args, printer),
            Self::Completions(args) => completions::run(&args, printer),
        }
    }
}

/// The command with all its arguments, for manual pages and completions.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command with the arguments of a process, the first of which is its name.
///
/// Data goes to standard output, everything else to standard error. The exit status is
/// 0 if all is well, 1 if the answer is "no", 2 after an error. When the reader of
/// standard output goes away, the command ends quietly with 0.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args = args.into_iter();
    let name = args.next().unwrap_or_else(|| "mtlpack".into());
    let expanded = match crate::io::expand_args(args) {
        Ok(expanded) => expanded,
        Err(error) => return Printer::new(Color::Auto).fail(&error.into()),
    };
    let list = lipo::apple_words(expanded.list);
    match Cli::try_parse_from(std::iter::once(name).chain(list)) {
        Ok(mut cli) => {
            if let Some(files) = cli.command.response_files_mut() {
                *files = expanded.files;
            }
            execute(cli)
        }
        Err(usage) => {
            // Help goes to standard output and is no failure; nobody may be reading it.
            let _ = usage.print();
            ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(2))
        }
    }
}

fn execute(cli: Cli) -> ExitCode {
    let mut printer = Printer::new(cli.color);
    let answer = cli.command.run(&mut printer);
    match printer.flush().map_err(Failure::from).and(answer) {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => printer.fail(&failure),
    }
}
