//! From `.mtlp-json` to `.mtl4-json`.

use std::collections::{HashMap, HashSet};

use super::{head, libraries, only, pipelines};
use crate::finding::{Findings, Rule, shown};
use crate::json::{Span, Value};
use crate::model::{Reference, Target};
use crate::{Form, Script};

const TO: Form = Form::Mtl4;

pub(super) fn convert(script: &Script, refused: &mut Findings) -> Value {
    let root = script.value();
    only(root, &["version", "generator", "libraries", "pipelines"], TO, refused);
    let mut out = head(root);
    let mut specialized = &[][..];
    if let Some(from) = root.get("libraries") {
        only(from, &["paths", "specialized_functions"], TO, refused);
        if let Some(paths) = from.get("paths") {
            libraries(paths, TO, refused);
            out.push("libraries", paths.clone());
        }
        specialized = from.list("specialized_functions");
    }
    let mut functions = Functions::new(script);
    let new: Vec<Value> =
        specialized.iter().map(|one| functions.specialized(one, refused)).collect();
    let mut reference = |value: &Value, refused: &mut Findings| functions.reference(value, refused);
    let pipelines = pipelines(root, TO, refused, &mut reference);
    let mut descriptors = Value::object([]);
    if !functions.list.is_empty() {
        descriptors.push("library_function_descriptors", functions.list.into());
    }
    if !new.is_empty() {
        descriptors.push("specialized_function_descriptors", new.into());
    }
    if !descriptors.members().is_empty() {
        out.push("function_descriptors", descriptors);
    }
    if let Some(pipelines) = pipelines {
        out.push("pipeline_descriptors", pipelines);
    }
    out
}

/// Functions of libraries, which have labels in the new form.
struct Functions<'s> {
    /// Labels of specialised functions, which stay.
    specialized: HashSet<&'s str>,
    /// Labels that are taken.
    taken: HashSet<String>,
    /// The number to try next for a label that is taken.
    next: HashMap<String, u64>,
    /// Labels by library and name.
    labels: HashMap<(Option<String>, String), String>,
    list: Vec<Value>,
}

impl<'s> Functions<'s> {
    fn new(script: &'s Script) -> Self {
        let model = script.model();
        let specialized: HashSet<&str> =
            model.specialized.iter().map(|one| one.label.text).collect();
        let taken = specialized.iter().map(|&label| label.to_owned()).collect();
        Self { specialized, taken, next: HashMap::new(), labels: HashMap::new(), list: Vec::new() }
    }

    fn specialized(&mut self, value: &Value, refused: &mut Findings) -> Value {
        only(value, &["label", "function", "constant_values"], TO, refused);
        let mut out = Value { span: value.span, ..Value::object([]) };
        for member in value.members() {
            match &*member.key {
                "function" => {
                    out.push("function_descriptor", self.reference(&member.value, refused));
                }
                key => out.push(key, member.value.clone()),
            }
        }
        out
    }

    fn reference(&mut self, value: &Value, refused: &mut Findings) -> Value {
        let target = value.text().and_then(|text| Reference::read(text).ok());
        let label = match target {
            Some(Target::Name(name)) => self.label(None, name, value.span),
            Some(Target::Alias { label, .. }) if self.specialized.contains(label) => {
                label.to_owned()
            }
            Some(Target::Alias { label, name }) => self.label(Some(label), name, value.span),
            _ => {
                let what = shown(value.text().unwrap_or_default());
                let message = format!(
                    "the reference {what} has no counterpart: give its library a label in `paths`"
                );
                refused.error(Rule::NotConvertible, value.span, message);
                String::new()
            }
        };
        Value { span: value.span, ..format!("fnd:{label}").as_str().into() }
    }

    /// The label of a function: its name, with a number if that is taken.
    fn label(&mut self, library: Option<&str>, name: &str, span: Span) -> String {
        let key = (library.map(str::to_owned), name.to_owned());
        if let Some(label) = self.labels.get(&key) {
            return label.clone();
        }
        let next = self.next.entry(name.to_owned()).or_insert(2);
        let mut label = name.to_owned();
        while !self.taken.insert(label.clone()) {
            label = format!("{name}~{next}");
            *next += 1;
        }
        self.labels.insert(key, label.clone());
        let at = |text: &str| Value { span, ..text.into() };
        let library = library.map(|library| ("library", at(library)));
        let members = [("label", at(&label)), ("name", at(name))].into_iter().chain(library);
        self.list.push(Value { span, ..Value::object(members) });
        label
    }
}
