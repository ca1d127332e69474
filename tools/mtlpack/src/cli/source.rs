//! Inputs of commands.

use std::path::PathBuf;

use metallib::{BITCODE_MAGIC, Library, Wrapper};

use super::failure::Failure;
use super::printer::Printer;
use crate::Named;
use crate::error::Error;
use crate::io::Input;

/// Opens all inputs.
pub(super) fn open_all(paths: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    paths.iter().map(|path| Ok(Input::open(path)?)).collect()
}

/// Opens all inputs; in the place of a folder that `split` made stand its libraries, in
/// the order of its index. Gives the libraries and the indexes.
pub(super) fn open_all_or_split(paths: &[PathBuf]) -> Result<(Vec<Input>, Vec<Input>), Failure> {
    let (mut libraries, mut indexes) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            let index = path.join(crate::INDEX_FILE);
            if !index.exists() {
                return Err(Error::refused(format!(
                    "the folder `{}` was not made by `split` (it has no {}): name its files instead",
                    path.display(),
                    crate::INDEX_FILE
                ))
                .into());
            }
            let index = Input::open(index)?;
            libraries.extend(open_all(&crate::read_index(path, index.text()?)?)?);
            indexes.push(index);
        } else {
            libraries.push(Input::open(path)?);
        }
    }
    Ok((libraries, indexes))
}

/// Whether an input is a module by itself: an `.air` file, or bitcode.
pub(super) fn is_module(input: &Input) -> bool {
    let bytes = input.bytes();
    bytes.starts_with(&BITCODE_MAGIC) || Wrapper::parse(bytes).is_some()
}

/// What to do with a module where a library is expected.
pub(super) const MODULE_HINT: &str = "`pack` links modules into a library; of the other commands only `symbols`, `paths`, `strip` and `normalize` take one by itself, and LLVM's `llvm-dis` shows its text";

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

/// Does something with every input. One that fails hides none of the others; the last
/// failure is the result, those before it are printed.
pub(super) fn for_each(
    paths: &[PathBuf],
    printer: &mut Printer,
    mut each: impl FnMut(&Input, &mut Printer) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut failed: Option<Failure> = None;
    for path in paths {
        let opened = Input::open(path).map_err(Failure::from);
        match opened.and_then(|input| each(&input, printer)) {
            Ok(()) => {}
            Err(failure) if failure.is_broken_pipe() => return Err(failure),
            Err(failure) => {
                if let Some(earlier) = failed.replace(failure) {
                    printer.error(&earlier);
                }
            }
        }
    }
    failed.map_or(Ok(()), Err)
}
