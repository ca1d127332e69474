//! Inputs of commands.

use std::path::PathBuf;

use metallib::Library;

use super::failure::Failure;
use crate::error::Error;
use crate::io::Input;

/// Opens all inputs.
#[allow(dead_code)]
pub(super) fn open_all(paths: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    paths.iter().map(|path| Ok(Input::open(path)?)).collect()
}

/// Parses an input.
pub(super) fn parse(input: &Input) -> Result<Library<'_>, Failure> {
    Library::parse(input.bytes())
        .map_err(|error| Failure::on(Error::library(input.name())(error), [input]))
}
