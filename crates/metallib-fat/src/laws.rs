//! What holds for every universal file: identity, inverse edits, refusals.
use crate::{Architecture, Builder, ByteOrder, ErrorKind, Form, Universal};
use proptest::prelude::*;

fn forms() -> impl Strategy<Value = Form> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(gpu, wide, little)| {
        let order = if little { ByteOrder::Little } else { ByteOrder::Big };
        Form { gpu, wide, order }
    })
}

type Parts = Vec<(Vec<u8>, u32)>;

fn parts() -> impl Strategy<Value = Parts> {
    prop::collection::vec((prop::collection::vec(any::<u8>(), 0..80), 0u32..8), 1..6)
}

fn architecture(index: usize) -> Architecture {
    let index = u32::try_from(index).unwrap();
    Architecture { cpu_type: Architecture::AIR64 - index % 2, cpu_subtype: index }
}

fn build(form: Form, parts: &Parts) -> Vec<u8> {
    let mut builder = Builder::new(form);
    for (index, (bytes, alignment)) in parts.iter().enumerate() {
        builder.push_aligned(architecture(index), bytes, *alignment).unwrap();
    }
    builder.to_vec().unwrap()
}

proptest! {
    #[test]
    fn what_is_built_is_read_and_written_again(form in forms(), parts in parts()) {
        let bytes = build(form, &parts);
        let universal = Universal::parse(&bytes).unwrap();
        prop_assert_eq!(universal.form(), form);
        prop_assert_eq!(universal.irregularity(), None);
        for (slice, (part, alignment)) in universal.slices().iter().zip(&parts) {
            prop_assert_eq!(slice.bytes(), &part[..]);
            prop_assert_eq!(slice.alignment(), *alignment);
            prop_assert_eq!(slice.offset() % (1 << alignment), 0);
        }
        prop_assert_eq!(universal.edit(false).unwrap().to_vec().unwrap(), bytes);
    }

    #[test]
    fn replaced_there_and_back_is_the_original(
        form in forms(),
        parts in parts(),
        other in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let bytes = build(form, &parts);
        let universal = Universal::parse(&bytes).unwrap();
        let target = architecture(parts.len() - 1);
        let mut edit = universal.edit(false).unwrap();
        edit.replace(target, other).unwrap();
        let changed = edit.to_vec().unwrap();
        let again = Universal::parse(&changed).unwrap();
        for (before, after) in universal.slices().iter().zip(again.slices()) {
            let same = before.bytes() == after.bytes();
            prop_assert!(same || after.architecture() == target);
        }
        let mut back = again.edit(false).unwrap();
        back.replace(target, &parts[parts.len() - 1].0).unwrap();
        prop_assert_eq!(back.to_vec().unwrap(), bytes);
    }

    /// Any bytes: an error, or a file whose regular edit gives back the same bytes.
    #[test]
    fn any_bytes_fail_or_come_back(
        form in forms(),
        parts in parts(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = build(form, &parts);
        for (index, value) in changes {
            let at = index.index(bytes.len().min(200));
            bytes[at] = value;
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        if let Ok(universal) = Universal::parse(&bytes)
            && let Ok(edit) = universal.edit(false)
            && !edit.slices().is_empty()
        {
            prop_assert_eq!(edit.to_vec().unwrap(), bytes);
        }
    }
}

/// A file of the ordinary form with these (offset, size, alignment), of `size` bytes.
fn crafted(entries: &[(u32, u32, u32)], size: usize) -> Vec<u8> {
    let mut bytes = 0xcafe_babe_u32.to_be_bytes().to_vec();
    bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
    for (index, (offset, length, alignment)) in entries.iter().enumerate() {
        let Architecture { cpu_type, cpu_subtype } = architecture(index);
        for word in [cpu_type, cpu_subtype, *offset, *length, *alignment] {
            bytes.extend(word.to_be_bytes());
        }
    }
    bytes.resize(size, 0);
    bytes
}

fn parse_error(bytes: &[u8]) -> String {
    Universal::parse(bytes).unwrap_err().to_string()
}

fn edit_error(bytes: &[u8], new_layout: bool) -> String {
    Universal::parse(bytes).unwrap().edit(new_layout).unwrap_err().to_string()
}

#[test]
fn hostile_tables_are_refused() {
    let mut many = crafted(&[], 8);
    many[4..8].fill(0xff);
    assert_eq!(
        parse_error(&many),
        "table of slices needs 85899345900 bytes, 0 are left (offset 0x8)"
    );
    assert_eq!(
        parse_error(&crafted(&[(28, u32::MAX, 4)], 64)),
        "slice at 0x1c with 4294967295 bytes ends behind 0x40, the end of the file \
         (offset 0x10, slice 0 unknown(16777239,0))"
    );
    assert_eq!(
        parse_error(b"\xca\xfe\xba\xbe"),
        "slice count needs 4 bytes, 0 are left (offset 0x4)"
    );
    assert!(parse_error(b"MTLB").starts_with("no universal file"));
    assert!(parse_error(b"").starts_with("no universal file"));
    let class = b"\xca\xfe\xba\xbe\0\0\0\x34\0\x10\x0a\0";
    assert!(parse_error(class).starts_with("a Java class file of version 52"));
}

#[test]
fn what_lies_in_another_way_is_read_and_not_edited() {
    let overlapping = crafted(&[(48, 20, 4), (64, 8, 4)], 128);
    for new_layout in [false, true] {
        let message = edit_error(&overlapping, new_layout);
        assert!(message.contains("overlaps slice 0"), "{message}");
    }
    let in_table = crafted(&[(16, 8, 4)], 64);
    assert!(edit_error(&in_table, true).contains("overlaps the table"));
    let cases = [
        (crafted(&[(37, 4, 4)], 41), "is at 0x25, expected 0x20"),
        (crafted(&[(32, 4, 4)], 40), "4 bytes follow the last slice"),
        (crafted(&[(32, 4, 16)], 36), "alignment 2^16, expected at most 2^15"),
    ];
    for (bytes, expected) in cases {
        let message = edit_error(&bytes, false);
        assert!(message.contains(expected), "{message}");
    }
    let mut dirty = crafted(&[(32, 4, 4)], 36);
    dirty[30] = 1;
    assert_eq!(
        edit_error(&dirty, false),
        "laid out in another way: bytes between slices that are not zero; \
         ask for a new layout to edit it (offset 0x1e)"
    );
    let relaid = Universal::parse(&dirty).unwrap().edit(true).unwrap().to_vec().unwrap();
    assert_eq!(Universal::parse(&relaid).unwrap().irregularity(), None);
}

#[test]
fn builders_refuse_what_no_file_can_have() {
    let mut builder = Builder::new(Form::GPU);
    assert_eq!(builder.to_vec().unwrap_err().kind(), &ErrorKind::Empty);
    let air = "air64_v26".parse().unwrap();
    builder.push(air, b"one").unwrap();
    assert!(builder.push(air, b"two").unwrap_err().to_string().contains("already"));
    let other = "air64_v27".parse().unwrap();
    let absent = builder.replace(other, b"two").unwrap_err().to_string();
    assert_eq!(absent, "no slice for air64_v27, expected one of air64_v26");
    assert!(builder.push_aligned(other, b"two", 16).is_err());
}
