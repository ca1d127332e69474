//! What modules and tags say of each function, put together where they say the same.

use std::collections::HashMap;

use air_bitcode::{Head, HeadReader, Module};
use metallib::{Library, Version, Versions};

use crate::air::Triple;
use crate::error::Result;
use crate::io::Input;
use crate::modules;

/// The first AIR version whose readers know pointers that do not say what to. Older ones take
/// such a module for a damaged one: "Failed to upgrade function bitcode".
pub(super) const OPAQUE_POINTERS: Version = Version::new(2, 8);

/// What one module says of its target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Said {
    pub(super) triple: Option<String>,
    pub(super) air: Option<Version>,
    pub(super) language: Option<Version>,
    /// Whether it has opaque pointers, though its AIR version is older than they are.
    pub(super) opaque_pointers: bool,
}

impl Said {
    pub(super) fn target(&self) -> Option<Triple> {
        Triple::parse(self.triple.as_deref()?)
    }
}

/// A module as far as it could be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Inside {
    /// There is none, or it has no bytes.
    Nothing,
    /// It cannot be read, and why.
    Damaged(String),
    Read(Said),
}

/// Functions of which everything says the same.
#[derive(Debug)]
pub(super) struct Group {
    /// Tag VERS.
    pub(super) versions: Option<Versions>,
    pub(super) inside: Inside,
    /// Which functions, in order.
    pub(super) functions: Vec<usize>,
}

/// Reads all modules, and puts the functions together.
pub(super) fn read(input: &Input, library: &Library<'_>, threads: usize) -> Result<Vec<Group>> {
    let mut said: Vec<Inside> = Vec::with_capacity(library.modules().len());
    let each = |some: &mut Reading, _, bytes: &[u8]| some.add(bytes);
    modules::fold(input, library, threads, each, |some| {
        said.extend(some.said);
        Ok(())
    })?;
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<(Option<Versions>, &Inside), usize> = HashMap::new();
    for (index, function) in library.functions().iter().enumerate() {
        let inside = function.module.and_then(|id| said.get(id.index()));
        let inside = inside.unwrap_or(&Inside::Nothing);
        let versions = function.versions();
        let key = (versions, inside);
        let place = *known.entry(key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.functions.push(index),
            None => {
                let (inside, functions) = (inside.clone(), vec![index]);
                groups.push(Group { versions, inside, functions });
            }
        }
    }
    Ok(groups)
}

/// The modules of a batch.
#[derive(Default)]
struct Reading {
    reader: HeadReader,
    said: Vec<Inside>,
}

impl Reading {
    fn add(&mut self, bytes: &[u8]) {
        let inside = match bytes.is_empty() {
            true => Inside::Nothing,
            false => self.read(bytes).unwrap_or_else(|error| Inside::Damaged(error.to_string())),
        };
        self.said.push(inside);
    }

    fn read(&mut self, bytes: &[u8]) -> air_bitcode::Result<Inside> {
        let mut said = of(&self.reader.read(bytes)?);
        let is_usual = self.said.last().is_some_and(|last| *last == Inside::Read(said.clone()));
        if !is_usual {
            // The metadata's own index is not believed where a module differs from the others.
            said = of(&Head::full(bytes)?);
        }
        if said.air.is_some_and(|air| air < OPAQUE_POINTERS) {
            said.opaque_pointers = Module::parse(bytes)?.has_opaque_pointers()?;
        }
        Ok(Inside::Read(said))
    }
}

fn of(head: &Head<'_>) -> Said {
    let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    let language = head.language.as_ref().and_then(|(_, numbers)| version(*numbers));
    Said {
        triple: head.triple.as_deref().map(text),
        air: head.version.and_then(version),
        language,
        opaque_pointers: false,
    }
}

fn version([major, minor, _]: [i64; 3]) -> Option<Version> {
    Some(Version::new(u16::try_from(major).ok()?, u16::try_from(minor).ok()?))
}
