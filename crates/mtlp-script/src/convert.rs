//! From one form of scripts to the other, as far as both can say it.
//!
//! The rest is refused by name, also where its value is the default: nothing is left out.

mod mtl4;
mod mtlp;

use crate::facts::Known;
use crate::finding::{Findings, Report, Rule, Severity, shown};
use crate::json::{Data, Member, Value, read};
use crate::{Form, Script, check};

/// Converts a script to the other form. What it gives was read and checked in that form.
///
/// # Errors
/// If the script has errors, or says what the other form cannot say or would not take; the report
/// tells all of it.
pub fn convert(script: &Script) -> Result<Value, Report> {
    let report = check(script, &Known::default());
    if report.count(Severity::Error) > 0 {
        return Err(report);
    }
    let mut refused = Findings::default();
    let (to, value) = match script.form() {
        Form::Mtlp => (Form::Mtl4, mtlp::convert(script, &mut refused)),
        Form::Mtl4 => (Form::Mtlp, mtl4::convert(script, &mut refused)),
    };
    let report = refused.report();
    match report.count(Severity::Error) {
        0 => taken(value, to),
        _ => Err(report),
    }
}

/// Holds what was made against the form that it has now: a label that is missing is a warning in
/// one form and an error in the other. Values stand where they came from, and so do findings.
fn taken(value: Value, form: Form) -> Result<Value, Report> {
    if let Err(error) = read(value.to_text().as_bytes()) {
        return Err(Report::of_syntax(error));
    }
    let script = Script { form, value, trailing_commas: Vec::new() };
    let report = check(&script, &Known::default());
    if report.count(Severity::Error) == 0 {
        return Ok(script.value);
    }
    let mut refused = Report::default();
    for one in report.findings().iter().filter(|one| one.severity == Severity::Error) {
        let message = format!("as a script of the form {}: {}", form.extension(), one.message);
        refused.add(Severity::Error, Rule::NotConvertible, one.span, message);
    }
    Err(refused)
}

/// What becomes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// It stays.
    Same,
    /// It is a reference to a function.
    Function,
    /// A boolean of one form is a state of the other.
    State,
    /// A list of color attachments.
    Colors,
    /// Functions that are linked.
    Linked,
}

/// A key of `.mtlp-json`, its counterpart, and what becomes of its value.
type Row = (&'static str, &'static str, How);

const COMPUTE: &[Row] = &[
    ("compute_function", "compute_function_descriptor", How::Function),
    ("linked_functions", "static_linking_descriptor", How::Linked),
];

const RENDER: &[Row] = &[
    ("vertex_function", "vertex_function_descriptor", How::Function),
    ("fragment_function", "fragment_function_descriptor", How::Function),
    ("color_attachments", "color_attachments", How::Colors),
];

const TILE: &[Row] = &[("tile_function", "tile_function_descriptor", How::Function)];

const MESH: &[Row] = &[
    ("object_function", "object_function_descriptor", How::Function),
    ("mesh_function", "mesh_function_descriptor", How::Function),
    ("fragment_function", "fragment_function_descriptor", How::Function),
    (
        "max_total_threads_per_object_threadgroup",
        "max_total_threads_per_object_threadgroup",
        How::Same,
    ),
    ("max_total_threads_per_mesh_threadgroup", "max_total_threads_per_mesh_threadgroup", How::Same),
    ("payload_memory_length", "payload_memory_length", How::Same),
    ("max_total_threadgroups_per_mesh_grid", "max_total_threadgroups_per_mesh_grid", How::Same),
    ("color_attachments", "color_attachments", How::Colors),
];

const COLOR: &[Row] = &[
    ("pixel_format", "pixel_format", How::Same),
    ("blending_enabled", "blending_state", How::State),
    ("alpha_blend_operation", "alpha_blend_operation", How::Same),
    ("rgb_blend_operation", "rgb_blend_operation", How::Same),
    ("destination_alpha_blend_factor", "destination_alpha_blend_factor", How::Same),
    ("destination_rgb_blend_factor", "destination_rgb_blend_factor", How::Same),
    ("source_alpha_blend_factor", "source_alpha_blend_factor", How::Same),
    ("source_rgb_blend_factor", "source_rgb_blend_factor", How::Same),
];

/// Lists of pipelines with their counterparts and the keys of their elements.
const PIPELINES: [(&str, &str, &[Row]); 4] = [
    ("compute_pipelines", "compute_pipeline_descriptors", COMPUTE),
    ("render_pipelines", "render_pipeline_descriptors", RENDER),
    ("tile_render_pipelines", "tile_render_pipeline_descriptors", TILE),
    ("mesh_render_pipelines", "mesh_render_pipeline_descriptors", MESH),
];

/// The key of linked functions in `.mtlp-json`, and in `.mtl4-json`.
const LINKED: (&str, &str) = ("functions", "function_descriptors");

/// Says that a key has no counterpart.
fn refuse(member: &Member, to: Form, refused: &mut Findings) {
    let message = format!(
        "{} has no counterpart in scripts of the form {}, as far as they were seen",
        shown(&member.key),
        to.extension()
    );
    refused.error(Rule::NotConvertible, member.span, message);
}

/// Refuses all keys but these.
fn only(value: &Value, keys: &[&str], to: Form, refused: &mut Findings) {
    let others = value.members().iter().filter(|member| !keys.contains(&&*member.key));
    others.for_each(|member| refuse(member, to, refused));
}

/// Converts the keys of an object by a table. `function` converts references.
fn object(
    value: &Value,
    rows: &[Row],
    to: Form,
    refused: &mut Findings,
    function: &mut dyn FnMut(&Value, &mut Findings) -> Value,
) -> Value {
    let mut out = Value { span: value.span, ..Value::object([]) };
    for member in value.members() {
        let row = rows.iter().find_map(|&(old, new, how)| match to {
            Form::Mtl4 => (*member.key == *old).then_some((new, how)),
            Form::Mtlp => (*member.key == *new).then_some((old, how)),
        });
        let Some((key, how)) = row else {
            refuse(member, to, refused);
            continue;
        };
        let from = &member.value;
        let converted = match how {
            How::Same => from.clone(),
            How::Function => function(from, refused),
            How::State => state(from),
            How::Colors => {
                let color = |value| object(value, COLOR, to, refused, function);
                from.elements().iter().map(color).collect::<Vec<_>>().into()
            }
            How::Linked => linked(from, to, refused, function),
        };
        out.push(key, converted);
    }
    out
}

/// `true` is `Enabled`, and the reverse.
fn state(value: &Value) -> Value {
    match &value.data {
        Data::Flag(true) => "Enabled".into(),
        Data::Flag(false) => "Disabled".into(),
        _ => Value::from(value.text() == Some("Enabled")),
    }
}

fn linked(
    value: &Value,
    to: Form,
    refused: &mut Findings,
    function: &mut dyn FnMut(&Value, &mut Findings) -> Value,
) -> Value {
    let (from, key) = match to {
        Form::Mtl4 => LINKED,
        Form::Mtlp => (LINKED.1, LINKED.0),
    };
    only(value, &[from], to, refused);
    let mut out = Value::object([]);
    if let Some(list) = value.get(from) {
        let all: Vec<Value> =
            list.elements().iter().map(|value| function(value, refused)).collect();
        out.push(key, all.into());
    }
    out
}

/// The pipelines of a script, converted; nothing if it has none.
fn pipelines(
    script: &Value,
    to: Form,
    refused: &mut Findings,
    function: &mut dyn FnMut(&Value, &mut Findings) -> Value,
) -> Option<Value> {
    let all = script.get(if to == Form::Mtl4 { "pipelines" } else { "pipeline_descriptors" })?;
    let mut out = Value::object([]);
    for member in all.members() {
        let found = PIPELINES.into_iter().find_map(|(old, new, rows)| match to {
            Form::Mtl4 => (*member.key == *old).then_some((new, rows)),
            Form::Mtlp => (*member.key == *new).then_some((old, rows)),
        });
        let Some((key, rows)) = found else {
            refuse(member, to, refused);
            continue;
        };
        let pipeline = |value| object(value, rows, to, refused, function);
        let list: Vec<Value> = member.value.elements().iter().map(pipeline).collect();
        out.push(key, list.into());
    }
    Some(out)
}

/// Copies what both forms have at their root.
fn head(script: &Value) -> Value {
    let keys = ["version", "generator"].into_iter();
    Value::object(keys.filter_map(|key| Some((key, script.get(key)?.clone()))))
}

/// Refuses keys of libraries that neither form is known to have.
fn libraries(list: &Value, to: Form, refused: &mut Findings) {
    list.elements().iter().for_each(|library| only(library, &["label", "path"], to, refused));
}
