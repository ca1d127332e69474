//! Definitions and sizes of abbreviations.

use super::scalar::{CHAR6, char6};
use super::*;

fn definition(write: impl FnOnce(&mut BitWriter<'_>)) -> Result<Abbreviation> {
    let mut bytes = Vec::new();
    let mut writer = BitWriter::new(&mut bytes);
    write(&mut writer);
    writer.align();
    Abbreviation::read(&mut BitReader::new(&bytes, 0))
}

fn message(write: impl FnOnce(&mut BitWriter<'_>)) -> String {
    definition(write).unwrap_err().to_string()
}

#[test]
fn definitions_come_back() {
    let scalars = vec![Scalar::Fixed(64), Scalar::Vbr(32), Scalar::Char6, Scalar::Fixed(0)];
    for tail in [Tail::None, Tail::Blob, Tail::Array(Scalar::Vbr(6))] {
        let made = Abbreviation::new(Scalar::Literal(u64::MAX), scalars.clone(), tail).unwrap();
        assert_eq!(definition(|writer| made.write(writer)).unwrap(), made);
    }
}

#[test]
fn every_six_bit_character_comes_back() {
    for (index, &c) in CHAR6.iter().enumerate() {
        assert_eq!(char6(c.into()), Some(index as u64));
    }
    let others = (0..300).filter(|value| !CHAR6.iter().any(|&c| u64::from(c) == *value));
    assert_eq!(others.filter_map(char6).count(), 0);
}

#[test]
fn senseless_definitions_are_refused() {
    let array = 3 << 1;
    let blob = 5 << 1;
    assert_eq!(
        message(|w| w.vbr(1 << 60, 5)),
        "1152921504606846976 abbreviation operands, at most 4096 are decoded (bit 0)"
    );
    assert_eq!(message(|w| w.vbr(0, 5)), "abbreviation: no operand for the record's code (bit 0)");
    assert_eq!(
        message(|w| {
            w.vbr(1, 5);
            w.fixed(1 << 1, 4);
            w.vbr(65, 5);
        }),
        "abbreviation: fixed width of 65 bits, at most 64 (bit 6)"
    );
    assert_eq!(
        message(|w| {
            w.vbr(3, 5);
            w.fixed(4 << 1, 4);
            w.fixed(array, 4);
            w.fixed(array, 4);
        }),
        "abbreviation: array of arrays (bit 13)"
    );
    assert_eq!(
        message(|w| {
            w.vbr(2, 5);
            w.fixed(blob, 4);
        }),
        "abbreviation: blob that is not the last operand (bit 5)"
    );
    assert_eq!(
        message(|w| {
            w.vbr(3, 5);
            w.fixed(4 << 1, 4);
            w.fixed(array, 4);
            w.fixed(1 << 1, 4);
            w.vbr(0, 5);
        }),
        "abbreviation: array whose elements take no bits (bit 0)"
    );
}

#[test]
fn what_does_not_fit_has_no_size() {
    let name = Abbreviation::new(Scalar::Literal(16), vec![], Tail::Array(Scalar::Char6));
    let values =
        |text: &str| Values { operands: text.bytes().map(u64::from).collect(), blob: None };
    let name = name.unwrap();
    assert_eq!(name.bits(16, &values("a_b")), Some(24));
    assert_eq!(name.bits(16, &values("a:b")), None);
    assert_eq!(name.bits(17, &values("a_b")), None);
}
