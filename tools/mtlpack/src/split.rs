//! Splitting a library into one of each function, and the index that keeps the order.

use std::path::{Path, PathBuf};

use metallib::Subset;
use metallib_write::{UuidAction, uuid_status};

use crate::edited::{Edited, Named, form_of};
use crate::error::{Error, Result};
use crate::file_names::FileNames;
use crate::names;

/// Name of the file that lists the parts in order.
pub const INDEX_FILE: &str = "index.tsv";

/// Takes a library apart: one library for each function.
///
/// Each part keeps the header, the dynamic header, the imports, and the source archives
/// that belong to its function or to none. Merged in order, the parts are the original.
pub struct Splitter<'l, 'a> {
    input: Named<'l, 'a>,
    subset: Subset<'l, 'a>,
    uuid: UuidAction,
    files: Vec<String>,
}

impl<'l, 'a> Splitter<'l, 'a> {
    /// Prepares splitting. The UUID of each part is computed anew where that of the
    /// library follows a formula, else kept.
    ///
    /// # Errors
    /// If the library has no function, holds scripts, or is irregular while
    /// `new_layout` is false.
    pub fn new(input: Named<'l, 'a>, new_layout: bool) -> Result<Self> {
        let functions = input.library.functions();
        if functions.is_empty() {
            return Err(Error::NoMatch { what: format!("{} has no function", input.name) });
        }
        crate::filter::refuse_scripts(input)?;
        let wrong = || Error::library(input.name);
        let subset = Subset::new(input.library, new_layout).map_err(wrong())?;
        let status = uuid_status(input.library).map_err(wrong())?;
        let mut names = FileNames::new("metallib");
        names.reserve(INDEX_FILE);
        let files = functions.iter().map(|function| names.name(function.name_bytes())).collect();
        let uuid = form_of(status).map_or(UuidAction::Keep, UuidAction::Recompute);
        Ok(Self { input, subset, uuid, files })
    }

    /// How many parts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no part; never, since such libraries are refused.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// File names of the parts in order: safe on every system, no two alike.
    #[must_use]
    pub fn file_names(&self) -> &[String] {
        &self.files
    }

    /// The library of the function at this index.
    ///
    /// # Errors
    /// If there is no such function.
    pub fn part(&self, index: usize) -> Result<Edited<'a>> {
        let part = self.subset.of(&[index]).and_then(metallib::LibraryBuilder::finish);
        let library = part.map_err(Error::library(self.input.name))?;
        Ok(Edited { uuid: self.uuid, ..Edited::unchanged(library) })
    }

    /// Content of the index file: a line for each part in order, file name, tab, and
    /// the function's name with backslash escapes.
    #[must_use]
    pub fn index(&self) -> String {
        let mut text = String::new();
        for (file, function) in self.files.iter().zip(self.input.library.functions()) {
            text += &format!("{file}\t{}\n", names::escape(function.name_bytes()));
        }
        text
    }
}

/// The files that an index lists, in order; `folder` is where the index lies.
///
/// # Errors
/// If a line has no tab, or names a file outside of the folder.
pub fn read_index(folder: &Path, index: &str) -> Result<Vec<PathBuf>> {
    let refuse = |what: String| {
        let index = folder.join(INDEX_FILE);
        Error::refused(format!("{}: {what}", index.display()))
    };
    let path = |(number, line): (usize, &str)| {
        let Some((file, _)) = line.split_once('\t') else {
            let expected = "expected a file name, a tab and the name of a function";
            return Err(refuse(format!("line {} has no tab; {expected}", number + 1)));
        };
        if file.is_empty() || file.starts_with('.') || file.contains(['/', '\\', ':']) {
            return Err(refuse(format!("`{file}` is no file name of a split library")));
        }
        Ok(folder.join(file))
    };
    let lines = index.lines().enumerate();
    lines.filter(|(_, line)| !line.is_empty()).map(path).collect()
}
