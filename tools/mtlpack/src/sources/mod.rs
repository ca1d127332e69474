//! Embedded sources: what there is, and taking them out as files.

mod extract;
mod list;
mod paths;

use metallib::{Archive, FourCc, Library, Sources, printable};

use crate::archive::{ArchiveError, Budget, Unpacked};
use crate::edited::Named;
use crate::error::{Error, Result};

pub use extract::{SOURCES_INDEX, SourceExtraction, SourceFile, extract_sources};
pub use list::{ArchiveReport, MemberReport, SourcesReport, list_sources};

/// The sources of a library, and where they stand.
#[derive(Clone, Copy)]
struct Embedded<'l, 'a> {
    input: Named<'l, 'a>,
    sources: &'l Sources<'a>,
}

impl<'l, 'a> Embedded<'l, 'a> {
    /// The sources, if there are any.
    fn of(input: Named<'l, 'a>) -> Result<Option<Self>> {
        let extension = input.library.extension();
        let has = |id| extension.is_some_and(|extension| extension.get(id).is_some());
        let Some(sources) = input.library.sources() else { return Ok(None) };
        if has(FourCc::HSRC) && has(FourCc::HSRD) {
            let what = "has both sections HSRC and HSRD, which no known writer makes";
            return Err(Error::refused(format!("{} {what}", input.name)));
        }
        Ok(Some(Self { input, sources }))
    }

    fn archives(self) -> &'l [Archive<'a>] {
        &self.sources.archives
    }

    /// Absolute offset of an archive's bzip2 stream; 0 if the library was made.
    fn offset(archive: &Archive<'_>) -> u64 {
        let tag = archive.tags.get(FourCc::SARC);
        tag.map_or(0, |tag| tag.offset.saturating_add(archive.id().len() as u64 + 1))
    }

    /// Unpacks an archive.
    fn unpack(self, index: usize, budget: &mut Budget) -> Result<Unpacked> {
        let data = self.archives().get(index).map(Archive::data).unwrap_or_default();
        budget.unpack(data).map_err(|source| self.error(index, source))
    }

    /// An error of an archive, with its place.
    fn error(self, index: usize, source: ArchiveError) -> Error {
        let (id, offset) = match self.archives().get(index) {
            Some(archive) => (printable(archive.id()), Self::offset(archive)),
            None => (String::new(), 0),
        };
        let section = self.sources.id();
        let place = format!("section {section} > archive {index} `{id}` (offset {offset:#x})");
        Error::Archive { input: self.input.name.to_owned(), place, source }
    }
}

/// What is to be said of a library without sources.
fn absence(library: &Library<'_>) -> Option<&'static str> {
    let removed = library.extension().and_then(|extension| extension.get(FourCc::HSRP));
    removed.map(|_| {
        "it has a tag HSRP where others have their sources; what that stands for is not known, \
         and it was only ever seen empty"
    })
}
