//! The bitcode section and its modules.

use air_bitcode::{Stream, ids::block_name};
use metallib::{Library, Module, Range64, WRAPPER_SIZE};

use super::node::{Node, Value, Visitor};
use super::walker::{Source, Walker, digits};
use crate::facts::Facts;

/// The bitcode section, module by module as they lie in the file.
pub(super) fn walk<V: Visitor>(
    library: &Library<'_>,
    range: Range64,
    walker: &mut Walker<'_, V>,
) -> Result<(), V::Error> {
    let source = walker.source();
    let users = users(library);
    let mut order: Vec<usize> = (0..library.modules().len()).collect();
    order.sort_by_key(|&index| library.modules().get(index).map(Module::offset));
    walker.open_range(range, "bitcode")?;
    for index in order {
        if let Some(module) = library.modules().get(index) {
            let user = users.get(index).copied().unwrap_or_default();
            let node = node(source, index, module, used_by(library, user));
            walker.emit(&node)?;
            if !module.tail().is_empty() {
                let size = module.tail().len() as u64;
                walker.emit(&source.raw(node.end(), size, "bytes behind the module"))?;
            }
        }
    }
    walker.close()
}

/// For each module the first function that uses it, and how many do.
fn users(library: &Library<'_>) -> Vec<(usize, usize)> {
    let mut users = vec![(0, 0); library.modules().len()];
    for (index, function) in library.functions().iter().enumerate() {
        if let Some((first, count)) = function.module.and_then(|id| users.get_mut(id.index())) {
            if *count == 0 {
                *first = index;
            }
            *count += 1;
        }
    }
    users
}

fn used_by(library: &Library<'_>, (first, count): (usize, usize)) -> Value {
    match (library.functions().get(first), count) {
        (Some(function), 1) => Value::text(function.name()),
        (Some(function), 2..) => Value::Text(format!("{} and {} more", function.name(), count - 1)),
        _ => Value::None,
    }
}

/// A module with the fields of its wrapper.
pub(super) fn node(source: Source<'_>, index: usize, module: &Module<'_>, value: Value) -> Node {
    let (offset, size) = (module.offset(), module.bytes().len() as u64);
    let children = wrapped(source, module, offset, offset + size)
        .unwrap_or_else(|| vec![source.raw(offset, size, "data without wrapper")]);
    Node::new(offset, size, format!("module {index}"), value).with(children)
}

/// What the bitcode says of the whole of itself, then its blocks; or why it cannot be read.
/// It says so in many places, so these nodes have no bytes of their own.
fn inside(module: &Module<'_>, source: Source<'_>, start: u64, end: u64) -> Vec<Node> {
    let stream = source.bytes(start, end - start);
    let read = Facts::read(module.bytes())
        .and_then(|facts| Ok((facts, Stream::parse(stream, start.saturating_mul(8))?)));
    let (facts, stream) = match read {
        Ok(read) => read,
        Err(error) => return vec![Node::new(start, end - start, "error", Value::text(error))],
    };
    let single = [
        ("triple", facts.triple),
        ("producer", facts.producer),
        ("AIR version", facts.air),
        ("language", facts.language),
    ];
    let single = single.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let options = facts.compile_options.into_iter().map(|option| ("compile option", option));
    let said = single.chain(options);
    let mut nodes: Vec<Node> =
        said.map(|(name, value)| Node::new(start, 0, name, Value::Text(value))).collect();
    let mut position = start + 4;
    nodes.push(Node::new(start, 4, "bitcode magic", digits(source.bytes(start, 4))));
    for block in &stream.blocks {
        let Some(body) = block.stored() else { continue };
        let end = body.offset() / 8 + body.data().len() as u64;
        let name = format!("block {}", block_name(block.id()));
        nodes.push(Node::new(position, end.saturating_sub(position), name, Value::None));
        position = end;
    }
    nodes
}

/// Wrapper fields, bitcode and padding; `None` if the module has no wrapper, or one
/// that does not fit it.
fn wrapped(source: Source<'_>, module: &Module<'_>, start: u64, end: u64) -> Option<Vec<Node>> {
    let wrapper = module.wrapper()?;
    let fields = [
        ("wrapper magic", Value::Text(format!("{:#010x}", metallib::WRAPPER_MAGIC))),
        ("wrapper version", Value::Number(wrapper.version.into())),
        ("bitcode offset", Value::Offset(wrapper.offset.into())),
        ("bitcode size", Value::Number(wrapper.size.into())),
        ("CPU type", Value::Text(format!("{:#010x}", wrapper.cpu_type))),
    ];
    let fields = fields.into_iter().zip((start..).step_by(4));
    let mut nodes: Vec<Node> =
        fields.map(|((name, value), at)| Node::new(at, 4, name, value)).collect();
    let head = start + u64::from(WRAPPER_SIZE);
    let bitcode = start + u64::from(wrapper.offset);
    let behind = bitcode + u64::from(wrapper.size);
    if bitcode < head || behind > end {
        nodes.push(source.raw(head, end.saturating_sub(head), "data that the wrapper misses"));
        return Some(nodes);
    }
    if bitcode > head {
        nodes.push(source.raw(head, bitcode - head, "data in front of the bitcode"));
    }
    let magic = source.bytes(bitcode, 4) == metallib::BITCODE_MAGIC;
    let kind = if magic { "LLVM bitcode" } else { "no LLVM bitcode" };
    let node = Node::new(bitcode, behind - bitcode, "bitcode", Value::text(kind));
    nodes.push(node.with(if magic { inside(module, source, bitcode, behind) } else { Vec::new() }));
    if end > behind {
        nodes.push(source.raw(behind, end - behind, "padding"));
    }
    Some(nodes)
}
