//! Putting a module by itself where it belongs.

use std::io::Write;

use super::deliver::{
    Consumed, OutputReport, RegionReport, Report, keep_apart, prepare_depfile, print,
    refuse_mixture, written,
};
use super::failure::Failure;
use super::json;
use super::options::{Format, Writing};
use super::printer::Printer;
use crate::StrippedBitcode;
use crate::io::{OutputFile, Target, commit_all};

/// Writes a module; with `--dry-run` prints the plan, which has one part.
pub(super) fn deliver_module(
    made: StrippedBitcode,
    target: Option<&Target>,
    consumed: Consumed<'_>,
    writing: &Writing,
    printer: &mut Printer,
) -> Result<(), Failure> {
    keep_apart(&[target], consumed, writing)?;
    let StrippedBitcode { bytes, notes } = made;
    let size = bytes.len() as u64;
    notes.iter().for_each(|note| printer.note(note));
    let mut report = Report { notes, ..Report::default() };
    let Some(target) = target.filter(|_| !writing.dry_run) else {
        let input = consumed.libraries.first().map(crate::io::Input::bytes);
        let copied = if input == Some(bytes.as_slice()) { size } else { 0 };
        report.outputs.push(OutputReport {
            file: target.map(Target::name),
            size,
            outcome: "planned",
            regions: vec![RegionReport::new("module", 0, size, copied)],
        });
        return print(&report, writing.format.format, printer);
    };
    refuse_mixture(&[target], writing)?;
    let dependencies = prepare_depfile(&[target], consumed, writing)?;
    let mut output = OutputFile::open(target)?;
    output.write_all(&bytes)?;
    let prepared = std::iter::once(output.prepare()?).chain(dependencies).collect();
    let outcomes = commit_all(prepared)?;
    report.outputs.extend(outcomes.first().map(|outcome| written(target, size, *outcome)));
    match writing.format.format {
        Format::Json => json::print(&report, printer),
        Format::Human => Ok(()),
    }
}
