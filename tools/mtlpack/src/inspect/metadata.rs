//! What the tags of metadata groups mean.

use metallib::metadata::{self, Argument, DetailedType, FunctionConstant, VertexAttribute};
use metallib::{FourCc, Function, Result, Tag};

use super::node::{Node, Value};
use super::tags;
use crate::text::lossy;

/// A tag of a public or private group; one that cannot be read is shown in digits.
pub(super) fn tag(found: &Tag<'_>) -> Node {
    let known = match found.id {
        FourCc::CNST => constants(found),
        FourCc::VATT => attributes(found),
        FourCc::VATY => attribute_types(found),
        FourCc::RETR => return_type(found),
        FourCc::ARGR => arguments(found),
        FourCc::DEBI => debug_info(found),
        FourCc::DEPF => metadata::dependency_file(found.payload, found.offset)
            .map(|path| tags::tag(found, Value::Text(lossy(path)))),
        _ => return tags::raw_tag(found),
    };
    known.unwrap_or_else(|_| tags::raw_tag(found))
}

/// What the payload of a tag says in words, each entry of a list by itself; also of LAYR and
/// TESS.
pub(crate) fn tag_words(id: FourCc, payload: &[u8]) -> Vec<String> {
    let found = Tag { id, payload, offset: 0 };
    let node = match id {
        FourCc::LAYR | FourCc::TESS => tags::function_tag(&Function::default(), &found),
        _ => tag(&found),
    };
    match id {
        FourCc::DEBI if !node.children.is_empty() => {
            let words: Vec<String> = node.children.iter().map(|n| n.value.to_string()).collect();
            vec![format!("line {}", words.join(" of "))]
        }
        _ if node.value == Value::None => {
            node.children.iter().skip(1).map(|entry| entry.value.to_string()).collect()
        }
        _ => vec![node.value.to_string()],
    }
}

/// A tag that holds a count and entries of these sizes.
fn counted(
    found: &Tag<'_>,
    count_size: u64,
    entry: &'static str,
    entries: impl ExactSizeIterator<Item = (usize, String)>,
) -> Node {
    let count = Value::Number(entries.len() as u64);
    let mut children = vec![Node::new(found.offset, count_size, "count", count)];
    let mut position = found.offset + count_size;
    for (size, text) in entries {
        children.push(Node::new(position, size as u64, entry, Value::Text(text)));
        position += size as u64;
    }
    tags::tag(found, Value::None).with(children)
}

fn constants(found: &Tag<'_>) -> Result<Node> {
    let constants = metadata::function_constants(found.payload, found.offset)?;
    let entry = |constant: &FunctionConstant| {
        let FunctionConstant { name, data_type, index, required } = constant;
        let flag = match required {
            0 => "not required".to_owned(),
            1 => "required".to_owned(),
            other => format!("flag {other}"),
        };
        (name.len() + 5, format!("{}: {data_type}, index {index}, {flag}", lossy(name)))
    };
    Ok(counted(found, 2, "constant", constants.iter().map(entry)))
}

fn attributes(found: &Tag<'_>) -> Result<Node> {
    let attributes = metadata::vertex_attributes(found.payload, found.offset)?;
    let entry = |attribute: &VertexAttribute| {
        let usage = match attribute.usage() {
            0 => "standard".to_owned(),
            1 => "patch".to_owned(),
            2 => "control point".to_owned(),
            other => format!("use {other}"),
        };
        let active = if attribute.is_active() { "active" } else { "not active" };
        let (name, index) = (lossy(&attribute.name), attribute.index());
        (attribute.name.len() + 3, format!("{name}: index {index}, {usage}, {active}"))
    };
    Ok(counted(found, 2, "attribute", attributes.iter().map(entry)))
}

fn attribute_types(found: &Tag<'_>) -> Result<Node> {
    let types = metadata::vertex_attribute_types(found.payload, found.offset)?;
    let entry = |data_type: &metallib::DataType| (1, data_type.to_string());
    Ok(counted(found, 2, "type", types.iter().map(entry)))
}

fn return_type(found: &Tag<'_>) -> Result<Node> {
    let data_type = metadata::return_type(found.payload, found.offset)?;
    Ok(tags::tag(found, Value::Text(words(&data_type))))
}

fn arguments(found: &Tag<'_>) -> Result<Node> {
    let arguments = metadata::arguments(found.payload, found.offset)?;
    let entry = |argument: &Argument| {
        let mut encoded = Vec::new();
        metadata::encode_detailed_type(&mut encoded, &argument.data_type);
        let text = format!("{}: {}", lossy(&argument.name), words(&argument.data_type));
        (argument.name.len() + 1 + encoded.len(), text)
    };
    Ok(counted(found, 1, "argument", arguments.iter().map(entry)))
}

fn debug_info(found: &Tag<'_>) -> Result<Node> {
    let info = metadata::debug_info(found.payload, found.offset)?;
    let path_size = info.path.len() as u64 + 1;
    Ok(tags::tag(found, Value::None).with(vec![
        Node::new(found.offset, 4, "line", Value::Number(info.line.into())),
        Node::new(found.offset + 4, path_size, "source", Value::Text(lossy(&info.path))),
    ]))
}

/// A type with its detail in words.
fn words(data_type: &DetailedType) -> String {
    match data_type {
        DetailedType::Plain(plain) => plain.to_string(),
        DetailedType::Pointer { access, alignment, size, element } => format!(
            "Pointer (access {access}, alignment {alignment}, size {size}) to {}",
            words(element)
        ),
        DetailedType::Texture { data_type, length, kind } => {
            format!("Texture of {data_type} (kind {kind:#04x}, length {length})")
        }
        DetailedType::Array { length, stride, element } => {
            format!("Array of {length} (stride {stride}) {}", words(element))
        }
    }
}
