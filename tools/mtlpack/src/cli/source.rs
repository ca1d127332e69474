//! Inputs of commands.

use std::path::PathBuf;

use metallib::Library;

use super::failure::Failure;
use crate::Named;
use crate::error::Error;
use crate::io::Input;

/// Opens all inputs.
pub(super) fn open_all(paths: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    paths.iter().map(|path| Ok(Input::open(path)?)).collect()
}

/// Parses an input.
pub(super) fn parse(input: &Input) -> Result<Library<'_>, Failure> {
    Library::parse(input.bytes())
        .map_err(|error| Failure::on(Error::library(input.name())(error), [input]))
}

/// Parses all inputs.
pub(super) fn parse_all(inputs: &[Input]) -> Result<Vec<Library<'_>>, Failure> {
    inputs.iter().map(parse).collect()
}

/// A library under the name of its input.
pub(super) fn named<'l, 'a>(input: &'l Input, library: &'l Library<'a>) -> Named<'l, 'a> {
    Named { name: input.name(), library }
}

/// Libraries under the names of their inputs.
pub(super) fn named_all<'l, 'a>(
    inputs: &'l [Input],
    libraries: &'l [Library<'a>],
) -> Vec<Named<'l, 'a>> {
    inputs.iter().zip(libraries).map(|(input, library)| named(input, library)).collect()
}
