//! Tags that a function has twice: it cannot be told which is meant, so nothing is edited.

use metallib::{
    Container, Dialect, FileType, FourCc, FunctionSpec, FunctionType, Library, LibraryBuilder,
    OsVersion, Platform, Version, Versions,
};
use metallib_write::{Plan, WriteOptions};

/// A library whose function has a tag in addition to its own.
fn with_extra(id: FourCc, payload: &[u8]) -> Vec<u8> {
    let (os, kind) = (OsVersion::default(), FileType::Executable);
    let mut builder =
        LibraryBuilder::new(Dialect::Archiver, Container::new(7), Platform::MACOS, os, kind);
    let versions = Versions { air: Version::new(2, 6), language: Version::new(3, 1) };
    let module = metallib::wrap(b"BC\xc0\xde").unwrap();
    let mut spec = FunctionSpec::new("f", FunctionType::KERNEL, versions, module);
    spec.extra.push((id, payload.to_vec()));
    builder.add(spec).unwrap();
    let library = builder.finish().unwrap();
    Plan::new(&library, WriteOptions::default()).unwrap().to_vec()
}

#[test]
fn computed_tags_may_occur_once() {
    let sizes = [(FourCc::MDSZ, 8), (FourCc::OFFT, 24), (FourCc::HASH, 32)];
    for (id, size) in sizes {
        let bytes = with_extra(id, &vec![0; size]);
        let library = Library::parse(&bytes).unwrap();
        let reasons: Vec<String> =
            library.irregularities().iter().map(|reason| reason.what.clone()).collect();
        assert_eq!(reasons, [format!("tag {id} occurs twice in function 0")]);
        assert!(library.clone().edit(false).is_err());
        assert!(Plan::new(&library, WriteOptions::default()).unwrap().to_vec() == bytes);
    }
}

#[test]
fn other_tags_may_occur_often() {
    for (id, payload) in [(FourCc::new(*b"zzzz"), b"carried"), (FourCc::NAME, b"second\0")] {
        let bytes = with_extra(id, payload);
        assert!(Library::parse(&bytes).unwrap().is_canonical());
    }
}
