//! libFuzzer's way into `mtlpack_fuzz::sources`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mtlpack_fuzz::sources(data));
