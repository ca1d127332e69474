//! What there is to know of the libraries that a script refers to. Who reads libraries fills it.

use std::collections::HashMap;
use std::fmt;

/// What a function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Compute kernel.
    Kernel,
    /// Vertex function.
    Vertex,
    /// Fragment function.
    Fragment,
    /// Mesh function.
    Mesh,
    /// Object function.
    Object,
    /// Visible function, to which stitchable ones belong.
    Visible,
    /// Intersection function.
    Intersection,
    /// Anything else: no key of a script takes it.
    Other,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kernel => "kernel",
            Self::Vertex => "vertex",
            Self::Fragment => "fragment",
            Self::Mesh => "mesh",
            Self::Object => "object",
            Self::Visible => "visible",
            Self::Intersection => "intersection",
            Self::Other => "other",
        })
    }
}

/// A function of a library.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub kind: Kind,
    /// Its function constants.
    pub constants: Vec<Constant>,
    /// The vertex attributes that it reads.
    pub attributes: Vec<Attribute>,
}

/// A function constant.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its index.
    pub index: u16,
    /// Metal's name of its type, such as `Float4`.
    pub data_type: String,
    /// Whether the function cannot be made without it.
    pub required: bool,
}

/// A vertex attribute.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its index, which is the position in the vertex descriptor.
    pub index: u16,
    /// Metal's name of its type, such as `Float4`.
    pub data_type: String,
}

/// A library.
#[derive(Clone, Debug)]
pub struct Library {
    name: String,
    functions: Vec<Function>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Library {
    /// A library of this name, for messages, with these functions.
    #[must_use]
    pub fn new(name: impl Into<String>, functions: Vec<Function>) -> Self {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::with_capacity(functions.len());
        for (index, function) in functions.iter().enumerate() {
            by_name.entry(function.name.clone()).or_default().push(index);
        }
        Self { name: name.into(), functions, by_name }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its functions, in order.
    #[must_use]
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The function of a name; if there are several, one of these kinds if there is one.
    #[must_use]
    pub fn function(&self, name: &str, kinds: &[Kind]) -> Option<&Function> {
        let all = self.by_name.get(name)?;
        let mut found = all.iter().filter_map(|&index| self.functions.get(index));
        let fits = found.clone().find(|function| kinds.contains(&function.kind));
        fits.or_else(|| found.next())
    }
}

/// The libraries that are known.
#[derive(Clone, Debug, Default)]
pub struct Known<'l> {
    /// Those of the command line, in which plain names are looked up.
    pub command_line: Vec<&'l Library>,
    /// Those that the script names by path, by this path as it stands there; `None` if it was
    /// looked for and not found. Paths that are not here were not looked for.
    pub by_path: HashMap<String, Option<&'l Library>>,
}
