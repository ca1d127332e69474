//! Every single-byte change and every truncation of small libraries: no panic, no hang,
//! and either an error or an exact round trip.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use metallib::Library;
use metallib_write::{Plan, WriteOptions};
use mtlpack::io::Input;
use mtlpack::{VerifyOptions, verify};
use mtlpack_tests::small::{archiver, dynamic, full};

/// Laws 1 and 7 for one input.
fn check(bytes: &[u8], what: &dyn Fn() -> String) {
    if let Ok(library) = Library::parse(bytes) {
        let plan = Plan::new(&library, WriteOptions::default()).unwrap();
        assert!(plan.to_vec() == bytes, "{}: not its own bytes", what());
        if library.is_canonical() {
            let options = WriteOptions { rebuild: true, ..WriteOptions::default() };
            let plan = Plan::new(&library, options).unwrap();
            assert!(plan.to_vec() == bytes, "{}: canonical, but laid out otherwise", what());
        }
    }
    let input = Input::from_bytes("mutation", bytes.to_vec());
    let report = verify(&input, VerifyOptions { threads: 1 }).unwrap();
    let parsed = Library::parse(bytes).is_ok();
    assert!(parsed || !report.passed(), "{}: no error", what());
}

fn mutate(bytes: &[u8]) {
    check(bytes, &|| "the library itself".to_owned());
    let mut changed = bytes.to_vec();
    for at in 0..bytes.len() {
        let old = bytes[at];
        for new in (0..=255).filter(|new| *new != old) {
            changed[at] = new;
            check(&changed, &|| format!("byte {at:#x} from {old:#04x} to {new:#04x}"));
        }
        changed[at] = old;
    }
    for size in 0..bytes.len() {
        assert!(Library::parse(&bytes[..size]).is_err(), "cut to {size} bytes");
        check(&bytes[..size], &|| format!("cut to {size} bytes"));
    }
}

#[test]
fn archiver_library() {
    mutate(&archiver());
}

#[test]
fn linker_library_with_everything() {
    mutate(&full());
}

#[test]
fn dynamic_library() {
    mutate(&dynamic());
}
