//! Taking embedded sources out, as files.

use super::paths::MemberPaths;
use super::{Embedded, absence};
use crate::archive::{ArchiveError, ArchiveErrorKind, Budget, Member, MemberKind, Unpacked};
use crate::edited::Named;
use crate::error::{Error, Result};
use crate::file_names::FileNames;
use crate::names::escape;

/// Name of the file that lists what was taken out.
pub const SOURCES_INDEX: &str = "index.tsv";

/// A file that is taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it goes: the archive's folder, folders below it, and the file, with `/` between.
    /// Safe, no two alike in any case.
    pub path: String,
    /// Which archive it is in, counted from 0.
    pub archive: usize,
    /// Which member it is, counted from 0.
    pub member: usize,
    /// The member's name as it stands.
    pub name: Vec<u8>,
    /// Size of its content in bytes.
    pub size: u64,
}

/// What [`extract_sources`] takes out: all files are named, none is in memory.
pub struct SourceExtraction<'l, 'a> {
    embedded: Embedded<'l, 'a>,
    budget: Budget,
    files: Vec<SourceFile>,
}

/// Takes out the sources of all archives, each into a folder of its own.
///
/// All archives are unpacked once to see that nothing is wrong with any of them, and once more,
/// one after the other, by [`SourceExtraction::for_each`].
///
/// # Errors
/// If there are no sources; if an archive cannot be unpacked within the budget; if a member is no
/// regular file, or its name leads out of the folder or is there twice.
pub fn extract_sources<'l, 'a>(
    input: Named<'l, 'a>,
    budget: Budget,
) -> Result<SourceExtraction<'l, 'a>> {
    let Some(embedded) = Embedded::of(input)? else {
        let more = absence(input.library).map(|what| format!("; {what}")).unwrap_or_default();
        let what = format!("{} has no embedded sources{more}", input.name);
        return Err(Error::NoMatch { what });
    };
    let mut folders = FileNames::folders();
    folders.reserve(SOURCES_INDEX);
    let mut files = Vec::new();
    let mut left = budget;
    for (index, archive) in embedded.archives().iter().enumerate() {
        let folder = folders.name(archive.id());
        let unpacked = embedded.unpack(index, &mut left)?;
        let planned = plan(index, &folder, &unpacked);
        files.extend(planned.map_err(|source| embedded.error(index, source))?);
    }
    Ok(SourceExtraction { embedded, budget, files })
}

/// The files of an archive.
fn plan(
    archive: usize,
    folder: &str,
    unpacked: &Unpacked,
) -> std::result::Result<Vec<SourceFile>, ArchiveError> {
    let mut paths = MemberPaths::new(cfg!(windows));
    let mut files = Vec::with_capacity(unpacked.len());
    for member in unpacked.members() {
        let name = member.header.name();
        let path = safe_path(&member, &name, &mut paths)
            .map_err(|what| ArchiveError::at(ArchiveErrorKind::Member { what }, member.place()))?;
        let path = format!("{folder}/{path}");
        let (member, size) = (member.number, member.content.len() as u64);
        files.push(SourceFile { path, archive, member, name, size });
    }
    Ok(files)
}

fn safe_path(
    member: &Member<'_>,
    name: &[u8],
    paths: &mut MemberPaths,
) -> std::result::Result<String, String> {
    match member.header.kind() {
        MemberKind::File => paths.path(name),
        kind => Err(format!("it is a {kind}, expected regular files only")),
    }
}

impl SourceExtraction<'_, '_> {
    /// The files, in the order of archives and members.
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Content of the index: a line for each file in order, path with `/`, tab, the archive's id,
    /// tab, the member's name; id and name with backslash escapes.
    #[must_use]
    pub fn index(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let archive = self.embedded.archives().get(file.archive);
            let id = archive.map(metallib::Archive::id).unwrap_or_default();
            text += &format!("{}\t{}\t{}\n", file.path, escape(id), escape(&file.name));
        }
        text
    }

    /// Gives each file and its content, in order; one archive is in memory at a time.
    ///
    /// # Errors
    /// If an archive is not what it was a moment ago, and what `each` gives.
    pub fn for_each<E: From<Error>>(
        &self,
        mut each: impl FnMut(&SourceFile, &[u8]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut budget = self.budget;
        for of_archive in self.files.chunk_by(|a, b| a.archive == b.archive) {
            let Some(index) = of_archive.first().map(|file| file.archive) else { continue };
            let unpacked = self.embedded.unpack(index, &mut budget)?;
            for (file, member) in of_archive.iter().zip(unpacked.members()) {
                if (file.member, &file.name) != (member.number, &member.header.name()) {
                    let what = "the file was changed while it was read; run the command again";
                    return Err(
                        Error::refused(format!("{}: {what}", self.embedded.input.name)).into()
                    );
                }
                each(file, member.content)?;
            }
        }
        Ok(())
    }
}
