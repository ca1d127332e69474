//! `diff`: what is different between two libraries.
//!
//! Functions are paired by name. Those that are in both are compared by their tags and metadata,
//! by their reflection, and by the bytes of their modules, which are read in windows. The stored
//! HASH is a tag like others: bytes decide. Symbols are only read of modules that differ.

mod eyes;
mod fields;
mod functions;
mod layout;
mod library;
mod lines;
mod modules;
mod summary;
mod tags;

use std::path::Path;

use metallib::{Library, Module};

use crate::disassemble::disassemble_module;
use crate::edited::Named;
use crate::error::Result;
use crate::io::Input;

use eyes::Eyes;
pub use functions::{FunctionChange, OneSided};
pub use modules::Symbols;
pub use summary::FamilyChange;

/// What [`diff`] passes over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ignored {
    /// The UUID.
    pub uuid: bool,
    /// What [`normalize`](crate::normalize) makes the same, but for the UUID: folders of absolute
    /// paths, in modules, tags, and sources.
    pub paths: bool,
    /// Embedded sources, and the tags SOFF and DEPF.
    pub sources: bool,
    /// Tag HASH. A module of other bytes is still another one.
    pub hash: bool,
}

/// How libraries are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiffOptions {
    /// What is passed over.
    pub ignored: Ignored,
    /// Threads that read modules.
    pub threads: usize,
}

/// Something that differs, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FieldChange {
    /// What it is.
    pub field: String,
    /// What the first library has; `None` for nothing.
    pub old: Option<String>,
    /// What the second one has.
    pub new: Option<String>,
}

/// A part of a library whose size differs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SectionChange {
    /// Which part, as [`section_sizes`](crate::section_sizes) calls it.
    pub section: String,
    /// Bytes in the first library.
    pub old: u64,
    /// Bytes in the second.
    pub new: u64,
}

/// What is different between two libraries.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Diff {
    /// Name of the first library.
    pub old: String,
    /// Name of the second one.
    pub new: String,
    /// Whether nothing differs that is not passed over.
    pub same: bool,
    /// Bytes of the first.
    pub old_size: u64,
    /// Bytes of the second.
    pub new_size: u64,
    /// How much larger the second is, in percent of the first.
    pub growth: f64,
    /// How many functions the first has.
    pub old_functions: u64,
    /// How many functions the second has.
    pub new_functions: u64,
    /// How many functions are in both and do not differ.
    pub unchanged: u64,
    /// Whether the functions that are in both stand in another order.
    pub reordered: bool,
    /// What differs in header, extension, sources and lists behind the bitcode.
    pub fields: Vec<FieldChange>,
    /// Whether tags, sections or modules are laid out or shared in another way; only looked for
    /// where nothing else differs.
    pub layout: bool,
    /// Sizes of parts. They are told; by themselves they are no difference.
    pub sections: Vec<SectionChange>,
    /// Families in which functions differ, those whose size changed most first.
    pub families: Vec<FamilyChange>,
    /// Functions that are only in the first library, in its order.
    pub removed: Vec<OneSided>,
    /// Functions that are only in the second, in its order.
    pub added: Vec<OneSided>,
    /// Functions that are in both and differ, in the order of the first.
    pub changed: Vec<FunctionChange>,
}

/// A library and where it was read from.
#[derive(Clone, Copy)]
struct Side<'s, 'a> {
    input: &'s Input,
    library: &'s Library<'a>,
}

/// Compares two libraries, each read from its input, which is seen through windows.
///
/// ```
/// use mtlpack::io::Input;
/// use mtlpack::{DiffOptions, diff};
///
/// # let bytes = include_bytes!("../../../../examples/scale.metallib");
/// let input = Input::from_bytes("scale.metallib", bytes.to_vec());
/// let library = mtlpack::metallib::Library::parse(input.bytes()).unwrap();
/// let found = diff((&input, &library), (&input, &library), DiffOptions::default())?;
/// assert!(found.same && found.unchanged == 1);
/// # Ok::<(), mtlpack::Error>(())
/// ```
///
/// # Errors
/// If an input cannot be read to its end, or a library was read from another one; if paths are passed
/// over, and modules are shared between so many functions that to compare them takes unbounded
/// work.
pub fn diff(
    old: (&Input, &Library<'_>),
    new: (&Input, &Library<'_>),
    options: DiffOptions,
) -> Result<Diff> {
    let (old, new) = (Side { input: old.0, library: old.1 }, Side { input: new.0, library: new.1 });
    let size = |side: Side<'_, '_>| side.input.bytes().len() as u64;
    let count = |side: Side<'_, '_>| side.library.functions().len() as u64;
    let mut diff = Diff {
        old: old.input.name().to_owned(),
        new: new.input.name().to_owned(),
        old_size: size(old),
        new_size: size(new),
        growth: growth(size(old), size(new)),
        old_functions: count(old),
        new_functions: count(new),
        ..Diff::default()
    };
    let eyes = Eyes::new(options.ignored);
    diff.fields = library::compare(old.library, new.library, &eyes);
    functions::compare(old, new, &eyes, options.threads, &mut diff)?;
    diff.same = diff.fields.is_empty()
        && diff.removed.is_empty()
        && diff.added.is_empty()
        && diff.changed.is_empty()
        && !diff.reordered;
    if diff.same {
        diff.layout = !layout::is_same(old, new, &eyes)?;
        diff.same = !diff.layout;
    }
    diff.sections = summary::sections(old.library, new.library);
    diff.families = summary::families(old.library, new.library, &diff);
    Ok(diff)
}

/// How LLVM's text of a function's module differs: lines of the first library's with `-` in front,
/// of the second's with `+`, and for each place a line `@ -A +B`, its first line in both texts.
///
/// `change` is to be of a [`diff`] of these libraries. The text is what
/// [`disassemble`](crate::disassemble) gives, from the `llvm-dis` at this path or one that is found.
///
/// # Errors
/// As [`disassemble`](crate::disassemble).
pub fn changed_text(
    old: Named<'_, '_>,
    new: Named<'_, '_>,
    change: &FunctionChange,
    llvm_dis: Option<&Path>,
) -> Result<Vec<String>> {
    if !change.module {
        return Ok(Vec::new());
    }
    let text = |side: Named<'_, '_>, index: usize| -> Result<String> {
        let function = side.library.functions().get(index);
        let module = function.and_then(|function| side.library.module_of(function));
        // A module of no bytes has no text.
        let Some(bytes) = module.map(Module::bytes).filter(|bytes| !bytes.is_empty()) else {
            return Ok(String::new());
        };
        Ok(String::from_utf8_lossy(&disassemble_module(bytes, llvm_dis)?.text).into_owned())
    };
    Ok(lines::changed_lines(&text(old, change.pair.0)?, &text(new, change.pair.1)?))
}

/// How much larger, in percent.
#[allow(clippy::cast_precision_loss, reason = "sizes of files")]
fn growth(old: u64, new: u64) -> f64 {
    let (old, new) = (old as f64, new as f64);
    // No library is empty.
    (new - old) / old.max(1.0) * 100.0
}
