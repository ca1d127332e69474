//! What AIR modules say of systems and versions, and what goes with it.

pub(crate) mod triple;
pub(crate) mod versions;

pub(crate) use triple::Triple;
