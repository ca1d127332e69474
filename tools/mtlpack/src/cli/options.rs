//! Arguments that several commands share.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;

use super::failure::Failure;
use crate::PathRules;
use crate::error::Error;
use crate::io::{Input, Target};

/// When to colour text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless the variable `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Text for people; it may change between versions
    Human,
    /// JSON for programs, as described in docs/cli.md
    Json,
}

/// Report format of most commands.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct FormatArg {
    /// How to print the report
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(super) format: Format,
}

/// Any number of libraries.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Files {
    /// Libraries to read, `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
}

/// One library.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct OneFile {
    /// Library to read, `-` for standard input
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
}

/// How many threads a command may use.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Threads {
    /// Threads to use; by default one or two, as the machine has
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    threads: Option<NonZeroUsize>,
}

fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a number of at least 1".to_owned())
}

impl Threads {
    /// The number asked for, else as many as there are processors, two at the most.
    pub(super) fn count(self) -> usize {
        let available = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(2);
        self.threads.map_or_else(available, NonZeroUsize::get)
    }
}

/// What all commands that write have in common.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Writing {
    /// Print what would be written, and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Also write a dependency file for Make or Ninja, `-` for standard output
    #[arg(long, value_name = "FILE")]
    depfile: Option<OsString>,
    /// Allow an irregular library to be laid out anew
    #[arg(long)]
    pub(super) new_layout: bool,
    #[command(flatten)]
    pub(super) threads: Threads,
    #[command(flatten)]
    pub(super) format: FormatArg,
    /// The response files of the command line: they are inputs too.
    #[arg(skip)]
    pub(super) response_files: Vec<PathBuf>,
}

impl Writing {
    /// Where the dependency file goes, if one is asked for.
    pub(super) fn depfile(&self) -> Option<Target> {
        self.depfile.as_deref().map(Target::parse)
    }

    /// Whether a plan or report is printed.
    pub(super) fn is_reported(&self) -> bool {
        self.dry_run || self.format.format == Format::Json
    }

    /// What goes to standard output beside libraries.
    pub(super) fn text_on_stdout(&self) -> impl Iterator<Item = &'static str> {
        let depfile = self.depfile().filter(|target| target.path().is_none());
        let depfile = depfile.map(|_| "the dependency file");
        let report = self.format.format == Format::Json;
        depfile.into_iter().chain(report.then_some("the report of --format json"))
    }
}

/// What becomes of paths.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct PathMaps {
    /// Put NEW in the place of OLD where paths begin with it; the longest that fits counts, as
    /// with -ffile-prefix-map
    #[arg(long, value_name = "OLD=NEW")]
    map: Vec<String>,
}

impl PathMaps {
    /// Whether there is a rule.
    pub(super) fn is_given(&self) -> bool {
        !self.map.is_empty()
    }

    /// The rules.
    pub(super) fn rules(&self) -> Result<PathRules, Failure> {
        let mut rules = PathRules::default();
        self.map.iter().try_for_each(|map| rules.add(map))?;
        Ok(rules)
    }
}

/// Where the result of one input goes: to a file, or back to the input.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Destination {
    /// Library to write, `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<OsString>,
    /// Rewrite the input
    #[arg(long, conflicts_with = "output")]
    in_place: bool,
}

impl Destination {
    /// Refuses a command line that names no place for the result.
    pub(super) fn check(&self, writing: &Writing) -> Result<(), Failure> {
        match self.is_given() || writing.dry_run {
            true => Ok(()),
            false => Err(refused("the result needs a place: give -o, --in-place or --dry-run")),
        }
    }

    /// Whether a place is named.
    pub(super) fn is_given(&self) -> bool {
        self.output.is_some() || self.in_place
    }

    /// The target of `-o`, or the input itself; `None` if there is only a plan to print.
    pub(super) fn target(&self, input: &Input) -> Result<Option<Target>, Failure> {
        match (&self.output, self.in_place, input.path()) {
            (Some(output), ..) => Ok(Some(Target::parse(output))),
            (None, true, Some(path)) => Ok(Some(Target::Path(path.to_path_buf()))),
            (None, true, None) => Err(refused(format!(
                "{} is no file that --in-place could rewrite; use -o",
                input.name()
            ))),
            (None, false, _) => Ok(None),
        }
    }
}

/// Refuses a command line that names no place for the result of several inputs, or for
/// several results of one.
pub(super) fn check_output(output: Option<&OsString>, writing: &Writing) -> Result<(), Failure> {
    match output.is_some() || writing.dry_run {
        true => Ok(()),
        false => Err(refused("the result needs a place: give -o or --dry-run")),
    }
}

/// The folder that `-o` names, for many files.
pub(super) fn folder(output: &OsStr) -> Result<PathBuf, Failure> {
    match Target::parse(output) {
        Target::Path(path) => Ok(path),
        Target::Stdout => Err(refused(
            "the parts go to a folder, not to standard output; a folder that is called `-` is `./-`",
        )),
    }
}

/// A command line that cannot be followed.
pub(super) fn refused(what: impl Into<String>) -> Failure {
    Error::refused(what).into()
}
