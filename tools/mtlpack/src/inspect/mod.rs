//! Every header field, section and tag of a library, with offset, size and meaning.
//!
//! The answer is a tree of [`Node`]s. [`walk`] hands them out one after the other, so
//! that a library of any size needs little memory; [`inspect`] collects them.

mod extension;
mod functions;
mod header;
mod metadata;
mod modules;
mod node;
mod sections;
mod tags;
#[cfg(test)]
mod tests;
mod walker;

pub(crate) use metadata::tag_words;
pub use node::{Node, Value, Visitor};

use metallib::{Library, Range64};

use crate::error::{Error, Result};
use walker::Walker;

/// What part of a library to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'s> {
    /// All of it.
    All,
    /// One function: its entry, groups, module, reflection entry and source archive.
    Function(&'s str),
}

/// The tree of a library that was read from bytes.
///
/// # Errors
/// If no function has the name asked for, or the library was not read from bytes, so
/// that it has no offsets.
pub fn inspect(library: &Library<'_>, scope: Scope<'_>) -> Result<Node> {
    let mut collector = node::Collector::default();
    walk(library, scope, &mut collector)?;
    Ok(collector.root())
}

/// Hands the nodes of the tree to a visitor, in the order of the file.
///
/// # Errors
/// As [`inspect`], and what the visitor gives.
pub fn walk<V: Visitor>(
    library: &Library<'_>,
    scope: Scope<'_>,
    visitor: &mut V,
) -> Result<(), V::Error> {
    let bytes = library.source_bytes().ok_or_else(|| {
        Error::refused("a library that was built has no offsets yet; write it and read it again")
    })?;
    let mut walker = Walker::new(bytes, visitor);
    match scope {
        Scope::All => whole(library, &mut walker),
        Scope::Function(name) => functions::one(library, name, &mut walker),
    }
}

/// A part of the file on the highest level.
enum Part<'p> {
    Header,
    Functions,
    Extension,
    Public,
    Private,
    Bitcode,
    Section(&'p metallib::ExtensionTag<'p>),
}

fn whole<V: Visitor>(library: &Library<'_>, walker: &mut Walker<'_, V>) -> Result<(), V::Error> {
    walker.open(walker.root())?;
    for (range, part) in parts(library) {
        match part {
            Part::Header => walker.emit(&header::node(walker.source()))?,
            Part::Functions => functions::list(library, range, walker)?,
            Part::Extension => extension::walk(library, range, walker)?,
            Part::Public => functions::groups(library, range, true, walker)?,
            Part::Private => functions::groups(library, range, false, walker)?,
            Part::Bitcode => modules::walk(library, range, walker)?,
            Part::Section(tag) => sections::walk(tag, walker)?,
        }
    }
    walker.close()
}

/// The parts in the order in which they lie in the file.
fn parts<'l>(library: &'l Library<'_>) -> Vec<(Range64, Part<'l>)> {
    let Some(header) = library.header() else { return Vec::new() };
    let list = Range64 { size: header.functions.size.saturating_add(4), ..header.functions };
    let mut parts = vec![
        (Range64 { offset: 0, size: metallib::HEADER_SIZE }, Part::Header),
        (list, Part::Functions),
    ];
    if let Some(extension) = library.extension() {
        let range = Range64 { offset: list.end(), size: extension.encoded_size() };
        parts.push((range, Part::Extension));
    }
    parts.push((header.public, Part::Public));
    parts.push((header.private, Part::Private));
    parts.push((header.bitcode, Part::Bitcode));
    for tag in library.extension().into_iter().flat_map(metallib::Extension::sections) {
        parts.push((tag.range, Part::Section(tag)));
    }
    parts.sort_by_key(|(range, _)| range.offset);
    parts
}
