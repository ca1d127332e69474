//! `mtlpack rename`.

use std::path::PathBuf;

use super::deliver::{Consumed, Product, deliver};
use super::failure::Failure;
use super::options::{Destination, OneFile, Writing, refused};
use super::printer::Printer;
use super::{Answer, source};
use crate::io::Input;
use crate::{RenameOptions, RenameRules};

/// Give functions other names, in the library and inside their modules
///
/// One rule renames a function: its own OLD=NEW or line of a --map, if there is one; else the
/// first --regex that matches; else --prefix and --suffix. So `--prefix ours_ main=main`
/// renames all but `main`. A rule that renames no function, since none matches or others come
/// before it, answers "no": exit status 1. Two functions may swap their names; a name that another function has or gets is refused.
///
/// Names have the escapes of `mtlpack list --format names`: `\x3d` is an `=` in OLD, `\x20` a
/// blank in a map file, `\x23` a `#`. Map files are those of objcopy's --redefine-syms: an old
/// and a new name on each line, blanks between them, comments behind `#`.
///
/// The UUID is computed anew. Embedded sources, symbol companions, and libraries that import the
/// functions keep the old names; in the string tables of modules they stay where nothing uses
/// them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack rename a.metallib --prefix ours_ -o b.metallib
  mtlpack rename a.metallib blur=blur_v1 'a<b>=c' --in-place
  mtlpack rename a.metallib --regex '^(\\w+)_f32$=${1}_float' -o b.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    /// Name of a function, and its new name
    #[arg(value_name = "OLD=NEW")]
    pairs: Vec<String>,
    #[command(flatten)]
    destination: Destination,
    /// Rename as a file says, an old and a new name on each line; `-` for standard input
    #[arg(long, value_name = "FILE")]
    map: Vec<PathBuf>,
    /// Replace every match in a name; `$1`, `${1}` and `${name}` are groups of the match
    #[arg(long, value_name = "RE=REPL")]
    regex: Vec<String>,
    /// Put this in front of the names that no other rule is for
    #[arg(long)]
    prefix: Option<String>,
    /// Put this behind the names that no other rule is for
    #[arg(long)]
    suffix: Option<String>,
    #[command(flatten)]
    pub(super) writing: Writing,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    args.destination.check(&args.writing)?;
    let inputs = [Input::open(&args.input.file)?];
    let maps = source::open_all(&args.map)?;
    let rules = rules(args, &maps)?;
    let new_layout = args.writing.new_layout;
    let threads = args.writing.threads.count();
    let list_renames = args.writing.is_reported();
    let options = RenameOptions { new_layout, list_renames, threads };
    let [input] = &inputs;
    let library = source::parse(input)?;
    let draft = crate::rename(source::named(input, &library), &rules, &options)
        .map_err(|error| Failure::on(error, &inputs))?;
    let products = [Product { draft, target: args.destination.target(input)? }];
    deliver(&products, Consumed { libraries: &inputs, lists: &maps }, &args.writing, printer)?;
    // The process ends: to give back the parts of a large library one by one takes its time.
    std::mem::forget((products, library));
    Ok(Answer::Yes)
}

fn rules(args: &Args, maps: &[Input]) -> Result<RenameRules, Failure> {
    let mut rules = RenameRules::default();
    args.pairs.iter().try_for_each(|pair| rules.add_pair(pair))?;
    for map in maps {
        rules.add_map(map.name(), map.text()?)?;
    }
    args.regex.iter().try_for_each(|pattern| rules.add_pattern(pattern))?;
    args.prefix.iter().try_for_each(|prefix| rules.set_prefix(prefix))?;
    args.suffix.iter().try_for_each(|suffix| rules.set_suffix(suffix))?;
    if rules.is_empty() && maps.is_empty() {
        let what = "there is nothing to rename: give OLD=NEW, --map, --regex, --prefix or --suffix";
        return Err(refused(what));
    }
    Ok(rules)
}
