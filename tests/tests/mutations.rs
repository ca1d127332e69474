//! Every single-byte change and every truncation of small libraries: no panic, no hang,
//! and either an error or an exact round trip.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use metallib::{FourCc, Library};
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

/// Which bytes get all 256 values: the header, the first functions, all names and
/// lengths of tags, and all size words.
fn thorough(bytes: &[u8]) -> Vec<bool> {
    let mut chosen = vec![false; bytes.len()];
    chosen.iter_mut().take(200).for_each(|chosen| *chosen = true);
    let known: [&[u8]; 24] = [
        b"NAME", b"TYPE", b"HASH", b"MDSZ", b"OFFT", b"VERS", b"SOFF", b"RFLT", b"ENDT", b"CNST",
        b"VATT", b"VATY", b"DEBI", b"DEPF", b"HSRD", b"HDYN", b"ILST", b"RLST", b"UUID", b"RBUF",
        b"SARC", b"DYNL", b"HSRC", b"VLST",
    ];
    for (at, window) in bytes.windows(4).enumerate() {
        if known.contains(&window) {
            let wide = FourCc::new(window.try_into().unwrap()).has_wide_length();
            let end = at + if wide { 8 } else { 6 };
            // The four bytes in front may be the size word of a group.
            let start = at.saturating_sub(4);
            chosen.iter_mut().take(end).skip(start).for_each(|chosen| *chosen = true);
        }
    }
    chosen
}

fn mutate(bytes: &[u8]) {
    check(bytes, &|| "the library itself".to_owned());
    let mut changed = bytes.to_vec();
    for (at, all) in thorough(bytes).into_iter().enumerate() {
        let old = bytes[at];
        let few = [1, 0x10, 0x80, 0xff, old];
        let flips = if all { 1..=255 } else { 0..=0 };
        for flip in flips.chain(few).filter(|flip| *flip != 0) {
            changed[at] = old ^ flip;
            check(&changed, &|| format!("byte {at:#x} from {old:#04x} to {:#04x}", old ^ flip));
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
