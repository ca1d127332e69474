//! What is looked at, and how: what is passed over does not differ.

use std::borrow::Cow;

use metallib::{Archive, FourCc};

use super::Ignored;
use crate::archive::Budget;
use crate::paths::{Form, PathRules};
use crate::strip::{ModuleStrip, archive_without_paths};

/// How libraries are looked at.
pub(super) struct Eyes {
    pub(super) ignored: Ignored,
    /// Leaves of paths only the names of files.
    rules: PathRules,
    modules: ModuleStrip,
}

impl Eyes {
    pub(super) fn new(ignored: Ignored) -> Self {
        let rules = PathRules::default();
        let modules = ModuleStrip { debug_info: false, paths: Some(rules.clone()) };
        Self { ignored, rules, modules }
    }

    /// Whether a tag of a function is compared. Tags that say where something stands or how large
    /// it is are not: what they stand for is compared.
    pub(super) fn is_seen(&self, id: FourCc) -> bool {
        match id {
            FourCc::OFFT | FourCc::MDSZ | FourCc::SOFF | FourCc::RFLT => false,
            FourCc::HASH => !self.ignored.hash,
            FourCc::DEPF => !self.ignored.sources,
            _ => true,
        }
    }

    /// A payload as it is compared.
    pub(super) fn payload<'p>(&self, id: FourCc, payload: &'p [u8]) -> Cow<'p, [u8]> {
        let behind = match id {
            FourCc::DEBI => 4,
            FourCc::DEPF => 0,
            _ => return Cow::Borrowed(payload),
        };
        let Some((lead, path)) = payload.split_at_checked(behind) else { return payload.into() };
        let (path, end) = match path.strip_suffix(&[0]) {
            Some(path) => (path, &[0][..]),
            None => (path, &[][..]),
        };
        match self.text(path, Form::File) {
            Cow::Owned(path) => [lead, &path, end].concat().into(),
            Cow::Borrowed(_) => payload.into(),
        }
    }

    /// A text with paths as it is compared.
    pub(super) fn text<'t>(&self, text: &'t [u8], form: Form) -> Cow<'t, [u8]> {
        let new = self.ignored.paths.then(|| self.rules.apply(text, form)).flatten();
        new.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// The payload of a source archive as it is compared. One that cannot be read is compared as
    /// it stands.
    pub(super) fn archive<'r>(
        &self,
        index: usize,
        archive: &'r Archive<'_>,
        budget: &mut Budget,
    ) -> Cow<'r, [u8]> {
        let new = self.ignored.paths.then(|| {
            archive_without_paths("archive", &self.rules, index, archive, budget).ok().flatten()
        });
        match new.flatten() {
            Some(new) => new.data().to_vec().into(),
            None => archive.data().into(),
        }
    }

    /// Whether two modules of other bytes are the same without their paths.
    pub(super) fn are_alike(&self, one: &[u8], other: &[u8]) -> bool {
        if !self.ignored.paths || one.is_empty() || other.is_empty() {
            return false;
        }
        let bare = |module: &[u8]| {
            let mut bare = Vec::with_capacity(module.len());
            self.modules.apply(module, &mut bare).ok().map(|_| bare)
        };
        bare(one).is_some_and(|one| bare(other) == Some(one))
    }
}
