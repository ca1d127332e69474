//! `mtlpack normalize`.

use super::deliver::{Consumed, Product, deliver};
use super::failure::Failure;
use super::options::{Destination, OneFile, PathMaps, Writing};
use super::parts::{Part, deliver_parts};
use super::printer::Printer;
use super::{Answer, source};
use crate::io::Input;
use crate::{NormalizeOptions, normalize_bitcode};

/// Make the same bytes of builds that differ only in folders and UUID
///
/// Absolute paths become what --map says, or the name of their file alone, everywhere that
/// `mtlpack paths` finds them but in install names. Random parts of the names of temporary files
/// go. The UUID is computed from the content. Nothing else changes: the format holds no time
/// stamps; times, names and numbers of owners in source archives, which Apple's tools leave zero,
/// are made so. Also takes modules by themselves (`.air` files, bitcode).
///
/// Normalised again by the same rules, a library stays as it is. Rules by which it would not are
/// refused, such as two that exchange folders.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack normalize build/default.metallib --map \"$PWD\"=. -o default.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    maps: PathMaps,
    #[command(flatten)]
    pub(super) writing: Writing,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    args.destination.check(&args.writing)?;
    let options = NormalizeOptions {
        paths: args.maps.rules()?,
        new_layout: args.writing.new_layout,
        threads: args.writing.threads.count(),
    };
    let inputs = [Input::open(&args.input.file)?];
    let [input] = &inputs;
    let consumed = Consumed { libraries: &inputs, lists: &[] };
    if source::is_module(input) {
        let target = args.destination.target(input)?;
        let made = normalize_bitcode(input.name(), input.bytes(), &options)?;
        let part = Part::of_input("module", made.bytes, input);
        deliver_parts(&[part], made.notes, target.as_ref(), consumed, &args.writing, printer)?;
        return Ok(Answer::Yes);
    }
    let library = source::parse(input)?;
    let draft =
        crate::normalize(input, &library, &options).map_err(|error| Failure::on(error, &inputs))?;
    let products = [Product { draft, target: args.destination.target(input)? }];
    deliver(&products, consumed, &args.writing, printer)?;
    Ok(Answer::Yes)
}
