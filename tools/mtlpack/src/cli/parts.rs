//! Putting results that are no libraries where they belong: modules, slices, universal files.

use std::borrow::Cow;
use std::io::Write;

use metallib_fat::{Builder, Slice};

use super::deliver::{
    Consumed, OutputReport, RegionReport, Report, keep_apart, prepare_depfile, print,
    refuse_mixture, written,
};
use super::failure::Failure;
use super::json;
use super::options::{Format, Writing};
use super::printer::Printer;
use crate::error::Error;
use crate::io::{Input, OutputFile, Target, commit_all};

/// Some bytes of a result.
pub(super) struct Part<'p> {
    /// What they are, such as "slice `air64_v26`".
    name: String,
    bytes: Cow<'p, [u8]>,
    /// Whether they come from an input.
    copied: bool,
}

impl<'p> Part<'p> {
    /// Bytes of an input.
    pub(super) fn copied(name: impl Into<String>, bytes: &'p [u8]) -> Self {
        Self { name: name.into(), bytes: bytes.into(), copied: true }
    }

    /// What was made of an input, which may be the same bytes.
    pub(super) fn of_input(name: impl Into<String>, bytes: Vec<u8>, input: &Input) -> Self {
        let copied = bytes == input.bytes();
        Self { name: name.into(), bytes: bytes.into(), copied }
    }

    fn region(&self, offset: u64) -> RegionReport {
        let size = self.bytes.len() as u64;
        let copied = if self.copied { size } else { 0 };
        RegionReport::new(&self.name, offset, size, copied)
    }
}

/// The parts of a universal file: its table, its slices, and what lies between them.
pub(super) fn of_universal<'p>(builder: &'p Builder<'_>) -> Result<Vec<Part<'p>>, Failure> {
    let pieces = builder.pieces().map_err(Error::universal("output"))?;
    let mut slices = builder.slices().iter().peekable();
    let part = |(index, bytes): (usize, Cow<'p, [u8]>)| {
        let is_slice = |slice: &&Slice<'_>| std::ptr::eq(slice.bytes(), &raw const *bytes);
        match slices.next_if(is_slice) {
            Some(slice) => Part { name: slice.architecture().to_string(), bytes, copied: true },
            None if index == 0 => Part { name: "table".to_owned(), bytes, copied: false },
            None => Part { name: "padding".to_owned(), bytes, copied: false },
        }
    };
    Ok(pieces.into_iter().enumerate().map(part).collect())
}

/// Writes a file of these parts; with `--dry-run` prints its plan.
pub(super) fn deliver_parts(
    parts: &[Part<'_>],
    notes: Vec<String>,
    target: Option<&Target>,
    consumed: Consumed<'_>,
    writing: &Writing,
    printer: &mut Printer,
) -> Result<(), Failure> {
    keep_apart(&[target], consumed, writing)?;
    let mut size = 0;
    let mut place = |part: &Part<'_>| {
        let region = part.region(size);
        size += part.bytes.len() as u64;
        region
    };
    let regions: Vec<_> = parts.iter().map(&mut place).collect();
    notes.iter().for_each(|note| printer.note(note));
    let mut report = Report { notes, ..Report::default() };
    let Some(target) = target.filter(|_| !writing.dry_run) else {
        let file = target.map(Target::name);
        report.outputs.push(OutputReport { file, size, outcome: "planned", regions });
        return print(&report, writing.format.format, printer);
    };
    refuse_mixture(&[target], writing)?;
    let dependencies = prepare_depfile(&[target], consumed, writing)?;
    let mut output = OutputFile::open(target)?;
    parts.iter().try_for_each(|part| output.write_all(&part.bytes))?;
    let prepared = std::iter::once(output.prepare()?).chain(dependencies).collect();
    let outcomes = commit_all(prepared)?;
    report.outputs.extend(outcomes.first().map(|&outcome| written(target, size, outcome)));
    match writing.format.format {
        Format::Json => json::print(&report, printer),
        Format::Human => Ok(()),
    }
}
