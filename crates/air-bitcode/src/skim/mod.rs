//! Walks over bits of which little is wanted, without decoding the rest.
//!
//! What it gives are options: none where the bits are of another form than LLVM has written
//! since 2018, or damaged. Then the whole is to be decoded, which says what is wrong.

mod definitions;
mod short;
mod top;
mod walk;

pub(crate) use definitions::Definitions;
pub(crate) use short::Short;
pub(crate) use top::{Top, once};
pub(crate) use walk::{Inner, Step, Walk};
