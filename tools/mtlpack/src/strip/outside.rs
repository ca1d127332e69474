//! Paths outside of modules: tags of functions, sources, dynamic header.

use std::borrow::Cow;

use metallib::{
    BufferEntry, ExtensionValue, FourCc, Function, LibraryBuilder, Section, Sources, TagList,
};

use super::archives;
use crate::archive::Budget;
use crate::error::{Error, Result};
use crate::paths::{Form, PathRules, reflection_strings, spans};

/// Which paths are others now: how many texts, and in how many source archives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) texts: u64,
    pub(super) archives: u64,
}

impl Changed {
    pub(super) const fn is_nothing(self) -> bool {
        self.texts == 0 && self.archives == 0
    }
}

/// What paths are rewritten by.
#[derive(Clone, Copy)]
pub(super) struct Job<'j> {
    /// Name of the input, for messages.
    pub(super) input: &'j str,
    pub(super) rules: &'j PathRules,
    /// Whether names that libraries are found by change too.
    pub(super) install_names: bool,
    /// Whether times in archives go, as if they had been packed by Apple's tools.
    pub(super) clear_times: bool,
}

impl Job<'_> {
    /// Rewrites all paths of a library but those in modules.
    ///
    /// # Errors
    /// If a reflection entry holds one, or an archive cannot be packed again.
    pub(super) fn rewrite(self, library: &mut LibraryBuilder<'_>) -> Result<Changed> {
        let mut changed = Changed::default();
        for function in &mut library.functions {
            changed.texts += self.function(function).map_err(Error::library(self.input))?;
        }
        for tag in library.extension.iter_mut().flat_map(|extension| &mut extension.tags) {
            let ExtensionValue::Section(section) = &mut tag.value else { continue };
            match section {
                Section::Sources(sources) => self.sources(sources, &mut changed)?,
                Section::Dynamic(tags) if self.install_names => {
                    let is_name = |id| matches!(id, FourCc::NAME | FourCc::DYNL);
                    let count = self.tags(tags, is_name, 0).map_err(Error::library(self.input))?;
                    changed.texts += count;
                }
                Section::Buffers(list) if tag.id == FourCc::RLST => {
                    list.entries().iter().try_for_each(|entry| self.check_reflection(entry))?;
                }
                _ => {}
            }
        }
        Ok(changed)
    }

    fn function(self, function: &mut Function<'_>) -> metallib::Result<u64> {
        let mut count = 0;
        for tags in [&mut function.public, &mut function.private] {
            count += self.tags(tags, |id| id == FourCc::DEBI, 4)?;
            count += self.tags(tags, |id| id == FourCc::DEPF, 0)?;
        }
        Ok(count)
    }

    /// Rewrites the path that stands in the payloads of tags behind so many bytes.
    fn tags(
        self,
        tags: &mut TagList<'_>,
        is_wanted: impl Fn(FourCc) -> bool,
        behind: usize,
    ) -> metallib::Result<u64> {
        let new = |payload: &[u8]| {
            let (lead, text) = payload.split_at_checked(behind)?;
            let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
            let (path, rest) = text.split_at_checked(end)?;
            Some([lead, &self.rules.apply(path, Form::File)?, rest].concat())
        };
        if !tags.iter().any(|tag| is_wanted(tag.id) && new(tag.payload).is_some()) {
            return Ok(0);
        }
        let (mut made, mut count) = (TagList::new(), 0);
        for tag in tags.iter() {
            let payload = Some(tag.payload).filter(|_| is_wanted(tag.id)).and_then(new);
            count += u64::from(payload.is_some());
            made.push(tag.id, payload.as_deref().unwrap_or(tag.payload))?;
        }
        *tags = made;
        Ok(count)
    }

    fn sources(self, sources: &mut Sources<'_>, changed: &mut Changed) -> Result<()> {
        let mut text = |text: &mut Cow<'_, [u8]>, form| {
            if let Some(new) = self.rules.apply(text, form) {
                *text = Cow::Owned(new);
                changed.texts += 1;
            }
        };
        text(&mut sources.link_options, Form::Command);
        if let Some(folder) = &mut sources.working_dir {
            text(folder, Form::Folder);
        }
        let mut budget = Budget::default();
        for (index, archive) in sources.archives.iter_mut().enumerate() {
            if let Some(new) = archives::rewrite(self, index, archive, &mut budget)? {
                *archive = new;
                changed.archives += 1;
            }
        }
        Ok(())
    }

    /// Refuses a reflection entry that holds a path: it is not known what reads it.
    fn check_reflection(self, entry: &BufferEntry<'_>) -> Result<()> {
        let mut found = None;
        reflection_strings(entry, |text| {
            let span = spans(text, Form::Text).next();
            let path = span.and_then(|span| text.get(span.range));
            found = found.take().or(path.map(|path| String::from_utf8_lossy(path).into_owned()));
        });
        found.map_or(Ok(()), |path| {
            Err(Error::refused(format!(
                "{}: the reflection entry at offset {:#x} holds the path `{path}`, which is not \
                 rewritten there; strip --reflection removes all entries",
                self.input,
                entry.tags.offset()
            )))
        })
    }
}
