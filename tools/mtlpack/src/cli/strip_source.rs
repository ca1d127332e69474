//! `mtlpack strip-source`.

use std::ffi::OsString;

use metallib::{Library, printable};

use super::deliver::{Consumed, Product, deliver};
use super::failure::Failure;
use super::options::{Destination, OneFile, Writing};
use super::printer::Printer;
use super::{Answer, source};
use crate::error::Error;
use crate::io::{Input, Target};
use crate::{Draft, PathOccurrence};

/// Strip the embedded sources off a library, as Apple's tool does
///
/// The UUID stays, so that the library and its companion can be matched. Paths in modules and
/// elsewhere stay, too: `mtlpack strip --paths --debug-info` removes them, and is run first, so
/// that the companion still belongs to the library. `mtlpack paths` tells what is left.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack strip-source clean.metallib -o release.metallib --companion release.metallibsym

In front of it, and as gate behind it:
  mtlpack strip debug.metallib --paths --debug-info -o clean.metallib
  mtlpack paths release.metallib")]
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
    let mut draft: Draft<'_> = stripped.library.into();
    draft.notes_mut().extend(paths_that_stay(input, &library, args.writing.threads.count()));
    let mut products = vec![Product { draft, target }];
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

/// Says that paths stay, if any do: it was asked to strip only the sources. A module that cannot
/// be read is no reason not to strip these.
fn paths_that_stay(input: &Input, library: &Library<'_>, threads: usize) -> Option<String> {
    let mut first = None;
    let goes = |place: &str| {
        ["source archive", "section HSR", "tag DEPF", "private metadata: tag DEPF"]
            .iter()
            .any(|start| place.starts_with(start))
    };
    let _ = crate::paths(input, library, threads, |found| {
        if first.is_none() && !goes(&found.place) {
            first = Some(found);
        }
    });
    let PathOccurrence { path, place, .. } = first?;
    Some(format!(
        "paths stay, such as `{}` ({place}), for only sources were to go; `strip --paths \
         --debug-info` in front of strip-source removes them from library and companion",
        printable(&path)
    ))
}
