use metallib::{
    Container, Dialect, FileType, FunctionSpec, FunctionType, Library, LibraryBuilder, OsVersion,
    Platform, Versions,
};

use super::{Node, Scope, Value, inspect};
use crate::{Edited, Error};

fn builder() -> LibraryBuilder<'static> {
    let (container, os) = (Container::new(7), OsVersion::default());
    LibraryBuilder::new(Dialect::Linker, container, Platform::IOS, os, FileType::Executable)
}

fn spec(name: &str, module: &[u8]) -> FunctionSpec<'static> {
    FunctionSpec::new(name, FunctionType::KERNEL, Versions::default(), module.to_vec())
}

fn bytes(builder: LibraryBuilder<'_>) -> Vec<u8> {
    Edited::unchanged(builder.finish().unwrap()).to_vec().unwrap()
}

/// The nodes of the bitcode section of a library.
fn modules(bytes: &[u8]) -> Vec<Node> {
    let tree = inspect(&Library::parse(bytes).unwrap(), Scope::All).unwrap();
    tree.children.into_iter().find(|node| node.name == "bitcode").unwrap().children
}

/// Names and sizes of what a module consists of, without its wrapper.
fn parts(module: &[u8]) -> Vec<(String, u64)> {
    let mut builder = builder();
    builder.add(spec("a", module)).unwrap();
    let module = modules(&bytes(builder)).remove(0);
    let parts = module.children.iter().filter(|node| !node.name.starts_with("wrapper"));
    parts.map(|node| (node.name.to_string(), node.size)).collect()
}

fn wrapped(offset: u32, size: u32, rest: usize) -> Vec<u8> {
    let words = [metallib::WRAPPER_MAGIC, 0, offset, size, u32::MAX];
    let mut module: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    module.resize(20 + rest, 7);
    module
}

#[test]
fn modules_need_no_wrapper() {
    assert_eq!(parts(b"anything at all"), [("data without wrapper".to_owned(), 15)]);
}

#[test]
fn wrappers_may_lie() {
    let fields = |rest: &[(&str, u64)]| -> Vec<(String, u64)> {
        let fields = [("bitcode offset", 4), ("bitcode size", 4), ("CPU type", 4)];
        fields.iter().chain(rest).map(|(name, size)| ((*name).to_owned(), *size)).collect()
    };
    let missed = fields(&[("data that the wrapper misses", 12)]);
    assert_eq!(parts(&wrapped(20, 13, 12)), missed);
    assert_eq!(parts(&wrapped(19, 4, 12)), missed);
    assert_eq!(parts(&wrapped(u32::MAX, u32::MAX, 12)), missed);
    let moved = fields(&[("data in front of the bitcode", 4), ("bitcode", 4), ("padding", 4)]);
    assert_eq!(parts(&wrapped(24, 4, 12)), moved);
}

#[test]
fn says_who_shares_a_module() {
    let mut builder = builder();
    let module = metallib::Module::new(metallib::wrap(b"BC\xc0\xde").unwrap());
    let id = builder.add_module(module).unwrap();
    for name in ["a", "b", "c"] {
        builder.add_sharing(spec(name, b""), id).unwrap();
    }
    let modules = modules(&bytes(builder));
    assert_eq!(modules.len(), 1);
    assert_eq!(modules[0].value, Value::Text("a and 2 more".to_owned()));
}

#[test]
fn bytes_that_nothing_claims_are_shown() {
    let mut builder = builder();
    builder.add(spec("a", &metallib::wrap(b"BC\xc0\xde").unwrap())).unwrap();
    let whole = [bytes(builder), vec![0xab; 100]].concat();
    let tree = inspect(&Library::parse(&whole).unwrap(), Scope::All).unwrap();
    let last = tree.children.last().unwrap();
    assert_eq!((last.name.as_ref(), last.size), ("unused", 100));
    let shown = format!("{}… (100 bytes)", "ab".repeat(64));
    assert_eq!(last.value, Value::Text(shown));
}

#[test]
fn a_library_that_was_built_has_no_offsets() {
    let library = builder().finish().unwrap();
    assert!(matches!(inspect(&library, Scope::All), Err(Error::Refused { .. })));
}

#[test]
fn a_name_that_is_not_there_is_a_no() {
    let bytes = bytes(builder());
    let library = Library::parse(&bytes).unwrap();
    let error = inspect(&library, Scope::Function("a")).unwrap_err();
    assert_eq!(error.exit_code(), 1);
}
