//! The schema as JSON Schema (draft 2020-12), for editors and validators.

use std::collections::BTreeMap;

use super::{FUNCTION_NODE, INPUT_NODE, Object, Shape, Tag, root};
use crate::Form;
use crate::constant::ConstantType;
use crate::json::{Value, read};
use crate::structure::LARGEST_CONSTANT;
use crate::values::CONSTANT_TYPES;

/// The JSON Schema of a form.
///
/// It says what the tables say: keys, kinds, names, ranges, the form of references. What needs
/// other parts of a script, or libraries, it cannot say. Unknown keys are allowed, as `check` only
/// warns of them.
#[must_use]
pub fn json_schema(form: Form) -> Value {
    let mut definitions = BTreeMap::new();
    let root = reference(root(form), &mut definitions);
    let definitions = definitions.iter().filter_map(|(name, value)| Some((*name, value.clone()?)));
    Value::object([
        ("$schema", "https://json-schema.org/draft/2020-12/schema".into()),
        ("title", format!("Pipeline script of Metal ({})", form.extension()).as_str().into()),
        ("allOf", Value::from(vec![root])),
        ("$defs", Value::object(definitions)),
    ])
}

/// Definitions by the names of objects; `None` while one is being made.
type Definitions = BTreeMap<&'static str, Option<Value>>;

fn reference(object: &'static Object, definitions: &mut Definitions) -> Value {
    if !definitions.contains_key(object.name) {
        definitions.insert(object.name, None);
        let definition = definition(object, definitions);
        definitions.insert(object.name, Some(definition));
    }
    Value::object([(
        "$ref",
        format!("#/$defs/{}", object.name.replace(' ', "%20")).as_str().into(),
    )])
}

fn definition(object: &'static Object, definitions: &mut Definitions) -> Value {
    let mut value = Value::object([("type", "object".into())]);
    let mut properties = Value::object([]);
    for key in object.keys {
        let mut schema = shape(key.shape, definitions);
        if let Some(default) = key.default.and_then(|text| read(text.as_bytes()).ok()) {
            schema.push("default", default.value);
        }
        properties.push(key.name, schema);
    }
    value.push("properties", properties);
    let required: Vec<Value> =
        object.keys.iter().filter(|key| key.required).map(|key| key.name.into()).collect();
    if !required.is_empty() {
        value.push("required", required.into());
    }
    match object.tag {
        Tag::None => {}
        Tag::Constant => value.push("allOf", constant().into()),
        Tag::Node => {
            let input = reference(&INPUT_NODE, definitions);
            let call = reference(&FUNCTION_NODE, definitions);
            let rules = vec![
                when("node_type", "InputNode", "node", input),
                when("node_type", "FunctionNode", "node", call),
            ];
            value.push("allOf", rules.into());
        }
    }
    value
}

fn shape(shape: Shape, definitions: &mut Definitions) -> Value {
    let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<Value>>();
    match shape {
        Shape::Text => text(),
        Shape::Flag => Value::object([("type", "boolean".into())]),
        Shape::Count(most) => integer(0, i128::from(most)),
        Shape::One(values) => Value::object([("enum", names(values.names).into())]),
        Shape::Words(values) => {
            let any = values.names.join("|");
            let pattern = format!("^\\s*(({any})(\\s+({any}))*)?\\s*$");
            Value::object([("type", "string".into()), ("pattern", pattern.as_str().into())])
        }
        Shape::Reference => {
            let broken = "^(alias:(#[\\s\\S]*|[^#]*#?)|file:([^#]*|#[^#]*|[\\s\\S]*#))$";
            let mut value = text();
            value.push("not", Value::object([("pattern", broken.into())]));
            value
        }
        Shape::Descriptor => {
            Value::object([("type", "string".into()), ("pattern", "^fnd:[\\s\\S]".into())])
        }
        Shape::Predicate => Value::object([("type", "string".into())]),
        Shape::List(element) => list(self::shape(*element, definitions)),
        Shape::Object(object) => reference(object, definitions),
        Shape::Tagged => Value::object([]),
    }
}

fn text() -> Value {
    Value::object([("type", "string".into()), ("minLength", 1.into())])
}

fn list(items: Value) -> Value {
    Value::object([("type", "array".into()), ("items", items)])
}

fn integer(least: i128, most: i128) -> Value {
    let number = |number: i128| Value::made(crate::json::Data::Number(number.to_string().into()));
    Value::object([
        ("type", "integer".into()),
        ("minimum", number(least)),
        ("maximum", number(most)),
    ])
}

/// An object with the key `data`.
fn data(schema: Value) -> Value {
    Value::object([
        ("type", "object".into()),
        ("properties", Value::object([("data", schema)])),
        ("required", vec!["data".into()].into()),
    ])
}

/// If a key has a value, another one must be so.
fn when(key: &str, is: &str, other: &str, schema: Value) -> Value {
    let condition = Value::object([
        ("properties", Value::object([(key, Value::object([("const", is.into())]))])),
        ("required", vec![key.into()].into()),
    ]);
    let then = Value::object([("properties", Value::object([(other, schema)]))]);
    Value::object([("if", condition), ("then", then)])
}

/// What the types of a constant's id and value tell of these.
fn constant() -> Vec<Value> {
    let index = data(integer(0, i128::from(LARGEST_CONSTANT)));
    let mut rules = vec![
        when("id_type", "FunctionConstantIndex", "id", index),
        when("id_type", "FunctionConstantName", "id", text()),
    ];
    for &name in CONSTANT_TYPES.names {
        let Some(known) = ConstantType::of_value_type(name) else { continue };
        let scalar = match known.range() {
            Some((least, most)) => integer(least, most),
            None if known.scalar == "Bool" => Value::object([(
                "enum",
                vec![true.into(), false.into(), 0.into(), 1.into()].into(),
            )]),
            None => Value::object([("type", "number".into())]),
        };
        let value = match known.width {
            1 => scalar,
            width => {
                let mut list = list(scalar);
                list.push("minItems", (width as u64).into());
                list.push("maxItems", (width as u64).into());
                list
            }
        };
        rules.push(when("value_type", name, "value", data(value)));
    }
    rules
}
