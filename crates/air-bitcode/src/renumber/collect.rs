//! What nobody refers to.

/// What was taken out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Collected {}

pub(crate) fn collect() {}
