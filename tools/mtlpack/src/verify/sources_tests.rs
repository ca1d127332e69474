use std::io::Write;

use bzip2::Compression;
use bzip2::write::BzEncoder;

use super::*;

fn pack(data: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_end_of_a_stream_is_found_whatever_follows() {
    let stream = pack(b"some sources");
    let end = stream.len() as u64;
    let padded = [stream.as_slice(), &[0; 100]].concat();
    for data in [&stream, &padded] {
        assert_eq!(unpack(data, &mut TOTAL_LIMIT.clone()), Outcome::Whole(end));
    }
}

#[test]
fn cut_and_damaged_streams_are_told_apart() {
    let stream = pack(b"some sources");
    for size in 3..stream.len() {
        assert_eq!(unpack(&stream[..size], &mut TOTAL_LIMIT.clone()), Outcome::Cut, "{size}");
    }
    let mut damaged = stream;
    damaged[20] ^= 0xff;
    assert!(matches!(unpack(&damaged, &mut TOTAL_LIMIT.clone()), Outcome::Damaged(_)));
}

#[test]
fn what_is_unpacked_is_bounded() {
    // 3 MB of zeros take 50 bytes; the budget of 1 MB is spent before their end.
    let stream = pack(&vec![0; 3 << 20]);
    assert!(stream.len() < 100);
    let mut budget = 1 << 20;
    assert_eq!(unpack(&stream, &mut budget), Outcome::Limited);
    assert_eq!(budget, 0);
    assert_eq!(unpack(&stream, &mut budget), Outcome::Limited);
}
