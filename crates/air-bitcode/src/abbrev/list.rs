//! Abbreviations in effect where a block begins.

use std::sync::Arc;

use super::Abbreviation;
use crate::error::{Error, ErrorKind, Result};

/// Abbreviations that may be in effect in one block.
pub const MAX_ABBREVIATIONS: usize = 256;

/// Abbreviations that all blocks of one id begin with. Copies share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inherited(Option<Arc<Vec<Arc<Abbreviation>>>>);

impl Inherited {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[Arc<Abbreviation>] {
        self.0.as_ref().map_or(&[], |list| list.as_slice())
    }

    /// Adds one behind the others.
    pub(crate) fn push(&mut self, abbreviation: Arc<Abbreviation>) -> Result<()> {
        let list = Arc::make_mut(self.0.get_or_insert_default());
        check_count(list.len())?;
        list.push(abbreviation);
        Ok(())
    }
}

/// Refuses a block with more abbreviations than there may be.
pub(crate) fn check_count(before: usize) -> Result<()> {
    if before < MAX_ABBREVIATIONS {
        return Ok(());
    }
    let (what, limit) = ("abbreviations of one block", MAX_ABBREVIATIONS as u64);
    Err(Error::nowhere(ErrorKind::TooMany { what, found: before as u64 + 1, limit }))
}
