//! The schema as data: which keys there are, and what may stand behind them.
//!
//! One table for each form is the only place that names keys and kinds of values: checks, JSON
//! Schema and unknown keys all come from it.

mod export;
mod mtl4;
mod mtlp;

pub use export::json_schema;
pub(crate) use mtlp::{FUNCTION_NODE, INPUT_NODE};

use crate::Form;
use crate::values::Values;

/// What may stand behind a key.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Text of at least one character.
    Text,
    /// A boolean.
    Flag,
    /// A whole number from 0 to this.
    Count(u64),
    /// One of these names.
    One(&'static Values),
    /// Words out of these, separated by spaces.
    Words(&'static Values),
    /// A reference to a function: `name`, `alias:LABEL#NAME`, `file:PATH#NAME`.
    Reference,
    /// A reference to a function descriptor: `fnd:LABEL`.
    Descriptor,
    /// A condition over GPU families.
    Predicate,
    /// A list.
    List(&'static Shape),
    /// An object.
    Object(&'static Object),
    /// What another key of the object tells: see [`Tag`].
    Tagged,
}

/// An object and its keys.
#[derive(Debug)]
pub struct Object {
    /// What it is, for messages and as its name in the JSON Schema.
    pub name: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    /// What a key tells of others.
    pub tag: Tag,
}

/// What a key of an object tells of its other keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// Nothing.
    None,
    /// `id_type` tells what `id` is, `value_type` what `value` is.
    Constant,
    /// `node_type` tells what `node` is.
    Node,
}

/// A key.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What may stand behind it.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// What it is if it is not there, as JSON.
    pub default: Option<&'static str>,
}

impl Key {
    const fn new(name: &'static str, shape: Shape) -> Self {
        Self { name, shape, required: false, default: None }
    }

    const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }
}

impl Object {
    const fn new(name: &'static str, keys: &'static [Key]) -> Self {
        Self { name, keys, tag: Tag::None }
    }

    const fn tagged(mut self, tag: Tag) -> Self {
        self.tag = tag;
        self
    }

    /// The objects that stand behind its keys.
    #[cfg(test)]
    fn parts(&self) -> impl Iterator<Item = &'static Self> {
        fn object(shape: Shape) -> Option<&'static Object> {
            match shape {
                Shape::Object(object) => Some(object),
                Shape::List(element) => object(*element),
                _ => None,
            }
        }
        let nodes = [&INPUT_NODE, &FUNCTION_NODE];
        let nodes = nodes.into_iter().filter(|_| self.tag == Tag::Node);
        self.keys.iter().filter_map(|key| object(key.shape)).chain(nodes)
    }

    /// The key of this name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

/// The root of a form.
#[must_use]
pub fn root(form: Form) -> &'static Object {
    match form {
        Form::Mtlp => &mtlp::ROOT,
        Form::Mtl4 => &mtl4::ROOT,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Names of objects are those of definitions in the JSON Schema, so no two may have the same;
    /// keys are there once, and defaults are JSON.
    #[test]
    fn names_are_there_once() {
        for form in [Form::Mtlp, Form::Mtl4] {
            let mut known: HashMap<&str, *const Object> = HashMap::new();
            let mut open = vec![root(form)];
            while let Some(object) = open.pop() {
                match known.insert(object.name, object) {
                    Some(other) => assert!(std::ptr::eq(other, object), "{}", object.name),
                    None => open.extend(object.parts()),
                }
                for key in object.keys {
                    let found = object.key(key.name).unwrap();
                    assert!(std::ptr::eq(found, key), "{}: {}", object.name, key.name);
                    let default = key.default.map(|text| crate::json::read(text.as_bytes()));
                    assert!(default.is_none_or(|read| read.is_ok()), "{}", key.name);
                }
            }
        }
    }
}
