//! Other names for functions whose names earlier inputs have.

use std::collections::{BTreeMap, HashMap};

use metallib::LibraryBuilder;

use super::difference::{Position, difference};
use crate::edited::{Named, Renaming};
use crate::error::{Error, Result};
use crate::names::{escape, some};
use crate::rename::Renamed;
use crate::text::lines;

/// The functions that get other names.
#[derive(Debug, Default)]
pub(super) struct Renames {
    names: BTreeMap<Position, Vec<u8>>,
    /// Names for which one prefix is too little, one line each.
    several: Vec<String>,
}

impl Renames {
    /// Whether nothing is renamed.
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Plans `prefix` in front of a name for the functions that differ from the first one.
    /// Gives those that are not taken, for they are the very same as one that is.
    pub(super) fn plan(
        &mut self,
        inputs: &[Named<'_, '_>],
        positions: &[Position],
        prefix: &[u8],
    ) -> Vec<Position> {
        let Some(&first) = positions.first() else { return Vec::new() };
        let mut dropped = Vec::new();
        let mut other: Option<Position> = None;
        for &position in positions.iter().filter(|(input, _)| *input != first.0) {
            if difference(inputs, first, position).is_none() {
                dropped.push(position);
                continue;
            }
            // What one input has twice stays its own affair.
            let kept = other.filter(|kept| kept.0 != position.0);
            match kept.map(|kept| (kept, difference(inputs, kept, position))) {
                Some((_, None)) => dropped.push(position),
                Some((kept, Some(what))) => self.several.push(format!(
                    "`{}` of {}, {} and {} (the last two differ in {what})",
                    escape(old_name(inputs, first)),
                    input_name(inputs, first),
                    input_name(inputs, kept),
                    input_name(inputs, position),
                )),
                None => {
                    other = Some(position);
                    self.names.insert(position, new_name(inputs, position, prefix));
                }
            }
        }
        dropped
    }

    /// Refuses new names that other functions have, and three functions of one name.
    pub(super) fn check(&self, inputs: &[Named<'_, '_>]) -> Result<()> {
        let new: HashMap<&[u8], Position> =
            self.names.iter().map(|(position, name)| (name.as_slice(), *position)).collect();
        let mut taken = Vec::new();
        for input in inputs.iter().filter(|_| !new.is_empty()) {
            for function in input.library.functions() {
                let Some(&position) = new.get(function.name_bytes()) else { continue };
                taken.push(format!(
                    "`{}` for `{}` of {}; {} has a function of this name already",
                    escape(function.name_bytes()),
                    escape(old_name(inputs, position)),
                    input_name(inputs, position),
                    input.name
                ));
            }
        }
        let mut faults = Vec::new();
        if !taken.is_empty() {
            faults.push(format!(
                "functions would get names that others have; choose another prefix:{}",
                lines(taken)
            ));
        }
        if !self.several.is_empty() {
            faults.push(format!(
                "more than two different functions of one name, and one prefix serves one library \
                 besides the first; before the merge rename the functions of one of them, with \
                 mtlpack rename:{}",
                lines(self.several.iter().cloned())
            ));
        }
        if faults.is_empty() { Ok(()) } else { Err(Error::refused(faults.join("\n"))) }
    }

    /// What is renamed, a sentence for each input.
    pub(super) fn notes(&self, inputs: &[Named<'_, '_>]) -> Vec<String> {
        let all: Vec<(&Position, &Vec<u8>)> = self.names.iter().collect();
        let note = |of_input: &[(&Position, &Vec<u8>)]| {
            let names: Vec<&[u8]> = of_input.iter().map(|(_, name)| name.as_slice()).collect();
            let input = of_input.first().map_or("", |(position, _)| input_name(inputs, **position));
            format!(
                "renamed in {input}, for earlier inputs have other functions of their names: {}",
                some(&names)
            )
        };
        all.chunk_by(|(a, _), (b, _)| a.0 == b.0).map(note).collect()
    }

    /// All that are renamed.
    pub(super) fn list(&self, inputs: &[Named<'_, '_>]) -> Vec<Renaming> {
        let renaming = |(position, new): (&Position, &Vec<u8>)| Renaming {
            input: input_name(inputs, *position).to_owned(),
            old: old_name(inputs, *position).to_vec(),
            new: new.clone(),
        };
        self.names.iter().map(renaming).collect()
    }

    /// Renames in the part of an input that has its functions at these indices.
    pub(super) fn apply<'a>(
        &self,
        input: usize,
        name: &str,
        indices: &[usize],
        part: LibraryBuilder<'a>,
        notes: &mut Vec<String>,
    ) -> Result<LibraryBuilder<'a>> {
        let of_input = self.names.range((input, 0)..=(input, usize::MAX));
        let names: BTreeMap<usize, Vec<u8>> = of_input
            .filter_map(|((_, index), name)| {
                Some((indices.binary_search(index).ok()?, name.clone()))
            })
            .collect();
        if names.is_empty() {
            return Ok(part);
        }
        rename_part(name, part, &names, notes)
    }
}

/// Gives functions of a part of `input` other names, by their indices in it.
pub(crate) fn rename_part<'a>(
    input: &str,
    part: LibraryBuilder<'a>,
    names: &BTreeMap<usize, Vec<u8>>,
    notes: &mut Vec<String>,
) -> Result<LibraryBuilder<'a>> {
    let wrong = || Error::library(input);
    let library = part.finish().map_err(wrong())?;
    let renamed = Renamed::new(Named { name: input, library: &library }, names, (false, 1))?;
    // Only the modules of renamed functions are made anew, so this needs no batches.
    let edited = renamed.map(|renamed| renamed.draft(input).finish()).transpose()?;
    let library = edited.map_or(library, |edited| {
        notes.extend(edited.notes);
        edited.library
    });
    library.edit(false).map_err(wrong())
}

fn input_name<'n>(inputs: &[Named<'n, '_>], position: Position) -> &'n str {
    inputs.get(position.0).map_or("", |input| input.name)
}

fn old_name<'n>(inputs: &[Named<'n, '_>], (input, index): Position) -> &'n [u8] {
    let function = inputs.get(input).and_then(|input| input.library.functions().get(index));
    function.map_or(&[], |function| function.name_bytes())
}

fn new_name(inputs: &[Named<'_, '_>], position: Position, prefix: &[u8]) -> Vec<u8> {
    [prefix, old_name(inputs, position)].concat()
}
