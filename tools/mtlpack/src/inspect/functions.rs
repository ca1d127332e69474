//! The function list and the metadata groups.

use metallib::{Function, Library, Range64};

use super::node::{Node, Value, Visitor};
use super::walker::{Source, Walker};
use super::{metadata, modules, sections, tags};
use crate::error::Error;
use crate::names;

/// The function list.
pub(super) fn list<V: Visitor>(
    library: &Library<'_>,
    range: Range64,
    walker: &mut Walker<'_, V>,
) -> Result<(), V::Error> {
    let source = walker.source();
    walker.open_range(range, "function list")?;
    walker.emit(&source.word(range.offset, "function count"))?;
    for (index, function) in library.functions().iter().enumerate() {
        walker.emit(&entry(source, index, function))?;
    }
    walker.close()
}

/// Public or private metadata, group by group as they lie in the file.
pub(super) fn groups<V: Visitor>(
    library: &Library<'_>,
    range: Range64,
    public: bool,
    walker: &mut Walker<'_, V>,
) -> Result<(), V::Error> {
    let source = walker.source();
    walker.open_range(range, if public { "public metadata" } else { "private metadata" })?;
    let functions = library.functions();
    let with_groups = functions.iter().enumerate().filter(|(_, f)| f.offsets().is_some());
    let mut order: Vec<usize> = with_groups.map(|(index, _)| index).collect();
    order.sort_by_key(|&index| functions.get(index).map(|f| of(f, public).offset()));
    for index in order {
        if let Some(function) = functions.get(index) {
            walker.emit(&metadata_group(source, index, function, public))?;
        }
    }
    walker.close()
}

/// Everything that belongs to the functions of a name.
pub(super) fn one<V: Visitor>(
    library: &Library<'_>,
    name: &str,
    walker: &mut Walker<'_, V>,
) -> Result<(), V::Error> {
    let source = walker.source();
    let functions = library.functions();
    let text = name;
    let name = names::resolve(text, |name| functions.iter().any(|f| f.name_bytes() == name));
    let functions = functions.iter().enumerate();
    let mut found = functions.filter(|(_, f)| f.name_bytes() == &*name).peekable();
    if found.peek().is_none() {
        let hint = names::pattern_hint(&name);
        let what = format!("no function is called `{text}`{hint}; `mtlpack list` shows all names");
        return Err(Error::NoMatch { what }.into());
    }
    walker.open_partly(walker.root())?;
    for (index, function) in found {
        walker.emit(&entry(source, index, function))?;
        if function.offsets().is_some() {
            walker.emit(&metadata_group(source, index, function, true))?;
            walker.emit(&metadata_group(source, index, function, false))?;
        }
        if let Some((id, module)) = function.module.zip(library.module_of(function)) {
            walker.emit(&modules::node(source, id.index(), module, Value::None))?;
        }
        if let Some((id, sources)) = function.archive.zip(library.sources())
            && let Some(archive) = sources.archives.get(id.index())
        {
            walker.emit(&sections::archive(source, id.index(), archive))?;
        }
        if let Some((id, list)) = function.reflection.zip(library.reflection())
            && let Some(buffer) = list.entries().get(id.index())
        {
            walker.emit(&sections::buffer(source, id.index(), buffer))?;
        }
    }
    walker.close()
}

fn entry(source: Source<'_>, index: usize, function: &Function<'_>) -> Node {
    let value = Value::text(function.name());
    tags::group(source, format!("function {index}"), value, &function.tags, |tag| {
        tags::function_tag(function, tag)
    })
}

fn metadata_group(source: Source<'_>, index: usize, function: &Function<'_>, public: bool) -> Node {
    let kind = if public { "public" } else { "private" };
    let name = format!("{kind} group of function {index}");
    let value = Value::text(function.name());
    tags::group(source, name, value, of(function, public), metadata::tag)
}

fn of<'f, 'a>(function: &'f Function<'a>, public: bool) -> &'f metallib::TagList<'a> {
    if public { &function.public } else { &function.private }
}
