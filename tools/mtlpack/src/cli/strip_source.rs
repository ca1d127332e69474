//! `mtlpack strip-source`.

use std::ffi::OsString;

use super::deliver::{Consumed, Product, deliver};
use super::failure::Failure;
use super::options::{Destination, OneFile, Writing};
use super::printer::Printer;
use super::{Answer, source};
use crate::error::Error;
use crate::io::{Input, Target};

/// Strip the embedded sources off a library, as Apple's tool does
///
/// The UUID stays, so that the library and its companion can be matched.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack strip-source debug.metallib -o release.metallib --companion release.metallibsym")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    #[command(flatten)]
    destination: Destination,
    /// Also write the symbol companion, which keeps the sources
    #[arg(long, value_name = "FILE")]
    companion: Option<OsString>,
    #[command(flatten)]
    pub(super) writing: Writing,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    args.destination.check(&args.writing)?;
    let inputs = [Input::open(&args.input.file)?];
    let [input] = &inputs;
    let library = source::parse(input)?;
    let stripped = crate::strip_source(source::named(input, &library), args.writing.new_layout)
        .map_err(|error| Failure::on(error, &inputs))?;
    let target = args.destination.target(input)?;
    let mut products = vec![Product { draft: stripped.library.into(), target }];
    if let Some(name) = &args.companion {
        // A companion that was asked for and cannot be made is never passed over.
        let companion = stripped.companion.ok_or_else(|| {
            let what =
                format!("{} has no sources, so there is no companion to write", input.name());
            Error::refused(what)
        })?;
        let target = Some(Target::parse(name));
        products.push(Product { draft: companion.into(), target });
    }
    deliver(&products, Consumed { libraries: &inputs, lists: &[] }, &args.writing, printer)?;
    Ok(Answer::Yes)
}
