//! RLST and SLST: buffers brought to a multiple of 16 in the file.

use metallib::{BufferEntry, BufferList, FourCc, Result, is_aligned};

use super::word;
use crate::pieces::Sink;

pub(crate) fn encode<'p>(
    pieces: &mut impl Sink<'p>,
    list: &'p BufferList<'_>,
    id: FourCc,
) -> Result<()> {
    pieces.new_bytes(&word("buffer count", list.entries().len() as u64)?, false);
    // The UUID hashes the flatbuffers of the reflection list only.
    let hashed = id == FourCc::RLST;
    list.entries().iter().try_for_each(|entry| encode_entry(pieces, entry, hashed))
}

fn encode_entry<'p>(
    pieces: &mut impl Sink<'p>,
    entry: &'p BufferEntry<'_>,
    hashed: bool,
) -> Result<()> {
    let start = pieces.end();
    let padding = usize::from(entry.padding_at(start));
    pieces.new_bytes(&word("buffer group", entry.size_at(start))?, false);
    let mut padded = false;
    for tag in entry.tags.iter() {
        let aligned = is_aligned(tag.id) && !padded;
        padded |= aligned;
        let zeros = if aligned { padding } else { 0 };
        // Only the first buffer of an entry is padded, so a second one has nothing to lose.
        let size = if aligned { entry.content_size(&tag) } else { tag.payload.len() };
        pieces.new_bytes(&tag.id.bytes(), false);
        let length = word("buffer", (zeros + size) as u64)?;
        let width = if tag.id.has_wide_length() { 4 } else { 2 };
        pieces.new_bytes(length.get(..width).unwrap_or_default(), false);
        pieces.new_bytes([0; 16].get(..zeros).unwrap_or_default(), false);
        match aligned {
            true => entry.content_parts(&tag).for_each(|part| pieces.borrow(part, hashed)),
            false => pieces.borrow(tag.payload, false),
        }
    }
    pieces.new_bytes(&FourCc::ENDT.bytes(), false);
    Ok(())
}
