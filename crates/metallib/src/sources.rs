//! Embedded sources: sections HSRC (containers up to 1.2.5) and HSRD (from 1.2.6).
//!
//! `u32 count`, link options with NUL, in HSRD the working directory with NUL, then
//! `count` groups whose size word does not count itself. Each group holds SARC (u32
//! length): id, NUL, a bzip2 stream of a tar archive, zero padding.

use std::borrow::Cow;

use crate::FourCc;
use crate::cursor::Cursor;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::group::{SizeWord, read_group};
use crate::irregular::Irregularities;
use crate::tags::TagList;

/// One source archive: one translation unit, or a linked runtime library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive<'a> {
    /// Tags in order; SARC first in every measured file.
    pub tags: TagList<'a>,
}

impl Archive<'_> {
    /// A new archive.
    ///
    /// # Errors
    /// If id and data are larger than 4 GiB.
    pub fn new(id: &[u8], data: &[u8]) -> Result<Self> {
        let mut tags = TagList::new();
        tags.push(FourCc::SARC, &[id, &[0], data].concat())?;
        Ok(Self { tags })
    }

    /// Id without its NUL: a decimal index (linker) or a base name (archiver).
    #[must_use]
    pub fn id(&self) -> &[u8] {
        self.split().0
    }

    /// bzip2 stream and zero padding.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        self.split().1
    }

    /// The same archive under another id.
    ///
    /// # Errors
    /// If id and data are larger than 4 GiB.
    pub fn with_id(&self, id: &[u8]) -> Result<Self> {
        let mut archive = self.clone();
        archive.tags.set(FourCc::SARC, &[id, &[0], self.data()].concat())?;
        Ok(archive)
    }

    fn split(&self) -> (&[u8], &[u8]) {
        let payload = self.tags.payload(FourCc::SARC).unwrap_or_default();
        let end = payload.iter().position(|&byte| byte == 0).unwrap_or(payload.len());
        let (id, rest) = payload.split_at(end);
        (id, rest.get(1..).unwrap_or_default())
    }
}

/// Content of section HSRC or HSRD.
#[derive(Clone, Debug, Default)]
pub struct Sources<'a> {
    /// The linker's command line without its NUL.
    pub link_options: Cow<'a, [u8]>,
    /// The linker's working directory without its NUL; HSRD only.
    pub working_dir: Option<Cow<'a, [u8]>>,
    /// The archives in order.
    pub archives: Vec<Archive<'a>>,
    /// Offset of each archive's SARC tag in the section, as read.
    starts: Vec<u64>,
}

impl<'a> Sources<'a> {
    /// A section without archives.
    #[must_use]
    pub fn new(link_options: Cow<'a, [u8]>, working_dir: Option<Cow<'a, [u8]>>) -> Self {
        Self { link_options, working_dir, ..Self::default() }
    }

    /// Tag of the section: HSRD if it has a working directory.
    #[must_use]
    pub fn id(&self) -> FourCc {
        if self.working_dir.is_some() { FourCc::HSRD } else { FourCc::HSRC }
    }

    /// Index of the archive whose SARC tag stands at this offset of the section.
    pub(crate) fn find(&self, start: u64) -> Option<usize> {
        self.starts.binary_search(&start).ok()
    }

    pub(crate) fn read(
        cursor: &mut Cursor<'a>,
        id: FourCc,
        irregular: &mut Irregularities,
    ) -> Result<Sources<'a>> {
        let base = cursor.offset();
        let count = cursor.u32("archive count")?;
        let link_options = Cow::Borrowed(cursor.cstr("link options")?);
        let working_dir = match id {
            FourCc::HSRD => Some(Cow::Borrowed(cursor.cstr("working directory")?)),
            _ => None,
        };
        let mut sources = Self::new(link_options, working_dir);
        for index in 0..count {
            let start = cursor.offset() - base;
            let archive =
                read_archive(cursor, irregular).within(|| format!("archive {index} of {count}"))?;
            sources.archives.push(archive);
            sources.starts.push(start + 4);
        }
        if !cursor.rest().is_empty() {
            let what = format!("{} bytes behind the last source archive", cursor.rest().len());
            irregular.note(cursor.offset(), what);
        }
        Ok(sources)
    }
}

fn read_archive<'a>(
    cursor: &mut Cursor<'a>,
    irregular: &mut Irregularities,
) -> Result<Archive<'a>> {
    let tags = read_group(cursor, SizeWord::Exclusive, irregular)?;
    let without_nul = tags.get(FourCc::SARC).filter(|tag| !tag.payload.contains(&0));
    if let Some(tag) = without_nul {
        let kind = ErrorKind::Unterminated { what: "archive id" };
        return Err(Error::new(kind, tag.offset).within("tag SARC"));
    }
    Ok(Archive { tags })
}
