//! Ids inside modules.

/// Any bytes: they are refused, or their ids are written anew, their debug information is taken
/// out, and the module of one function is made of them by the laws.
///
/// # Panics
/// If a law does not hold.
pub fn renumber(data: &[u8]) {
    mtlpack_tests::id_laws::hold(data);
}
