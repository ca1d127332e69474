//! `mtlpack paths`.

use std::collections::BTreeSet;
use std::io::Write;

use metallib::Library;
use serde::Serialize;

use super::failure::Failure;
use super::options::{Files, Format, FormatArg, Threads, refused};
use super::printer::{Printer, clean, style};
use super::{Answer, json, source};
use crate::io::Input;
use crate::text::plural;
use crate::{PathGroup, PathOccurrence};

/// Find absolute paths and names of users: exit status 1 if there is one
///
/// Looked at are tags DEBI and DEPF, link options and working directory, names of files in source
/// archives and what these say of the build, install names (HDYN), reflection, and the texts of
/// modules: debug information, `air.source_file_name` and the like. Not looked at are
/// the sources themselves. Equal paths in places of one kind are shown once, with the first of
/// them. Also takes modules alone: `.air` files and bitcode.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack paths build/*.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: Files,
    /// Show every place, also of equal paths
    #[arg(long)]
    every: bool,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    format: FormatArg,
}

/// What was found in one file, for `--format json`.
#[derive(Serialize)]
struct Report<'r> {
    file: &'r str,
    /// How many places there are.
    places: u64,
    users: Vec<String>,
    paths: Vec<Row>,
}

/// A path, and where it stands first.
#[derive(Serialize)]
struct Row {
    path: String,
    user: Option<String>,
    place: String,
    count: u64,
    function: Option<usize>,
    function_name: Option<String>,
    archive: Option<usize>,
    offset: u64,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let mut any = false;
    let mut rows = json::Rows::default();
    let done = source::for_each(&args.input.files, printer, |input, printer| {
        let (groups, library) = match source::is_module(input) {
            true => (in_module(args, input)?, None),
            false => {
                let library = source::parse(input)?;
                (in_library(args, input, &library)?, Some(library))
            }
        };
        any |= !groups.is_empty();
        let report = report(input.name(), groups, library.as_ref());
        match args.format.format {
            Format::Human => human(&report, printer),
            Format::Json => {
                let mut line = Vec::new();
                json::write_compact(&mut line, &report)?;
                Ok(rows.add(&line, printer.out())?)
            }
        }
    });
    if args.format.format == Format::Json {
        rows.end(printer.out())?;
    }
    done.map(|()| if any { Answer::No } else { Answer::Yes })
}

/// What is kept of the places: all, or one of each kind.
enum Found {
    Every(Vec<PathGroup>),
    Groups(crate::paths::Groups),
}

impl Found {
    fn new(args: &Args) -> Self {
        match args.every {
            true => Self::Every(Vec::new()),
            false => Self::Groups(crate::paths::Groups::default()),
        }
    }

    fn add(&mut self, first: PathOccurrence) {
        match self {
            Self::Every(all) => all.push(PathGroup { count: 1, first }),
            Self::Groups(groups) => groups.add(first),
        }
    }

    fn finish(self) -> Vec<PathGroup> {
        match self {
            Self::Every(all) => all,
            Self::Groups(groups) => groups.finish(),
        }
    }
}

fn in_library(
    args: &Args,
    input: &Input,
    library: &Library<'_>,
) -> Result<Vec<PathGroup>, Failure> {
    let mut found = Found::new(args);
    crate::paths(input, library, args.threads.count(), |occurrence| found.add(occurrence))?;
    Ok(found.finish())
}

fn in_module(args: &Args, input: &Input) -> Result<Vec<PathGroup>, Failure> {
    let mut found = Found::new(args);
    crate::module_paths(input.bytes(), |occurrence| found.add(occurrence))
        .map_err(|error| refused(format!("{}: {error}", input.name())))?;
    Ok(found.finish())
}

fn report<'r>(file: &'r str, groups: Vec<PathGroup>, library: Option<&Library<'_>>) -> Report<'r> {
    let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    let users: BTreeSet<String> =
        groups.iter().filter_map(|g| g.first.user.as_ref()).map(text).collect();
    let name = |index: usize| Some(library?.functions().get(index)?.name().into_owned());
    let row = |PathGroup { count, first }: &PathGroup| Row {
        path: text(&first.path),
        user: first.user.as_ref().map(text),
        place: first.place.to_string(),
        count: *count,
        function: first.function,
        function_name: first.function.and_then(name),
        archive: first.archive,
        offset: first.offset,
    };
    Report {
        file,
        places: groups.iter().map(|group| group.count).sum(),
        users: users.into_iter().collect(),
        paths: groups.iter().map(row).collect(),
    }
}

fn human(report: &Report<'_>, printer: &mut Printer) -> Result<(), Failure> {
    let file = clean(report.file);
    for row in &report.paths {
        let path = printer.styled(style::HEADING, clean(&row.path));
        let times = if row.count > 1 { format!(", {} times", row.count) } else { String::new() };
        let first = if row.count > 1 { "first at " } else { "" };
        let (place, at) = (clean(&row.place), at(row));
        writeln!(printer.out(), "{file}: {path}: {place}{times} ({first}{})", clean(&at))?;
    }
    let summary = match report.places {
        0 => "no absolute path".to_owned(),
        places => {
            let users = match report.users.is_empty() {
                true => String::new(),
                false => format!("; users: {}", report.users.join(", ")),
            };
            format!("absolute paths in {}{users}", plural(places, "place"))
        }
    };
    writeln!(printer.out(), "{file}: {}", clean(&summary))?;
    Ok(())
}

/// Where a path stands.
fn at(row: &Row) -> String {
    let function = row.function.zip(row.function_name.as_ref());
    let function = function.map(|(index, name)| format!("function {index} `{name}`, "));
    let archive = row.archive.map(|index| format!("archive {index}, "));
    let part = function.or(archive).unwrap_or_default();
    format!("{part}offset {:#x}", row.offset)
}
