//! `mtlpack script graph`.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use mtlp_script::facts::Known;
use mtlp_script::{Severity, graph};

use super::super::Answer;
use super::super::failure::Failure;
use super::super::options::refused;
use super::super::printer::{Printer, clean};
use crate::error::Error;
use crate::io::Input;

/// Show the stitching graphs of a script, as bodies of functions or as DOT
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack script graph shaders.mtlp-json
  mtlpack script graph shaders.mtlp-json --format dot | dot -Tsvg > graphs.svg")]
pub(super) struct Args {
    /// Script to read, `-` for standard input
    #[arg(value_name = "SCRIPT")]
    script: PathBuf,
    /// Only graphs of the stitched library with this label, or the graph of this function
    #[arg(value_name = "LABEL")]
    label: Option<String>,
    /// How to show them
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// How graphs are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A call a line, as in the body of a function
    Text,
    /// The language of Graphviz
    Dot,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let input = Input::open(&args.script)?;
    let script = super::parse(&input)?;
    let report = mtlp_script::check(&script, &Known::default());
    if report.count(Severity::Error) > 0 {
        let lines = super::lines(&input, &report);
        return Err(refused(format!("the script must pass `script check` first:\n  {lines}")));
    }
    let model = script.model();
    let wanted = |name: &str| args.label.as_deref().is_none_or(|label| label == name);
    let graphs: Vec<_> = model
        .stitched
        .iter()
        .flat_map(|library| library.graphs.iter().map(move |graph| (library, graph)))
        .filter(|(library, graph)| wanted(library.label.text) || wanted(graph.name.text))
        .map(|(_, graph)| graph)
        .collect();
    if graphs.is_empty() {
        let what = match &args.label {
            Some(label) => format!("{}: no stitching graph of `{label}`", input.name()),
            None => format!("{}: no stitching graph", input.name()),
        };
        return Err(Error::NoMatch { what }.into());
    }
    let text = match args.format {
        Format::Text => graphs.iter().map(|graph| graph::to_text(graph)).collect(),
        Format::Dot => graph::to_dot(graphs),
    };
    write!(printer.out(), "{}", clean(&text))?;
    Ok(Answer::Yes)
}
