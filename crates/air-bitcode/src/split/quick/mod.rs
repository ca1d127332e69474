//! The module of a function that is alone in it and uses all of it but the source's name: nearly
//! all that compilers make of a file with one function.
//!
//! The tree that [`Splitter`](super::Splitter) needs takes most of its time. Here a module is
//! read once, record by record, into lists that are used again for the next one; if the function
//! is found to use everything, only the source's name goes, and nearly all is copied.
//!
//! The tree is the law: whatever is not sure to come out the same (several bodies, debug
//! information that moves, functions that others see, anything damaged or unused) gives nothing,
//! and is left to it.

mod flat;
mod reach;
mod read;
mod texts;
mod write;

use crate::skim::{Definitions, Frame, Infos};
use crate::symbols::{GlobalRecord, Linkage};
use flat::Flat;
use reach::Reach;
use read::{Edit, Reading, Seen};
use write::Writing;

/// Makes the modules of functions that are alone, one after the other, with the same buffers.
///
/// ```
/// use air_bitcode::{Keeper, Module};
/// # fn link(modules: &[(Vec<u8>, &[u8])]) -> air_bitcode::Result<Vec<Vec<u8>>> {
/// let mut keeper = Keeper::new();
/// let linked = modules.iter().map(|(module, name)| {
///     let mut out = Vec::new();
///     match keeper.keep_alone(module, name, &mut out) {
///         true => Ok(out),
///         false => Module::parse(module)?.keep_entry(name)?.to_bytes(),
///     }
/// });
/// linked.collect()
/// # }
/// # assert!(link(&[(b"MTLB".to_vec(), b"blur")]).is_err());
/// ```
#[derive(Debug, Default)]
pub struct Keeper {
    infos: Infos,
    own: Own,
    flat: Flat,
    edits: Vec<Edit>,
    marks: reach::Buffers,
}

/// Abbreviations by the kind of their block.
#[derive(Debug, Default)]
struct Own {
    module: Definitions,
    types: Definitions,
    groups: Definitions,
    attributes: Definitions,
    constants: Definitions,
    metadata: Definitions,
    function: Definitions,
    /// Those of metadata in the function.
    inside: Definitions,
    table: Definitions,
    strings: Definitions,
    other: Definitions,
}

impl Keeper {
    /// A keeper with empty buffers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes the module of its only function behind what `out` holds, as
    /// [`Module::keep_entry`](crate::Module::keep_entry) makes it, if the module is of the form
    /// that compilers have them in and the function uses all of it; else `out` stays as it was.
    /// Says whether it did.
    pub fn keep_alone(&mut self, module: &[u8], name: &[u8], out: &mut Vec<u8>) -> bool {
        let start = out.len();
        let done = self.attempt(module, name, out).is_some();
        if !done {
            out.truncate(start);
        }
        done
    }

    fn attempt(&mut self, module: &[u8], name: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let frame = Frame::read(module, &mut self.own.strings)?;
        let Self { infos, own, flat, edits, marks } = self;
        flat.begin(frame.stream.data().len());
        edits.clear();
        let (infos, seen) = (Some(infos), Seen::default());
        let seen = Reading { frame: &frame, infos, flat, own, edits, seen }.module()?;
        is_alone(flat, frame.strings.bytes, name)?;
        let gone = Reach::follow(flat, marks)?;
        let texts = texts::Texts::new(flat, &frame, name)?;
        out.reserve(module.len());
        let mut done = None;
        let written = frame.envelope.write(out, |out| {
            let writing = Writing::new(&frame, flat, &gone, own, out);
            done = writing.stream(edits, &seen, name, &texts);
            Ok(())
        });
        written.ok()?;
        done
    }
}

/// Whether the function has this name, and no other definition is seen by other modules.
fn is_alone(flat: &Flat, strings: &[u8], name: &[u8]) -> Option<()> {
    for (index, item) in flat.globals.iter().enumerate() {
        let record = GlobalRecord::of(item.code, flat.first(item), 2)?;
        let global = record.global(0, record.name_in(strings).ok()?.into());
        if index == flat.function {
            (*global.name == *name).then_some(())?;
        } else if global.linkage == Linkage::Appending
            || (global.is_definition && global.linkage.is_visible())
        {
            return None;
        }
    }
    Some(())
}
