//! Libraries and companions that do not belong together: all that differs is named.

use metallib::metadata::{FunctionConstant, encode_function_constants};
use metallib::{
    Archive, Container, DataType, Dialect, ExtensionTag, FileType, FourCc, FunctionSpec,
    FunctionType, Library, LibraryBuilder, OsVersion, Platform, TagList, Version, Versions,
};
use mtlpack::{Edited, Joined, Named, join, strip_source};
use mtlpack_tests::archives::Tar;

const OS: OsVersion = OsVersion { major: 14, minor: 0, update: 0 };

/// A function of a library to be.
fn function(name: &str, code: u8) -> FunctionSpec<'static> {
    let versions = Versions { air: Version::new(2, 7), language: Version::new(3, 2) };
    let module = metallib::wrap(&[b'B', b'C', 0xc0, 0xde, code, 0, 0, 0]).unwrap();
    let mut spec = FunctionSpec::new(name, FunctionType::KERNEL, versions, module);
    spec.reflection = Some(vec![code; 8].into());
    spec.private.push(FourCc::DEPF, b"/tmp/a.air\0").unwrap();
    spec
}

fn builder(container: u16, platform: Platform, os: OsVersion) -> LibraryBuilder<'static> {
    let (container, kind) = (Container::new(container), FileType::Executable);
    LibraryBuilder::new(Dialect::Linker, container, platform, os, kind)
}

/// A library of these functions, which all have the same source archive.
fn build(mut builder: LibraryBuilder<'static>, functions: Vec<FunctionSpec<'static>>) -> Vec<u8> {
    let archive = Archive::new(b"0", &Tar::new().file("/a.metal", b"//").pack()).unwrap();
    let id = builder.add_archive(archive).unwrap();
    for mut function in functions {
        function.archive = Some(id);
        builder.add(function).unwrap();
    }
    Edited::unchanged(builder.finish().unwrap()).to_vec().unwrap()
}

fn usual() -> LibraryBuilder<'static> {
    builder(8, Platform::MACOS, OS)
}

fn three() -> Vec<FunctionSpec<'static>> {
    vec![function("a", 1), function("b", 2), function("c", 3)]
}

/// The library without sources and the companion.
fn strip(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let library = Library::parse(bytes).unwrap();
    let stripped = strip_source(Named { name: "x", library: &library }, false).unwrap();
    (stripped.library.to_vec().unwrap(), stripped.companion.unwrap().to_vec().unwrap())
}

fn with<T>(
    library: &[u8],
    companion: &[u8],
    use_it: impl FnOnce(mtlpack::Result<Joined<'_>>) -> T,
) -> T {
    let libraries = [library, companion].map(|bytes| Library::parse(bytes).unwrap());
    let named = |name, library| Named { name, library };
    use_it(join(named("lib", &libraries[0]), named("sym", &libraries[1]), false))
}

/// What is said of the usual library and the companion of another.
fn mismatches(other: &[u8]) -> Vec<(&'static str, String)> {
    let ((library, _), (_, companion)) = (strip(&build(usual(), three())), strip(other));
    with(&library, &companion, |joined| {
        let joined = joined.unwrap();
        joined.mismatches().iter().map(|found| (found.kind, found.what.clone())).collect()
    })
}

#[test]
fn the_own_companion_gives_the_library() {
    let whole = build(usual(), three());
    let (library, companion) = strip(&whole);
    let joined = with(&library, &companion, |joined| {
        joined.unwrap().library("lib", "sym").unwrap().to_vec().unwrap()
    });
    assert!(joined == whole);
}

#[test]
fn headers_are_compared() {
    let same = |kind, what: &str| vec![(kind, what.to_owned())];
    let later = OsVersion { major: 15, ..OS };
    let found = mismatches(&build(builder(8, Platform::MACOS, later), three()));
    assert_eq!(found, same("os", "minimum OS: lib has 14.0, sym has 15.0"));
    let found = mismatches(&build(builder(7, Platform::MACOS, OS), three()));
    assert_eq!(found, same("container", "container: lib has 1.2.8, sym has 1.2.7"));
    let found = mismatches(&build(builder(8, Platform::MAC_CATALYST, OS), three()));
    assert_eq!(found, same("platform", "platform: lib has macos, sym has mac-catalyst"));
    let found = mismatches(&build(builder(8, Platform::IOS, OS), three()));
    assert_eq!(found.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), ["platform", "flags"]);
    let mut other = usual();
    other.extension_mut().unwrap().set(ExtensionTag::data(FourCc::UUID, vec![0xab; 16]));
    let found = mismatches(&build(other, three()));
    let [none, uuid] =
        ["00000000-0000-0000-0000-000000000000", "ABABABAB-ABAB-ABAB-ABAB-ABABABABABAB"];
    assert_eq!(found, same("uuid", &format!("UUID: lib has {none}, sym has {uuid}")));
}

#[test]
fn functions_are_compared() {
    let with = |change: &dyn Fn(&mut Vec<FunctionSpec<'static>>)| {
        let mut functions = three();
        change(&mut functions);
        mismatches(&build(usual(), functions))
    };
    let same = |kind, what: &str| vec![(kind, what.to_owned())];
    let found = with(&|functions| drop(functions.pop()));
    assert_eq!(found, same("functions", "functions that only lib has: `c`"));
    let found = with(&|functions| functions.push(function("d", 4)));
    assert_eq!(found, same("functions", "functions that only sym has: `d`"));
    let found = with(&|functions| functions.push(function("a", 1)));
    assert_eq!(found, same("functions", "functions that only sym has: `a`"));
    let found = with(&|functions| functions.swap(1, 2));
    let order =
        "order of functions: the first that differs, function 1, is `b` in lib and `c` in sym";
    assert_eq!(found, same("order", order));
    let found = with(&|functions| functions[1].module = function("b", 9).module);
    assert_eq!(found, same("module", "functions differ in module: `b`"));
    let found = with(&|functions| functions[1].function_type = FunctionType::VISIBLE);
    assert_eq!(found, same("type", "functions differ in type: `b`"));
    let found = with(&|functions| functions[2].versions.language = Version::new(3, 1));
    assert_eq!(found, same("versions", "functions differ in versions: `c`"));
    let found = with(&|functions| functions[0].reflection = Some(vec![9; 8].into()));
    assert_eq!(found, same("reflection", "functions differ in reflection: `a`"));
    let found = with(&|functions| functions[0].extra.push((FourCc::LAYR, vec![0x21])));
    assert_eq!(found, same("tags", "functions differ in tags: `a`"));
    let constant = FunctionConstant {
        name: b"x".to_vec(),
        data_type: DataType::from_code(53),
        index: 0,
        required: 1,
    };
    let constants = encode_function_constants(&[constant]).unwrap();
    let found = with(&|functions| functions[0].public.push(FourCc::CNST, &constants).unwrap());
    assert_eq!(found, same("metadata", "functions differ in metadata: `a`"));
    // What differs beside DEPF, which goes with the sources, is seen too.
    let found =
        with(&|functions| functions[0].private.push(FourCc::DEBI, b"\x01\0\0\0/a\0").unwrap());
    assert_eq!(found, same("metadata", "functions differ in metadata: `a`"));
    let found = with(&|functions| *functions = vec![function("a", 9), function("d", 2)]);
    let kinds: Vec<&str> = found.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, ["functions", "functions", "module"]);
}

#[test]
fn everything_else_is_compared_byte_for_byte() {
    let mut other = usual();
    let mut tags = TagList::new();
    tags.push(FourCc::NAME, b"x.metallib\0").unwrap();
    other.set_dynamic_header(tags).unwrap();
    let found = mismatches(&build(other, three()));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "layout");
    assert!(found[0].1.contains("lib differs from sym without sources, first at offset 0x"));
}

#[test]
fn only_a_library_and_a_companion_are_joined() {
    let whole = build(usual(), three());
    let (library, companion) = strip(&whole);
    let wrong = |library: &[u8], companion: &[u8]| {
        let found = with(library, companion, |joined| joined.unwrap().mismatches().to_vec());
        assert_eq!((found.len(), found[0].kind), (1, "role"));
        found[0].what.clone()
    };
    assert_eq!(wrong(&companion, &library), "lib is a symbol companion; give the library first");
    let kind = "sym is no symbol companion (its file type is executable); give the .metallibsym \
                that strip-source --companion wrote";
    assert_eq!(wrong(&library, &whole), kind);
    let nothing = "there is nothing to join";
    assert_eq!(wrong(&whole, &companion), format!("lib has its sources: {nothing}"));
    let mut empty = library.clone();
    empty[10] = FileType::SymbolCompanion.code();
    assert_eq!(wrong(&library, &empty), format!("sym holds no sources: {nothing}"));
    let refused = |library: &[u8], companion: &[u8]| {
        with(library, companion, |joined| joined.map(drop).unwrap_err().to_string())
    };
    let irregular = [&library[..], &[0]].concat();
    assert!(refused(&irregular, &companion).contains("the library is irregular"));
    let irregular = [&companion[..], &[0]].concat();
    assert!(refused(&library, &irregular).contains("the library is irregular"));
}
