//! Checks by the schema: keys, kinds and names of values.

use std::collections::HashSet;

use crate::constant::ConstantType;
use crate::finding::{Findings, Rule, shown};
use crate::json::{Data, Value};
use crate::model::Reference;
use crate::schema::{FUNCTION_NODE, INPUT_NODE, Object, Shape, Tag, root};
use crate::{Form, Script};

/// The largest index of a function constant.
pub(crate) const LARGEST_CONSTANT: u64 = 65_535;

/// Checks a script by the schema of its form.
pub(crate) fn check(script: &Script, findings: &mut Findings) {
    for &comma in &script.trailing_commas {
        let message = "JSON allows no comma behind the last element; `script fmt` removes it";
        findings.warn(Rule::TrailingComma, comma, message);
    }
    let mut checker = Checker { form: script.form, findings };
    checker.object("the script", &script.value, root(script.form));
}

struct Checker<'f> {
    form: Form,
    findings: &'f mut Findings,
}

impl Checker<'_> {
    fn error(&mut self, rule: Rule, at: &Value, message: impl Into<String>) {
        self.findings.error(rule, at.span, message);
    }

    fn kind(&mut self, name: &str, value: &Value, expected: &str) {
        let message = format!("{name} must be {expected}, not {}", value.what());
        self.error(Rule::WrongKind, value, message);
    }

    fn object(&mut self, name: &str, value: &Value, object: &'static Object) {
        let Data::Object(members) = &value.data else {
            return self.kind(name, value, "an object");
        };
        let mut seen: HashSet<&str> = HashSet::with_capacity(members.len());
        for member in members {
            if !seen.insert(&member.key) {
                let message = format!("the key {} is there twice", shown(&member.key));
                self.findings.error(Rule::DuplicateKey, member.span, message);
                continue;
            }
            match object.key(&member.key) {
                Some(key) => {
                    self.misplaced(member.span, key.name, object);
                    self.value(&format!("`{}`", key.name), &member.value, key.shape);
                }
                None => self.unknown_key(member, object),
            }
        }
        let article = if object.name.starts_with(['a', 'i', 'o', 'u']) { "an" } else { "a" };
        for key in object.keys.iter().filter(|key| key.required && !seen.contains(key.name)) {
            let message = format!("{article} {} needs the key `{}`", object.name, key.name);
            self.error(Rule::MissingKey, value, message);
        }
        match object.tag {
            Tag::None => {}
            Tag::Constant => self.constant(value),
            Tag::Node => self.node(value),
        }
    }

    /// Apple's article prints at the root what the manual has elsewhere.
    fn misplaced(&mut self, span: crate::json::Span, key: &str, object: &'static Object) {
        if self.form == Form::Mtlp && object.name == "script" && key == "specialized_functions" {
            let message =
                "the manual has `specialized_functions` under `libraries`, not at the root";
            self.findings.warn(Rule::MisplacedKey, span, message);
        }
    }

    fn unknown_key(&mut self, member: &crate::json::Member, object: &'static Object) {
        let names = object.keys.iter().map(|key| key.name);
        let hint = self.findings.nearest.hint(&member.key, names);
        let what = match self.form {
            Form::Mtlp => "is no key of",
            Form::Mtl4 => "was not seen in",
        };
        let article = if object.name.starts_with(['a', 'i', 'o', 'u']) { "an" } else { "a" };
        let message = format!("{} {what} {article} {}{hint}", shown(&member.key), object.name);
        self.findings.warn(Rule::UnknownKey, member.span, message);
    }

    fn value(&mut self, name: &str, value: &Value, shape: Shape) {
        match shape {
            Shape::Flag if matches!(value.data, Data::Flag(_)) => {}
            Shape::Flag => self.kind(name, value, "true or false"),
            Shape::Count(most) => self.count(name, value, most),
            Shape::List(shape) => match &value.data {
                Data::List(elements) => {
                    let name = format!("an element of {name}");
                    elements.iter().for_each(|element| self.value(&name, element, *shape));
                }
                _ => self.kind(name, value, "a list"),
            },
            Shape::Object(object) => self.object(name, value, object),
            Shape::Tagged => {}
            Shape::Text
            | Shape::One(_)
            | Shape::Words(_)
            | Shape::Reference
            | Shape::Descriptor
            | Shape::Predicate => match value.text() {
                Some(text) => self.text(name, value, text, shape),
                None => self.kind(name, value, "a string"),
            },
        }
    }

    fn count(&mut self, name: &str, value: &Value, most: u64) {
        let Data::Number(text) = &value.data else {
            return self.kind(name, value, "a number");
        };
        if !value.integer().is_some_and(|number| (0..=i128::from(most)).contains(&number)) {
            let message =
                format!("{name} must be a whole number from 0 to {most}, not {}", shown(text));
            self.error(Rule::OutOfRange, value, message);
        }
    }

    fn text(&mut self, name: &str, value: &Value, text: &str, shape: Shape) {
        let empty = |shape| !matches!(shape, Shape::Predicate | Shape::Words(_));
        match shape {
            _ if text.is_empty() && empty(shape) => {
                self.error(Rule::UnknownValue, value, format!("{name} must not be empty"));
            }
            Shape::One(values) => self.one_of(value, text, values),
            Shape::Words(values) => {
                text.split_whitespace().for_each(|word| self.one_of(value, word, values));
            }
            Shape::Reference | Shape::Descriptor => {
                let read = match shape {
                    Shape::Reference => Reference::read(text),
                    _ => Reference::read_descriptor(text),
                };
                if let Err(expected) = read {
                    let message = format!("{} is no reference: expected {expected}", shown(text));
                    self.error(Rule::BadReference, value, message);
                }
            }
            Shape::Predicate => {
                if let Err(what) = crate::predicate::read(text) {
                    self.error(Rule::BadPredicate, value, format!("in the predicate: {what}"));
                }
            }
            _ => {}
        }
    }

    fn one_of(&mut self, at: &Value, text: &str, values: &'static crate::values::Values) {
        if !values.has(text) {
            let hint = self.findings.nearest.hint(text, values.names.iter().copied());
            let message = format!("there is no {} {}{hint}", values.what, shown(text));
            self.error(Rule::UnknownValue, at, message);
        }
    }

    fn constant(&mut self, value: &Value) {
        let id_type = value.get("id_type").and_then(Value::text);
        if let (Some(id_type), Some(id)) = (id_type, value.get("id")) {
            match id_type {
                "FunctionConstantIndex" => {
                    let data = self.data("`id`", id);
                    if let Some(data) = data {
                        self.count("the index of a constant", data, LARGEST_CONSTANT);
                    }
                }
                "FunctionConstantName" => self.value("`id`", id, Shape::Text),
                _ => {}
            }
        }
        let value_type = value.get("value_type").and_then(Value::text);
        let value_type = value_type.and_then(ConstantType::of_value_type);
        if let (Some(value_type), Some(value)) = (value_type, value.get("value"))
            && let Some(data) = self.data("`value`", value)
            && let Some(fault) = value_type.fault(data)
        {
            self.error(Rule::WrongKind, data, fault);
        }
    }

    /// What an object `{data}` holds.
    fn data<'v>(&mut self, name: &str, value: &'v Value) -> Option<&'v Value> {
        let Data::Object(_) = &value.data else {
            self.kind(name, value, "an object with the key `data`");
            return None;
        };
        let data = value.get("data");
        if data.is_none() {
            self.error(Rule::MissingKey, value, format!("{name} needs the key `data`"));
        }
        data
    }

    fn node(&mut self, value: &Value) {
        let Some(node) = value.get("node") else { return };
        match value.get("node_type").and_then(Value::text) {
            Some("InputNode") => self.object("`node`", node, &INPUT_NODE),
            Some("FunctionNode") => self.object("`node`", node, &FUNCTION_NODE),
            _ => {}
        }
    }
}
