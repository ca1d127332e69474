//! DEBI: where a function stands in its source.

use air_bitcode::Subprogram;
use metallib::FourCc;
use metallib::metadata::DebugInfo;

use super::{Debug, Derivation, Result, Subject};

/// Versions of debug information: plain nodes, as LLVM 3.5 has them, and records of its own.
const OLD: i64 = 1;
const NEW: i64 = 3;

impl Derivation<'_, '_> {
    /// Line and path of the function's subprogram. The tag is there exactly if the module has
    /// the flag `Debug Info Version`.
    pub(crate) fn debug(&mut self, subject: &Subject<'_>) -> Result<Debug> {
        match self.info.debug_info {
            None => return Ok(Debug::None),
            Some(OLD | NEW) => {}
            Some(other) => {
                let what = format!("debug information of version {other} is not known");
                return Err(subject.refuse(FourCc::DEBI, what));
            }
        }
        if self.subprograms.is_none() {
            self.subprograms = Some(self.air.subprograms(self.module)?);
        }
        let Some(all) = &self.subprograms else { return Ok(Debug::Gone) };
        let found = self.air.subprogram(subject.value, all, &mut self.bodies)?;
        let Some(subprogram) = found else { return Ok(Debug::Gone) };
        let Ok(line) = u32::try_from(subprogram.line) else {
            let what = format!("line {}, expected at most 32 bits", subprogram.line);
            return Err(subject.refuse(FourCc::DEBI, what));
        };
        let path = path(subprogram);
        if path.contains(&0) {
            let what = "the path of the source holds a NUL".to_owned();
            return Err(subject.refuse(FourCc::DEBI, what));
        }
        Ok(Debug::Info(DebugInfo { line, path }))
    }
}

/// The file's name if it is absolute, else behind its folder; in modules of 2015 always behind
/// its folder. Nothing else is done to the path.
fn path(subprogram: Subprogram) -> Vec<u8> {
    let Subprogram { file, folder, is_old, .. } = subprogram;
    if file.starts_with(b"/") && !is_old { file } else { [folder, file].join(&b'/') }
}
