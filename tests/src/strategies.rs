//! Arbitrary libraries for property tests.
