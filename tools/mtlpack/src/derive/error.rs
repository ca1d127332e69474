//! Why something cannot be derived from a module.

use metallib::{FourCc, printable};

/// Why an entry of a function list, or a part of it, cannot be derived from its module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeriveError {
    /// The module cannot be read.
    #[error(transparent)]
    Module(#[from] air_bitcode::Error),
    /// A list of entry points has a node that names no function.
    #[error("list {list} has an entry without a function (metadata {node})")]
    NoFunction {
        /// The list.
        list: &'static str,
        /// Number of the node.
        node: u64,
    },
    /// The module says something of a function that no known library shows how to write, or
    /// lacks what a tag needs.
    #[error("function `{function}`: tag {tag}: {what}")]
    Function {
        /// Name of the function, as messages show it.
        function: String,
        /// The tag that cannot be derived.
        tag: FourCc,
        /// What was found and what was expected.
        what: String,
    },
}

impl DeriveError {
    /// A tag of a function that cannot be derived.
    pub(super) fn function(name: &[u8], tag: FourCc, what: impl Into<String>) -> Self {
        Self::Function { function: printable(name), tag, what: what.into() }
    }
}
