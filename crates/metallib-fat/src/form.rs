//! The four forms of the table, and its two byte orders.

use byteorder::{BigEndian, ByteOrder as _, LittleEndian};

/// Order of the bytes in the numbers of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The highest byte first, as in every file seen.
    #[default]
    Big,
    /// The lowest byte first.
    Little,
}

impl ByteOrder {
    /// Reads a number of four bytes.
    pub(crate) fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Big => u32::from_be_bytes(bytes),
            Self::Little => u32::from_le_bytes(bytes),
        }
    }

    /// Reads a number of eight bytes.
    pub(crate) fn u64(self, bytes: [u8; 8]) -> u64 {
        match self {
            Self::Big => u64::from_be_bytes(bytes),
            Self::Little => u64::from_le_bytes(bytes),
        }
    }

    /// Appends a number of four bytes.
    pub(crate) fn push_u32(self, out: &mut Vec<u8>, number: u32) {
        let mut bytes = [0; 4];
        match self {
            Self::Big => BigEndian::write_u32(&mut bytes, number),
            Self::Little => LittleEndian::write_u32(&mut bytes, number),
        }
        out.extend(bytes);
    }

    /// Appends a number of eight bytes.
    pub(crate) fn push_u64(self, out: &mut Vec<u8>, number: u64) {
        let mut bytes = [0; 8];
        match self {
            Self::Big => BigEndian::write_u64(&mut bytes, number),
            Self::Little => LittleEndian::write_u64(&mut bytes, number),
        }
        out.extend(bytes);
    }
}

/// Form of a universal file: who uses it, how wide its entries are, and the byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// Whether the magic number is that of GPU tools, `CB FE BA BE`, and not `CA FE BA BE`.
    pub gpu: bool,
    /// Whether offsets and sizes have 64 bits.
    pub wide: bool,
    /// Order of the bytes in the table.
    pub order: ByteOrder,
}

impl Form {
    /// What Apple's GPU tools write.
    pub const GPU: Self = Self { gpu: true, wide: false, order: ByteOrder::Big };
    /// The ordinary form, which system libraries have too.
    pub const ORDINARY: Self = Self { gpu: false, wide: false, order: ByteOrder::Big };
    /// The ordinary form with offsets of 64 bits.
    pub const WIDE: Self = Self { gpu: false, wide: true, order: ByteOrder::Big };

    /// The form that a magic number tells.
    pub(crate) fn of_magic(magic: [u8; 4]) -> Option<Self> {
        let orders = [ByteOrder::Big, ByteOrder::Little];
        let mut forms = orders.into_iter().flat_map(|order| {
            [false, true].into_iter().flat_map(move |gpu| {
                [false, true].into_iter().map(move |wide| Self { gpu, wide, order })
            })
        });
        forms.find(|form| form.order.u32(magic) == form.magic())
    }

    /// The magic number.
    #[must_use]
    pub const fn magic(self) -> u32 {
        match (self.gpu, self.wide) {
            (false, false) => 0xcafe_babe,
            (false, true) => 0xcafe_babf,
            (true, false) => 0xcbfe_babe,
            (true, true) => 0xcbfe_babf,
        }
    }

    /// Size of an entry of the table in bytes.
    #[must_use]
    pub const fn entry_size(self) -> u64 {
        if self.wide { 32 } else { 20 }
    }
}

impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let gpu = if self.gpu { "universal GPU file" } else { "universal file" };
        let wide = if self.wide { ", 64-bit" } else { "" };
        let order = if self.order == ByteOrder::Little { ", little-endian" } else { "" };
        write!(f, "{gpu}{wide}{order}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_magic_number_tells_its_form() {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            for (gpu, wide) in [(false, false), (false, true), (true, false), (true, true)] {
                let form = Form { gpu, wide, order };
                let mut bytes = Vec::new();
                order.push_u32(&mut bytes, form.magic());
                assert_eq!(Form::of_magic(bytes.try_into().expect("four")), Some(form));
            }
        }
        assert_eq!(Form::of_magic(*b"MTLB"), None);
    }
}
