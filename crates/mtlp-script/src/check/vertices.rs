//! Vertex descriptors against the attributes that vertex functions read.

use super::references::Resolver;
use crate::constant::ConstantType;
use crate::facts::{Attribute, Kind};
use crate::finding::{Findings, Rule, shown};
use crate::json::{Span, Value};
use crate::model::{Model, Pipeline};

/// How many attributes a vertex function can have; hostile libraries may claim more.
const MOST: usize = 31;

pub(super) fn check(model: &Model<'_>, resolver: &Resolver<'_, '_, '_>, findings: &mut Findings) {
    for pipeline in model.pipelines.iter().filter(|pipeline| pipeline.describes_vertices) {
        for stage in pipeline.stages.iter().filter(|stage| stage.key == "vertex_function") {
            let found = resolver.resolve(&stage.reference, &[Kind::Vertex], findings);
            let Some(function) = found.ok().and_then(|resolved| resolved.function) else {
                continue;
            };
            for attribute in function.attributes.iter().take(MOST) {
                one(pipeline, stage.reference.span, attribute, findings);
            }
        }
    }
}

fn one(pipeline: &Pipeline<'_>, function: Span, attribute: &Attribute, findings: &mut Findings) {
    let Attribute { name, index, data_type } = attribute;
    let attributes = pipeline.vertex_descriptor.map_or(&[][..], |value| value.list("attributes"));
    let described = attributes.get(usize::from(*index));
    let format = described.and_then(|value| value.get("format"));
    let text = format.map_or(Some("Invalid"), Value::text);
    match text {
        // A format that is no text is reported by the schema.
        None => {}
        Some("Invalid") => {
            let message = format!(
                "the function reads attribute {index} {} of type {data_type}, which the vertex \
                 descriptor does not describe",
                shown(name)
            );
            let at = described.or(pipeline.vertex_descriptor).map_or(function, |at| at.span);
            findings.error(Rule::MissingAttribute, at, message);
        }
        Some(text) => {
            let (Some(format_class), Some(type_class)) = (of_format(text), of_type(data_type))
            else {
                return;
            };
            if format_class != type_class {
                let message = format!(
                    "attribute {index} {} is of type {data_type}, which cannot be read of the \
                     format {text}",
                    shown(name)
                );
                let at = format.map_or(function, |format| format.span);
                findings.error(Rule::WrongAttributeFormat, at, message);
            }
        }
    }
}

/// What Metal converts into each other: no integers into floating point or back, and no signed
/// ones into unsigned ones. Numbers of components and widths may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Float,
    Signed,
    Unsigned,
}

fn of_format(format: &str) -> Option<Class> {
    match format.contains("Normalized") {
        true => Some(Class::Float),
        false => of_type(format),
    }
}

fn of_type(name: &str) -> Option<Class> {
    match ConstantType::of_name(name)?.scalar {
        "Float" | "Half" => Some(Class::Float),
        "Char" | "Short" | "Int" | "Long" => Some(Class::Signed),
        "UChar" | "UShort" | "UInt" | "ULong" | "Bool" => Some(Class::Unsigned),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::ATTRIBUTE_FORMATS;

    #[test]
    fn every_format_has_a_class() {
        for format in ATTRIBUTE_FORMATS.names {
            assert_eq!(of_format(format).is_none(), *format == "Invalid", "{format}");
        }
        assert_eq!(of_format("UChar4Normalized_BGRA"), Some(Class::Float));
        assert_eq!(of_format("UShort2"), of_type("UInt4"));
        assert_ne!(of_format("Int2"), of_type("Float2"));
    }
}
