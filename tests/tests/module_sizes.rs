//! Modules whose size nothing gives: old archiver files have no MDSZ, so the wrapper has to.

use metallib::{
    Container, Dialect, FileType, FunctionSpec, FunctionType, Library, LibraryBuilder, OsVersion,
    Platform, Version, Versions,
};
use metallib_write::{Plan, WriteOptions};

/// A library without MDSZ.
fn library(modules: &[Vec<u8>]) -> Vec<u8> {
    let (os, kind) = (OsVersion::default(), FileType::Executable);
    let mut builder =
        LibraryBuilder::new(Dialect::Archiver, Container::new(2), Platform::MACOS, os, kind);
    let versions = Versions { air: Version::new(1, 8), language: Version::new(1, 1) };
    for module in modules {
        let spec = FunctionSpec::new("f", FunctionType::KERNEL, versions, module.clone());
        builder.add(spec).unwrap();
    }
    let library = builder.finish().unwrap();
    Plan::new(&library, WriteOptions::default()).unwrap().to_vec()
}

fn irregularities(bytes: &[u8]) -> Vec<String> {
    let library = Library::parse(bytes).unwrap();
    let reasons = library.irregularities().iter().map(|reason| reason.what.clone()).collect();
    assert_eq!(library.clone().edit(false).is_ok(), library.is_canonical());
    reasons
}

const NEITHER: &str = "neither MDSZ nor a wrapper gives the size of function 0's module";

#[test]
fn wrappers_give_sizes() {
    let wrapped = |bitcode: &[u8]| metallib::wrap(bitcode).unwrap();
    let bytes = library(&[wrapped(b"BC\xc0\xde"), wrapped(&[7; 100])]);
    assert_eq!(irregularities(&bytes), Vec::<String>::new());
}

#[test]
fn a_module_without_wrapper_is_irregular() {
    let bytes = library(&[b"BC\xc0\xde, and more".to_vec()]);
    assert_eq!(irregularities(&bytes), [NEITHER]);
}

/// The wrapper behind an empty module is not the empty module's own.
#[test]
fn a_wrapper_must_lie_in_its_module() {
    let mut empty = metallib::wrap(&[0; 44]).unwrap();
    empty[8..16].fill(0);
    let bytes = library(&[Vec::new(), empty]);
    assert_eq!(irregularities(&bytes)[0], NEITHER);
}
