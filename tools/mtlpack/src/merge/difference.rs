//! Whether functions of different inputs are the very same.

use metallib::{BufferEntry, Function, Library, Module};

use super::POSITIONS;
use crate::edited::Named;

/// Input and function index.
pub(super) type Position = (usize, usize);

/// What differs between two functions; `None` if they are the very same.
pub(crate) fn difference(
    inputs: &[Named<'_, '_>],
    a: Position,
    b: Position,
) -> Option<&'static str> {
    let (ours, theirs) = (inputs.get(a.0)?.library, inputs.get(b.0)?.library);
    let (a, b) = (ours.functions().get(a.1)?, theirs.functions().get(b.1)?);
    if a.function_type() != b.function_type() {
        return Some("type");
    }
    if a.versions() != b.versions() {
        return Some("versions");
    }
    // Equal hashes make equal modules likely; only then are the bytes compared.
    if a.hash() != b.hash() || module(ours, a) != module(theirs, b) {
        return Some("module");
    }
    if (&a.public, &a.private) != (&b.public, &b.private) {
        return Some("metadata");
    }
    if reflection(ours, a) != reflection(theirs, b) {
        return Some("reflection");
    }
    if archive(ours, a) != archive(theirs, b) {
        return Some("sources");
    }
    other_tags_differ(a, b).then_some("tags")
}

fn module<'l>(library: &'l Library<'_>, function: &Function<'_>) -> Option<&'l [u8]> {
    library.module_of(function).map(Module::bytes)
}

fn reflection<'l, 'a>(
    library: &'l Library<'a>,
    function: &Function<'_>,
) -> Option<&'l BufferEntry<'a>> {
    library.reflection()?.entries().get(function.reflection?.index())
}

fn archive<'l>(library: &'l Library<'_>, function: &Function<'_>) -> Option<&'l [u8]> {
    Some(library.sources()?.archives.get(function.archive?.index())?.data())
}

/// Compares tags in any order, without those that hold positions.
fn other_tags_differ(a: &Function<'_>, b: &Function<'_>) -> bool {
    let sorted = |function: &Function<'_>| {
        let tags = function.tags.iter().filter(|tag| !POSITIONS.contains(&tag.id));
        let mut tags: Vec<_> = tags
            .filter(|tag| tag.id != metallib::FourCc::MDSZ)
            .map(|tag| (tag.id, tag.payload.to_vec()))
            .collect();
        tags.sort();
        tags
    };
    sorted(a) != sorted(b)
}
