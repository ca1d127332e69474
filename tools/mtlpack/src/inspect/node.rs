//! The tree that `inspect` gives.

use std::borrow::Cow;

use crate::error::Error;

/// Some bytes of the file and what they mean.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Node {
    /// Absolute offset in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Name of the field, tag or section.
    pub name: Cow<'static, str>,
    /// What the bytes say.
    pub value: Value,
    /// What the bytes consist of, in order.
    pub children: Vec<Node>,
}

/// What some bytes say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
pub enum Value {
    /// Nothing by themselves: see the children.
    #[default]
    None,
    /// A count or size.
    Number(u64),
    /// An offset; in words it is hexadecimal.
    Offset(u64),
    /// Anything else in words, such as a name or hexadecimal digits.
    Text(String),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Number(number) => write!(f, "{number}"),
            Self::Offset(offset) => write!(f, "{offset:#x}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Value {
    /// A value in words.
    pub(super) fn text(text: impl ToString) -> Self {
        Self::Text(text.to_string())
    }
}

impl Node {
    /// A node without children.
    pub(super) fn new(
        offset: u64,
        size: u64,
        name: impl Into<Cow<'static, str>>,
        value: Value,
    ) -> Self {
        Self { offset, size, name: name.into(), value, children: Vec::new() }
    }

    /// The same node with these children.
    pub(super) fn with(mut self, children: Vec<Node>) -> Self {
        self.children = children;
        self
    }

    /// Absolute end in bytes; saturates.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }
}

/// Takes the nodes of a tree one after the other.
pub trait Visitor {
    /// Why the visitor stops.
    type Error: From<Error>;

    /// A node begins; its children follow until it is closed. The node's own list of
    /// children is not to be looked at.
    ///
    /// # Errors
    /// If the visitor wants no more.
    fn open(&mut self, node: &Node) -> Result<(), Self::Error>;

    /// The node that was opened last and is not closed yet ends.
    ///
    /// # Errors
    /// If the visitor wants no more.
    fn close(&mut self) -> Result<(), Self::Error>;
}

/// Collects the tree.
#[derive(Default)]
pub(super) struct Collector {
    open: Vec<Node>,
    root: Option<Node>,
}

impl Collector {
    /// The tree; an empty node if nothing was visited.
    pub(super) fn root(self) -> Node {
        self.root.unwrap_or_else(|| Node::new(0, 0, "library", Value::None))
    }
}

impl Visitor for Collector {
    type Error = Error;

    fn open(&mut self, node: &Node) -> Result<(), Error> {
        let value = node.value.clone();
        self.open.push(Node::new(node.offset, node.size, node.name.clone(), value));
        Ok(())
    }

    fn close(&mut self) -> Result<(), Error> {
        let Some(node) = self.open.pop() else { return Ok(()) };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.root = Some(node),
        }
        Ok(())
    }
}
