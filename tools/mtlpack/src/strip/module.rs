//! What is removed from the inside of a module.

use air_bitcode::Module;

use crate::paths::{HOLDING, PathRules, form_of};

/// What is removed from modules.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleStrip {
    /// What becomes of paths, if they are to go.
    pub(crate) paths: Option<PathRules>,
}

impl ModuleStrip {
    /// Whether nothing is removed, whatever a module holds.
    pub(super) const fn is_nothing(&self) -> bool {
        self.paths.is_none()
    }

    /// Whether there is something to remove from a module.
    pub(super) fn changes(&self, module: &[u8]) -> air_bitcode::Result<bool> {
        let Some(rules) = &self.paths else { return Ok(false) };
        let texts = Module::parse(module)?.texts(HOLDING)?;
        Ok(texts.iter().any(|text| rules.apply(&text.bytes, form_of(text)).is_some()))
    }

    /// Removes it; the result goes behind what `out` holds. Gives the number of texts that are
    /// others now.
    pub(crate) fn apply(&self, module: &[u8], out: &mut Vec<u8>) -> air_bitcode::Result<u64> {
        let module = Module::parse(module)?;
        let rules = self.paths.as_ref();
        let rewritten =
            module.rewrite_texts(HOLDING, |text| rules?.apply(&text.bytes, form_of(text)))?;
        rewritten.write(out)?;
        Ok(rewritten.texts() as u64)
    }
}
