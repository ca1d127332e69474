//! Bits: the lowest layer of the stream. Little-endian, lowest bit first.

mod reader;
mod span;
mod writer;

pub use reader::BitReader;
pub(crate) use span::Span;
pub use writer::BitWriter;

/// A size in memory; saturates where the machine's words are smaller than the file's.
pub(crate) fn size(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// The low 32 bits of a value.
pub(crate) fn low_word(value: u64) -> u32 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// The low `width` bits set; `width` is at most 64.
pub(crate) fn mask(width: u32) -> u64 {
    1u64.checked_shl(width).map_or(u64::MAX, |bit| bit - 1)
}
