//! Hands nodes to a visitor and shows the bytes that nothing claims.

use metallib::Range64;

use super::node::{Node, Value, Visitor};
use crate::text::hex;

/// Bytes of unknown meaning that are shown in digits.
const SHOWN: usize = 64;

/// The bytes of the library.
#[derive(Clone, Copy)]
pub(super) struct Source<'s>(&'s [u8]);

impl<'s> Source<'s> {
    /// The bytes of a range, as far as they exist.
    pub(super) fn bytes(self, offset: u64, size: u64) -> &'s [u8] {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.0.len());
        let rest = self.0.get(start..).unwrap_or_default();
        let size = usize::try_from(size).unwrap_or(usize::MAX).min(rest.len());
        rest.get(..size).unwrap_or_default()
    }

    /// A u32 field.
    pub(super) fn word(self, offset: u64, name: &'static str) -> Node {
        let bytes = self.bytes(offset, 4).try_into().unwrap_or_default();
        Node::new(offset, 4, name, Value::Number(u32::from_le_bytes(bytes).into()))
    }

    /// Bytes of unknown meaning.
    pub(super) fn raw(self, offset: u64, size: u64, name: &'static str) -> Node {
        Node::new(offset, size, name, digits(self.bytes(offset, size)))
    }
}

/// Hexadecimal digits of the first bytes.
pub(super) fn digits(bytes: &[u8]) -> Value {
    match bytes.get(..SHOWN) {
        Some(shown) if bytes.len() > SHOWN => {
            Value::Text(format!("{}… ({} bytes)", hex(shown), bytes.len()))
        }
        _ => Value::Text(hex(bytes)),
    }
}

/// A node that is open: up to where its bytes were shown, and where it ends.
struct Frame {
    position: u64,
    end: u64,
    gaps: bool,
}

pub(super) struct Walker<'w, V> {
    source: Source<'w>,
    visitor: &'w mut V,
    open: Vec<Frame>,
}

impl<'w, V: Visitor> Walker<'w, V> {
    pub(super) fn new(bytes: &'w [u8], visitor: &'w mut V) -> Self {
        Self { source: Source(bytes), visitor, open: Vec::new() }
    }

    pub(super) fn source(&self) -> Source<'w> {
        self.source
    }

    /// The node of the whole file.
    pub(super) fn root(&self) -> Node {
        Node::new(0, self.source.0.len() as u64, "library", Value::None)
    }

    /// Opens a node whose children cover it; bytes between them become nodes too.
    pub(super) fn open(&mut self, node: Node) -> Result<(), V::Error> {
        self.open_as(node, true)
    }

    /// Opens a node of which only some children are shown.
    pub(super) fn open_partly(&mut self, node: Node) -> Result<(), V::Error> {
        self.open_as(node, false)
    }

    /// Opens the node of a section.
    pub(super) fn open_range(
        &mut self,
        range: Range64,
        name: impl Into<std::borrow::Cow<'static, str>>,
    ) -> Result<(), V::Error> {
        self.open(Node::new(range.offset, range.size, name, Value::None))
    }

    fn open_as(&mut self, node: Node, gaps: bool) -> Result<(), V::Error> {
        self.reach(node.offset)?;
        self.visitor.open(&node)?;
        self.open.push(Frame { position: node.offset, end: node.end(), gaps });
        Ok(())
    }

    /// Closes the node opened last.
    pub(super) fn close(&mut self) -> Result<(), V::Error> {
        if let Some(end) = self.open.last().map(|frame| frame.end) {
            self.reach(end)?;
            self.open.pop();
            self.advance(end);
        }
        self.visitor.close()
    }

    /// Hands out a node with all below it.
    pub(super) fn emit(&mut self, node: &Node) -> Result<(), V::Error> {
        self.reach(node.offset)?;
        self.emit_tree(node)?;
        self.advance(node.end());
        Ok(())
    }

    fn emit_tree(&mut self, node: &Node) -> Result<(), V::Error> {
        self.visitor.open(node)?;
        node.children.iter().try_for_each(|child| self.emit_tree(child))?;
        self.visitor.close()
    }

    /// Shows the bytes up to an offset that no child has claimed.
    fn reach(&mut self, offset: u64) -> Result<(), V::Error> {
        let gap = self.open.last().filter(|frame| frame.gaps && offset > frame.position);
        if let Some(start) = gap.map(|frame| frame.position) {
            self.emit_tree(&self.source.raw(start, offset - start, "unused"))?;
            self.advance(offset);
        }
        Ok(())
    }

    fn advance(&mut self, offset: u64) {
        if let Some(frame) = self.open.last_mut() {
            frame.position = frame.position.max(offset);
        }
    }
}
