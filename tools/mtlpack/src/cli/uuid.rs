//! `mtlpack uuid`.

use std::io::Write;

use metallib_write::UuidStatus;
use serde::Serialize;

use super::deliver::{Consumed, Product, deliver};
use super::failure::Failure;
use super::options::{Destination, Format, OneFile, Writing, refused};
use super::printer::{Printer, clean};
use super::{Answer, json, source};
use crate::Named;
use crate::io::Input;
use crate::uuid::{self, UuidReport};

/// Show and check the UUID of a library, or give it a new one
///
/// Without --recompute and --set the exit status is 1 if there is no UUID, or it is not
/// what this file's content gives: the sources were stripped, or others made the file.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack uuid default.metallib --recompute --in-place")]
#[command(group = clap::ArgGroup::new("change").args(["recompute", "set"]))]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    /// Compute the UUID anew
    #[arg(long)]
    recompute: bool,
    /// Set this UUID, 32 hexadecimal digits with or without hyphens
    #[arg(long, value_name = "UUID", value_parser = parse)]
    set: Option<[u8; 16]>,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    pub(super) writing: Writing,
}

impl Args {
    /// Refuses a new UUID without a place, and a place without a new UUID.
    fn check(&self) -> Result<(), Failure> {
        let Self { destination, writing, .. } = self;
        if self.recompute || self.set.is_some() {
            return destination.check(writing);
        }
        if destination.is_given() || writing.dry_run || writing.depfile().is_some() {
            return Err(refused("there is nothing to write: give --recompute or --set as well"));
        }
        Ok(())
    }
}

fn parse(text: &str) -> Result<[u8; 16], String> {
    uuid::parse(text).ok_or_else(|| "expected 32 hexadecimal digits".to_owned())
}

/// The answer, for `--format json`.
#[derive(Serialize)]
struct Report<'r> {
    input: &'r str,
    uuid: Option<String>,
    status: &'static str,
    sha256: String,
    md5: String,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    args.check()?;
    let inputs = [Input::open(&args.input.file)?];
    let [input] = &inputs;
    let library = source::parse(input)?;
    let named = source::named(input, &library);
    let new_layout = args.writing.new_layout;
    let edited = match (args.set, args.recompute) {
        (Some(uuid), _) => uuid::set(named, uuid, new_layout),
        (None, true) => uuid::recompute(named, new_layout),
        (None, false) => return show(named, args.writing.format.format, printer),
    };
    let edited = edited.map_err(|error| Failure::on(error, &inputs))?;
    let target = args.destination.target(input)?;
    let products = [Product { draft: edited.into(), target }];
    deliver(&products, Consumed { libraries: &inputs, lists: &[] }, &args.writing, printer)?;
    Ok(Answer::Yes)
}

fn show(named: Named<'_, '_>, format: Format, printer: &mut Printer) -> Result<Answer, Failure> {
    let UuidReport { stored, sha256, md5, status } = uuid::status(named.library)?;
    let word = match status {
        UuidStatus::Absent => "absent",
        UuidStatus::Follows(metallib_write::UuidForm::Sha256) => "sha-256",
        UuidStatus::Follows(metallib_write::UuidForm::Md5) => "md5",
        UuidStatus::Other => "other",
    };
    let report = Report {
        input: named.name,
        uuid: stored.as_ref().map(uuid::format),
        status: word,
        sha256: uuid::format(&sha256),
        md5: uuid::format(&md5),
    };
    match format {
        Format::Json => json::print(&report, printer)?,
        Format::Human => human(&report, status, printer)?,
    }
    Ok(if matches!(status, UuidStatus::Follows(_)) { Answer::Yes } else { Answer::No })
}

fn human(report: &Report<'_>, status: UuidStatus, printer: &mut Printer) -> Result<(), Failure> {
    let stored = report.uuid.as_deref().unwrap_or("no UUID");
    let verdict = match status {
        UuidStatus::Absent => String::new(),
        UuidStatus::Follows(form) => format!(", as the content gives it ({form} form)"),
        UuidStatus::Other => format!(
            ", which this file does not give (it gives {}): the sources were stripped, or \
             another writer made it",
            report.sha256
        ),
    };
    writeln!(printer.out(), "{}: {stored}{verdict}", clean(report.input))?;
    Ok(())
}
