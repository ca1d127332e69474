//! Packing of any input.

use metallib::{Dialect, Library};
use mtlpack::{Edited, PackOptions, Packer, Result};

use crate::laws;

/// Any bytes, given as a `.air`: they are refused, or packed into a library that reads back as
/// it was made.
///
/// # Panics
/// If a law does not hold.
pub fn pack(data: &[u8]) {
    let linker = data.len() % 2 == 1;
    let dialect = if linker { Dialect::Linker } else { Dialect::Archiver };
    let Ok(packed) = packed(data, dialect) else { return };
    let bytes = packed.to_vec().expect("a library that was made can be written");
    let library = Library::parse(&bytes).expect("what was written");
    assert!(!library.functions().is_empty());
    // Libraries are taken as they stand.
    if !data.starts_with(&metallib::MAGIC) {
        laws::written(&packed.library, &bytes);
    }
}

fn packed(data: &[u8], dialect: Dialect) -> Result<Edited<'_>> {
    let mut packer = Packer::new(PackOptions { dialect: Some(dialect), ..PackOptions::default() });
    packer.add("input", data)?;
    packer.finish()
}
