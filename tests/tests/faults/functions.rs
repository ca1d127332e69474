//! The function list and the metadata groups.

use metallib::{Dialect, FileType, FourCc, FunctionType, Library};
use mtlpack_tests::small::*;

use super::{UNKNOWN, check, with_u64};

/// The library without a tag of its second function.
pub(super) fn without(bytes: &[u8], id: FourCc) -> Vec<u8> {
    edited(bytes, |builder| {
        let function = &mut builder.functions[1];
        function.tags.retain(|tag| tag.id != id);
        if id == FourCc::OFFT {
            function.module = None;
            builder.modules.truncate(1);
        }
        if id == FourCc::RFLT {
            function.reflection = None;
        }
    })
}

#[test]
fn function_tags() {
    let (old, plain, full) = (archiver(), plain(), full());
    let second = |change: &dyn Fn(&mut metallib::TagList<'_>)| {
        with_function(&plain, 1, |function| change(&mut function.tags))
    };
    let type_at = tag_offset(&plain, 0, FourCc::TYPE);
    let name_at = tag_offset(&plain, 0, FourCc::NAME);
    check(
        "function_tags",
        &[
            ("no NAME", without(&plain, FourCc::NAME)),
            ("no TYPE", without(&plain, FourCc::TYPE)),
            ("no HASH", without(&plain, FourCc::HASH)),
            ("no OFFT", without(&plain, FourCc::OFFT)),
            ("no VERS", without(&plain, FourCc::VERS)),
            ("no MDSZ", without(&plain, FourCc::MDSZ)),
            ("no MDSZ, archiver, new AIR", without(&old, FourCc::MDSZ)),
            ("no SOFF", without_soff(&full)),
            ("unknown tag", second(&|tags| tags.push(UNKNOWN, b"abc").unwrap())),
            ("TYPE twice", second(&|tags| tags.push(FourCc::TYPE, &[2]).unwrap())),
            ("unknown type", patched(&plain, type_at, &[9])),
            ("type none", patched(&plain, type_at, &[255])),
            ("extern beside others", patched(&plain, type_at, &[5])),
            ("not UTF-8", patched(&plain, name_at + 2, &[0xff])),
            ("NUL inside a name", patched(&plain, name_at + 2, &[0])),
            ("empty name", second(&|tags| tags.set(FourCc::NAME, &[0]).unwrap())),
            ("dangling RFLT", with_u64(&plain, tag_offset(&plain, 1, FourCc::RFLT), 5)),
            ("dangling SOFF", with_u64(&full, tag_offset(&full, 1, FourCc::SOFF), 5)),
            ("other versions", patched(&plain, tag_offset(&plain, 1, FourCc::VERS), &[2, 0, 7])),
        ],
    );
}

fn without_soff(bytes: &[u8]) -> Vec<u8> {
    with_function(bytes, 1, |function| {
        function.tags.retain(|tag| tag.id != FourCc::SOFF);
        function.archive = None;
    })
}

#[test]
fn names_that_occur_twice() {
    let twice = |change: &dyn Fn(&mut metallib::LibraryBuilder<'_>)| {
        let mut new = builder(Dialect::Archiver, 7, FileType::Executable);
        new.add(kernel("same", 1)).unwrap();
        change(&mut new);
        finish(new)
    };
    let shared = twice(&|new| {
        let id = new.functions[0].module.unwrap();
        new.add_sharing(kernel("same", 1), id).unwrap();
    });
    let vertex = twice(&|new| {
        new.add(function("same", FunctionType::VERTEX, VERSIONS, 2)).unwrap();
    });
    check(
        "names_that_occur_twice",
        &[
            ("same module, stored once", shared),
            ("same module, stored twice", twice(&|new| new.add(kernel("same", 1)).unwrap())),
            ("other module", twice(&|new| new.add(kernel("same", 2)).unwrap())),
            ("other type", vertex),
            ("other case", twice(&|new| new.add(kernel("Same", 2)).unwrap())),
        ],
    );
}

#[test]
fn metadata_groups() {
    let full = full();
    let group = |id: FourCc, payload: &[u8]| {
        with_function(&full, 1, |function| {
            let private = matches!(id, FourCc::DEBI | FourCc::DEPF);
            let tags = if private { &mut function.private } else { &mut function.public };
            tags.set(id, payload).unwrap();
        })
    };
    let no_types = with_function(&full, 1, |f| {
        f.public.retain(|tag| tag.id != FourCc::VATY);
    });
    let no_file = with_function(&full, 1, |f| {
        f.private.retain(|tag| tag.id != FourCc::DEPF);
    });
    let library = Library::parse(&full).unwrap();
    let public = library.header().unwrap().public.offset;
    let private = library.header().unwrap().private.offset;
    check(
        "metadata_groups",
        &[
            ("unknown public tag", group(UNKNOWN, b"abc")),
            (
                "unknown private tag",
                with_function(&full, 0, |f| f.private.push(UNKNOWN, b"").unwrap()),
            ),
            ("CNST cut", group(FourCc::CNST, b"\x02\0flag\0\x35\x07\0\x01")),
            ("CNST too long", group(FourCc::CNST, b"\0\0x")),
            ("VATT name without NUL", group(FourCc::VATT, b"\x01\0position")),
            ("VATY count", group(FourCc::VATY, b"\x02\0\x06\x06")),
            ("VATT without VATY", no_types),
            ("RETR empty", group(FourCc::RETR, b"")),
            ("RETR struct", group(FourCc::RETR, b"\x01\0\0")),
            ("ARGR pointer cut", group(FourCc::ARGR, b"\x01a\0\x3c\0")),
            ("DEBI cut", group(FourCc::DEBI, b"\x01\0")),
            ("no DEPF", no_file),
            ("DEPF without NUL", group(FourCc::DEPF, b"a.air")),
            ("size word of the other dialect", patched(&full, public, &[4])),
            ("private size word of the other dialect", patched(&full, private, &[39])),
            ("size word of no dialect", patched(&full, public, &[99])),
        ],
    );
}
