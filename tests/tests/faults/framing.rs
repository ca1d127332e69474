//! What is not a library, and where framing is lost; the header.

use metallib::{Dialect, FourCc, Library};
use mtlpack_tests::small::*;

use super::{check, findings, with_u64};

#[test]
fn inputs_that_are_no_libraries() {
    let fat = |magic: [u8; 4], count: [u8; 4], entry: &[u8]| {
        [&magic[..], &count, entry, &[0; 40]].concat()
    };
    let (be, le) = ([0, 0, 0, 1], [1, 0, 0, 0]);
    let (air, air_le) = ([1, 0, 0, 0x17], [0x17, 0, 0, 1]);
    let lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n".to_vec();
    check(
        "inputs_that_are_no_libraries",
        &[
            ("0 bytes", vec![]),
            ("3 bytes", b"MTL".to_vec()),
            ("8 bytes that look like one", b"MTLIB...".to_vec()),
            ("text", b"hello, world".to_vec()),
            ("Git LFS pointer", lfs),
            ("universal", fat([0xca, 0xfe, 0xba, 0xbe], be, &air)),
            ("universal, other byte order", fat([0xbe, 0xba, 0xfe, 0xca], le, &air_le)),
            ("universal GPU", fat([0xcb, 0xfe, 0xba, 0xbe], be, &air)),
            ("universal GPU, other byte order", fat([0xbe, 0xba, 0xfe, 0xcb], le, &air_le)),
            ("universal, 64-bit", fat([0xca, 0xfe, 0xba, 0xbf], be, &air)),
            ("universal, 64-bit, other order", fat([0xbf, 0xba, 0xfe, 0xca], le, &air_le)),
            ("universal without AIR", fat([0xca, 0xfe, 0xba, 0xbe], be, &[1, 0, 0, 0x0c])),
            ("GPU binary archive", fat([0xcb, 0xfe, 0xba, 0xbe], be, &[1, 0, 0, 0x13])),
            ("Mach-O", b"\xcf\xfa\xed\xfe\x0c\0\0\x01".to_vec()),
            ("Mach-O for AIR64", b"\xcf\xfa\xed\xfe\x17\0\0\x01".to_vec()),
            ("Mach-O for a GPU", b"\xcf\xfa\xed\xfe\x13\0\0\x01".to_vec()),
            (".air", module("x", 4)),
            ("raw bitcode", b"BC\xc0\xde\0\0\0\0".to_vec()),
            ("static archive", b"!<arch>\nfoo".to_vec()),
            ("zip", b"PK\x03\x04".to_vec()),
            ("bzip2", bzip2(b"x")),
        ],
    );
}

#[test]
fn framing() {
    let (plain, bare) = (plain(), bare_extension());
    let text =
        [b"MTLB", "This file is text that begins like a library. ".repeat(9).as_bytes()].concat();
    let header_only = with_u64(&plain[..88], 16, 88);
    let size = plain.len() as u64;
    let offt = tag_offset(&plain, 0, FourCc::OFFT) - 6;
    let name = tag_offset(&plain, 0, FourCc::NAME);
    let last_endt = {
        let end = tag_offset(&plain, 1, FourCc::RFLT) + 8;
        patched(&plain, end, b"ENDX")
    };
    check(
        "framing",
        &[
            ("8 bytes of one", plain[..8].to_vec()),
            ("magic right, the rest text", text),
            ("other major version", patched(&plain, 4, &[2, 0])),
            ("other minor version", patched(&plain, 6, &[3, 0])),
            ("header only", plain[..88].to_vec()),
            ("header only, size right", header_only),
            ("one byte short", plain[..plain.len() - 1].to_vec()),
            ("trailing byte", [&plain[..], &[0]].concat()),
            ("size field too large", with_u64(&plain, 16, size + 1)),
            ("size field too small", with_u64(&plain, 16, size - 1)),
            ("list elsewhere", with_u64(&plain, 24, 1 << 40)),
            ("public metadata elsewhere", with_u64(&plain, 40, 1 << 33)),
            ("private metadata too large", with_u64(&plain, 64, size)),
            ("bitcode ends behind the file", with_u64(&plain, 80, size)),
            ("private metadata one byte late", with_u64(&plain, 56, 0x164)),
            ("function without ENDT", last_endt),
            ("too many functions", patched(&plain, 88, &[3])),
            ("too few functions", patched(&plain, 88, &[1])),
            ("group of size 0", patched(&plain, 92, &[0])),
            ("tag longer than its group", patched(&plain, offt + 4, &[0xff])),
            (
                "TYPE of 2 bytes",
                with_function(&plain, 0, |f| f.tags.set(FourCc::TYPE, &[2, 0]).unwrap()),
            ),
            (
                "RFLT of 4 bytes",
                with_function(&plain, 1, |f| f.tags.set(FourCc::RFLT, &[4, 0, 0, 0]).unwrap()),
            ),
            ("name without NUL", patched(&plain, name + 5, b"x")),
            ("extension without ENDT", patched(&bare, extension_end(&bare) - 4, b"ENDX")),
            ("no extension", edited(&bare, |new| new.extension = None)),
        ],
    );
}

/// Where the public metadata begin.
fn extension_end(bytes: &[u8]) -> u64 {
    Library::parse(bytes).unwrap().header().unwrap().public.offset
}

/// A library that was cut is never read as a smaller one.
#[test]
fn cuts_at_every_border() {
    let bytes = full();
    let library = Library::parse(&bytes).unwrap();
    let header = library.header().unwrap();
    let mut borders = vec![
        header.functions.offset,
        header.functions.end() + 4,
        header.public.offset,
        header.private.offset,
        header.bitcode.offset,
        header.bitcode.end(),
    ];
    borders.extend(library.extension().unwrap().sections().map(|tag| tag.range.offset));
    for border in borders {
        for cut in [border - 1, border, border + 1] {
            let cut = usize::try_from(cut).unwrap();
            let expected = if cut < 88 {
                format!("error: header needs 88 bytes, {cut} are left (offset 0x0, header)")
            } else {
                let size = bytes.len();
                format!(
                    "error: the header says {size} bytes, the input has {cut}: it was cut \
                     (offset 0x10, header)"
                )
            };
            assert_eq!(findings(&bytes[..cut]), [expected]);
        }
    }
}

#[test]
fn header_fields() {
    let (old, plain) = (archiver(), plain());
    check(
        "header_fields",
        &[
            ("container 1.2.10", patched(&plain, 8, &[10, 0])),
            ("unknown file type", patched(&plain, 10, &[0x0b])),
            ("stub", patched(&plain, 10, &[0x80])),
            ("file type in 1.2.2", patched(&old, 10, &[2])),
            ("platform 8D", patched(&plain, 11, &[0x8d])),
            ("platform FF", patched(&plain, 11, &[0xff])),
            ("platform without bit 7", patched(&plain, 11, &[0x01])),
            ("no platform in 1.2.7", patched(&plain, 11, &[0])),
            ("macOS flag missing", patched(&plain, 4, &[1, 0])),
            ("macOS flag on iOS", patched(&plain, 11, &[0x82])),
            ("platform in 1.2.2", patched(&old, 11, &[0x81])),
            ("OS in 1.2.2", patched(&old, 12, &[14, 0, 1])),
            ("empty, 92 bytes", empty(Dialect::Archiver, 2)),
            ("empty, 96 bytes", empty(Dialect::Archiver, 7)),
            ("empty, 118 bytes", empty(Dialect::Linker, 8)),
        ],
    );
}
