//! `mtlpack merge`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};

use super::deliver::{Consumed, Product, deliver};
use super::failure::Failure;
use super::options::{Writing, check_output};
use super::printer::Printer;
use super::{Answer, source};
use crate::io::Target;
use crate::{MergeOptions, OnDuplicate, OsChoice, SourcesChoice};

/// Merge libraries of one platform and kind into one, in their order
///
/// Each function keeps its name, but for those that --on-duplicate renames. One PREFIX serves
/// one differing library for a name: where a third one has another function of it, rename those
/// of one library before, with `mtlpack rename`. --dry-run and --format json list what is renamed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack merge a.metallib b.metallib -o all.metallib
  mtlpack merge a.metallib b.metallib --on-duplicate rename:b_ -o all.metallib")]
pub(super) struct Args {
    /// Libraries to merge, `-` for standard input; a folder that `split` made stands for its parts
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Library to write, `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<OsString>,
    /// What to do with a name that is in several libraries
    #[arg(long, value_name = "CHOICE", default_value = "error", value_parser = DuplicateParser)]
    on_duplicate: OnDuplicate,
    /// Which of different minimum OS versions the output has
    #[arg(long, value_name = "CHOICE", default_value = "highest")]
    os: Os,
    /// Whether embedded sources are kept
    #[arg(long, value_name = "CHOICE", default_value = "keep")]
    sources: Sources,
    /// Install name of the output; by default what all inputs agree on, else its file name
    #[arg(long)]
    name: Option<String>,
    /// Allow a library without functions as the result
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    pub(super) writing: Writing,
}

/// Reads `error`, `first`, `last` and `rename:PREFIX`.
#[derive(Clone)]
pub(super) struct DuplicateParser;

impl DuplicateParser {
    const CHOICES: [(&str, &str); 4] = [
        ("error", "Refuse, unless it is the very same function"),
        ("first", "Keep the function of the first library"),
        ("last", "Keep the function of the last library"),
        (
            "rename:PREFIX",
            "Keep all: those that differ from the first library's get PREFIX in front of their \
             names, in their modules too; for a name it serves one differing library",
        ),
    ];

    fn read(text: &str) -> Result<OnDuplicate, String> {
        match text {
            "first" => Ok(OnDuplicate::First),
            "last" => Ok(OnDuplicate::Last),
            _ => text.strip_prefix("rename").map_or(Ok(OnDuplicate::Error), Self::rename),
        }
    }

    /// Reads what stands behind `rename`.
    fn rename(rest: &str) -> Result<OnDuplicate, String> {
        let prefix = rest.strip_prefix(':').filter(|prefix| !prefix.is_empty());
        let prefix = prefix.ok_or("the prefix is empty, expected rename:PREFIX")?;
        let bad =
            |escape| format!("prefix: `{escape}` is no escape; a backslash of a name is `\\\\`");
        crate::names::unescape(prefix).map(OnDuplicate::Rename).map_err(bad)
    }
}

impl TypedValueParser for DuplicateParser {
    type Value = OnDuplicate;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<OnDuplicate, clap::Error> {
        let text = value.to_string_lossy();
        if text != "rename" && !text.starts_with("rename:") {
            // Its message lists the choices.
            let known = PossibleValuesParser::new(Self::CHOICES.map(|(name, _)| name));
            known.parse_ref(command, argument, value)?;
        }
        let read = StringValueParser::new().try_map(|text| Self::read(&text));
        read.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value =
            |(name, help): (&'static str, &'static str)| PossibleValue::new(name).help(help);
        Some(Box::new(Self::CHOICES.into_iter().map(value)))
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Os {
    /// The highest, on which all functions load
    Highest,
    /// That of the first library
    First,
}

impl Os {
    pub(super) fn choice(self) -> OsChoice {
        match self {
            Self::Highest => OsChoice::Highest,
            Self::First => OsChoice::First,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Sources {
    /// Keep them, equal ones once
    Keep,
    /// Drop them
    Drop,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    check_output(args.output.as_ref(), &args.writing)?;
    let (inputs, indexes) = source::open_all_or_split(&args.files)?;
    let libraries = source::parse_all(&inputs)?;
    let named = source::named_all(&inputs, &libraries);
    let target = args.output.as_deref().map(Target::parse);
    let edited = crate::merge(&named, &options(args, target.as_ref()))
        .map_err(|error| Failure::on(error, &inputs))?;
    let products = [Product { draft: edited.into(), target }];
    deliver(&products, Consumed { libraries: &inputs, lists: &indexes }, &args.writing, printer)?;
    Ok(Answer::Yes)
}

fn options(args: &Args, target: Option<&Target>) -> MergeOptions {
    let file_name = target.and_then(Target::path).and_then(|path| path.file_name());
    MergeOptions {
        on_duplicate: args.on_duplicate.clone(),
        os: args.os.choice(),
        sources: match args.sources {
            Sources::Keep => SourcesChoice::Keep,
            Sources::Drop => SourcesChoice::Drop,
        },
        name: args.name.clone(),
        output_name: file_name.map(|name| name.to_string_lossy().into_owned()),
        allow_empty: args.allow_empty,
        new_layout: args.writing.new_layout,
    }
}
