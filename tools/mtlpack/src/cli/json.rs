//! JSON on standard output.

use std::io::{self, Write};

use serde::Serialize;

use super::failure::Failure;
use super::printer::Printer;
use crate::inspect::{Node, Visitor};

/// Prints a value, indented.
pub(super) fn print(value: &impl Serialize, printer: &mut Printer) -> Result<(), Failure> {
    writeln!(printer.out(), "{}", safe(serde_json::to_string_pretty(value)?))?;
    Ok(())
}

/// Writes a value on one line.
pub(super) fn write_compact(out: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    Ok(out.write_all(safe(serde_json::to_string(value)?).as_bytes())?)
}

/// The control characters from U+007F to U+009F as escapes, which JSON does not ask for: some
/// of them drive terminals. They can only stand inside of strings.
fn safe(json: String) -> String {
    let is_control = |c: char| ('\u{7f}'..='\u{9f}').contains(&c);
    if !json.contains(is_control) {
        return json;
    }
    json.chars().fold(String::with_capacity(json.len()), |mut safe, c| {
        match c {
            c if is_control(c) => safe += &format!("\\u{:04x}", u32::from(c)),
            c => safe.push(c),
        }
        safe
    })
}

/// Prints a list as it comes, one element a line.
pub(super) fn print_list<T: Serialize>(
    values: impl IntoIterator<Item = T>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let mut rows = Rows::default();
    for value in values {
        rows.begin(printer.out())?;
        write_compact(printer.out(), &value)?;
    }
    Ok(rows.end(printer.out())?)
}

/// A list whose elements come one by one, one a line.
#[derive(Default)]
pub(super) struct Rows {
    begun: bool,
}

impl Rows {
    /// What stands in front of an element.
    fn begin(&mut self, out: &mut impl Write) -> io::Result<()> {
        let separator = if std::mem::replace(&mut self.begun, true) { "," } else { "[" };
        write!(out, "{separator}\n  ")
    }

    /// Adds elements that are JSON already, one on each line.
    pub(super) fn add(&mut self, lines: &[u8], out: &mut impl Write) -> io::Result<()> {
        for line in lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            self.begin(out)?;
            out.write_all(line)?;
        }
        Ok(())
    }

    /// Ends the list.
    pub(super) fn end(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", if self.begun { "\n]" } else { "[]" })
    }
}

/// Prints a tree as it comes, one node a line.
pub(super) struct Tree<'w, W> {
    out: &'w mut W,
    depth: usize,
    /// Whether the node opened last has no child yet.
    fresh: bool,
}

impl<'w, W: Write> Tree<'w, W> {
    pub(super) fn new(out: &'w mut W) -> Self {
        Self { out, depth: 0, fresh: true }
    }
}

impl<W: Write> Visitor for Tree<'_, W> {
    type Error = Failure;

    fn open(&mut self, node: &Node) -> Result<(), Failure> {
        if self.depth > 0 {
            let separator = if self.fresh { "" } else { "," };
            write!(self.out, "{separator}\n{:1$}", "", 2 * self.depth)?;
        }
        write!(self.out, "{{\"offset\":{},\"size\":{},\"name\":", node.offset, node.size)?;
        write_compact(&mut *self.out, &node.name)?;
        self.out.write_all(b",\"value\":")?;
        write_compact(&mut *self.out, &node.value)?;
        self.out.write_all(b",\"children\":[")?;
        self.depth += 1;
        self.fresh = true;
        Ok(())
    }

    fn close(&mut self) -> Result<(), Failure> {
        self.depth = self.depth.saturating_sub(1);
        if !self.fresh {
            write!(self.out, "\n{:1$}", "", 2 * self.depth)?;
        }
        self.out.write_all(b"]}")?;
        self.fresh = false;
        if self.depth == 0 {
            writeln!(self.out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_escaped_and_come_back() {
        let text = "a\u{7f}b\u{85}\u{9b}31m\u{a0}é\n";
        let mut out = Vec::new();
        write_compact(&mut out, &text).unwrap();
        assert_eq!(out, "\"a\\u007fb\\u0085\\u009b31m\u{a0}é\\n\"".as_bytes());
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
    }
}
