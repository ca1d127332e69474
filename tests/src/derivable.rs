//! Modules whose metadata gives every tag that is known.
#![allow(clippy::expect_used, clippy::missing_panics_doc)]

use air_bitcode::{Module, Text};

/// The module of `data/vertex.ll`: VATT, VATY, CNST, LAYR and DEBI.
pub const VERTEX: &[u8] = include_bytes!("../data/vertex.bc");

/// The module of `data/patch.ll`: TESS.
pub const PATCH: &[u8] = include_bytes!("../data/patch.bc");

/// The module of `data/image.ll`: RETR and ARGR.
pub const IMAGE: &[u8] = include_bytes!("../data/image.bc");

/// A module with other texts in its metadata, in a wrapper.
#[must_use]
pub fn with_text(module: &[u8], old: &str, new: &str) -> Vec<u8> {
    let parsed = Module::parse(module).expect("a module");
    let rewrite = |text: &Text<'_>| (*text.bytes == *old.as_bytes()).then(|| new.into());
    let rewritten = parsed.rewrite_texts(old.as_bytes(), rewrite).expect("a module");
    assert_eq!(rewritten.texts(), 1, "{old}");
    let bytes = rewritten.to_bytes().expect("a module that can be written");
    metallib::wrap(&bytes).expect("bitcode")
}
