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
fn what_is_unpacked_is_bounded() {
    // 3 MB of zeros take 50 bytes; the budget of 1 MB is spent before their end.
    let stream = pack(&vec![0; 3 << 20]);
    assert!(stream.len() < 100);
    let mut budget = 1 << 20;
    assert_eq!(unpack(&stream, &mut budget), Outcome::Limited);
    assert_eq!(budget, 0);
    assert_eq!(unpack(&stream, &mut budget), Outcome::Limited);
    // What was unpacked in front of damage counts, too.
    let mut damaged = pack(&vec![0; 3 << 20]);
    let last = damaged.len() - 5;
    damaged[last] ^= 0xff;
    let mut budget = 4 << 20;
    assert!(matches!(unpack(&damaged, &mut budget), Outcome::Damaged { .. }));
    assert!(budget < 2 << 20, "{budget}");
}
