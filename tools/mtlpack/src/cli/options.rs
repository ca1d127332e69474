//! Arguments that several commands share.

use std::path::PathBuf;

use clap::ValueEnum;

/// When to colour text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
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
