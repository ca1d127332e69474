//! `mtlpack pack`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;
use metallib::{Container, Dialect, MAGIC};

use super::Answer;
use super::deliver::{Consumed, Product, deliver};
use super::failure::Failure;
use super::merge::DuplicateParser;
use super::options::{Writing, check_output};
use super::printer::Printer;
use crate::io::{Input, Target};
use crate::{OnDuplicate, Order, PackOptions, Packer};

/// Pack AIR bitcode (.air) into a library, as Apple's linker does
///
/// Each entry point becomes a function with a module of its own, and what the library says of it
/// follows from its module. Inputs are .air files, static archives (`ar`) of them, and libraries,
/// whose functions are taken as they stand.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack pack blur.air sobel.air -o filters.metallib
  mtlpack pack @kernels.txt -o kernels.metallib --depfile kernels.d
  mtlpack pack math.air --dynamic --install-name=@rpath/math.metallib -o math.metallib
  mtlpack pack blur.air --dylib math.metallib -o filters.metallib")]
pub(super) struct Args {
    /// .air files, libraries and static archives of .air, `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Library to write, `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<OsString>,
    /// Whose conventions to follow; by default the archiver's, the linker's where only these can
    /// hold the output, and those of the first library among the inputs
    #[arg(long, value_name = "NAME")]
    dialect: Option<DialectName>,
    /// Container 1.2.N; by default the one that Apple's newest tools write for the highest AIR
    /// version of the inputs
    #[arg(long, value_name = "N", value_parser = container)]
    container: Option<Container>,
    /// How to order functions
    #[arg(long, value_name = "ORDER", default_value = "apple")]
    order: OrderName,
    /// What to do with a name that is in several inputs
    #[arg(long, value_name = "CHOICE", default_value = "error", value_parser = DuplicateParser)]
    on_duplicate: OnDuplicate,
    /// Store a module with several entry points once for all of them, instead of one for each
    #[arg(long)]
    share_module: bool,
    /// Make a dynamic library of the functions of one .air
    #[arg(long, requires = "install_name")]
    dynamic: bool,
    /// Name by which others link the dynamic library; `--install-name=@rpath/…`, with `=`, for one
    /// that begins with `@`, which would stand for a response file
    #[arg(long, value_name = "NAME", requires = "dynamic")]
    install_name: Option<String>,
    /// Dynamic library that the inputs may import functions from; may be given again
    #[arg(short = 'l', long, value_name = "FILE")]
    dylib: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) writing: Writing,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DialectName {
    /// As `metallib` does: no reflection, no UUID
    Archiver,
    /// As the link step of `metal` does: a UUID, dynamic libraries
    Linker,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OrderName {
    /// Input by input, in each kernels, vertex, fragment functions, then all others
    Apple,
    /// Input by input, in each as the module declares them
    Input,
    /// By name
    Name,
}

impl From<DialectName> for Dialect {
    fn from(name: DialectName) -> Self {
        match name {
            DialectName::Archiver => Self::Archiver,
            DialectName::Linker => Self::Linker,
        }
    }
}

impl From<OrderName> for Order {
    fn from(name: OrderName) -> Self {
        match name {
            OrderName::Apple => Self::Apple,
            OrderName::Input => Self::Input,
            OrderName::Name => Self::Name,
        }
    }
}

/// Reads `N` and `1.2.N`.
fn container(text: &str) -> Result<Container, String> {
    let patch = text.strip_prefix("1.2.").unwrap_or(text).parse::<u16>().ok();
    let patch = patch.filter(|patch| (2..=9).contains(patch));
    patch.map(Container::new).ok_or_else(|| "expected a number from 2 to 9".to_owned())
}

/// What was read. Libraries may be replaced by what is made of them, other inputs may not.
#[derive(Default)]
struct Opened {
    libraries: Vec<Input>,
    others: Vec<Input>,
    /// For each input whether it is a library, and where it is.
    places: Vec<(bool, usize)>,
}

impl Opened {
    fn open(&mut self, path: &PathBuf) -> Result<(), Failure> {
        let input = Input::open(path)?;
        let is_library = input.bytes().starts_with(&MAGIC);
        let list = if is_library { &mut self.libraries } else { &mut self.others };
        self.places.push((is_library, list.len()));
        list.push(input);
        Ok(())
    }

    /// The inputs in their order.
    fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.places.iter().filter_map(|(is_library, index)| {
            let list = if *is_library { &self.libraries } else { &self.others };
            list.get(*index)
        })
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    check_output(args.output.as_ref(), &args.writing)?;
    let mut opened = Opened::default();
    args.files.iter().try_for_each(|path| opened.open(path))?;
    let files = opened.places.len();
    // What is only linked with is no part of the output, which may not replace it.
    for path in &args.dylib {
        opened.places.push((false, opened.others.len()));
        opened.others.push(Input::open(path)?);
    }
    let target = args.output.as_deref().map(Target::parse);
    let mut packer = Packer::new(options(args, target.as_ref()));
    let pack = || {
        for (index, input) in opened.inputs().enumerate() {
            match index < files {
                true => packer.add(input.name(), input.bytes())?,
                false => packer.add_dylib(input.name(), input.bytes())?,
            };
        }
        packer.finish()
    };
    let edited = pack().map_err(|error| Failure::on(error, opened.inputs()))?;
    let products = [Product { draft: edited.into(), target }];
    let consumed = Consumed { libraries: &opened.libraries, lists: &opened.others };
    deliver(&products, consumed, &args.writing, printer)?;
    Ok(Answer::Yes)
}

fn options(args: &Args, target: Option<&Target>) -> PackOptions {
    let file_name = target.and_then(Target::path).and_then(|path| path.file_name());
    PackOptions {
        dialect: args.dialect.map(Dialect::from),
        container: args.container,
        order: args.order.into(),
        on_duplicate: args.on_duplicate.clone(),
        share_module: args.share_module,
        install_name: args.install_name.clone(),
        output_name: file_name.map(|name| name.to_string_lossy().into_owned()),
        new_layout: args.writing.new_layout,
        threads: args.writing.threads.count(),
    }
}
