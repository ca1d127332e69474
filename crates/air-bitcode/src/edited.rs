//! A module that was edited and is to be written.

use crate::error::Result;
use crate::module::Module;
use crate::write::WriteOptions;

/// A module that was edited, to be written, and the report of what was done to it.
///
/// [`Renamed`](crate::Renamed), [`Stripped`](crate::Stripped) and [`Kept`](crate::Kept) are of
/// this type.
#[derive(Clone, Debug)]
pub struct Edited<'a, R> {
    pub(crate) module: Module<'a>,
    pub(crate) report: R,
}

impl<R: Default + PartialEq> Edited<'_, R> {
    /// What was done.
    #[must_use]
    pub fn report(&self) -> &R {
        &self.report
    }

    /// Whether anything was: else the module is written as it was.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.report != R::default()
    }

    /// Writes wrapper, bitstream and padding behind what `bytes` holds.
    ///
    /// # Errors
    /// If positions cannot be computed or a block is too large.
    pub fn write(&self, bytes: &mut Vec<u8>) -> Result<()> {
        let positions = self.is_changed();
        self.module.write(bytes, WriteOptions { positions, records: false })
    }

    /// The module's bytes.
    ///
    /// # Errors
    /// As [`Edited::write`].
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        Ok(bytes)
    }
}
