//! `mtlpack script new`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use mtlp_script::Form;
use mtlp_script::facts::Library;
use mtlp_script::make::{LeftOut, Options, make};

use super::super::failure::Failure;
use super::super::options::{Files, refused};
use super::super::printer::Printer;
use super::super::{Answer, source};
use crate::error::Error;
use crate::io::{Input, Target};
use crate::text::plural;

/// Make a pipeline script for libraries
///
/// Kernels get compute pipelines; vertex and fragment functions whose names differ only by words
/// for the stage get render pipelines, as do pairs that are given; mesh functions get mesh
/// pipelines; visible and intersection functions are listed. Functions with constants are
/// specialised, with all constants listed: put the right values in the place of `false` and 0. A
/// note tells which functions are left out.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack script new shaders.metallib -o shaders.mtlp-json --pixel-format RGBA16Float")]
pub(super) struct Args {
    #[command(flatten)]
    input: Files,
    /// Script to write, `-` for standard output
    #[arg(short, long, value_name = "SCRIPT")]
    output: OsString,
    /// Format of the color attachment of render pipelines
    #[arg(long, value_name = "FORMAT", default_value = "BGRA8Unorm")]
    pixel_format: String,
    /// Format of their depth attachment
    #[arg(long, value_name = "FORMAT")]
    depth_format: Option<String>,
    /// Vertex and fragment function of a render pipeline, whatever their names are
    #[arg(long, value_name = "VERTEX:FRAGMENT")]
    pair: Vec<String>,
    /// The response files of the command line: they are inputs too.
    #[arg(skip)]
    pub(super) response_files: Vec<PathBuf>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let target = Target::parse(&args.output);
    check_names(args, &target)?;
    let inputs = source::open_all(&args.input.files)?;
    let facts = inputs.iter().map(facts).collect::<Result<Vec<_>, _>>()?;
    let libraries: Vec<(&str, &Library)> = inputs.iter().map(Input::name).zip(&facts).collect();
    let options = Options {
        pixel_format: args.pixel_format.clone(),
        depth_format: args.depth_format.clone(),
        pairs: args.pair.clone(),
    };
    let made = make(&libraries, &options).map_err(refused)?;
    notes(&made.left_out, printer);
    if made.script.get("functions").is_none() && made.pipelines == 0 {
        let what = "no function of the libraries has a place in a script";
        return Err(Error::NoMatch { what: what.to_owned() }.into());
    }
    let read = inputs.iter().filter_map(Input::path);
    let read = read.chain(args.response_files.iter().map(PathBuf::as_path));
    super::write(&target, &made.script.to_text(), read)?;
    Ok(Answer::Yes)
}

fn check_names(args: &Args, target: &Target) -> Result<(), Failure> {
    super::check_name(target, Form::Mtlp)?;
    let is_stdin = |path: &&PathBuf| path.as_os_str() == "-";
    match args.input.files.len() > 1 && args.input.files.iter().any(|path| is_stdin(&path)) {
        true => Err(refused("a script names several libraries by path; standard input has none")),
        false => Ok(()),
    }
}

fn facts(input: &Input) -> Result<Library, Failure> {
    let library = source::parse(input)?;
    Ok(crate::script_facts(source::named(input, &library))?)
}

/// Tells what is left out, each reason once with the first few names.
fn notes(left_out: &[LeftOut], printer: &mut Printer) {
    let mut by_reason: BTreeMap<&str, Vec<&[u8]>> = BTreeMap::new();
    for LeftOut { name, why, .. } in left_out {
        by_reason.entry(why).or_default().push(name.as_bytes());
    }
    for (why, names) in by_reason {
        let count = plural(names.len() as u64, "function");
        printer.note(format_args!("{count} left out, {}: {why}", crate::names::some(&names)));
    }
}
