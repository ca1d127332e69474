//! `mtlpack size`.

use std::io::Write;

use clap::ValueEnum;

use super::failure::Failure;
use super::options::OneFile;
use super::printer::{Printer, clean, style};
use super::{Answer, json, source};
use crate::io::Input;
use crate::{FunctionSize, SectionSize};

/// Say where the bytes of a library are: by function, family of functions, or section
///
/// A family are functions whose names begin with the same words: the first two where eight or
/// more share them, else the first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack size default.metallib --by family")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    /// What to count by
    #[arg(long, value_name = "WHAT", default_value = "family")]
    by: By,
    /// Print all rows for people, not only the largest
    #[arg(long)]
    all: bool,
    /// How to print the sizes
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: SizeFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// Functions, in the order of the library; the largest first for people
    Function,
    /// Families of functions, the largest first
    Family,
    /// Parts of the file, in its order
    Section,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SizeFormat {
    /// Text for people; it may change between versions
    Human,
    /// JSON for programs, as described in docs/cli.md
    Json,
    /// Comma-separated values with a heading
    Csv,
}

/// Rows that people are shown unless they ask for all.
const SHOWN: usize = 40;

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let input = Input::open(&args.input.file)?;
    let library = source::parse(&input)?;
    if args.by == By::Section {
        let rows = crate::section_sizes(&library);
        match args.format {
            SizeFormat::Human => human_sections(&rows, printer)?,
            SizeFormat::Json => json::print_list(rows, printer)?,
            SizeFormat::Csv => csv(&rows, printer)?,
        }
        return Ok(Answer::Yes);
    }
    let mut rows = match args.by {
        By::Family => crate::family_sizes(&library),
        _ => crate::function_sizes(&library),
    };
    match args.format {
        SizeFormat::Human => {
            rows.sort_by_key(|row| std::cmp::Reverse(row.size));
            human(&rows, if args.all { usize::MAX } else { SHOWN }, args.by, printer)?;
        }
        SizeFormat::Json => json::print_list(rows, printer)?,
        SizeFormat::Csv => csv(&rows, printer)?,
    }
    Ok(Answer::Yes)
}

/// Share of a total.
#[allow(clippy::cast_precision_loss, reason = "a share in percent")]
fn percent(part: u64, total: u64) -> f64 {
    part as f64 / total.max(1) as f64 * 100.0
}

fn name_of(name: &str) -> String {
    match name.is_empty() {
        true => "(without a name)".to_owned(),
        false => clean(name).replace('\n', "\\n"),
    }
}

fn human(rows: &[FunctionSize], most: usize, by: By, printer: &mut Printer) -> Result<(), Failure> {
    let what = if by == By::Family { "family" } else { "function" };
    let heading = format!(
        "{:>12} {:>6} {:>12} {:>10} {:>10} {:>9}  {what}",
        "bytes", "%", "modules", "metadata", "reflection", "functions"
    );
    let heading = printer.styled(style::HEADING, heading);
    let out = printer.out();
    writeln!(out, "{heading}")?;
    let total: u64 = rows.iter().map(|row| row.size).sum();
    let mut line = |name: &str, row: &FunctionSize| {
        let share = percent(row.size, total);
        let FunctionSize { size, modules, metadata, reflection, functions, .. } = row;
        let left = format!("{size:>12} {share:>6.1} {modules:>12} {metadata:>10}");
        writeln!(out, "{left} {reflection:>10} {functions:>9}  {name}")
    };
    for row in rows.iter().take(most) {
        line(&name_of(&row.name), row)?;
    }
    let rest = rows.get(most..).unwrap_or_default();
    if !rest.is_empty() {
        let rest_of_all = crate::text::plural(rest.len() as u64, what);
        line(&format!("{rest_of_all} more; --all lists them"), &sum(rest))?;
    }
    line("all", &sum(rows))?;
    Ok(())
}

fn sum(rows: &[FunctionSize]) -> FunctionSize {
    rows.iter().fold(FunctionSize::default(), |mut sum, row| {
        sum.add(row);
        sum
    })
}

fn human_sections(rows: &[SectionSize], printer: &mut Printer) -> Result<(), Failure> {
    let heading = printer.styled(style::HEADING, format!("{:>12} {:>6}  section", "bytes", "%"));
    let out = printer.out();
    writeln!(out, "{heading}")?;
    let total: u64 = rows.iter().map(|row| row.size).sum();
    for SectionSize { name, size } in rows {
        writeln!(out, "{size:>12} {:>6.1}  {}", percent(*size, total), name_of(name))?;
    }
    writeln!(out, "{total:>12} {:>6.1}  all", percent(total, total))?;
    Ok(())
}

/// Values of a row of a table.
trait Csv {
    const HEADING: &'static str;

    /// The name, and the numbers behind it.
    fn row(&self) -> (&str, Vec<u64>);
}

impl Csv for FunctionSize {
    const HEADING: &'static str = "name,functions,modules,metadata,reflection,size";

    fn row(&self) -> (&str, Vec<u64>) {
        let numbers = [self.functions, self.modules, self.metadata, self.reflection, self.size];
        (&self.name, numbers.into())
    }
}

impl Csv for SectionSize {
    const HEADING: &'static str = "name,size";

    fn row(&self) -> (&str, Vec<u64>) {
        (&self.name, vec![self.size])
    }
}

fn csv<T: Csv>(rows: &[T], printer: &mut Printer) -> Result<(), Failure> {
    let out = printer.out();
    writeln!(out, "{}", T::HEADING)?;
    for row in rows {
        let (name, numbers) = row.row();
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        writeln!(out, "{},{}", quoted(name), numbers.join(","))?;
    }
    Ok(())
}

/// A text as a value: in quotes where it could be taken for more than one, or for two lines.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn values_are_quoted_where_they_have_to_be() {
        assert_eq!(quoted("vector_add"), "vector_add");
        assert_eq!(quoted("f<a, b>"), "\"f<a, b>\"");
        assert_eq!(quoted("a\"b\n"), "\"a\"\"b\n\"");
    }
}
