//! `mtlpack filter`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use metallib::FunctionType;

use super::deliver::{Consumed, Product, deliver};
use super::failure::Failure;
use super::options::{Destination, OneFile, Writing};
use super::printer::Printer;
use super::{Answer, source};
use crate::io::Input;
use crate::{FilterOptions, NameList, Selection};

/// Keep some functions of a library and drop the others
///
/// A function is kept if a --keep or --keep-list has it (or there is none of them), it
/// has one of the types (or there is none), and no --drop or --drop-list has it. A
/// pattern, type or listed name that matches nothing answers "no": exit status 1.
///
/// In patterns `[*]`, `[?]` and `[[]` stand for the characters themselves, and `[!a]` for
/// any character but `a`. Lists hold one exact name on each line, as `mtlpack list --format
/// names` prints them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack filter all.metallib --keep 'gemm_*' -o some.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    #[command(flatten)]
    destination: Destination,
    /// Keep functions whose name matches; `*`, `?` and `[a-z]` are wildcards
    #[arg(long, value_name = "GLOB")]
    keep: Vec<String>,
    /// Drop functions whose name matches
    #[arg(long, value_name = "GLOB")]
    drop: Vec<String>,
    /// Keep functions of these types, separated by commas
    #[arg(long = "type", value_name = "TYPE", value_parser = types(), value_delimiter = ',')]
    types: Vec<String>,
    /// Keep the functions named in a file, one on each line; `-` for standard input
    #[arg(long, value_name = "FILE")]
    keep_list: Vec<PathBuf>,
    /// Drop the functions named in a file, one on each line; `-` for standard input
    #[arg(long, value_name = "FILE")]
    drop_list: Vec<PathBuf>,
    /// Allow a result without functions
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    pub(super) writing: Writing,
}

fn types() -> PossibleValuesParser {
    PossibleValuesParser::new(FunctionType::names())
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    args.destination.check(&args.writing)?;
    let inputs = [Input::open(&args.input.file)?];
    let paths: Vec<PathBuf> = [&args.keep_list[..], &args.drop_list].concat();
    let lists = source::open_all(&paths)?;
    let selection = selection(args, &lists)?;
    let options =
        FilterOptions { allow_empty: args.allow_empty, new_layout: args.writing.new_layout };
    let [input] = &inputs;
    let library = source::parse(input)?;
    let edited = crate::filter(source::named(input, &library), &selection, &options)
        .map_err(|error| Failure::on(error, &inputs))?;
    let products = [Product { draft: edited.into(), target: args.destination.target(input)? }];
    deliver(&products, Consumed { libraries: &inputs, lists: &lists }, &args.writing, printer)?;
    Ok(Answer::Yes)
}

fn selection(args: &Args, lists: &[Input]) -> Result<Selection, Failure> {
    let read = |list: &Input| Ok(NameList::parse(list.name(), list.text()?)?);
    let mut keep_lists = lists.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    let drop_lists = keep_lists.split_off(args.keep_list.len().min(keep_lists.len()));
    Ok(Selection {
        keep: args.keep.clone(),
        drop: args.drop.clone(),
        types: args.types.iter().filter_map(|name| FunctionType::from_name(name)).collect(),
        keep_lists,
        drop_lists,
    })
}
