//! The 88-byte header.

use metallib::{Identity, MAGIC};

use crate::layout::Layout;
use crate::pieces::{Pieces, Sink};

pub(crate) fn encode(pieces: &mut Pieces<'_>, identity: &Identity, layout: &Layout) {
    pieces.new_bytes(&MAGIC, false);
    // The identity is hashed into the UUID too, but by UuidHasher::new.
    pieces.new_bytes(&identity.bytes(), false);
    pieces.new_bytes(&layout.file_size.to_le_bytes(), false);
    for range in [layout.functions, layout.public, layout.private, layout.bitcode] {
        pieces.new_bytes(&range.offset.to_le_bytes(), false);
        pieces.new_bytes(&range.size.to_le_bytes(), false);
    }
}
