//! `mtlpack inspect`.

use std::io::Write;

use super::failure::Failure;
use super::options::{Format, FormatArg, OneFile};
use super::printer::{Printer, clean, style};
use super::{Answer, json, source};
use crate::inspect::{Node, Scope, Value, Visitor, walk};
use crate::io::Input;

/// Show every header field, section and tag with its offset, size and meaning
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack inspect --function vector_add default.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    /// Show only what belongs to the function of this name
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    #[command(flatten)]
    format: FormatArg,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let input = Input::open(&args.input.file)?;
    let library = source::parse(&input)?;
    let scope = args.function.as_deref().map_or(Scope::All, Scope::Function);
    match args.format.format {
        Format::Json => walk(&library, scope, &mut json::Tree::new(printer.out()))?,
        Format::Human => walk(&library, scope, &mut Human { printer, depth: 0 })?,
    }
    Ok(Answer::Yes)
}

/// Prints one line for each node, indented by its depth.
struct Human<'p> {
    printer: &'p mut Printer,
    depth: usize,
}

impl Visitor for Human<'_> {
    type Error = Failure;

    fn open(&mut self, node: &Node) -> Result<(), Failure> {
        if self.depth == 0 {
            let heading = format!("{:<10} {:>10}  {}", "offset", "size", "name = value");
            let heading = self.printer.styled(style::HEADING, heading);
            writeln!(self.printer.out(), "{heading}")?;
        }
        let (offset, size, indent) = (node.offset, node.size, 2 * self.depth);
        let range = self.printer.styled(style::DIM, format_args!("{offset:#010x} {size:>10}"));
        let out = self.printer.out();
        write!(out, "{range}  {:indent$}{}", "", clean(&node.name))?;
        if node.value != Value::None {
            write!(out, " = {}", clean(&node.value.to_string()))?;
        }
        writeln!(out)?;
        self.depth += 1;
        Ok(())
    }

    fn close(&mut self) -> Result<(), Failure> {
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }
}
