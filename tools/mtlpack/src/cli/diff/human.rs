//! A difference as text: a summary, families, and the functions that changed most.

use std::io::Write;

use super::words::{self, Listed};
use crate::Diff;
use crate::cli::failure::Failure;
use crate::cli::printer::{Printer, clean, style};

pub(super) fn print(
    diff: &Diff,
    listed: &[Listed],
    most: usize,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let [functions, bytes] = words::summary(diff);
    let (old, new) = (words::one_line(&diff.old), words::one_line(&diff.new));
    if diff.same {
        writeln!(printer.out(), "{old} -> {new}: no difference; {functions}; {bytes}")?;
        return Ok(());
    }
    heading(&format!("{old} -> {new}"), printer)?;
    writeln!(printer.out(), "{functions}\n{bytes}")?;
    if diff.layout {
        let what = "nothing that has a name differs, but how the files are laid out does";
        writeln!(printer.out(), "{what}")?;
    }
    if diff.changed.len() > words::SHOWN {
        let tally =
            words::tally(diff).into_iter().map(|(kind, count)| format!("{kind} of {count}"));
        writeln!(printer.out(), "changed: {}", tally.collect::<Vec<_>>().join(", "))?;
    }
    library(diff, printer)?;
    if diff.families.len() > 1 && words::count(diff) > words::SHOWN {
        families(diff, most, printer)?;
    }
    list(diff, listed, printer)
}

fn heading(text: &str, printer: &mut Printer) -> Result<(), Failure> {
    let text = printer.styled(style::HEADING, text);
    Ok(writeln!(printer.out(), "{text}")?)
}

/// Header, extension and sizes of parts.
fn library(diff: &Diff, printer: &mut Printer) -> Result<(), Failure> {
    if diff.fields.is_empty() && diff.sections.is_empty() {
        return Ok(());
    }
    writeln!(printer.out())?;
    heading("library", printer)?;
    for field in &diff.fields {
        writeln!(printer.out(), "  {}", words::field(field))?;
    }
    for part in &diff.sections {
        let name = words::one_line(&part.section);
        writeln!(printer.out(), "  {name}: {} -> {} bytes", part.old, part.new)?;
    }
    Ok(())
}

fn families(diff: &Diff, most: usize, printer: &mut Printer) -> Result<(), Failure> {
    writeln!(printer.out())?;
    heading(&format!("{:>12} {:>12} {:>12}  family", "old", "new", "bytes"), printer)?;
    for family in diff.families.iter().take(most) {
        let bytes = words::signed(words::family_bytes(family));
        let (name, counts) = (words::one_line(&family.family), words::counts(family));
        let sizes = format!("{:>12} {:>12} {bytes:>12}", family.old_size, family.new_size);
        writeln!(printer.out(), "{sizes}  {name}  {counts}")?;
    }
    more(diff.families.len().saturating_sub(most), "family", printer)
}

fn list(diff: &Diff, listed: &[Listed], printer: &mut Printer) -> Result<(), Failure> {
    if listed.is_empty() {
        return Ok(());
    }
    writeln!(printer.out())?;
    heading(&format!("{:>12}  function", "bytes"), printer)?;
    for one in listed {
        let Some((name, bytes)) = one.of(diff) else { continue };
        let color = match one {
            Listed::Removed(_) => style::ERROR,
            Listed::Added(_) => style::NOTE,
            Listed::Changed(_) => style::WARNING,
        };
        let (sign, name) = (printer.styled(color, one.sign()), words::one_line(name));
        write!(printer.out(), "{:>12}  {sign} {name}", words::signed(bytes))?;
        match one {
            Listed::Changed(index) => {
                let Some(change) = diff.changed.get(*index) else { continue };
                writeln!(printer.out(), ": {}", words::what(change))?;
                for line in &change.text {
                    writeln!(printer.out(), "              {}", clean(line))?;
                }
            }
            _ => writeln!(printer.out())?,
        }
    }
    more(words::count(diff) - listed.len(), "function", printer)
}

fn more(count: usize, what: &str, printer: &mut Printer) -> Result<(), Failure> {
    if count > 0 {
        let more = crate::text::plural(count as u64, what);
        writeln!(printer.out(), "  and {more} more; --all lists them")?;
    }
    Ok(())
}
