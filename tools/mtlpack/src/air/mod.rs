//! What AIR modules say of systems and versions: target triples, and which versions came with
//! which system.

mod triple;
pub(crate) mod versions;

pub(crate) use triple::{Triple, platform, system};
