//! `mtlpack diff`.

mod human;
mod markdown;
mod words;

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::failure::Failure;
use super::options::Threads;
use super::printer::Printer;
use super::{Answer, json, source};
use crate::io::Input;
use crate::{Diff, DiffOptions, Ignored, Named};

/// Say what is different between two libraries
///
/// Functions are paired by name and compared by tags, metadata, reflection and the bytes of their
/// modules. The exit status is 1 if something differs; with --fail-if-growth only if the second
/// library is that much larger.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack diff old.metallib new.metallib --ignore uuid,paths")]
pub(super) struct Args {
    /// The first library, `-` for standard input
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The second library
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// What to pass over, separated by commas
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    ignore: Vec<What>,
    /// Say "no" only if NEW is more than P percent larger than OLD
    #[arg(long, value_name = "P%", value_parser = percent)]
    fail_if_growth: Option<f64>,
    /// Show how LLVM's text differs of listed functions whose modules do; llvm-dis is run for each
    #[arg(long)]
    ir: bool,
    /// The llvm-dis to run for --ir, instead of one that is found
    #[arg(long, value_name = "PATH", requires = "ir")]
    llvm_dis: Option<PathBuf>,
    /// List all functions and families, not only those whose size changed most
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    threads: Threads,
    /// How to print the report
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: DiffFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// The UUID
    Uuid,
    /// Folders of absolute paths, everywhere that `normalize` rewrites them
    Paths,
    /// Embedded sources, with tags SOFF and DEPF
    Sources,
    /// Tag HASH; the modules are compared all the same
    Hash,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// Text for people; it may change between versions
    Human,
    /// JSON for programs, as described in docs/cli.md
    Json,
    /// Markdown, for comments on changes
    Markdown,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end();
    let number = number.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "expected percent, such as 5 or 2.5%".to_owned())
}

impl Args {
    fn options(&self) -> DiffOptions {
        let is_ignored = |what| self.ignore.contains(&what);
        let ignored = Ignored {
            uuid: is_ignored(What::Uuid),
            paths: is_ignored(What::Paths),
            sources: is_ignored(What::Sources),
            hash: is_ignored(What::Hash),
        };
        DiffOptions { ignored, threads: self.threads.count() }
    }

    /// How many functions and families are listed.
    fn shown(&self) -> usize {
        match self.all || self.format == DiffFormat::Json {
            true => usize::MAX,
            false => words::SHOWN,
        }
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let (old, new) = (Input::open(&args.old)?, Input::open(&args.new)?);
    let (a, b) = (source::parse(&old)?, source::parse(&new)?);
    let mut diff = crate::diff((&old, &a), (&new, &b), args.options())?;
    let listed = words::listed(&diff, args.shown());
    let mut failed = None;
    if args.ir {
        let named = [source::named(&old, &a), source::named(&new, &b)];
        failed = add_texts(&mut diff, &listed, named, args.llvm_dis.as_deref());
    }
    match args.format {
        DiffFormat::Json => json::print(&diff, printer)?,
        DiffFormat::Human => human::print(&diff, &listed, args.shown(), printer)?,
        DiffFormat::Markdown => markdown::print(&diff, &listed, args.shown(), printer)?,
    }
    if let Some(failed) = failed {
        return Err(failed);
    }
    let is_yes = match args.fail_if_growth {
        Some(most) => diff.growth <= most,
        None => diff.same,
    };
    Ok(if is_yes { Answer::Yes } else { Answer::No })
}

/// Adds the lines of LLVM's text that differ of what is listed. A module that cannot be shown
/// hides none of the others; gives the first of the errors.
fn add_texts(
    diff: &mut Diff,
    listed: &[words::Listed],
    [old, new]: [Named<'_, '_>; 2],
    llvm_dis: Option<&Path>,
) -> Option<Failure> {
    let mut failed: Option<(crate::Error, u64)> = None;
    for one in listed {
        let words::Listed::Changed(index) = one else { continue };
        let Some(change) = diff.changed.get_mut(*index) else { continue };
        match crate::changed_text(old, new, change, llvm_dis) {
            Ok(text) => change.text = text,
            Err(error) => {
                let count = failed.as_ref().map_or(0, |(_, count)| *count) + 1;
                let first = failed.take().map_or(error, |(first, _)| first);
                failed = Some((first, count));
            }
        }
    }
    let (error, count) = failed?;
    let modules = crate::text::plural(count, "function");
    Some(crate::Error::refused(format!("no text of {modules}: {error}")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_are_no_less_than_none() {
        assert_eq!(percent("5"), Ok(5.0));
        assert_eq!(percent("2.5%"), Ok(2.5));
        for text in ["", "%", "-1", "inf", "NaN", "5 percent"] {
            assert!(percent(text).is_err(), "{text}");
        }
    }
}
