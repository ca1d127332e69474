//! Stripping embedded sources, exactly as Apple's tool does, and the companion.

use metallib::{ExtensionValue, FileType, FourCc, Function, Library, LibraryBuilder, Section};

use crate::edited::{Edited, Named};
use crate::error::{Error, Result};

/// A library without its sources, and the companion that keeps them.
#[derive(Clone, Debug)]
pub struct Stripped<'a> {
    /// The library: no sources, no SOFF, no DEPF; everything else, also the UUID, stays.
    pub library: Edited<'a>,
    /// The original with file type 3 (`.metallibsym`); `None` if it had no sources.
    pub companion: Option<Edited<'a>>,
}

/// Strips the embedded sources off a library.
///
/// The UUID stays that of the whole library, so that library and companion can be
/// matched; joined again they are the original.
///
/// # Errors
/// If the input is a companion itself, or irregular while `new_layout` is false.
pub fn strip_source<'a>(input: Named<'_, 'a>, new_layout: bool) -> Result<Stripped<'a>> {
    let library = input.library;
    if library.identity().file_type() == FileType::SymbolCompanion {
        return Err(Error::refused(format!(
            "{} is a symbol companion, which is there to keep the sources; strip the library \
             itself",
            input.name
        )));
    }
    let open = || library.clone().edit(new_layout).map_err(Error::library(input.name));
    let close = |part: LibraryBuilder<'a>| part.finish().map_err(Error::library(input.name));
    if !has_sources(library) {
        let mut unchanged = Edited::nothing_to_change(input, new_layout)?;
        unchanged.notes.push(format!("{} has no sources to strip", input.name));
        return Ok(Stripped { library: unchanged, companion: None });
    }
    let mut stripped = open()?;
    remove_sources(&mut stripped);
    let had_sources = library.sources().is_some();
    let companion = if had_sources {
        let mut companion = open()?;
        companion.identity.set_file_type(FileType::SymbolCompanion);
        Some(Edited::unchanged(close(companion)?))
    } else {
        None
    };
    Ok(Stripped { library: Edited::unchanged(close(stripped)?), companion })
}

/// Whether there is anything that [`remove_sources`] would remove.
pub(crate) fn has_sources(library: &Library<'_>) -> bool {
    let traces = |function: &Function<'_>| {
        function.tags.get(FourCc::SOFF).is_some() || function.private.get(FourCc::DEPF).is_some()
    };
    library.sources().is_some() || library.functions().iter().any(traces)
}

/// Removes the sources section, SOFF and DEPF.
pub(crate) fn remove_sources(library: &mut LibraryBuilder<'_>) {
    if let Some(extension) = &mut library.extension {
        extension
            .tags
            .retain(|tag| !matches!(tag.value, ExtensionValue::Section(Section::Sources(_))));
    }
    for function in &mut library.functions {
        function.archive = None;
        function.tags.retain(|tag| tag.id != FourCc::SOFF);
        function.private.retain(|tag| tag.id != FourCc::DEPF);
    }
}
