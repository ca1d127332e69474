//! What an editing operation gives: a library, what becomes of its UUID, and what to say.

use metallib::{Library, LibraryBuilder};
use metallib_write::{Plan, UuidAction, UuidForm, UuidStatus, WriteOptions};

use crate::error::{Error, Result};

/// A library with the name that messages call it by.
#[derive(Clone, Copy, Debug)]
pub struct Named<'l, 'a> {
    /// Name of the input, such as its path.
    pub name: &'l str,
    /// The library.
    pub library: &'l Library<'a>,
}

/// A function that got another name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Renaming {
    /// Name of the input that it comes from.
    pub input: String,
    /// Its name there, without NUL.
    pub old: Vec<u8>,
    /// Its name in the output, without NUL.
    pub new: Vec<u8>,
}

/// Result of an operation that makes a library.
#[derive(Clone, Debug)]
pub struct Edited<'a> {
    /// The library to write.
    pub library: Library<'a>,
    /// What becomes of its UUID when it is written.
    pub uuid: UuidAction,
    /// What the operation decided on the user's behalf, one sentence each.
    pub notes: Vec<String>,
    /// Functions that got other names, in the order of inputs and functions. A rename lists
    /// them only if its options say so.
    pub renames: Vec<Renaming>,
}

impl<'a> Edited<'a> {
    /// A library that is written as it is.
    #[must_use]
    pub fn unchanged(library: Library<'a>) -> Self {
        Self { library, uuid: UuidAction::Keep, notes: Vec::new(), renames: Vec::new() }
    }

    /// An operation's result where it has nothing to change: the library as it is, or, if
    /// it is irregular and `new_layout` says so, laid out anew.
    pub(crate) fn nothing_to_change(input: Named<'_, 'a>, new_layout: bool) -> Result<Self> {
        let library = input.library.clone();
        if library.is_canonical() || !new_layout {
            return Ok(Self::unchanged(library));
        }
        let editor = library.edit(new_layout);
        let library =
            editor.and_then(LibraryBuilder::finish).map_err(Error::library(input.name))?;
        let notes = vec![format!("{} was irregular and is laid out anew", input.name)];
        Ok(Self { notes, ..Self::unchanged(library) })
    }

    /// Has the UUID computed anew, if `input` has one: MD5 only where its own follows that.
    pub(crate) fn compute_uuid(&mut self, input: Named<'_, '_>) -> Result<()> {
        if input.library.uuid().is_some() {
            let form = new_form(input)?;
            self.uuid = UuidAction::Recompute(form);
            self.notes.push(format!("UUID computed anew ({form} form)"));
        }
        Ok(())
    }

    /// The plan of the output.
    ///
    /// # Errors
    /// If the library cannot be laid out.
    pub fn plan(&self) -> Result<Plan<'_>> {
        let options = WriteOptions { uuid: self.uuid, ..WriteOptions::default() };
        Plan::new(&self.library, options).map_err(Error::library("output"))
    }

    /// The output as one vector.
    ///
    /// # Errors
    /// If the library cannot be laid out.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        Ok(self.plan()?.to_vec())
    }
}

/// The form that a stored UUID follows: what an edit computes it anew by.
pub(crate) const fn form_of(status: UuidStatus) -> Option<UuidForm> {
    match status {
        UuidStatus::Follows(form) => Some(form),
        UuidStatus::Absent | UuidStatus::Other => None,
    }
}

/// The form for the UUID of an edited library. MD5 was only written up to container 1.2.6,
/// so newer libraries need no hashing.
fn new_form(input: Named<'_, '_>) -> Result<UuidForm> {
    if input.library.identity().container.patch() > 6 {
        return Ok(UuidForm::Sha256);
    }
    let status = metallib_write::uuid_status(input.library).map_err(Error::library(input.name))?;
    Ok(form_of(status).unwrap_or(UuidForm::Sha256))
}
