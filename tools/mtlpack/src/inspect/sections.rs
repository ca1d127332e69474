//! The sections behind the bitcode.

use metallib::{
    Archive, BufferEntry, BufferList, ExtensionTag, ExtensionValue, FourCc, Section, Sources,
    SymbolList, Tag, is_aligned,
};

use super::node::{Node, Value, Visitor};
use super::tags;
use super::walker::{Source, Walker};
use crate::text::lossy;

/// The section of a tag of the header extension.
pub(super) fn walk<V: Visitor>(
    tag: &ExtensionTag<'_>,
    walker: &mut Walker<'_, V>,
) -> Result<(), V::Error> {
    let ExtensionValue::Section(section) = &tag.value else { return Ok(()) };
    let (start, source) = (tag.range.offset, walker.source());
    let name = format!("section {}", tag.id);
    if let Section::Opaque(_) = section {
        let mut node = source.raw(start, tag.range.size, "");
        node.name = name.into();
        return walker.emit(&node);
    }
    walker.open_range(tag.range, name)?;
    match section {
        Section::Sources(sources) => walk_sources(sources, start, walker)?,
        Section::Dynamic(tags) => {
            tags.iter().try_for_each(|tag| walker.emit(&name_tag(&tag)))?;
            walker.emit(&tags::end(tags))?;
        }
        Section::Symbols(list) => walk_symbols(list, start, walker)?,
        Section::Buffers(list) => walk_buffers(list, start, walker)?,
        Section::Opaque(_) => {}
    }
    walker.close()
}

fn walk_sources<V: Visitor>(
    sources: &Sources<'_>,
    start: u64,
    walker: &mut Walker<'_, V>,
) -> Result<(), V::Error> {
    let source = walker.source();
    walker.emit(&source.word(start, "archive count"))?;
    let options = sources.link_options.len() as u64 + 1;
    let text = Value::Text(lossy(&sources.link_options));
    walker.emit(&Node::new(start + 4, options, "link options", text))?;
    if let Some(dir) = &sources.working_dir {
        let (offset, size) = (start + 4 + options, dir.len() as u64 + 1);
        let text = Value::Text(lossy(dir));
        walker.emit(&Node::new(offset, size, "working directory", text))?;
    }
    for (index, found) in sources.archives.iter().enumerate() {
        walker.emit(&archive(source, index, found))?;
    }
    Ok(())
}

fn walk_symbols<V: Visitor>(
    list: &SymbolList<'_>,
    start: u64,
    walker: &mut Walker<'_, V>,
) -> Result<(), V::Error> {
    let source = walker.source();
    walker.emit(&source.word(start, "symbol count"))?;
    for ((index, tags), name) in list.symbols().iter().enumerate().zip(list.names()) {
        let value = Value::Text(lossy(name));
        let name = format!("symbol {index}");
        walker.emit(&tags::group(source, name, value, tags, name_tag))?;
    }
    Ok(())
}

fn walk_buffers<V: Visitor>(
    list: &BufferList<'_>,
    start: u64,
    walker: &mut Walker<'_, V>,
) -> Result<(), V::Error> {
    let source = walker.source();
    walker.emit(&source.word(start, "entry count"))?;
    for (index, entry) in list.entries().iter().enumerate() {
        walker.emit(&buffer(source, index, entry))?;
    }
    Ok(())
}

/// A source archive.
pub(super) fn archive(source: Source<'_>, index: usize, archive: &Archive<'_>) -> Node {
    let value = Value::Text(lossy(archive.id()));
    tags::group(source, format!("archive {index}"), value, &archive.tags, |tag| {
        if tag.id != FourCc::SARC {
            return tags::raw_tag(tag);
        }
        let (id, data) = (archive.id().len() as u64 + 1, archive.data().len() as u64);
        let kind = match archive.data().starts_with(b"BZh") {
            true => "bzip2 stream, tar archive inside",
            false => "no bzip2 stream",
        };
        tags::tag(tag, Value::None).with(vec![
            Node::new(tag.offset, id, "archive id", Value::Text(lossy(archive.id()))),
            Node::new(tag.offset + id, data, "data and padding", Value::text(kind)),
        ])
    })
}

/// An entry of a buffer list.
pub(super) fn buffer(source: Source<'_>, index: usize, entry: &BufferEntry<'_>) -> Node {
    tags::group(source, format!("entry {index}"), Value::None, &entry.tags, |tag| {
        if !is_aligned(tag.id) {
            return tags::raw_tag(tag);
        }
        let (padding, content) = (u64::from(entry.padding), entry.content(tag));
        let mut children = Vec::new();
        if padding > 0 {
            children.push(source.raw(tag.offset, padding, "padding"));
        }
        let (at, size) = (tag.offset + padding, content.len() as u64);
        children.push(Node::new(at, size, "flatbuffer", identifier(&content)));
        tags::tag(tag, Value::None).with(children)
    })
}

/// The four letters that a flatbuffer has at offset 4.
fn identifier(flatbuffer: &[u8]) -> Value {
    match flatbuffer.get(4..8) {
        Some(letters) if letters.iter().all(u8::is_ascii_graphic) => Value::Text(lossy(letters)),
        _ => Value::None,
    }
}

/// A tag of a list of names.
fn name_tag(tag: &Tag<'_>) -> Node {
    match tag.id {
        FourCc::NAME | FourCc::DYNL => tags::text_tag(tag),
        _ => tags::raw_tag(tag),
    }
}
