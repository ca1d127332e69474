//! Bitstreams and modules.

/// Any bytes: they are refused, or viewed, renamed there and back, decoded and encoded as a
/// whole by the laws.
///
/// # Panics
/// If a law does not hold.
pub fn bitcode(data: &[u8]) {
    mtlpack_tests::bitcode_laws::hold(data);
}
