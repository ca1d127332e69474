//! Paths where nothing can be rewritten, for it is not known what stands there.

use metallib::{Library, LibraryBuilder, printable};

use crate::edited::Named;
use crate::error::{Error, Result};
use crate::paths::{PathOccurrence, untyped};

/// Refuses a library of which something that is not known, and is to stay, holds a path.
pub(super) fn check(input: Named<'_, '_>, edited: &LibraryBuilder<'_>) -> Result<()> {
    let mut first = None;
    untyped(&edited.functions, edited.extension.as_ref(), |found| {
        first.get_or_insert(found);
    });
    let Some(left) = first else { return Ok(()) };
    let PathOccurrence { path, place, .. } = &left;
    let function = left.function.and_then(|index| {
        let name = edited.functions.get(index)?.name_bytes();
        Some(format!("function {index} `{}`, ", printable(name)))
    });
    Err(Error::refused(format!(
        "{}: {}{place}, offset {:#x}, holds the path `{}`, which cannot be rewritten where it is \
         not known what stands there; build the library without it, or name what else is to go \
         one by one (--source, --debug-info, --reflection, --unused), without --paths",
        input.name,
        function.unwrap_or_default(),
        offset(input.library, &left),
        printable(path),
    )))
}

/// Where the path stands in the input; what was edited may have forgotten it.
fn offset(library: &Library<'_>, left: &PathOccurrence) -> u64 {
    let is_same = |found: &PathOccurrence| {
        (&found.path, &found.place, found.function) == (&left.path, &left.place, left.function)
    };
    let mut first = None;
    untyped(library.functions(), library.extension(), |found| {
        if first.is_none() && is_same(&found) {
            first = Some(found.offset);
        }
    });
    first.unwrap_or(left.offset)
}
