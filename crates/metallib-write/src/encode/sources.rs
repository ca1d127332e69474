//! HSRC and HSRD. The UUID hashes all strings without NUL, and the archives' data.

use metallib::{FourCc, Result, Sources};

use super::word;
use crate::layout::group_size;
use crate::pieces::Sink;

pub(crate) fn encode<'p>(pieces: &mut impl Sink<'p>, sources: &'p Sources<'_>) -> Result<()> {
    pieces.new_bytes(&word("archive count", sources.archives.len() as u64)?, false);
    pieces.borrow(&sources.link_options, true);
    pieces.new_bytes(&[0], false);
    if let Some(dir) = &sources.working_dir {
        pieces.borrow(dir, true);
        pieces.new_bytes(&[0], false);
    }
    for archive in &sources.archives {
        let tags = &archive.tags;
        // The size word does not count itself.
        let size = group_size(tags.as_bytes().len()) - 4;
        pieces.new_bytes(&word("archive group", size)?, false);
        let archive_at = tags.get(FourCc::SARC).map(|tag| tag.offset);
        for tag in tags.iter() {
            pieces.new_bytes(&tag.id.bytes(), false);
            let length = tag.payload.len() as u64;
            let length = word("source archive", length)?;
            let width = if tag.id.has_wide_length() { 4 } else { 2 };
            pieces.new_bytes(length.get(..width).unwrap_or_default(), false);
            if Some(tag.offset) == archive_at {
                pieces.borrow(archive.id(), true);
                pieces.new_bytes(&[0], false);
                pieces.borrow(archive.data(), true);
            } else {
                pieces.borrow(tag.payload, false);
            }
        }
        pieces.new_bytes(&FourCc::ENDT.bytes(), false);
    }
    Ok(())
}
