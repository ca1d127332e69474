//! From `.mtl4-json` to `.mtlp-json`.

use std::collections::{HashMap, HashSet};

use super::{head, libraries, only, pipelines};
use crate::finding::{Findings, Rule, shown};
use crate::json::Value;
use crate::model::{Model, Reference, Target};
use crate::{Form, Script};

const TO: Form = Form::Mtlp;

pub(super) fn convert(script: &Script, refused: &mut Findings) -> Value {
    let root = script.value();
    let keys =
        ["version", "generator", "libraries", "function_descriptors", "pipeline_descriptors"];
    only(root, &keys, TO, refused);
    let mut out = head(root);
    let model = script.model();
    let functions = Functions::new(&model);
    let mut converted = Value::object([]);
    if let Some(paths) = root.get("libraries") {
        libraries(paths, TO, refused);
        converted.push("paths", paths.clone());
    }
    if let Some(from) = root.get("function_descriptors") {
        let lists = ["library_function_descriptors", "specialized_function_descriptors"];
        only(from, &lists, TO, refused);
        for one in from.list("library_function_descriptors") {
            only(one, &["label", "name", "library"], TO, refused);
        }
        functions.unused(&model, refused);
        let all = from.list("specialized_function_descriptors").iter();
        let specialized: Vec<Value> =
            all.map(|one| specialized(one, &functions, refused)).collect();
        if !specialized.is_empty() {
            converted.push("specialized_functions", specialized.into());
        }
    }
    if !converted.members().is_empty() {
        out.push("libraries", converted);
    }
    let mut reference = |value: &Value, refused: &mut Findings| functions.reference(value, refused);
    if let Some(pipelines) = pipelines(root, TO, refused, &mut reference) {
        out.push("pipelines", pipelines);
    }
    out
}

fn specialized(value: &Value, functions: &Functions<'_>, refused: &mut Findings) -> Value {
    only(value, &["label", "function_descriptor", "constant_values"], TO, refused);
    let mut out = Value { span: value.span, ..Value::object([]) };
    for member in value.members() {
        match &*member.key {
            "function_descriptor" => {
                out.push("function", functions.reference(&member.value, refused));
            }
            key => out.push(key, member.value.clone()),
        }
    }
    out
}

/// Functions by their labels.
struct Functions<'s> {
    /// Library and name.
    plain: HashMap<&'s str, (Option<&'s str>, &'s str)>,
    /// What they are made of.
    specialized: HashMap<&'s str, &'s str>,
}

/// How many specialised functions may refer to each other.
const CHAIN: usize = 16;

impl<'s> Functions<'s> {
    fn new(model: &Model<'s>) -> Self {
        let plain = model
            .descriptors
            .iter()
            .map(|one| (one.label.text, (one.library.map(|library| library.text), one.name.text)));
        let specialized = model.specialized.iter().map(|one| (one.label.text, one.function.name()));
        Self { plain: plain.collect(), specialized: specialized.collect() }
    }

    /// A function that nothing uses has no place in the other form.
    fn unused(&self, model: &Model<'s>, refused: &mut Findings) {
        let used: HashSet<&str> = model.references().map(|reference| reference.name()).collect();
        for one in model.descriptors.iter().filter(|one| !used.contains(one.label.text)) {
            let message = format!(
                "the function {} is used by nothing, so it has no counterpart",
                shown(one.label.text)
            );
            refused.error(Rule::NotConvertible, one.label.span, message);
        }
    }

    fn reference(&self, value: &Value, refused: &mut Findings) -> Value {
        let target = value.text().and_then(|text| Reference::read_descriptor(text).ok());
        let Some(Target::Descriptor(label)) = target else { return value.clone() };
        let text = match (self.specialized.get(label), self.plain.get(label)) {
            (Some(_), _) => self.name(label).map(|name| (Some(label), name)),
            (None, found) => found.map(|&(library, name)| (library, name)),
        };
        // What would be read as something else cannot be said.
        let said = text.and_then(|(label, name)| {
            let said =
                label.map_or_else(|| name.to_owned(), |label| format!("alias:{label}#{name}"));
            let meant = label.map_or(Target::Name(name), |label| Target::Alias { label, name });
            (Reference::read(&said) == Ok(meant)).then_some(said)
        });
        if let Some(said) = said {
            return Value { span: value.span, ..said.as_str().into() };
        }
        let message = format!("the function {} cannot be named in the other form", shown(label));
        refused.error(Rule::NotConvertible, value.span, message);
        value.clone()
    }

    /// The name of the function that a specialised one is made of.
    fn name(&self, label: &str) -> Option<&'s str> {
        let mut at = *self.specialized.get(label)?;
        for _ in 0..CHAIN {
            match self.specialized.get(at) {
                Some(next) => at = next,
                None => return self.plain.get(at).map(|&(_, name)| name),
            }
        }
        None
    }
}
