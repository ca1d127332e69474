//! `mtlpack thin`.

use metallib_fat::Architecture;

use super::Answer;
use super::deliver::Consumed;
use super::failure::Failure;
use super::options::{Destination, OneFile, Writing, refused};
use super::parts::{deliver_parts, of_universal};
use super::printer::Printer;
use crate::io::Input;
use crate::universal;

/// Drop the slices of a universal file that a system does not need
///
/// What stays is named: with --keep-air all AIR slices, from which a system can make code for any
/// GPU; and the slices for the main architecture and its fall-back.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack thin archive.metallib --keep-air -o air.metallib
  mtlpack thin archive.metallib --keep-air --main-arch applegpu_g13g -o thin.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    #[command(flatten)]
    destination: Destination,
    /// Keep all AIR slices
    #[arg(long)]
    keep_air: bool,
    /// Keep the slice for this architecture
    #[arg(long, value_name = "ARCH")]
    main_arch: Option<Architecture>,
    /// Keep the slice for this architecture too, which the main one falls back on
    #[arg(long, value_name = "ARCH", requires = "main_arch")]
    fallback_arch: Option<Architecture>,
    #[command(flatten)]
    pub(super) writing: Writing,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    args.destination.check(&args.writing)?;
    let inputs = [Input::open(&args.input.file)?];
    let [input] = &inputs;
    let mut builder = universal::edit(input.name(), input.bytes(), args.writing.new_layout)?;
    let others: Vec<_> = args.main_arch.into_iter().chain(args.fallback_arch).collect();
    if others.is_empty() && !args.keep_air {
        return Err(refused("nothing is named that stays: give --keep-air or --main-arch"));
    }
    universal::thin(&mut builder, input.name(), args.keep_air, &others)?;
    let target = args.destination.target(input)?;
    let consumed = Consumed { libraries: &inputs, lists: &[] };
    let parts = of_universal(&builder)?;
    deliver_parts(&parts, Vec::new(), target.as_ref(), consumed, &args.writing, printer)?;
    Ok(Answer::Yes)
}
