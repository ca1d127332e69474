//! Libraries without what renames leave in string tables.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::missing_panics_doc)]

use air_bitcode::Module;
use metallib::{ExtensionTag, FourCc, Library, LibraryBuilder};
use metallib_write::{Plan, UuidAction, WriteOptions};

/// The library without the ends of string tables that nothing uses, and how many bytes these
/// are. With [`UuidAction::Keep`] its UUID is that of `original`.
#[must_use]
pub fn trimmed(bytes: &[u8], uuid: UuidAction, original: &Library<'_>) -> (Vec<u8>, u64) {
    let library = Library::parse(bytes).unwrap();
    let (mut builder, mut removed) = (library.edit(false).unwrap(), 0);
    let kept = kept_hashes(original);
    for (module, kept) in builder.modules.iter_mut().zip(kept) {
        let trimmed = Module::parse(module.bytes()).unwrap().trim_strings().unwrap();
        removed += trimmed.removed();
        *module = module.with_bytes(trimmed.to_bytes().unwrap(), kept);
    }
    if let (UuidAction::Keep, Some(uuid)) = (uuid, original.uuid()) {
        let tag = ExtensionTag::data(FourCc::UUID, uuid.to_vec());
        builder.extension.as_mut().unwrap().set(tag);
    }
    let library = LibraryBuilder::finish(builder).unwrap();
    let options = WriteOptions { uuid, ..WriteOptions::default() };
    let bytes = Plan::new(&library, options).unwrap().to_vec();
    (bytes, removed)
}

/// Of each module, whether its HASH follows no known formula.
fn kept_hashes(library: &Library<'_>) -> Vec<bool> {
    let mut kept = vec![false; library.modules().len()];
    for function in library.functions() {
        let module = library.module_of(function).unwrap();
        let hash =
            function.hash().is_some_and(|h| *h != metallib_write::module_hash(module.bytes()));
        kept[function.module.unwrap().index()] |= hash;
    }
    kept
}
