//! Ids inside modules.

/// Any bytes: they are refused, or their ids are written anew and their debug information is
/// taken out by the laws.
///
/// # Panics
/// If a law does not hold.
pub fn renumber(data: &[u8]) {
    mtlpack_tests::id_laws::hold(data);
}
