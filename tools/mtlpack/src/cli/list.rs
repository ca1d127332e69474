//! `mtlpack list`.

use std::fmt::{self, Display};
use std::io::Write;

use clap::ValueEnum;

use super::failure::Failure;
use super::options::OneFile;
use super::printer::{Printer, clean, style};
use super::{Answer, json, source};
use crate::io::Input;
use crate::list::Row;

/// List the functions of a library: type, versions, module size, hash, name
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack list --format names default.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    /// How to print the list
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: ListFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// Text for people; it may change between versions
    Human,
    /// JSON for programs, as described in docs/cli.md
    Json,
    /// The names alone, one on each line, as --keep-list reads them
    Names,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let input = Input::open(&args.input.file)?;
    let library = source::parse(&input)?;
    let rows = crate::list(&library);
    match args.format {
        ListFormat::Human => human(rows, printer)?,
        ListFormat::Json => json::print_list(rows, printer)?,
        ListFormat::Names => {
            for function in library.functions() {
                printer.out().write_all(function.name_bytes())?;
                printer.out().write_all(b"\n")?;
            }
        }
    }
    Ok(Answer::Yes)
}

fn human<'l>(rows: impl Iterator<Item = Row<'l>>, printer: &mut Printer) -> Result<(), Failure> {
    let heading = format!(
        "{:<12} {:<5} {:<5} {:>10} {:<64} {}",
        "type", "AIR", "Metal", "size", "hash", "name"
    );
    let heading = printer.styled(style::HEADING, heading);
    let out = printer.out();
    writeln!(out, "{heading}")?;
    for row in rows {
        // Columns of fixed width are cheaper to fill by hand than through `Display`.
        let (kind, air) = (Or(row.function_type).to_string(), Or(row.air).to_string());
        let (language, size) = (Or(row.language).to_string(), Or(row.module_size).to_string());
        let hash = row.hash.map_or_else(|| "-".to_owned(), |hash| crate::text::hex(hash));
        let name = clean(&row.name);
        writeln!(out, "{kind:<12} {air:<5} {language:<5} {size:>10} {hash:<64} {name}")?;
    }
    Ok(())
}

/// A value, or `-`.
struct Or<T>(Option<T>);

impl<T: Display> Display for Or<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("-"),
        }
    }
}
