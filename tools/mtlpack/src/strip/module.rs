//! What is removed from the inside of a module.

use air_bitcode::{Module, PATH_LISTS, Strip};
use metallib::printable;

use crate::paths::{HOLDING, PathOccurrence, PathRules, form_of, in_what_is_carried};

/// What is removed from modules.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleStrip {
    /// Whether debug information goes, and with it lists that say where the module was built.
    pub(crate) debug_info: bool,
    /// What becomes of paths, if they are to go.
    pub(crate) paths: Option<PathRules>,
}

/// What was removed from a module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StrippedModule {
    /// Whether there was debug information.
    pub(crate) debug_info: bool,
    /// Texts with paths that are others now.
    pub(crate) texts: usize,
}

/// Debug information, and lists that only say where the module was built.
const DEBUG_INFO: Strip<'static> = Strip { debug_info: true, lists: &PATH_LISTS };

impl ModuleStrip {
    /// Whether nothing is removed, whatever a module holds.
    pub(super) const fn is_nothing(&self) -> bool {
        !self.debug_info && self.paths.is_none()
    }

    /// Whether there is something to remove from a module.
    pub(super) fn changes(&self, bytes: &[u8]) -> Result<bool, Refusal> {
        let module = Module::parse(bytes)?;
        if let Some(rules) = &self.paths {
            if let Some(found) = carried(&module, bytes)? {
                return Err(Refusal::Path(found));
            }
            // All of them: the rules note which of them are for something.
            let is_other =
                |text: &air_bitcode::Text<'_>| rules.apply(&text.bytes, form_of(text)).is_some();
            if module.texts(HOLDING)?.iter().filter(|text| is_other(text)).count() > 0 {
                return Ok(true);
            }
        }
        // Stripped to be sure, and again when it is written: a module that comes out the same is
        // not to give the library another UUID, and to keep all results takes its memory.
        Ok(self.debug_info && module.strip(&DEBUG_INFO)?.is_changed())
    }

    /// Removes it; the result goes behind what `out` holds.
    pub(crate) fn apply(
        &self,
        module: &[u8],
        out: &mut Vec<u8>,
    ) -> air_bitcode::Result<StrippedModule> {
        let parsed = Module::parse(module)?;
        if !self.debug_info {
            let texts = self.rewrite(parsed, out)?;
            return Ok(StrippedModule { debug_info: false, texts });
        }
        let stripped = parsed.strip(&DEBUG_INFO)?;
        let debug_info = stripped.is_changed();
        if self.paths.is_none() {
            stripped.write(out)?;
            return Ok(StrippedModule { debug_info, texts: 0 });
        }
        let bytes = stripped.to_bytes()?;
        let texts = self.rewrite(Module::parse(&bytes)?, out)?;
        Ok(StrippedModule { debug_info, texts })
    }

    /// Writes a module with other paths; gives the number of texts that are others.
    fn rewrite(&self, module: Module<'_>, out: &mut Vec<u8>) -> air_bitcode::Result<usize> {
        let rules = self.paths.as_ref();
        let new = |text: &air_bitcode::Text<'_>| rules?.apply(&text.bytes, form_of(text));
        let rewritten = module.rewrite_texts(HOLDING, new)?;
        rewritten.write(out)?;
        Ok(rewritten.texts())
    }
}

/// The first path of a module where none can be rewritten.
fn carried(module: &Module<'_>, bytes: &[u8]) -> air_bitcode::Result<Option<Box<PathOccurrence>>> {
    let mut first = None;
    in_what_is_carried(module, bytes, &mut |found| {
        first.get_or_insert_with(|| Box::new(found));
    })?;
    Ok(first)
}

/// Why a module is not stripped.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It cannot be read.
    Bitcode(air_bitcode::Error),
    /// It has a path where none can be rewritten.
    Path(Box<PathOccurrence>),
}

impl From<air_bitcode::Error> for Refusal {
    fn from(error: air_bitcode::Error) -> Self {
        Self::Bitcode(error)
    }
}

impl Refusal {
    /// What to say of a path; the module lies at `offset`.
    pub(super) fn of_path(found: &PathOccurrence, offset: u64) -> String {
        format!(
            "the path `{}` in {}, offset {:#x}, cannot be rewritten there; expected none, as in \
             all modules that were measured; build the module without it, or strip without --paths",
            printable(&found.path),
            found.place,
            offset + found.offset
        )
    }
}
