//! The 88 bytes of the header.

use metallib::{Header, Identity};

use super::node::{Node, Value};
use super::walker::Source;

/// Names of the four ranges, from offset 24.
const RANGES: [(&str, &str); 4] = [
    ("function list offset", "function list size"),
    ("public metadata offset", "public metadata size"),
    ("private metadata offset", "private metadata size"),
    ("bitcode offset", "bitcode size"),
];

/// The header with its fields.
pub(super) fn node(source: Source<'_>) -> Node {
    let node = Node::new(0, metallib::HEADER_SIZE, "header", Value::None);
    match Header::parse(source.bytes(0, metallib::HEADER_SIZE)) {
        Ok(header) => node.with(fields(&header)),
        Err(_) => node,
    }
}

fn fields(header: &Header) -> Vec<Node> {
    let mut fields = vec![Node::new(0, 4, "magic", Value::text("MTLB"))];
    fields.extend(identity(&header.identity));
    fields.push(Node::new(16, 8, "file size", Value::Number(header.file_size)));
    let ranges = [header.functions, header.public, header.private, header.bitcode];
    for ((names, range), at) in RANGES.into_iter().zip(ranges).zip((24..).step_by(16)) {
        fields.push(Node::new(at, 8, names.0, Value::Offset(range.offset)));
        fields.push(Node::new(at + 8, 8, names.1, Value::Number(range.size)));
    }
    fields
}

fn identity(identity: &Identity) -> [Node; 8] {
    let flag = if identity.is_mac() { ", macOS flag" } else { "" };
    let stub = if identity.is_stub() { ", stub" } else { "" };
    let platform = match identity.platform() {
        Some(platform) => format!("{platform} ({:#04x})", identity.platform_byte),
        None => "not recorded".to_owned(),
    };
    let number = |number: u64| Value::Number(number);
    [
        Node::new(4, 2, "container major", Value::Text(format!("{}{flag}", identity.major()))),
        Node::new(6, 2, "container minor", number(identity.minor.into())),
        Node::new(8, 2, "container patch", number(identity.container.patch().into())),
        Node::new(10, 1, "file type", Value::Text(format!("{}{stub}", identity.file_type()))),
        Node::new(11, 1, "platform", Value::Text(platform)),
        Node::new(12, 2, "OS major", number(identity.os.major.into())),
        Node::new(14, 1, "OS minor", number(identity.os.minor.into())),
        Node::new(15, 1, "OS update", number(identity.os.update.into())),
    ]
}
