//! JSON on standard output.

use std::io::{self, Write};

use serde::Serialize;

use super::failure::Failure;
use super::printer::Printer;
use crate::inspect::{Node, Visitor};

/// Prints a value, indented.
pub(super) fn print(value: &impl Serialize, printer: &mut Printer) -> Result<(), Failure> {
    serde_json::to_writer_pretty(printer.out(), value)?;
    writeln!(printer.out())?;
    Ok(())
}

/// Prints a list as it comes, one element a line.
pub(super) fn print_list<T: Serialize>(
    values: impl IntoIterator<Item = T>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let mut rows = Rows::default();
    for value in values {
        rows.begin(printer.out())?;
        serde_json::to_writer(printer.out(), &value)?;
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
        serde_json::to_writer(&mut *self.out, &node.name)?;
        self.out.write_all(b",\"value\":")?;
        serde_json::to_writer(&mut *self.out, &node.value)?;
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
