//! Libraries without what renames leave in string tables and reflection.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::missing_panics_doc)]

use air_bitcode::Module;
use metallib::{Extension, ExtensionTag, ExtensionValue, FourCc, Library, LibraryBuilder, Section};
use metallib_write::{Plan, UuidAction, WriteOptions};

/// A library without what renaming there and back leaves in it.
pub struct Trimmed {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Bytes of string tables that are gone.
    pub strings: u64,
    /// Reflection entries that are shorter now.
    pub entries: usize,
}

/// The library without the ends of string tables that nothing uses, and without what stands
/// behind the buffers of `original`. With [`UuidAction::Keep`] its UUID is that of `original`.
#[must_use]
pub fn trimmed(bytes: &[u8], uuid: UuidAction, original: &Library<'_>) -> Trimmed {
    let library = Library::parse(bytes).unwrap();
    let (mut builder, mut strings) = (library.edit(false).unwrap(), 0);
    let kept = kept_hashes(original);
    for (module, kept) in builder.modules.iter_mut().zip(kept) {
        let trimmed = Module::parse(module.bytes()).unwrap().trim_strings().unwrap();
        strings += trimmed.removed();
        *module = module.with_bytes(trimmed.to_bytes().unwrap(), kept);
    }
    let entries = builder.extension.as_mut().map_or(0, |e| trim_entries(e, original));
    if let (UuidAction::Keep, Some(uuid)) = (uuid, original.uuid()) {
        let tag = ExtensionTag::data(FourCc::UUID, uuid.to_vec());
        builder.extension.as_mut().unwrap().set(tag);
    }
    let library = LibraryBuilder::finish(builder).unwrap();
    let options = WriteOptions { uuid, ..WriteOptions::default() };
    let bytes = Plan::new(&library, options).unwrap().to_vec();
    Trimmed { bytes, strings, entries }
}

/// Takes the original's entry where a buffer is that of it with something behind.
fn trim_entries<'a>(extension: &mut Extension<'a>, original: &Library<'a>) -> usize {
    let mut trimmed = 0;
    for tag in &mut extension.tags {
        let ExtensionValue::Section(Section::Buffers(list)) = &mut tag.value else { continue };
        if tag.id != FourCc::RLST {
            continue;
        }
        let originals = original.reflection().unwrap().entries();
        for (entry, original) in list.entries_mut().iter_mut().zip(originals) {
            let (Some(buffer), Some(wanted)) = (entry.buffer(), original.buffer()) else {
                continue;
            };
            if buffer.len() > wanted.len() && buffer.starts_with(&wanted) {
                *entry = original.clone();
                trimmed += 1;
            }
        }
    }
    trimmed
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
