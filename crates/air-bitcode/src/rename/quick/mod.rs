//! Renaming one function of a module of the form that LLVM writes, without keeping anything
//! of it.
//!
//! The tree that [`Module::rename`] makes of a module takes most of its time, and a library
//! has tens of thousands of modules of one function. Here a [`Finder`] walks over the bits
//! once and notes what has to change; what does not is then copied, nearly all of it as
//! bytes, for blocks stand on 32-bit borders.
//!
//! The tree is the law: whatever is not sure to come out the same (modules of version 1, names
//! in debug information, an order or abbreviations that LLVM does not write, anything damaged,
//! and every rename that is refused) gives none, and is left to it.

mod find;
mod strings;
mod write;

use super::report::RenameReport;
use super::targets::{Rename, check_names};
use crate::error::Result;
use crate::module::Module;
use crate::skim::Frame;
use crate::skim::{Definitions, Infos};
use crate::symbols::GlobalKind;
use find::{Edit, Finder};

/// Renames functions of modules, one after the other, with the same buffers.
///
/// What it writes is what [`Module::rename`] makes, in less time.
///
/// ```
/// use air_bitcode::{Rename, Renamer};
/// # fn rename(modules: &[Vec<u8>]) -> air_bitcode::Result<Vec<u8>> {
/// let (mut renamer, mut out) = (Renamer::new(), Vec::new());
/// for module in modules {
///     renamer.rename(module, &[Rename::new("blur", "ours::blur")], &mut out)?;
/// }
/// # Ok(out)
/// # }
/// # assert!(rename(&[b"MTLB".to_vec()]).is_err());
/// ```
#[derive(Debug, Default)]
pub struct Renamer {
    infos: Infos,
    buffers: Buffers,
}

/// What is used again for the next module.
#[derive(Debug, Default)]
struct Buffers {
    /// Abbreviations by the kind of their block.
    own: Own,
    /// What changes, in order.
    edits: Vec<Edit>,
    /// Value ids of the functions that have a body.
    defined: Vec<u64>,
    /// Where the bodies begin in the output.
    bodies: Vec<u64>,
}

#[derive(Debug, Default)]
struct Own {
    module: Definitions,
    metadata: Definitions,
    /// Of metadata in functions.
    function: Definitions,
    table: Definitions,
    strings: Definitions,
}

impl Renamer {
    /// A renamer with empty buffers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Renames functions of a module, in its wrapper or without, and writes wrapper, bitstream
    /// and padding behind what `out` holds.
    ///
    /// # Errors
    /// As [`Module::parse`], [`Module::rename`] and [`Renamed::write`](super::Renamed::write).
    pub fn rename(
        &mut self,
        module: &[u8],
        renames: &[Rename<'_>],
        out: &mut Vec<u8>,
    ) -> Result<RenameReport> {
        if let &[only] = renames
            && let Some(report) = self.rename_quickly(module, only, out)
        {
            return Ok(report);
        }
        let renamed = Module::parse(module)?.rename(renames)?;
        renamed.write(out)?;
        Ok(*renamed.report())
    }

    /// As [`Renamer::rename`], but for one function, and only if the module is of the form
    /// that executable libraries have them in; if not, `out` stays as it was.
    pub fn rename_quickly(
        &mut self,
        module: &[u8],
        rename: Rename<'_>,
        out: &mut Vec<u8>,
    ) -> Option<RenameReport> {
        let start = out.len();
        let report = self.attempt(module, rename, out);
        if report.is_none() {
            out.truncate(start);
        }
        report
    }

    fn attempt(
        &mut self,
        module: &[u8],
        rename: Rename<'_>,
        out: &mut Vec<u8>,
    ) -> Option<RenameReport> {
        if rename.old == rename.new || check_names(&rename, GlobalKind::Function).is_err() {
            return None;
        }
        fetch(module);
        let frame = Frame::read(module, &mut self.buffers.own.strings)?;
        let found = Finder::find(&frame, rename, &mut self.infos, &mut self.buffers)?;
        // Room at once for what is copied and what is added.
        out.reserve(module.len() + 3 * rename.new.len() + 64);
        let mut report = None;
        let written = frame.envelope.write(out, |out| {
            report = found.write(&frame, rename, &mut self.buffers, out);
            Ok(())
        });
        written.ok()?;
        report
    }
}

/// Bytes that a processor fetches at a time.
const LINE: usize = 64;

/// Has the module fetched from memory in one go: the walk jumps from block to block, and would
/// wait for each, where all of it is copied soon anyway.
fn fetch(module: &[u8]) {
    std::hint::black_box(module.iter().step_by(LINE).fold(0, |sum: u8, byte| sum ^ byte));
}
