//! Inputs made to break things: libraries that would make work grow faster than they do.

use std::time::{Duration, Instant};

use metallib::{Dialect, FourCc, Library, TagList};
use mtlpack_tests::small;

/// Ample for work that grows linearly, and far too little for work that does not.
const AMPLE: Duration = Duration::from_secs(20);

/// A file with these functions and sections of these sizes; the bytes of groups are those
/// of empty ones, everything else is zero.
fn file(functions: &[TagList<'_>], metadata: usize, bitcode: usize) -> Vec<u8> {
    let mut list = Vec::new();
    for tags in functions {
        let size = u32::try_from(tags.as_bytes().len() + 8).unwrap();
        list.extend_from_slice(&size.to_le_bytes());
        list.extend_from_slice(tags.as_bytes());
        list.extend_from_slice(b"ENDT");
    }
    let public = 92 + list.len() + 4;
    let (private, code) = (public + metadata, public + 2 * metadata);
    let mut bytes = small::empty(Dialect::Linker, 7)[..16].to_vec();
    let header =
        [code + bitcode, 88, list.len(), public, metadata, private, metadata, code, bitcode];
    header.iter().for_each(|&word| bytes.extend_from_slice(&(word as u64).to_le_bytes()));
    bytes.extend_from_slice(&u32::try_from(functions.len()).unwrap().to_le_bytes());
    bytes.extend_from_slice(&list);
    bytes.extend_from_slice(b"ENDT");
    for _ in 0..2 {
        bytes.extend_from_slice(b"\x08\0\0\0ENDT");
        bytes.resize(bytes.len() + metadata - 8, 0);
    }
    bytes.resize(bytes.len() + bitcode, 0);
    bytes
}

/// A function whose module lies here; all functions share the first metadata groups.
fn function_at(module: u64, size: u64) -> TagList<'static> {
    let offsets = metallib::Offsets { bitcode: module, ..metallib::Offsets::default() };
    small::tags(&[(FourCc::OFFT, &offsets.bytes()), (FourCc::MDSZ, &size.to_le_bytes())])
}

#[test]
fn shared_modules_among_many_are_found_in_time() {
    let count = 200_000;
    let functions: Vec<_> =
        (0..count).flat_map(|i| [function_at(i * 16, 16), function_at(i * 16, 16)]).collect();
    let bytes = file(&functions, 800_000, 16 * 200_000);
    let start = Instant::now();
    let library = Library::parse(&bytes).unwrap();
    assert_eq!(library.modules().len(), 200_000);
    assert!(start.elapsed() < AMPLE, "{:?}", start.elapsed());
}

/// The bytes behind a module are counted once, in whatever order the functions name them.
#[test]
fn tails_of_modules_out_of_order_do_not_add_up() {
    let size = 1 << 20;
    let place = |i: u64| if i.is_multiple_of(2) { i * 16 } else { size - i * 16 };
    let functions: Vec<_> = (0..1000).map(|i| function_at(place(i), 16)).collect();
    let bytes = file(&functions, 8_000, 1 << 20);
    let library = Library::parse(&bytes).unwrap();
    let whole: usize = library.modules().iter().map(|m| m.bytes().len() + m.tail().len()).sum();
    assert_eq!(whole, 1 << 20);
}

#[test]
fn empty_modules_have_no_tail() {
    let place = [(0, 0), (0, 16), (16, 0), (16, 16), (40, 8)];
    let functions: Vec<_> = place.iter().map(|&(at, size)| function_at(at, size)).collect();
    let bytes = file(&functions, 40, 48);
    let library = Library::parse(&bytes).unwrap();
    let tails: Vec<usize> = library.modules().iter().map(|module| module.tail().len()).collect();
    assert_eq!(tails, [0, 0, 0, 8, 0]);
}
