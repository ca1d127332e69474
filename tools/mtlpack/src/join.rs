//! Putting a stripped library and its symbol companion together again.

use std::collections::HashMap;

use metallib::{FileType, Function, Library};

use crate::edited::{Edited, Named};
use crate::error::{Error, Result};
use crate::merge::difference;
use crate::names::some;
use crate::roundtrip::layout_difference;
use crate::strip_source::strip_source;
use crate::text::lines;
use crate::uuid;

/// One way in which a library and a companion do not belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Mismatch {
    /// What differs: `role` (one of them is not what it is given as), `uuid`, `container`, `platform`, `os`, `flags`, `functions`, `order`,
    /// `layout`, or of functions `type`, `versions`, `module`, `metadata`, `reflection`, `tags`.
    pub kind: &'static str,
    /// How it differs, with the names of the inputs.
    pub what: String,
}

/// What [`join`] gives, or why it gives nothing.
#[derive(Clone, Debug)]
pub enum Joined<'a> {
    /// The library with its sources.
    Library(Box<Edited<'a>>),
    /// The two do not belong together, for these reasons.
    Mismatched(Vec<Mismatch>),
}

impl<'a> Joined<'a> {
    /// The library.
    ///
    /// # Errors
    /// If the two do not belong together; the message says why.
    pub fn library(self, library: &str, companion: &str) -> Result<Edited<'a>> {
        match self {
            Self::Library(edited) => Ok(*edited),
            Self::Mismatched(mismatches) => {
                let list = lines(mismatches.into_iter().map(|mismatch| mismatch.what));
                let what = format!("{library} and {companion} do not belong together:{list}");
                Err(Error::refused(what))
            }
        }
    }

    /// Why the two do not belong together; empty if they do.
    #[must_use]
    pub fn mismatches(&self) -> &[Mismatch] {
        match self {
            Self::Library(_) => &[],
            Self::Mismatched(mismatches) => mismatches,
        }
    }
}

/// Joins a library that was stripped of its sources with the companion that kept them: the
/// inverse of [`strip_source`].
///
/// They belong together if the result, stripped again, is the library byte for byte. The UUID stays,
/// as it did when the library was stripped.
///
/// ```no_run
/// use mtlpack::{Named, join, metallib::Library};
///
/// let (library, companion) = (std::fs::read("a.metallib")?, std::fs::read("a.metallibsym")?);
/// let (library, companion) = (Library::parse(&library)?, Library::parse(&companion)?);
/// let named = |name, library| Named { name, library };
/// let joined = join(named("library", &library), named("companion", &companion), false)?;
/// std::fs::write("debug.metallib", joined.library("library", "companion")?.to_vec()?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If one of them is irregular while `new_layout` is false.
pub fn join<'a>(
    library: Named<'_, '_>,
    companion: Named<'_, 'a>,
    new_layout: bool,
) -> Result<Joined<'a>> {
    if let Some(what) = wrong_role(library, companion) {
        return Ok(Joined::Mismatched(vec![Mismatch { kind: "role", what }]));
    }
    let wrong = || Error::library(companion.name);
    library.library.check_editable(new_layout).map_err(Error::library(library.name))?;
    let mut whole = companion.library.clone().edit(new_layout).map_err(wrong())?;
    whole.identity.type_byte = library.library.identity().type_byte;
    let whole = whole.finish().map_err(wrong())?;
    let stripped = strip_source(Named { library: &whole, ..companion }, new_layout)?.library;
    let mut mismatches = Vec::new();
    compare_identity(library, companion, &mut mismatches);
    let pair = [library, Named { library: &stripped.library, ..companion }];
    compare_functions(&pair, &mut mismatches);
    if mismatches.is_empty() {
        mismatches.extend(compare_layout(library, companion, &stripped)?);
    }
    match mismatches.is_empty() {
        true => Ok(Joined::Library(Box::new(Edited::unchanged(whole)))),
        false => Ok(Joined::Mismatched(mismatches)),
    }
}

/// Why the two cannot be a library and a companion, whatever they hold.
fn wrong_role(library: Named<'_, '_>, companion: Named<'_, '_>) -> Option<String> {
    let kind = |input: Named<'_, '_>| input.library.identity().file_type();
    Some(if kind(library) == FileType::SymbolCompanion {
        format!("{} is a symbol companion; give the library first", library.name)
    } else if kind(companion) != FileType::SymbolCompanion {
        let kind = kind(companion);
        format!(
            "{} is no symbol companion (its file type is {kind}); give the .metallibsym that \
             strip-source --companion wrote",
            companion.name
        )
    } else if library.library.sources().is_some() {
        format!("{} has its sources: there is nothing to join", library.name)
    } else if companion.library.sources().is_none() {
        format!("{} holds no sources: there is nothing to join", companion.name)
    } else {
        return None;
    })
}

fn compare_identity(
    library: Named<'_, '_>,
    companion: Named<'_, '_>,
    mismatches: &mut Vec<Mismatch>,
) {
    let mut compare = |kind, name: &str, ours: String, theirs: String| {
        if ours != theirs {
            let (library, companion) = (library.name, companion.name);
            let what = format!("{name}: {library} has {ours}, {companion} has {theirs}");
            mismatches.push(Mismatch { kind, what });
        }
    };
    let uuid = |input: Named<'_, '_>| {
        input.library.uuid().map_or_else(|| "none".to_owned(), |uuid| uuid::format(&uuid))
    };
    compare("uuid", "UUID", uuid(library), uuid(companion));
    let (ours, theirs) = (library.library.identity(), companion.library.identity());
    compare("container", "container", ours.container.to_string(), theirs.container.to_string());
    let platform = |identity: &metallib::Identity| {
        identity.platform().map_or_else(|| "none".to_owned(), |platform| platform.to_string())
    };
    compare("platform", "platform", platform(ours), platform(theirs));
    compare("os", "minimum OS", ours.os.to_string(), theirs.os.to_string());
    let flags = |identity: &metallib::Identity| format!("{:#06x}", identity.major_word);
    compare("flags", "macOS flag and major version", flags(ours), flags(theirs));
}

/// Compares the functions of a library with those of a companion that was stripped.
fn compare_functions(pair: &[Named<'_, '_>; 2], mismatches: &mut Vec<Mismatch>) {
    let [ours, theirs] = pair.map(|input| Places::of(input.library));
    for (ours, theirs, name) in [(&ours, &theirs, pair[0].name), (&theirs, &ours, pair[1].name)] {
        let only = ours.without(theirs);
        if !only.is_empty() {
            let what = format!("functions that only {name} has: {}", some(&only));
            mismatches.push(Mismatch { kind: "functions", what });
        }
    }
    let names = ours.names.iter().zip(&theirs.names).enumerate();
    let moved = names.clone().find(|(_, (a, b))| a != b);
    if let (true, Some((at, (a, b)))) = (mismatches.iter().all(|m| m.kind != "functions"), moved) {
        let [a, b] = [a, b].map(|name| some(&[*name]));
        let what = format!(
            "order of functions: the first that differs, function {at}, is {a} in {} and {b} in {}",
            pair[0].name, pair[1].name
        );
        mismatches.push(Mismatch { kind: "order", what });
    }
    for (kind, names) in differing(pair, &ours, &theirs) {
        mismatches
            .push(Mismatch { kind, what: format!("functions differ in {kind}: {}", some(&names)) });
    }
}

/// For each aspect in which functions of the same name differ, their names.
fn differing<'n>(
    pair: &[Named<'_, '_>; 2],
    ours: &Places<'n>,
    theirs: &Places<'_>,
) -> Vec<(&'static str, Vec<&'n [u8]>)> {
    let mut found: Vec<(&'static str, Vec<&[u8]>)> = Vec::new();
    for (index, name) in ours.names.iter().enumerate() {
        let key = (*name, ours.turn(index));
        let Some(&other) = theirs.places.get(&key) else { continue };
        let Some(kind) = difference(pair, (0, index), (1, other)) else { continue };
        match found.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, names)) => names.push(name),
            None => found.push((kind, vec![name])),
        }
    }
    found
}

/// Where the functions of a library stand, by name; the same name may be there several times.
struct Places<'n> {
    names: Vec<&'n [u8]>,
    /// Which of its name each function is, counted from 0.
    turns: Vec<usize>,
    places: HashMap<(&'n [u8], usize), usize>,
}

impl<'n> Places<'n> {
    fn of(library: &'n Library<'_>) -> Self {
        let names: Vec<&[u8]> = library.functions().iter().map(Function::name_bytes).collect();
        let mut counts: HashMap<&[u8], usize> = HashMap::new();
        let (mut turns, mut places) = (Vec::with_capacity(names.len()), HashMap::new());
        for (index, &name) in names.iter().enumerate() {
            let count = counts.entry(name).or_insert(0);
            turns.push(*count);
            places.insert((name, *count), index);
            *count = count.saturating_add(1);
        }
        Self { names, turns, places }
    }

    fn turn(&self, index: usize) -> usize {
        self.turns.get(index).copied().unwrap_or_default()
    }

    /// The functions that the other has not.
    fn without(&self, other: &Places<'_>) -> Vec<&'n [u8]> {
        let names = self.names.iter().enumerate();
        let only =
            names.filter(|(index, name)| !other.places.contains_key(&(*name, self.turn(*index))));
        only.map(|(_, name)| *name).collect()
    }
}

/// Compares a library with a companion that was stripped, byte for byte.
fn compare_layout(
    library: Named<'_, '_>,
    companion: Named<'_, '_>,
    stripped: &Edited<'_>,
) -> Result<Option<Mismatch>> {
    let anew = match library.library.source_bytes() {
        Some(_) if library.library.is_canonical() => None,
        _ => Some(Edited::nothing_to_change(library, true)?.to_vec()?),
    };
    let bytes = anew.as_deref().or(library.library.source_bytes()).unwrap_or_default();
    let found = layout_difference(bytes, |_| None, &stripped.plan()?);
    Ok(found.map(|found| {
        let (region, offset) = (found.region, found.offset);
        let (library, companion) = (library.name, companion.name);
        let what = format!(
            "{region}: {library} differs from {companion} without sources, first at offset \
             {offset:#x}"
        );
        Mismatch { kind: "layout", what }
    }))
}
