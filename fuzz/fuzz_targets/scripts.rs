//! libFuzzer's way into `mtlpack_fuzz::scripts`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mtlpack_fuzz::scripts(data));
