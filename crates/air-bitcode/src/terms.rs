//! What AIR's metadata says of one entry point: lists of keys, texts and numbers.

use crate::entry::{AirMetadata, EntryPoint};
use crate::error::{Error, ErrorKind, Result};
use crate::metadata::Operand;

/// What a list of metadata holds in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term<'m> {
    /// Nothing.
    None,
    /// An integer; true is -1, as LLVM has it.
    Integer(i64),
    /// A string: a key such as `air.arg_name`, or what stands behind one.
    Text(&'m [u8]),
    /// A value that is no integer, by its number: a global, or another constant.
    Value(u64),
    /// Another node, by its number.
    Node(u64),
}

impl<'m> Term<'m> {
    /// The integer, if it is one.
    #[must_use]
    pub fn integer(self) -> Option<i64> {
        if let Self::Integer(integer) = self { Some(integer) } else { None }
    }

    /// The string, if it is one.
    #[must_use]
    pub fn text(self) -> Option<&'m [u8]> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number of the node, if it is one.
    #[must_use]
    pub fn node(self) -> Option<u64> {
        if let Self::Node(node) = self { Some(node) } else { None }
    }
}

/// The node of an entry point: function, outputs, inputs, and what else it has.
///
/// An input is its argument's number, its kind (`air.buffer`, `air.vertex_input`, …), and keys
/// with what belongs to them; an output is the same without the number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryLists<'m> {
    /// The outputs, in order.
    pub outputs: Vec<Vec<Term<'m>>>,
    /// The inputs, in order.
    pub inputs: Vec<Vec<Term<'m>>>,
    /// What the node has behind function, outputs and inputs, such as the node of `air.patch`.
    pub more: Vec<Term<'m>>,
}

impl AirMetadata<'_> {
    /// What a node holds, in order.
    ///
    /// # Errors
    /// If the number is not that of a plain node, the record cannot be read, or more is read of
    /// a module than any that is real has.
    pub fn terms(&self, node: u64) -> Result<Vec<Term<'_>>> {
        let Some(operands) = self.metadata.operands(node)? else {
            let what = format!("metadata {node} is no list, expected one");
            return Err(Error::nowhere(ErrorKind::Value { what }));
        };
        let Some(left) = self.budget.get().checked_sub(operands.len() + 1) else {
            let what = "lists of metadata that share more nodes than any real module's do";
            return Err(Error::nowhere(ErrorKind::Value { what: what.to_owned() }));
        };
        self.budget.set(left);
        Ok(operands.into_iter().map(|operand| self.term(operand)).collect())
    }

    /// The terms of each node that a node names.
    ///
    /// # Errors
    /// As [`AirMetadata::terms`], and if it holds something else than nodes.
    pub fn lists(&self, node: u64) -> Result<Vec<Vec<Term<'_>>>> {
        let each = |term: Term<'_>| {
            let Some(node) = term.node() else {
                let what = format!("{term:?} in metadata {node}, expected a list");
                return Err(Error::nowhere(ErrorKind::Value { what }));
            };
            self.terms(node)
        };
        self.terms(node)?.into_iter().map(each).collect()
    }

    /// The node of an entry point.
    ///
    /// # Errors
    /// As [`AirMetadata::lists`], and if the node has no outputs or inputs.
    pub fn entry(&self, entry: &EntryPoint<'_>) -> Result<EntryLists<'_>> {
        let terms = self.terms(entry.node)?;
        let [_, Term::Node(outputs), Term::Node(inputs), more @ ..] = &terms[..] else {
            let what = format!(
                "metadata {} of an entry point is not function, outputs and inputs",
                entry.node
            );
            return Err(Error::nowhere(ErrorKind::Value { what }));
        };
        Ok(EntryLists {
            outputs: self.lists(*outputs)?,
            inputs: self.lists(*inputs)?,
            more: more.to_vec(),
        })
    }

    /// The terms of each node of a list such as `air.function_constants`; none if there is no
    /// such list.
    ///
    /// # Errors
    /// As [`AirMetadata::terms`].
    pub fn named_terms(&self, list: &str) -> Result<Vec<Vec<Term<'_>>>> {
        self.nodes(list).map(|node| self.terms(node)).collect()
    }

    fn term<'m>(&self, operand: Operand<'m>) -> Term<'m> {
        match operand {
            Operand::None => Term::None,
            Operand::String(text) => Term::Text(text),
            Operand::Value(value) => {
                self.integers.get(value).map_or(Term::Value(value), Term::Integer)
            }
            Operand::Node(node) => Term::Node(node),
        }
    }
}
