//! The header extension.

use metallib::{ExtensionTag, ExtensionValue, FourCc, Library, Range64};

use super::node::{Node, Value, Visitor};
use super::tags;
use super::walker::{Walker, digits};
use crate::uuid;

/// The extension, tag by tag.
pub(super) fn walk<V: Visitor>(
    library: &Library<'_>,
    range: Range64,
    walker: &mut Walker<'_, V>,
) -> Result<(), V::Error> {
    walker.open_range(range, "header extension")?;
    for tag in library.extension().into_iter().flat_map(|extension| &extension.tags) {
        walker.emit(&node(tag))?;
    }
    walker.emit(&Node::new(range.end().saturating_sub(4), 4, "ENDT", Value::None))?;
    walker.close()
}

fn node(tag: &ExtensionTag<'_>) -> Node {
    let head = tags::head(tag.id);
    let (value, children) = match &tag.value {
        ExtensionValue::Data(data) => (plain(tag.id, data), Vec::new()),
        ExtensionValue::Section(_) | ExtensionValue::Absent => (Value::None, pair(tag)),
    };
    let offset = tag.offset.saturating_sub(head);
    Node::new(offset, head + tag.payload_size(), tag.id.to_string(), value).with(children)
}

fn plain(id: FourCc, data: &[u8]) -> Value {
    match data.try_into() {
        Ok(bytes) if id == FourCc::UUID => Value::Text(uuid::format(bytes)),
        _ => digits(data),
    }
}

fn pair(tag: &ExtensionTag<'_>) -> Vec<Node> {
    vec![
        Node::new(tag.offset, 8, "section offset", Value::Offset(tag.range.offset)),
        Node::new(tag.offset + 8, 8, "section size", Value::Number(tag.range.size)),
    ]
}
