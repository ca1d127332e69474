//! What a script means: both forms as the same typed parts, each with its place.
//!
//! Parts whose values are of the wrong kind are left out; the check by the schema reports them.

mod graph;
mod read;
mod reference;

pub use graph::{Call, Graph, GraphNode, Id, NodeKind};
pub use reference::{Reference, Target};

use crate::Script;
use crate::facts::Kind;
use crate::json::{Span, Value};

/// A text and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Word<'s> {
    /// The text.
    pub text: &'s str,
    /// Where it stands.
    pub span: Span,
}

/// All parts of a script that refer to something.
#[derive(Debug, Default)]
pub struct Model<'s> {
    /// Libraries with a label and a path.
    pub libraries: Vec<LibraryPath<'s>>,
    /// Functions of libraries with a label (Metal 4 only).
    pub descriptors: Vec<Descriptor<'s>>,
    /// Specialised functions.
    pub specialized: Vec<Specialized<'s>>,
    /// Stitched libraries.
    pub stitched: Vec<Stitched<'s>>,
    /// Lists of constants with a name.
    pub named_constants: Vec<NamedConstants<'s>>,
    /// Predicates with a name, in order.
    pub named_predicates: Vec<(Word<'s>, Word<'s>)>,
    /// All `enable` predicates.
    pub enables: Vec<Word<'s>>,
    /// Visible and intersection functions that are listed by themselves.
    pub listed: Vec<Stage<'s>>,
    /// Pipelines.
    pub pipelines: Vec<Pipeline<'s>>,
}

/// A library with a label.
#[derive(Clone, Copy, Debug)]
pub struct LibraryPath<'s> {
    /// Its label.
    pub label: Word<'s>,
    /// Its path.
    pub path: Word<'s>,
}

/// A function of a library with a label, as Metal 4 names it.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor<'s> {
    /// Its label.
    pub label: Word<'s>,
    /// Name of the function.
    pub name: Word<'s>,
    /// Label of its library; without it, the one of the command line.
    pub library: Option<Word<'s>>,
}

/// A function with values for its constants.
#[derive(Debug)]
pub struct Specialized<'s> {
    /// Its label.
    pub label: Word<'s>,
    /// The function.
    pub function: Reference<'s>,
    /// Another name for the result.
    pub name: Option<Word<'s>>,
    /// The list of constants by name.
    pub named_values: Option<Word<'s>>,
    /// Constants of its own, which override those.
    pub constants: Vec<Constant<'s>>,
    /// Whether all of these could be read.
    pub is_complete: bool,
}

/// A list of constants with a name.
#[derive(Debug)]
pub struct NamedConstants<'s> {
    /// Its name.
    pub name: Word<'s>,
    /// The constants.
    pub constants: Vec<Constant<'s>>,
    /// Whether all of them could be read.
    pub is_complete: bool,
}

/// A value for a constant.
#[derive(Clone, Copy, Debug)]
pub struct Constant<'s> {
    /// Which one.
    pub id: ConstantId<'s>,
    /// Its `value_type`.
    pub value_type: Word<'s>,
    /// Where it stands.
    pub span: Span,
}

/// How a constant is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstantId<'s> {
    /// By index.
    Index(u16),
    /// By name.
    Name(&'s str),
}

/// A library made by stitching functions.
#[derive(Debug)]
pub struct Stitched<'s> {
    /// Its label.
    pub label: Word<'s>,
    /// The functions that its graphs may call.
    pub functions: Vec<Reference<'s>>,
    /// Its graphs, each a function.
    pub graphs: Vec<Graph<'s>>,
}

/// A place where a function is named, and of which kinds it must be.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'s> {
    /// The key.
    pub key: &'s str,
    /// The kinds that the key takes.
    pub kinds: &'static [Kind],
    /// The function.
    pub reference: Reference<'s>,
}

/// A pipeline.
#[derive(Debug)]
pub struct Pipeline<'s> {
    /// Where it stands.
    pub span: Span,
    /// Its functions.
    pub stages: Vec<Stage<'s>>,
    /// Functions that are linked to one of them.
    pub linked: Vec<Linked<'s>>,
    /// The vertex descriptor.
    pub vertex_descriptor: Option<&'s Value>,
    /// Whether this form of script can describe vertices at all.
    pub describes_vertices: bool,
}

/// Functions that are linked to a stage.
#[derive(Debug, Default)]
pub struct Linked<'s> {
    /// Functions, private ones too.
    pub functions: Vec<Reference<'s>>,
    /// Names of functions that are compiled by themselves.
    pub binary: Vec<Word<'s>>,
    /// Names of functions in groups.
    pub grouped: Vec<Word<'s>>,
}

impl<'s> Model<'s> {
    /// The parts of a script.
    #[must_use]
    pub fn of(script: &'s Script) -> Self {
        read::model(script)
    }

    /// All references to functions.
    pub fn references(&self) -> impl Iterator<Item = Reference<'s>> {
        let specialized = self.specialized.iter().map(|one| one.function);
        let stitched = self.stitched.iter().flat_map(|one| one.functions.iter().copied());
        let listed = self.listed.iter().map(|stage| stage.reference);
        let stages = self.pipelines.iter().flat_map(|pipeline| {
            let linked = pipeline.linked.iter().flat_map(|linked| linked.functions.iter().copied());
            pipeline.stages.iter().map(|stage| stage.reference).chain(linked)
        });
        specialized.chain(stitched).chain(listed).chain(stages)
    }

    /// All paths of libraries, of `paths` and of `file:` references.
    pub fn paths(&self) -> impl Iterator<Item = &'s str> {
        let files = self.references().filter_map(|reference| match reference.target {
            Target::File { path, .. } => Some(path),
            _ => None,
        });
        self.libraries.iter().map(|library| library.path.text).chain(files)
    }
}
