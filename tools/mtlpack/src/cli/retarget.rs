//! `mtlpack retarget`.

use std::ffi::OsStr;

use super::deliver::{Consumed, Product, deliver};
use super::failure::Failure;
use super::options::{Destination, OneFile, Writing};
use super::printer::{Printer, clean};
use super::{Answer, source};
use crate::io::{Input, Target};
use crate::{Limits, RetargetOptions, names};

/// Make a library for another system, AIR version or language version
///
/// Header, container, tag VERS, and in each module the target triple in both places, AIR version
/// and language version: all of them, or nothing is written. The code stays as it is; a function
/// whose code the target would not read is refused and named, such as one with constant samplers
/// between AIR 2.6 and 2.7, or with opaque pointers before 2.8.
///
/// AIR and language version only become older if the system needs it, and newer if --air and --msl
/// say so. Where an AIR version changes, the container is the one that Apple's tools write for it;
/// an older container loses the reflection, which no system needs.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  mtlpack retarget default.metallib --os macos14 -o for-14.metallib"
)]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    #[command(flatten)]
    destination: Destination,
    /// The oldest system that it is to load on: macos14, ios17.2, ios-simulator17, …
    #[arg(long, value_name = "SYSTEM")]
    os: Option<String>,
    /// The AIR version
    #[arg(long, value_name = "A.B")]
    air: Option<String>,
    /// The version of the Metal language
    #[arg(long, value_name = "A.B")]
    msl: Option<String>,
    /// The platform, where --os does not say it: the system's version stays
    #[arg(long, value_name = "PLATFORM")]
    platform: Option<String>,
    /// Leave functions that cannot be retargeted as they are, and retarget the others; the exit
    /// status is 1 if there are any
    #[arg(long)]
    keep_going: bool,
    #[command(flatten)]
    pub(super) writing: Writing,
}

impl Args {
    fn options(&self, input: &Input) -> Result<RetargetOptions, Failure> {
        let name = match self.destination.target(input)? {
            Some(Target::Path(path)) => path.file_name().map(OsStr::to_owned),
            _ => None,
        };
        Ok(RetargetOptions {
            system: self.os.as_deref().map(Limits::system).transpose()?,
            platform: self.platform.as_deref().map(Limits::platform).transpose()?,
            air: self.air.as_deref().map(Limits::version).transpose()?,
            language: self.msl.as_deref().map(Limits::version).transpose()?,
            name: name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            keep_going: self.keep_going,
            new_layout: self.writing.new_layout,
            threads: self.writing.threads.count(),
        })
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    args.destination.check(&args.writing)?;
    let inputs = [Input::open(&args.input.file)?];
    let [input] = &inputs;
    let options = args.options(input)?;
    let library = source::parse(input)?;
    let made =
        crate::retarget(input, &library, &options).map_err(|error| Failure::on(error, &inputs))?;
    let products = [Product { draft: made.draft, target: args.destination.target(input)? }];
    let consumed = Consumed { libraries: &inputs, lists: &[] };
    deliver(&products, consumed, &args.writing, printer)?;
    for function in &made.refused {
        let name = names::escape(&function.name);
        printer.note(format!("`{name}` stays as it was: {}", clean(&function.reason)));
    }
    Ok(if made.refused.is_empty() { Answer::Yes } else { Answer::No })
}
