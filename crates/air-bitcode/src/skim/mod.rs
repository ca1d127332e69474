//! Walks over bits of which little is wanted, without decoding the rest.
//!
//! What it gives are options: none where the bits are of another form than LLVM has written
//! since 2018, or damaged. Then the whole is to be decoded, which says what is wrong. So
//! whoever writes what it finds here relies on this being as strict as decoding, or stricter.

mod definitions;
mod frame;
mod info;
mod put;
mod short;
mod splice;
mod text;
mod top;
mod walk;

pub(crate) use definitions::Definitions;
pub(crate) use frame::{Blob, Frame, Span};
pub(crate) use info::{Infos, Shorts};
pub(crate) use put::{source_name, write_table};
pub(crate) use short::{Short, Tail, VBR6, WORD};
pub(crate) use splice::Splice;
pub(crate) use text::Text;
pub(crate) use top::{Top, once};
pub(crate) use walk::{Inner, Step, Walk};
