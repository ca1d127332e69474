//! What a packer may be told.

use metallib::{Container, Dialect};

use super::order::Order;
use crate::merge::OnDuplicate;

/// How a library is packed.
///
/// ```
/// use mtlpack::PackOptions;
/// use mtlpack::metallib::Dialect;
///
/// let options = PackOptions { dialect: Some(Dialect::Linker), ..PackOptions::default() };
/// assert!(options.container.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct PackOptions {
    /// Whose conventions the output follows. By default the archiver's, which never has
    /// reflection; the linker's for dynamic libraries and imports of them; and where a library
    /// is among the inputs, those of the first one.
    pub dialect: Option<Dialect>,
    /// Version of the container. By default the one that Apple's newest tools write for the
    /// highest AIR version, and no older one than that of a library among the inputs.
    pub container: Option<Container>,
    /// How functions are ordered.
    pub order: Order,
    /// What to do with a name that two inputs have.
    pub on_duplicate: OnDuplicate,
    /// Whether a module with several entry points is stored once for all of them, as dynamic
    /// libraries have it, instead of being split. Saves room; no known executable has it.
    pub share_module: bool,
    /// Makes a dynamic library of this install name, of one module's functions.
    pub install_name: Option<String>,
    /// File name of the output: what the linker writes into executables of container 1.2.9
    /// and later. Empty if there is none.
    pub output_name: Option<String>,
    /// Whether an irregular library among the inputs may be laid out anew.
    pub new_layout: bool,
    /// Threads to read modules with; 0 is one. The output does not depend on it.
    pub threads: usize,
}
