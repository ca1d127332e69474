//! `mtlpack strip`.

use clap::ValueEnum;

use super::deliver::{Consumed, Product, deliver};
use super::failure::Failure;
use super::options::{Destination, OneFile, PathMaps, Writing, refused};
use super::parts::{Part, deliver_parts};
use super::printer::Printer;
use super::{Answer, source};
use crate::io::Input;
use crate::{StripOptions, UuidPolicy, strip_bitcode};

/// Remove from a library what is not needed to run it, each kind by its name
///
/// Nothing is removed that is not named. What each may cost:
///
/// --source: debuggers no longer show sources, unless there is a companion (see strip-source,
/// which does the same). --paths: debuggers that find sources by their paths, and Xcode, which
/// matches a library with its sources by them, no longer do. --debug-info: debuggers and
/// profilers show no lines and names of variables. --reflection: tools that read arguments and
/// types from the file see none. --unused: the archive of a linked runtime library goes, to
/// which no function refers.
///
/// Also takes modules by themselves (`.air` files, bitcode), of which --paths and --debug-info
/// can be stripped; --all is these two. The result is a module of the same form.
///
/// With --paths every absolute path becomes what --map says, or the name of its file alone: in
/// tags DEBI and DEPF, link options, working directory, source archives (which are packed
/// again, without owners), and texts of modules. Install names stay without --install-name. The
/// sources themselves are not looked into. A library with a path in a tag or section that is not
/// known is refused, for it could not be rewritten there. `mtlpack paths` shows what is there.
///
/// The UUID stays if --source is all that is named, so that library and companion match; else it
/// is computed from what is left.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack strip debug.metallib --all -o release.metallib
  mtlpack strip debug.metallib --paths --map /Users/me/project=. -o release.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    #[command(flatten)]
    destination: Destination,
    /// Remove everything below, but for install names; refused of a symbol companion
    #[arg(long)]
    all: bool,
    /// Remove embedded sources
    #[arg(long)]
    source: bool,
    /// Remove the folders of absolute paths
    #[arg(long)]
    paths: bool,
    /// Remove debug information: inside of modules, with the lists that say where they were
    /// built, and tags DEBI
    #[arg(long)]
    debug_info: bool,
    /// Remove reflection
    #[arg(long)]
    reflection: bool,
    /// Remove source archives and reflection entries that no function refers to
    #[arg(long)]
    unused: bool,
    #[command(flatten)]
    maps: PathMaps,
    /// With --paths, change absolute install names too: that of a dynamic library, by which
    /// others find it, and those of libraries that are linked
    #[arg(long)]
    install_name: bool,
    /// What becomes of the UUID; by default it stays if --source is all that is named
    #[arg(long, value_name = "POLICY")]
    uuid: Option<Uuid>,
    #[command(flatten)]
    pub(super) writing: Writing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Uuid {
    /// It stays
    Keep,
    /// It is computed from what is left
    Recompute,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    args.destination.check(&args.writing)?;
    let inputs = [Input::open(&args.input.file)?];
    let [input] = &inputs;
    let consumed = Consumed { libraries: &inputs, lists: &[] };
    if source::is_module(input) {
        let target = args.destination.target(input)?;
        let made = strip_bitcode(input.name(), input.bytes(), &options(args, false)?)?;
        let part = Part::of_input("module", made.bytes, input);
        deliver_parts(&[part], made.notes, target.as_ref(), consumed, &args.writing, printer)?;
        return Ok(Answer::Yes);
    }
    let options = options(args, true)?;
    let library = source::parse(input)?;
    let draft =
        crate::strip(input, &library, &options).map_err(|error| Failure::on(error, &inputs))?;
    let products = [Product { draft, target: args.destination.target(input)? }];
    deliver(&products, consumed, &args.writing, printer)?;
    Ok(Answer::Yes)
}

/// What is to go: with `--all` everything that a library has, or else a module by itself.
fn options(args: &Args, is_library: bool) -> Result<StripOptions, Failure> {
    let all_of_library = args.all && is_library;
    let paths = args.paths || args.all;
    for (given, option) in [(args.maps.is_given(), "--map"), (args.install_name, "--install-name")]
    {
        if given && !paths {
            return Err(refused(format!("{option} says what becomes of paths: give --paths too")));
        }
    }
    Ok(StripOptions {
        source: args.source || all_of_library,
        paths: paths.then(|| args.maps.rules()).transpose()?,
        install_names: args.install_name,
        archive_times: false,
        debug_info: args.debug_info || args.all,
        reflection: args.reflection || all_of_library,
        unused: args.unused || all_of_library,
        uuid: args.uuid.map(|uuid| match uuid {
            Uuid::Keep => UuidPolicy::Keep,
            Uuid::Recompute => UuidPolicy::Recompute,
        }),
        new_layout: args.writing.new_layout,
        threads: args.writing.threads.count(),
    })
}
