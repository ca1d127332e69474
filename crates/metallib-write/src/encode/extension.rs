//! The header extension: tags, and for each section its range.

use metallib::{Extension, ExtensionValue, FourCc};

use super::tag_head;
use crate::layout::Layout;
use crate::pieces::{Pieces, Sink};

pub(crate) fn encode(pieces: &mut Pieces<'_>, extension: &Extension<'_>, layout: &Layout) {
    for (tag, range) in extension.tags.iter().zip(&layout.sections) {
        tag_head(pieces, tag.id, tag.payload_size());
        match &tag.value {
            ExtensionValue::Data(data) => pieces.new_bytes(data, false),
            ExtensionValue::Absent => pieces.new_bytes(&[0; 16], false),
            ExtensionValue::Section(_) => {
                pieces.new_bytes(&range.offset.to_le_bytes(), false);
                pieces.new_bytes(&range.size.to_le_bytes(), false);
            }
        }
    }
    pieces.new_bytes(&FourCc::ENDT.bytes(), false);
}
