//! Modules whose size nothing gives: old archiver files have no MDSZ, so the wrapper has to.

use metallib::{
    Container, Dialect, FileType, FunctionSpec, FunctionType, Library, LibraryBuilder, OsVersion,
    Platform, Version, Versions,
};
use metallib_write::{Plan, WriteOptions};

/// A function of such a file.
fn function(module: &[u8]) -> FunctionSpec<'static> {
    let versions = Versions { air: Version::new(1, 8), language: Version::new(1, 1) };
    FunctionSpec::new("f", FunctionType::KERNEL, versions, module.to_vec())
}

/// A library without MDSZ.
fn library(modules: &[Vec<u8>]) -> Vec<u8> {
    let mut builder = builder();
    modules.iter().for_each(|module| builder.add(function(module)).unwrap());
    written(builder)
}

fn builder() -> LibraryBuilder<'static> {
    let (os, kind) = (OsVersion::default(), FileType::Executable);
    LibraryBuilder::new(Dialect::Archiver, Container::new(2), Platform::MACOS, os, kind)
}

fn written(builder: LibraryBuilder<'_>) -> Vec<u8> {
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
    // Both modules begin at the same offset, as if they were one.
    let mut builder = builder();
    let module = builder.add_module(metallib::Module::new(empty)).unwrap();
    builder.add_sharing(function(&[]), module).unwrap();
    builder.add_sharing(function(&[]), module).unwrap();
    let bytes = written(builder);
    assert_eq!(irregularities(&bytes)[0], NEITHER);
}
