//! Tags and groups, and what the tags of the function list mean.

use std::borrow::Cow;

use metallib::{ArchiveId, BufferId, FourCc, Function, Offsets, Tag, TagList, Versions};

use super::node::{Node, Value};
use super::walker::{Source, digits};
use crate::text::{hex, lossy};

/// Bytes of a tag in front of its payload.
pub(super) fn head(id: FourCc) -> u64 {
    if id.has_wide_length() { 8 } else { 6 }
}

/// A tag with its meaning.
pub(super) fn tag(tag: &Tag<'_>, value: Value) -> Node {
    let head = head(tag.id);
    let size = head + tag.payload.len() as u64;
    Node::new(tag.offset.saturating_sub(head), size, tag.id.to_string(), value)
}

/// A tag whose payload is some text and a NUL.
pub(super) fn text_tag(found: &Tag<'_>) -> Node {
    tag(found, Value::Text(lossy(found.payload)))
}

/// A tag of unknown meaning.
pub(super) fn raw_tag(found: &Tag<'_>) -> Node {
    tag(found, digits(found.payload))
}

/// The end of a tag list.
pub(super) fn end(tags: &TagList<'_>) -> Node {
    let offset = tags.offset().saturating_add(tags.as_bytes().len() as u64);
    Node::new(offset, 4, "ENDT", Value::None)
}

/// A group: size word, tags, `ENDT`.
pub(super) fn group(
    source: Source<'_>,
    name: impl Into<Cow<'static, str>>,
    value: Value,
    tags: &TagList<'_>,
    meaning: impl Fn(&Tag<'_>) -> Node,
) -> Node {
    let offset = tags.offset().saturating_sub(4);
    let mut children = vec![source.word(offset, "group size")];
    children.extend(tags.iter().map(|tag| meaning(&tag)));
    children.push(end(tags));
    Node::new(offset, tags.as_bytes().len() as u64 + 8, name, value).with(children)
}

/// A tag of the function list.
pub(super) fn function_tag(function: &Function<'_>, found: &Tag<'_>) -> Node {
    let value = match (found.id, found.payload) {
        (FourCc::NAME, _) => return text_tag(found),
        (FourCc::TYPE, &[code]) => Value::text(metallib::FunctionType::from_code(code)),
        (FourCc::HASH, payload) => Value::Text(hex(payload)),
        (FourCc::OFFT, payload) => return offsets(found, payload),
        (FourCc::VERS, payload) => match Versions::from_bytes(payload) {
            Some(versions) => {
                Value::Text(format!("AIR {}, Metal {}", versions.air, versions.language))
            }
            None => digits(payload),
        },
        (FourCc::LAYR, &[code]) => Value::text(metallib::DataType::from_code(code)),
        (FourCc::TESS, &[byte]) => tessellation(byte),
        (FourCc::MDSZ, payload) => number(payload, Value::Number),
        (FourCc::SOFF, payload) => {
            let archive = function.archive.map(ArchiveId::index);
            return reference(found, payload, "source archive", archive);
        }
        (FourCc::RFLT, payload) => {
            let entry = function.reflection.map(BufferId::index);
            return reference(found, payload, "reflection entry", entry);
        }
        (_, payload) => digits(payload),
    };
    tag(found, value)
}

fn offsets(found: &Tag<'_>, payload: &[u8]) -> Node {
    let Some(offsets) = Offsets::from_bytes(payload) else { return raw_tag(found) };
    let fields = [
        ("offset in public metadata", offsets.public),
        ("offset in private metadata", offsets.private),
        ("offset in bitcode", offsets.bitcode),
    ];
    let nodes = fields.into_iter().zip((found.offset..).step_by(8));
    let nodes = nodes.map(|((name, value), at)| Node::new(at, 8, name, Value::Offset(value)));
    tag(found, Value::None).with(nodes.collect())
}

/// An offset, and the element of a list that it points at.
fn reference(found: &Tag<'_>, payload: &[u8], what: &'static str, index: Option<usize>) -> Node {
    let target = match index {
        Some(index) => Value::Number(index as u64),
        None => Value::text("none at this offset"),
    };
    let target = Node::new(found.offset, payload.len() as u64, what, target);
    tag(found, number(payload, Value::Offset)).with(vec![target])
}

fn number(payload: &[u8], kind: impl Fn(u64) -> Value) -> Value {
    match payload.try_into() {
        Ok(bytes) => kind(u64::from_le_bytes(bytes)),
        Err(_) => digits(payload),
    }
}

fn tessellation(byte: u8) -> Value {
    let patch = match byte & 3 {
        0 => "no patch",
        1 => "triangle patch",
        2 => "quad patch",
        _ => "unknown patch 3",
    };
    Value::Text(format!("{patch}, {} control points", byte >> 2))
}
