//! The header extension and the sections behind the bitcode.

use metallib::{Dialect, FileType, FourCc};
use mtlpack_tests::small::*;

use super::functions::without;
use super::{UNKNOWN, check, with_u64};

#[test]
fn extension_and_symbols() {
    let full = full();
    let unknown = |payload: &[u8]| {
        edited(&full, |new| {
            let tag = metallib::ExtensionTag::data(UNKNOWN, payload.to_vec());
            new.extension.as_mut().unwrap().tags.push(tag);
        })
    };
    let section = edited(&full, |new| {
        let opaque = metallib::Section::Opaque(b"opaque".to_vec().into());
        let tag = metallib::ExtensionTag::section(UNKNOWN, opaque);
        new.extension.as_mut().unwrap().tags.push(tag);
    });
    let imports = section_range(&full, FourCc::ILST).start;
    let dynamic_header = section_range(&full, FourCc::HDYN).start;
    let uuid = extension_offset(&full, FourCc::UUID);
    let no_install_name = edited(&dynamic(), |new| {
        new.set_dynamic_header(metallib::TagList::new()).unwrap();
    });
    check(
        "extension_and_symbols",
        &[
            ("unknown tag", unknown(b"12345")),
            ("unknown section", section),
            (
                "UUID of a stripped library",
                patched(&plain(), extension_offset(&plain(), FourCc::UUID), &[0]),
            ),
            ("UUID with sources", patched(&full, uuid, &[0])),
            ("UUID of 8 bytes", uuid_of_8_bytes()),
            (
                "HDYN outside the file",
                with_u64(&full, extension_offset(&full, FourCc::HDYN), 1 << 34),
            ),
            ("HDYN twice", patched(&full, extension_offset(&full, FourCc::ILST) - 6, b"HDYN")),
            ("dynamic without install name", no_install_name),
            ("HDYN name without NUL", patched(&full, dynamic_header + 18, b"x")),
            ("symbol without NAME", patched(&full, imports + 8, b"XYZW")),
            ("too many symbols", patched(&full, imports, &[2])),
            ("symbol name without NUL", patched(&full, imports + 24, b"x")),
        ],
    );
}

fn uuid_of_8_bytes() -> Vec<u8> {
    edited(&plain(), |new| {
        let extension = new.extension.as_mut().unwrap();
        extension.set(metallib::ExtensionTag::data(FourCc::UUID, vec![0; 8]));
    })
}

#[test]
fn reflection() {
    let (plain, full) = (plain(), full());
    let list = section_range(&plain, FourCc::RLST).start;
    let rlst = extension_offset(&plain, FourCc::RLST);
    let identifier = position(&plain, b"AIRR");
    let shared = with_u64(&plain, tag_offset(&plain, 1, FourCc::RFLT), 4);
    let old = patched(&plain, 8, &[6]);
    check(
        "reflection",
        &[
            ("no AIRR", patched(&plain, identifier, b"X")),
            ("entry without RBUF", without_buffer()),
            ("partial", without(&plain, FourCc::RFLT)),
            ("shared by two functions", shared),
            ("container 1.2.6", old),
            ("size 0", empty_reflection()),
            ("size 0, but referred to", with_u64(&plain, rlst + 8, 0)),
            ("count too large", patched(&plain, list, &[3])),
            ("padding not zero", patched(&full, position(&full, b"RBUF") + 8, &[1])),
            ("RLST behind the end", with_u64(&plain, rlst, plain.len() as u64 - 8)),
        ],
    );
}

fn position(bytes: &[u8], text: &[u8]) -> u64 {
    bytes.windows(text.len()).position(|window| window == text).unwrap() as u64
}

/// The second entry holds nothing.
fn without_buffer() -> Vec<u8> {
    let mut new = builder(Dialect::Linker, 7, FileType::Executable);
    new.add(kernel("first", 1)).unwrap();
    let tags = tags(&[(FourCc::RBSZ, &[1, 0, 0, 0])]);
    let entry = metallib::BufferEntry::from(tags);
    let id = new.add_buffer(FourCc::RLST, entry).unwrap();
    new.functions[0].tags.push(FourCc::RFLT, &[0; 8]).unwrap();
    new.functions[0].reflection = Some(id);
    finish(new)
}

/// A section RLST of no bytes, to which nothing refers.
fn empty_reflection() -> Vec<u8> {
    let mut new = builder(Dialect::Linker, 7, FileType::Executable);
    new.add(kernel("first", 1)).unwrap();
    let nothing = metallib::Section::Opaque(Vec::new().into());
    new.extension.as_mut().unwrap().set(metallib::ExtensionTag::section(FourCc::RLST, nothing));
    finish(new)
}

#[test]
fn sources() {
    let full = full();
    let stream = position(&full, b"BZh1");
    let with_data = |data: Vec<u8>| {
        edited(&full, |new| {
            let archive = metallib::Archive::new(b"1", &data).unwrap();
            new.sources_mut().unwrap().archives[1] = archive;
        })
    };
    let whole = bzip2(b"some source");
    let padded = [&whole[..], &[0; 100]].concat();
    let mut dirty = padded.clone();
    dirty[whole.len() + 40] = 1;
    let old = patched(&patched(&full, 8, &[5]), 11, &[0; 4]);
    let damaged = patched(&whole, 20, &[whole[20] ^ 0xff]);
    check(
        "sources",
        &[
            ("padded archive", with_data(padded)),
            ("bytes behind the stream", with_data(dirty)),
            ("not bzip2", with_data(b"plain text".to_vec())),
            ("stream cut", with_data(whole[..whole.len() - 1].to_vec())),
            ("stream damaged", with_data(damaged)),
            ("magic damaged", patched(&full, stream, b"X")),
            ("HSRD in 1.2.5", old),
            ("archive without SARC", without_archive(&full)),
            ("id without NUL", patched(&full, stream - 1, b"0")),
        ],
    );
}

fn without_archive(bytes: &[u8]) -> Vec<u8> {
    edited(bytes, |new| {
        let tags = tags(&[(UNKNOWN, b"abc")]);
        new.sources_mut().unwrap().archives[1] = metallib::Archive { tags };
    })
}
