//! Packing: modules and libraries in, one library out, as a linker does it.
//!
//! | file | what |
//! |---|---|
//! | `inputs`, `archive_members` | what an input is |
//! | `unit`, `traits` | a module, as far as the linker has to know it |
//! | `imports` | what modules need of each other and of dynamic libraries |
//! | `header` | container and dialect |
//! | `order` | the order of functions |
//! | `modules`, `functions` | what is stored of a module, and the entries of its functions |
//! | `packer` | all of it, one after the other |
//!
//! Every module becomes a library of its own, and all of them, with the libraries among the
//! inputs, are merged: so names that clash, platforms and OS versions are dealt with as `merge`
//! does.

mod archive_members;
mod functions;
mod header;
mod imports;
mod inputs;
mod modules;
mod options;
mod order;
mod packer;
mod traits;
mod unit;

use air_bitcode::HeadReader;
use metallib::{Container, Dialect};

use crate::error::Result;
use traits::Traits;

pub use options::PackOptions;
pub use order::Order;
pub use packer::Packer;

/// The container that Apple's tool wrote for a module when the module's compiler was new; none
/// for versions that are not known.
///
/// A packer of today writes the one that belongs to the AIR version, which is newer for many old modules
/// packed by the archiver. Holds for all 1,083 measured libraries; `name` is for messages.
///
/// # Errors
/// If the module cannot be read, or does not say its triple and versions.
pub fn container_of_its_time(
    name: &str,
    module: &[u8],
    dialect: Dialect,
) -> Result<Option<Container>> {
    let head = HeadReader::new().read(module).map_err(|source| unit::wrong(name, source))?;
    Ok(Traits::of(name, &head)?.container_of_its_time(dialect))
}
