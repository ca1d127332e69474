//! Stitching graphs.

use super::Word;
use crate::json::{Span, Value};

/// A graph: a function that is made of calls.
#[derive(Debug)]
pub struct Graph<'s> {
    /// Name of the function.
    pub name: Word<'s>,
    /// Its nodes; a position here is an id. `None` stands for a node that cannot be read.
    pub nodes: Vec<Option<GraphNode<'s>>>,
    /// The node whose value is returned.
    pub output: Option<Id>,
}

/// A node of a graph.
#[derive(Debug)]
pub struct GraphNode<'s> {
    /// What it is.
    pub kind: NodeKind<'s>,
    /// Where it stands.
    pub span: Span,
}

/// What a node is.
#[derive(Debug)]
pub enum NodeKind<'s> {
    /// An argument of the function, by its index.
    Input(u64),
    /// A call.
    Call(Call<'s>),
}

/// A call of a stitchable function.
#[derive(Debug)]
pub struct Call<'s> {
    /// Its name.
    pub name: Word<'s>,
    /// Nodes whose values it takes.
    pub arguments: Vec<Id>,
    /// Nodes that come before it.
    pub control: Vec<Id>,
}

/// The id of a node, as it stands somewhere.
#[derive(Clone, Copy, Debug)]
pub struct Id {
    /// Position of the node in the list.
    pub index: usize,
    /// Where it stands.
    pub span: Span,
}

impl<'s> Graph<'s> {
    pub(super) fn read(value: &'s Value) -> Option<Self> {
        let name = Word::at(value, "function_name")?;
        let nodes = value.list("nodes").iter().map(GraphNode::read).collect();
        Some(Self { name, nodes, output: value.get("output_node").and_then(Id::read) })
    }

    /// The node of an id.
    #[must_use]
    pub fn node(&self, id: Id) -> Option<&GraphNode<'s>> {
        self.nodes.get(id.index)?.as_ref()
    }
}

impl<'s> GraphNode<'s> {
    fn read(value: &'s Value) -> Option<Self> {
        let node = value.get("node")?;
        let kind = match value.get("node_type")?.text()? {
            "InputNode" => NodeKind::Input(u64::try_from(node.get("index")?.integer()?).ok()?),
            "FunctionNode" => {
                let ids = |key| node.list(key).iter().filter_map(Id::read).collect();
                NodeKind::Call(Call {
                    name: Word::at(node, "name")?,
                    arguments: ids("arguments"),
                    control: ids("control_dependencies"),
                })
            }
            _ => return None,
        };
        Some(Self { kind, span: value.span })
    }

    /// The nodes that it needs: of values, and of order.
    pub fn needs(&self) -> impl Iterator<Item = Id> {
        let call = match &self.kind {
            NodeKind::Call(call) => Some(call),
            NodeKind::Input(_) => None,
        };
        call.into_iter().flat_map(|call| call.arguments.iter().chain(&call.control).copied())
    }
}

impl Id {
    fn read(value: &Value) -> Option<Self> {
        let id = value.get("id")?;
        Some(Self { index: usize::try_from(id.integer()?).ok()?, span: id.span })
    }
}
