//! Finding the libraries that a script names by path.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use metallib::Library;
use mtlp_script::facts::{self, Known};
use mtlp_script::model::Model;

use super::script_facts;
use crate::edited::Named;
use crate::error::{Error, Result};
use crate::io::Input;

/// Libraries for checks of scripts. Each is read once.
#[derive(Debug, Default)]
pub struct ScriptLibraries {
    command_line: Vec<(PathBuf, Rc<facts::Library>)>,
    folders: Vec<PathBuf>,
    found: HashMap<PathBuf, Rc<facts::Library>>,
}

/// The libraries that one script refers to, by the paths in it.
#[derive(Debug)]
pub struct ScriptPaths<'p> {
    of: &'p ScriptLibraries,
    paths: HashMap<String, Option<Rc<facts::Library>>>,
}

impl ScriptLibraries {
    /// No libraries, and folders in which relative paths are looked for.
    #[must_use]
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self { folders, ..Self::default() }
    }

    /// Adds a library in which plain names are looked up.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn add(&mut self, path: &Path) -> Result<()> {
        let library = read(path)?;
        self.command_line.push((path.to_path_buf(), library));
        Ok(())
    }

    /// Whether there is any place to look.
    fn is_told(&self) -> bool {
        !self.command_line.is_empty() || !self.folders.is_empty()
    }

    /// Looks for the libraries that a script names: one of the command line at this path, or of
    /// this file name if there is only one; then the path itself if it is absolute, else in the
    /// folders. Where neither libraries nor folders were named, nothing is looked for.
    ///
    /// # Errors
    /// If one that is there cannot be read.
    pub fn of_script(&mut self, model: &Model<'_>) -> Result<ScriptPaths<'_>> {
        let mut paths = HashMap::new();
        if self.is_told() {
            let all: HashSet<&str> = model.paths().collect();
            for path in all {
                paths.insert(path.to_owned(), self.find(path)?);
            }
        }
        Ok(ScriptPaths { of: self, paths })
    }

    fn find(&mut self, text: &str) -> Result<Option<Rc<facts::Library>>> {
        let path = Path::new(text);
        if let Some((_, library)) = self.command_line.iter().find(|(known, _)| known == path) {
            return Ok(Some(Rc::clone(library)));
        }
        let named =
            |known: &Path| known.file_name().is_some() && known.file_name() == path.file_name();
        let mut of_name = self.command_line.iter().filter(|(known, _)| named(known));
        if let (Some((_, library)), None) = (of_name.next(), of_name.next()) {
            return Ok(Some(Rc::clone(library)));
        }
        let mut places: Vec<PathBuf> = match path.is_absolute() {
            true => vec![path.to_path_buf()],
            false => self.folders.iter().map(|folder| folder.join(path)).collect(),
        };
        // A pipe or device that a script names is not waited for.
        places.retain(|place| place.is_file());
        let Some(place) = places.into_iter().next() else { return Ok(None) };
        // A script can name one file in any number of ways.
        let file = std::fs::canonicalize(&place).unwrap_or_else(|_| place.clone());
        if let Some(library) = self.found.get(&file) {
            return Ok(Some(Rc::clone(library)));
        }
        let library = read(&place)?;
        self.found.insert(file, Rc::clone(&library));
        Ok(Some(library))
    }
}

fn read(path: &Path) -> Result<Rc<facts::Library>> {
    let input = Input::open(path)?;
    let library = Library::parse(input.bytes()).map_err(Error::library(input.name()))?;
    Ok(Rc::new(script_facts(Named { name: input.name(), library: &library })?))
}

impl ScriptPaths<'_> {
    /// What a check is to know.
    #[must_use]
    pub fn known(&self) -> Known<'_> {
        let by_path = self.paths.iter().map(|(path, found)| (path.clone(), found.as_deref()));
        Known {
            command_line: self.of.command_line.iter().map(|(_, library)| &**library).collect(),
            by_path: by_path.collect(),
        }
    }
}
