//! Another target for a module: triple, AIR version, language version.
//!
//! | where | what is done |
//! |---|---|
//! | `TRIPLE`, and its copy in SYMTAB | another text |
//! | `air.version`, `air.language_version` | the node names other numbers |
//!
//! The numbers of a version are constants, and these and the metadata values of them are shared by
//! all that needs the same number. So none is edited: the node is pointed at others that hold
//! the numbers, and those that are missing are put in behind the last of their kind, which
//! renumbers all that follows.
//!
//! What the module *is* does not change: whether the target understands it is the caller's to ask.

mod insert;
mod triple;
mod versions;

use crate::edited::Edited;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::module as codes;
use crate::module::Module;
use versions::Change;

/// What a module is to say of its target. What is not given stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target<'t> {
    /// The target triple, such as `air64-apple-macosx14.0.0`.
    pub triple: Option<&'t str>,
    /// The AIR version: major, minor. Its patch becomes 0 where one of them changes.
    pub air: Option<[u32; 2]>,
    /// The version of the language: the same.
    pub language: Option<[u32; 2]>,
}

/// What was done to a module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetargetReport {
    /// Whether the triple is another.
    pub triple: bool,
    /// Whether the AIR version is.
    pub air: bool,
    /// Whether the language version is.
    pub language: bool,
    /// Constants that were added.
    pub constants: usize,
    /// Metadata that was added: values, and nodes where something else used the old one too.
    pub metadata: usize,
}

/// A module for another target, to be written.
pub type Retargeted<'a> = Edited<'a, RetargetReport>;

impl<'a> Module<'a> {
    /// Has the module say that it is for another target.
    ///
    /// ```
    /// use air_bitcode::{Module, Target};
    /// # fn retarget(bytes: &[u8]) -> air_bitcode::Result<Vec<u8>> {
    /// let target = Target { triple: Some("air64-apple-macosx14.0.0"), ..Target::default() };
    /// Module::parse(bytes)?.retarget(&target)?.to_bytes()
    /// # }
    /// # assert!(retarget(b"MTLB").is_err());
    /// ```
    ///
    /// # Errors
    /// If the module does not say what is to change, or in another form; if it holds a hash of
    /// itself, or has a block or record whose ids are not known
    /// ([`ErrorKind::Unknown`]); if a part of it cannot be read.
    pub fn retarget(mut self, target: &Target<'_>) -> Result<Retargeted<'a>> {
        let mut report = RetargetReport::default();
        let changes = self.changes(target)?;
        let triple = target.triple.filter(|new| !self.has_triple(new));
        if changes.is_empty() && triple.is_none() {
            return Ok(Edited { module: self, report });
        }
        if let Some(record) = self.record(codes::HASH) {
            return Err(record.error("the module holds a hash of itself"));
        }
        if !changes.is_empty() {
            self.open_module()?;
            versions::apply(&mut self, &changes, &mut report).within(|| "MODULE")?;
        }
        if let Some(triple) = triple {
            triple::set(&mut self, triple)?;
            report.triple = true;
        }
        report.air = changes.iter().any(|change| change.list == versions::AIR);
        report.language = changes.iter().any(|change| change.list == versions::LANGUAGE);
        Ok(Edited { module: self, report })
    }

    fn has_triple(&self, triple: &str) -> bool {
        self.triple().is_ok_and(|found| found.as_deref() == Some(triple))
    }

    /// The versions that are others.
    fn changes(&self, target: &Target<'_>) -> Result<Vec<Change>> {
        if target.air.is_none() && target.language.is_none() {
            return Ok(Vec::new());
        }
        let metadata = self.air_metadata()?;
        let wanted = [(versions::AIR, target.air), (versions::LANGUAGE, target.language)];
        let mut changes = Vec::new();
        for (list, wanted) in wanted {
            let Some(wanted) = wanted else { continue };
            let Some([node]) = metadata.metadata().named(list) else {
                let what = format!("expected one node in `{list}`");
                return Err(Error::nowhere(ErrorKind::Value { what }));
            };
            changes.extend(Change::of(&metadata, list, *node, wanted)?);
        }
        Ok(changes)
    }
}
