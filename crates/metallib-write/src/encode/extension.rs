//! The header extension: tags, and for each section its range.

use metallib::{Extension, ExtensionValue, FourCc};

use crate::layout::Layout;
use crate::pieces::Pieces;

pub(crate) fn encode(pieces: &mut Pieces<'_>, extension: &Extension<'_>, layout: &Layout) {
    for (tag, range) in extension.tags.iter().zip(&layout.sections) {
        pieces.new_bytes(&tag.id.bytes(), false);
        if tag.id.has_wide_length() {
            let length = u32::try_from(tag.payload_size()).unwrap_or(u32::MAX);
            pieces.new_bytes(&length.to_le_bytes(), false);
        } else {
            let length = u16::try_from(tag.payload_size()).unwrap_or(u16::MAX);
            pieces.new_bytes(&length.to_le_bytes(), false);
        }
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
