//! `mtlpack list`.

use std::fmt::{Display, Write as _};
use std::io::Write as _;

use clap::ValueEnum;

use super::failure::Failure;
use super::options::OneFile;
use super::printer::{Printer, clean, style};
use super::{Answer, json, source};
use crate::io::Input;
use crate::list::Row;
use crate::names;

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
                writeln!(printer.out(), "{}", names::escape(function.name_bytes()))?;
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
    let mut line = Line::default();
    for row in rows {
        line.0.clear();
        line.column(12, row.function_type);
        line.column(5, row.air);
        line.column(5, row.language);
        line.number(10, row.module_size);
        match row.hash {
            Some(hash) => crate::text::push_hex(&mut line.0, hash),
            None => line.column(63, None::<&str>),
        }
        line.0.push(' ');
        match row.name.is_empty() {
            true => line.0.push_str("(without a name)"),
            // A name with a line break is not to look like two.
            false => line.0.push_str(&clean(&row.name).replace('\n', "\\n")),
        }
        line.0.push('\n');
        out.write_all(line.0.as_bytes())?;
    }
    Ok(())
}

/// A line of columns, padded by hand: `{:<12}` and its like show in the time of long lists.
#[derive(Default)]
struct Line(String);

impl Line {
    /// Appends a value or `-`, filled up to the width, and a space.
    fn column(&mut self, width: usize, value: Option<impl Display>) {
        let end = self.0.len() + width + 1;
        match value {
            // Writing to a string cannot fail.
            Some(value) => drop(write!(self.0, "{value}")),
            None => self.0.push('-'),
        }
        self.0.push(' ');
        self.fill(end.saturating_sub(self.0.len()));
    }

    /// Appends a number or `-` at the right of the width, and a space.
    fn number(&mut self, width: usize, value: Option<u64>) {
        let text = value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        self.fill(width.saturating_sub(text.len()));
        self.0.push_str(&text);
        self.0.push(' ');
    }

    fn fill(&mut self, count: usize) {
        self.0.extend(std::iter::repeat_n(' ', count));
    }
}
