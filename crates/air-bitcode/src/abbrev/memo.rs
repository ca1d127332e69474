//! Definitions that were read lately: the modules of one library have the same few.

use std::cell::RefCell;
use std::sync::Arc;

use super::Abbreviation;
use crate::bits::{Span, size};
use crate::error::Result;

/// Definitions of up to this many bits are remembered.
const BITS: u64 = 128;

/// Definitions that are remembered, at most.
const SLOTS: usize = 64;

/// A definition's bits and how many they are, and what it says.
type Slot = (u128, u64, Option<Arc<Abbreviation>>);

thread_local! {
    static LATELY: RefCell<[Slot; SLOTS]> =
        RefCell::new(std::array::from_fn(|_| (0, 0, None)));
}

/// The abbreviation that is defined by these bits.
pub(super) fn read(span: &Span<'_>) -> Result<Arc<Abbreviation>> {
    let bits = span.bits();
    if bits > BITS {
        return Abbreviation::read(&mut span.reader()).map(Arc::new);
    }
    let mut reader = span.reader();
    let low = reader.fixed(crate::bits::low_word(bits.min(64)), "definition")?;
    let high = reader.fixed(crate::bits::low_word(bits.saturating_sub(64)), "definition")?;
    let key = u128::from(high) << 64 | u128::from(low);
    let slot = size((low ^ high.rotate_left(7)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
    LATELY.with_borrow_mut(|slots| {
        let Some((known, length, found)) = slots.get_mut(slot) else {
            return Abbreviation::read(&mut span.reader()).map(Arc::new);
        };
        if let Some(found) = found
            && *known == key
            && *length == bits
        {
            return Ok(found.clone());
        }
        let made = Arc::new(Abbreviation::read(&mut span.reader())?);
        (*known, *length, *found) = (key, bits, Some(made.clone()));
        Ok(made)
    })
}
