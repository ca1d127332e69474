//! What an input is: a module, a library, or a static archive of modules.

use metallib::{BITCODE_MAGIC, ErrorKind, Library, WRAPPER_MAGIC, Wrapper};

use super::archive_members::{self, members, name_in};
use crate::error::{Error, Result};

/// An input that was told from its first bytes.
#[derive(Clone, Debug)]
pub(super) struct Source<'a> {
    /// Its name for messages; for a member of an archive `archive(member)`.
    pub(super) name: String,
    pub(super) content: Content<'a>,
}

/// What an input holds.
#[derive(Clone, Debug)]
pub(super) enum Content<'a> {
    /// A module, in its wrapper or without.
    Module(&'a [u8]),
    /// A library.
    Library(Box<Library<'a>>),
}

/// Tells what an input is; a static archive gives its members.
///
/// # Errors
/// If it is something else, saying what; if a library or an archive does not parse.
pub(super) fn read<'a>(name: &str, bytes: &'a [u8]) -> Result<Vec<Source<'a>>> {
    let source = |content| vec![Source { name: name.to_owned(), content }];
    if is_module(bytes) {
        return Ok(source(Content::Module(bytes)));
    }
    if bytes.starts_with(archive_members::MAGIC) || bytes.starts_with(archive_members::THIN) {
        return read_archive(name, bytes);
    }
    match Library::parse(bytes) {
        Ok(library) => Ok(source(Content::Library(Box::new(library)))),
        Err(error) => Err(describe(name, error)),
    }
}

/// Whether bytes begin as a module does. A wrapper may be cut: its reader says so.
fn is_module(bytes: &[u8]) -> bool {
    bytes.starts_with(&BITCODE_MAGIC)
        || Wrapper::parse(bytes).is_some()
        || bytes.starts_with(&WRAPPER_MAGIC.to_le_bytes())
}

fn read_archive<'a>(name: &str, bytes: &'a [u8]) -> Result<Vec<Source<'a>>> {
    let members = members(name, bytes)?;
    if members.is_empty() {
        return Err(Error::refused(format!("{name}: the static archive has no members")));
    }
    let source = |member: archive_members::Member<'a>| {
        let name = name_in(name, &member.name);
        if is_module(member.data) {
            return Ok(Source { name, content: Content::Module(member.data) });
        }
        match Library::parse(member.data) {
            Ok(_) => Err(Error::refused(format!(
                "{name} is a Metal library; of a static archive only .air is linked, so give the \
                 library itself"
            ))),
            Err(error) => Err(describe(&name, error)),
        }
    };
    members.into_iter().map(source).collect()
}

/// The error for something that cannot be linked.
fn describe(name: &str, error: metallib::Error) -> Error {
    let ErrorKind::NotALibrary { what, next } = error.kind() else {
        return Error::library(name)(error);
    };
    // What begins as a library does, and was cut, is none that could be linked either.
    let next = if next.is_empty() { String::new() } else { format!("; {next}") };
    Error::refused(format!(
        "{name}: this is {what}, expected AIR bitcode (.air), a Metal library or a static archive \
         of .air{next}"
    ))
}
