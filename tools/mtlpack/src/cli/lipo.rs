//! `mtlpack lipo`.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use metallib_fat::{Architecture, Form, Universal};
use serde::Serialize;

use super::deliver::Consumed;
use super::failure::Failure;
use super::options::{Format, Writing, check_output, refused};
use super::parts::{Part, deliver_parts, of_universal};
use super::printer::{Printer, clean, style};
use super::{Answer, json, source};
use crate::error::Error;
use crate::io::{Input, Target};
use crate::universal::{self, SliceOf, Slices};

/// Show, take apart and make universal files: several slices, each for one architecture
///
/// The words are those of Apple's tools, with one hyphen or two: `-archs`, `-info`,
/// `-detailed_info`, `-verify_arch A…`, `-thin A`, `-extract A`, `-remove A`, `-replace A FILE`,
/// `-create`. Slices are Metal libraries (`air64_v26`), Mach-O files for GPUs (`applegpu_g13g`), or
/// anything that a universal file has; they are copied and not looked into. A library says what
/// it is for by the AIR version of its functions, unless `--arch A FILE` says it.
///
/// An edit keeps the bytes of all other slices. `-verify_arch` answers "no", exit status 1, if one
/// is missing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack lipo default.metallib -archs
  mtlpack lipo default.metallib -thin air64_v26 -o air.metallib
  mtlpack lipo -create old.metallib new.metallib -o both.metallib
  mtlpack lipo both.metallib -replace air64_v26 new.metallib -o both.metallib")]
#[command(group(clap::ArgGroup::new("operation").required(true).multiple(false)))]
pub(super) struct Args {
    /// Files to read, `-` for standard input; all but -create and -info take one
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print the names of the architectures on one line
    #[arg(long, group = "operation")]
    archs: bool,
    /// Print a sentence about each file
    #[arg(long, group = "operation")]
    info: bool,
    /// Print where each slice lies
    #[arg(long, alias = "detailed_info", group = "operation")]
    detailed_info: bool,
    /// Tell whether there is a slice for each of these
    #[arg(long, alias = "verify_arch", value_name = "ARCH", num_args = 1.., group = "operation")]
    verify_arch: Vec<Architecture>,
    /// Write the slice for an architecture alone, as it is
    #[arg(long, value_name = "ARCH", group = "operation")]
    thin: Option<Architecture>,
    /// Write a universal file with these slices
    #[arg(long, value_name = "ARCH", group = "operation")]
    extract: Vec<Architecture>,
    /// Write the universal file without these slices
    #[arg(long, value_name = "ARCH", group = "operation")]
    remove: Vec<Architecture>,
    /// Put a file in the place of a slice
    #[arg(long, value_names = ["ARCH", "FILE"], num_args = 2, group = "operation")]
    replace: Vec<String>,
    /// Write a universal file of all slices of the files
    #[arg(long, group = "operation")]
    create: bool,
    /// With -create, also take this file, as the slice for an architecture
    #[arg(long, value_names = ["ARCH", "FILE"], num_args = 2)]
    arch: Vec<String>,
    /// Form of the file that -create writes
    #[arg(long, value_name = "FORM", default_value = "gpu")]
    form: FormName,
    /// File to write, `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<OsString>,
    #[command(flatten)]
    pub(super) writing: Writing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormName {
    /// `CB FE BA BE`, as Apple's GPU tools write it
    Gpu,
    /// `CA FE BA BE`, as system libraries have it too
    Fat,
    /// `CA FE BA BF`, for files of 4 GiB and more
    Fat64,
}

/// The words of Apple's tool, which have one hyphen.
const APPLE_WORDS: [&str; 12] = [
    "-archs",
    "-info",
    "-detailed_info",
    "-verify_arch",
    "-thin",
    "-extract",
    "-remove",
    "-replace",
    "-create",
    "-arch",
    "-output",
    "-form",
];

/// Gives the words of Apple's tool a second hyphen, where the command is `lipo`.
pub(super) fn apple_words(mut list: Vec<OsString>) -> Vec<OsString> {
    let command = list.iter().position(|word| word == "lipo");
    let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    // Options in front of it are those of every command, some with a value.
    let Some(command) = command.filter(|&at| at == 0 || list.first().is_some_and(is_option)) else {
        return list;
    };
    for word in list.iter_mut().skip(command + 1) {
        if APPLE_WORDS.iter().any(|known| word == known) {
            let mut longer = OsString::from("-");
            longer.push(&*word);
            *word = longer;
        }
    }
    list
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    if !args.arch.is_empty() && !args.create {
        return Err(refused("--arch says what a file is for that -create takes"));
    }
    if args.archs || args.info || args.detailed_info || !args.verify_arch.is_empty() {
        return show(args, printer);
    }
    check_output(args.output.as_ref(), &args.writing)?;
    if args.create { create(args, printer) } else { edit(args, printer) }?;
    Ok(Answer::Yes)
}

/// The one file of an operation that takes one.
fn one_file(args: &Args) -> Result<Input, Failure> {
    match &args.files[..] {
        [file] => Ok(Input::open(file)?),
        files => Err(refused(format!("this takes one file, {} are given", files.len()))),
    }
}

fn show(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    if args.output.is_some() || args.writing.dry_run || args.writing.depfile().is_some() {
        let what = "this shows and writes nothing: it goes without -o, --dry-run and --depfile";
        return Err(refused(what));
    }
    if args.files.is_empty() {
        return Err(refused("give a file"));
    }
    let inputs = source::open_all(&args.files)?;
    let read = |input| Slices::read(Input::name(input), Input::bytes(input), None);
    let all = inputs.iter().map(read).collect::<crate::Result<Vec<_>>>()?;
    match args.writing.format.format {
        Format::Json => json::print_list(all.iter().map(FileReport::of), printer)?,
        Format::Human => all.iter().try_for_each(|slices| print(args, slices, printer))?,
    }
    let has = |slices: &Slices<'_>, wanted: &Architecture| slices.get(*wanted).is_ok();
    let complete = |slices| args.verify_arch.iter().all(|wanted| has(slices, wanted));
    Ok(if all.iter().all(complete) { Answer::Yes } else { Answer::No })
}

fn print(args: &Args, slices: &Slices<'_>, printer: &mut Printer) -> Result<(), Failure> {
    let (name, names) = (clean(&slices.name), slices.names());
    if args.archs {
        writeln!(printer.out(), "{names}")?;
    } else if args.info {
        let what = match slices.form {
            Some(_) => format!("Architectures in the fat file: {name} are: {names}"),
            None => format!("Non-fat file: {name} is architecture: {names}"),
        };
        writeln!(printer.out(), "{what}")?;
    } else if args.detailed_info {
        let form = slices.form.map_or_else(|| "not universal".to_owned(), |form| form.to_string());
        let heading = printer.styled(style::HEADING, format!("{name}: {form}"));
        writeln!(printer.out(), "{heading}")?;
        for SliceOf { architecture, offset, alignment, bytes } in &slices.slices {
            let size = bytes.len();
            let architecture = architecture.to_string();
            writeln!(
                printer.out(),
                "  {offset:#010x} {size:>10}  {architecture:<20}  align 2^{alignment}"
            )?;
        }
    }
    Ok(())
}

/// A file, for `--format json`.
#[derive(Serialize)]
struct FileReport<'r> {
    file: &'r str,
    form: Option<String>,
    slices: Vec<SliceReport>,
}

/// A slice.
#[derive(Serialize)]
struct SliceReport {
    architecture: String,
    cpu_type: u32,
    cpu_subtype: u32,
    offset: u64,
    size: u64,
    alignment: u32,
}

impl<'r> FileReport<'r> {
    fn of(slices: &'r Slices<'_>) -> Self {
        let report = |slice: &SliceOf<'_>| SliceReport {
            architecture: slice.architecture.to_string(),
            cpu_type: slice.architecture.cpu_type,
            cpu_subtype: slice.architecture.cpu_subtype,
            offset: slice.offset,
            size: slice.bytes.len() as u64,
            alignment: slice.alignment,
        };
        Self {
            file: &slices.name,
            form: slices.form.map(|form| form.to_string()),
            slices: slices.slices.iter().map(report).collect(),
        }
    }
}

/// Pairs of an architecture and a file.
fn pairs(values: &[String]) -> impl Iterator<Item = Result<(Architecture, &str), Failure>> {
    values.chunks_exact(2).map(|pair| {
        let [architecture, file] = pair else { return Err(refused("give ARCH and FILE")) };
        let architecture = architecture
            .parse()
            .map_err(|error: metallib_fat::Error| refused(error.to_string()))?;
        Ok((architecture, file.as_str()))
    })
}

fn create(args: &Args, printer: &mut Printer) -> Result<(), Failure> {
    let mut wanted: Vec<(Option<Architecture>, PathBuf)> =
        args.files.iter().map(|file| (None, file.clone())).collect();
    for pair in pairs(&args.arch) {
        let (architecture, file) = pair?;
        wanted.push((Some(architecture), file.into()));
    }
    let inputs = wanted.iter().map(|(_, file)| Ok(Input::open(file)?));
    let inputs = inputs.collect::<Result<Vec<_>, Failure>>()?;
    let slices = inputs
        .iter()
        .zip(&wanted)
        .map(|(input, (architecture, _))| Slices::read(input.name(), input.bytes(), *architecture));
    let slices = slices.collect::<crate::Result<Vec<_>>>()?;
    let form = match args.form {
        FormName::Gpu => Form::GPU,
        FormName::Fat => Form::ORDINARY,
        FormName::Fat64 => Form::WIDE,
    };
    let builder = universal::create(&slices, form)?;
    deliver(args, &of_universal(&builder)?, &inputs, printer)
}

fn edit(args: &Args, printer: &mut Printer) -> Result<(), Failure> {
    if args.replace.len() > 2 {
        return Err(refused("-replace puts one file in the place of one slice: give it once"));
    }
    let mut inputs = vec![one_file(args)?];
    if let Some(pair) = pairs(&args.replace).next() {
        inputs.push(Input::open(pair?.1)?);
    }
    let Some((input, others)) = inputs.split_first() else { return Ok(()) };
    let slices = Slices::read(input.name(), input.bytes(), None)?;
    if let Some(architecture) = args.thin {
        let slice = slices.get(architecture)?;
        let part = Part::copied(architecture.to_string(), slice.bytes);
        return deliver(args, &[part], &inputs, printer);
    }
    let new_layout = args.writing.new_layout;
    let mut builder = universal::edit(input.name(), input.bytes(), new_layout)?;
    args.extract.iter().chain(&args.remove).try_for_each(|&a| slices.get(a).map(drop))?;
    if !args.extract.is_empty() {
        builder.retain(|slice| args.extract.contains(&slice.architecture()));
    }
    builder.retain(|slice| !args.remove.contains(&slice.architecture()));
    for (pair, other) in pairs(&args.replace).zip(others) {
        let (architecture, _) = pair?;
        check_slice(other)?;
        builder.replace(architecture, other.bytes()).map_err(Error::universal(input.name()))?;
    }
    deliver(args, &of_universal(&builder)?, &inputs, printer)
}

/// Refuses what is no slice: nothing, and a universal file, which would stand inside another.
fn check_slice(input: &Input) -> Result<(), Failure> {
    let name = input.name();
    match input.bytes() {
        [] => Err(refused(format!("{name} is empty, expected a file for one architecture"))),
        bytes if Universal::is_universal(bytes) => Err(refused(format!(
            "{name} is a universal file, expected a file for one architecture; take a slice out \
             first (-thin)"
        ))),
        _ => Ok(()),
    }
}

fn deliver(
    args: &Args,
    parts: &[Part<'_>],
    inputs: &[Input],
    printer: &mut Printer,
) -> Result<(), Failure> {
    let target = args.output.as_deref().map(Target::parse);
    let consumed = Consumed { libraries: inputs, lists: &[] };
    deliver_parts(parts, Vec::new(), target.as_ref(), consumed, &args.writing, printer)
}
