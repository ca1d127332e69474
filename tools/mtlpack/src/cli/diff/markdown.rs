//! A difference as Markdown, for a comment on a change.

use std::io::Write;

use super::words::{self, Listed};
use crate::Diff;
use crate::cli::failure::Failure;
use crate::cli::printer::Printer;

pub(super) fn print(
    diff: &Diff,
    listed: &[Listed],
    most: usize,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let [functions, bytes] = words::summary(diff);
    let what = match (diff.same, diff.layout) {
        (true, _) => "No difference. ",
        (false, true) => "Only the layout of the files differs. ",
        (false, false) => "",
    };
    let (old, new) = (code(&diff.old), code(&diff.new));
    writeln!(printer.out(), "{old} → {new}: {what}{functions}; {bytes}")?;
    if diff.same {
        return Ok(());
    }
    library(diff, printer)?;
    if diff.families.len() > 1 && words::count(diff) > words::SHOWN {
        families(diff, most, printer)?;
    }
    list(diff, listed, printer)
}

/// Text within a table: a bar would end the cell, and other signs would be read as markup.
fn cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for c in words::one_line(text).chars() {
        if matches!(c, '|' | '\\' | '*' | '_' | '`' | '<' | '[' | ']' | '~' | '#' | '@' | '&') {
            cell.push('\\');
        }
        cell.push(c);
    }
    cell
}

/// Text as code, between more backticks than it has itself.
fn code(text: &str) -> String {
    let text = words::one_line(text);
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let ticks = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    // Tables take bars for their own also within code.
    format!("{ticks}{space}{}{space}{ticks}", text.replace('|', "\\|"))
}

fn library(diff: &Diff, printer: &mut Printer) -> Result<(), Failure> {
    if diff.fields.is_empty() && diff.sections.is_empty() {
        return Ok(());
    }
    let out = printer.out();
    writeln!(out, "\n| library | |\n|---|---|")?;
    for field in &diff.fields {
        let text = words::field(field);
        let (name, values) = text.split_once(": ").unwrap_or((&text, ""));
        writeln!(out, "| {} | {} |", cell(name), cell(values))?;
    }
    for part in &diff.sections {
        writeln!(out, "| {} | {} -> {} bytes |", cell(&part.section), part.old, part.new)?;
    }
    Ok(())
}

fn families(diff: &Diff, most: usize, printer: &mut Printer) -> Result<(), Failure> {
    let out = printer.out();
    writeln!(out, "\n| family | functions | old | new | bytes |\n|---|---|--:|--:|--:|")?;
    for family in diff.families.iter().take(most) {
        let (name, counts) = (code(&family.family), cell(&words::counts(family)));
        let bytes = words::signed(words::family_bytes(family));
        let (old, new) = (family.old_size, family.new_size);
        writeln!(out, "| {name} | {counts} | {old} | {new} | {bytes} |")?;
    }
    more(diff.families.len().saturating_sub(most), "family", printer)
}

fn list(diff: &Diff, listed: &[Listed], printer: &mut Printer) -> Result<(), Failure> {
    if listed.is_empty() {
        return Ok(());
    }
    writeln!(printer.out(), "\n| function | bytes | what |\n|---|--:|---|")?;
    for one in listed {
        let Some((name, bytes)) = one.of(diff) else { continue };
        let what = match one {
            Listed::Removed(_) => "removed".to_owned(),
            Listed::Added(_) => "added".to_owned(),
            Listed::Changed(index) => diff.changed.get(*index).map(words::what).unwrap_or_default(),
        };
        let (name, bytes) = (code(name), words::signed(bytes));
        writeln!(printer.out(), "| {name} | {bytes} | {} |", cell(&what))?;
    }
    more(words::count(diff) - listed.len(), "function", printer)?;
    texts(diff, listed, printer)
}

/// LLVM's texts, each as a block of code.
fn texts(diff: &Diff, listed: &[Listed], printer: &mut Printer) -> Result<(), Failure> {
    for one in listed {
        let Listed::Changed(index) = one else { continue };
        let Some(change) = diff.changed.get(*index).filter(|change| !change.text.is_empty()) else {
            continue;
        };
        let out = printer.out();
        // Indented by four, so that no line can end it.
        writeln!(out, "\n{}:\n", code(&change.name))?;
        for line in &change.text {
            writeln!(out, "    {}", crate::cli::printer::clean(line))?;
        }
    }
    Ok(())
}

fn more(count: usize, what: &str, printer: &mut Printer) -> Result<(), Failure> {
    if count > 0 {
        let more = crate::text::plural(count as u64, what);
        writeln!(printer.out(), "\nand {more} more (`--all` lists them)")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_break_tables() {
        assert_eq!(cell("a|b*c\nd"), "a\\|b\\*c\\\\nd");
        assert_eq!(code("steel_gemm_*"), "`steel_gemm_*`");
        assert_eq!(code("a`b|c"), "`` a`b\\|c ``");
    }
}
