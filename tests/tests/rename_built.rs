//! Renaming in arbitrary libraries from the builder.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;

use air_bitcode::Module;
use metallib::{
    BufferEntry, Dialect, ExtensionTag, FileType, FourCc, FunctionSpec, FunctionType, Library,
    Reflection, Section, SymbolList, TagList,
};
use metallib_write::{UuidAction, UuidForm};
use mtlpack::{Named, rename_functions};
use mtlpack_tests::bitcode::module_of;
use mtlpack_tests::small::{VERSIONS, builder, finish, reflection};
use mtlpack_tests::trimmed::trimmed;
use proptest::collection::btree_map;
use proptest::prelude::*;

const UNKNOWN: FourCc = FourCc::new(*b"WHAT");

/// A library of functions with these names. In a dynamic one all share a module, and a
/// reflection entry that names none of them, as in real ones.
fn library(names: &[&[u8]], dialect: Dialect, dynamic: bool) -> Vec<u8> {
    let kind = if dynamic { FileType::Dynamic } else { FileType::Executable };
    let mut new = builder(dialect, 8, kind);
    let spec = |name: &[u8]| {
        let name = String::from_utf8(name.to_vec()).unwrap();
        let mut spec = FunctionSpec::new(name, FunctionType::KERNEL, VERSIONS, Vec::new());
        spec.extra.push((UNKNOWN, b"tag".to_vec()));
        spec
    };
    if !dynamic {
        for name in names {
            let module = module_of(&[*name], &[b"air.fence"]).into();
            let reflection = Some(reflection(&[*name]).into());
            new.add(FunctionSpec { module, reflection, ..spec(name) }).unwrap();
        }
        return finish(new);
    }
    let module = new.add_module(metallib::Module::new(module_of(names, &[]))).unwrap();
    let mut entry = BufferEntry::new(FourCc::RBUF, &reflection(&[])).unwrap();
    entry.tags.push(UNKNOWN, b"behind").unwrap();
    let entry = new.add_buffer(FourCc::RLST, entry).unwrap();
    for name in names {
        new.add_sharing(spec(name), module).unwrap();
    }
    for function in &mut new.functions {
        function.tags.push(FourCc::RFLT, &[0; 8]).unwrap();
        function.tags.reorder(dialect.function_tag_order());
        function.reflection = Some(entry);
    }
    finish(new)
}

fn renamed(bytes: &[u8], names: &[&[u8]]) -> mtlpack::Result<Vec<u8>> {
    let library = Library::parse(bytes).unwrap();
    let names: BTreeMap<usize, Vec<u8>> =
        names.iter().map(|name| name.to_vec()).enumerate().collect();
    let input = Named { name: "built", library: &library };
    rename_functions(input, &names, false)?.finish()?.to_vec()
}

/// The list, the modules and the reflection have these names, and nothing is lost.
fn assert_names(bytes: &[u8], names: &[&[u8]]) {
    let library = Library::parse(bytes).unwrap();
    assert!(library.is_canonical());
    let listed: Vec<&[u8]> = library.functions().iter().map(|f| f.name_bytes()).collect();
    assert_eq!(listed, names);
    for function in library.functions() {
        assert_eq!(function.tags.payload(UNKNOWN), Some(&b"tag"[..]));
        let module = library.module_of(function).unwrap();
        assert_eq!(function.hash(), Some(&metallib_write::module_hash(module.bytes())));
        let globals = Module::parse(module.bytes()).unwrap();
        let globals = globals.globals().unwrap();
        let defined: Vec<&[u8]> =
            globals.iter().filter(|g| g.is_definition).map(|g| &*g.name).collect();
        let entry = &library.reflection().unwrap().entries()[function.reflection.unwrap().index()];
        let buffer = entry.buffer().unwrap();
        let described: Vec<&[u8]> = Reflection::new(&buffer).unwrap().function_names().collect();
        let own = [function.name_bytes()];
        let expected = if library.is_dynamic() { (names, &[][..]) } else { (&own[..], &own[..]) };
        assert_eq!((&defined[..], &described[..]), expected);
        assert_eq!(entry.tags.payload(UNKNOWN), library.is_dynamic().then_some(&b"behind"[..]));
    }
}

/// Distinct names, each with another distinct one.
fn names() -> impl Strategy<Value = Vec<(String, String)>> {
    let name = "[a-z_:<> \\\\\u{e9}\u{3c0}]{1,8}";
    btree_map(name, name, 1..6).prop_filter_map("distinct new names", |names| {
        let new: std::collections::BTreeSet<_> = names.values().collect();
        (new.len() == names.len()).then(|| names.into_iter().collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn there_and_back_is_the_original(
        names in names(),
        linker: bool,
        dynamic: bool,
    ) {
        let dialect = if linker { Dialect::Linker } else { Dialect::Archiver };
        let (old, new): (Vec<&[u8]>, Vec<&[u8]>) =
            names.iter().map(|(old, new)| (old.as_bytes(), new.as_bytes())).unzip();
        let bytes = library(&old, dialect, dynamic);
        assert_names(&bytes, &old);
        prop_assert!(renamed(&bytes, &old).unwrap() == bytes);
        let there = renamed(&bytes, &new).unwrap();
        assert_names(&there, &new);
        let back = renamed(&there, &old).unwrap();
        assert_names(&back, &old);
        let original = Library::parse(&bytes).unwrap();
        let uuid = if linker { UuidAction::Recompute(UuidForm::Sha256) } else { UuidAction::Keep };
        prop_assert!(trimmed(&back, uuid, &original).bytes == bytes);
    }

    /// Functions take each other's names, in a circle.
    #[test]
    fn names_go_round(names in names(), dynamic: bool) {
        let old: Vec<&[u8]> = names.iter().map(|(old, _)| old.as_bytes()).collect();
        let bytes = library(&old, Dialect::Linker, dynamic);
        let mut new = old.clone();
        new.rotate_left(1);
        let there = renamed(&bytes, &new).unwrap();
        assert_names(&there, &new);
        let back = renamed(&there, &old).unwrap();
        let original = Library::parse(&bytes).unwrap();
        let uuid = UuidAction::Recompute(UuidForm::Sha256);
        prop_assert!(trimmed(&back, uuid, &original).bytes == bytes);
    }
}

/// No real library has an entry that names several functions.
#[test]
fn an_entry_of_several_functions_gets_all_their_names() {
    let old: [&[u8]; 3] = [b"a", b"bcdef", b"g"];
    let mut new = builder(Dialect::Linker, 8, FileType::Executable);
    let entry = BufferEntry::new(FourCc::RBUF, &reflection(&old)).unwrap();
    let entry = new.add_buffer(FourCc::RLST, entry).unwrap();
    for name in old {
        let module = module_of(&[name], &[]);
        let name = String::from_utf8_lossy(name);
        new.add(FunctionSpec::new(name, FunctionType::KERNEL, VERSIONS, module)).unwrap();
    }
    for function in &mut new.functions {
        function.tags.push(FourCc::RFLT, &[0; 8]).unwrap();
        function.reflection = Some(entry);
    }
    let bytes = finish(new);
    for names in [[&b"bcdef"[..], b"a", b"g"], [b"g", b"a", b"bcdef"], [b"longer", b"bcdef", b"x"]]
    {
        let there = renamed(&bytes, &names).unwrap();
        let library = Library::parse(&there).unwrap();
        let buffer = library.reflection().unwrap().entries()[0].buffer().unwrap();
        let found: Vec<&[u8]> = Reflection::new(&buffer).unwrap().function_names().collect();
        assert_eq!(found, names);
        let back = renamed(&there, &old).unwrap();
        let library = Library::parse(&back).unwrap();
        let buffer = library.reflection().unwrap().entries()[0].buffer().unwrap();
        let found: Vec<&[u8]> = Reflection::new(&buffer).unwrap().function_names().collect();
        assert_eq!(found, old);
    }
}

fn message(bytes: &[u8], names: &[&[u8]]) -> String {
    renamed(bytes, names).unwrap_err().to_string()
}

/// What would be wrong somewhere is refused, whatever else could be done.
#[test]
fn what_cannot_be_renamed_rightly_is_refused() {
    let bytes = library(&[b"a", b"b"], Dialect::Linker, false);
    let clash = "functions of built would get names that others have or get:\n  `b` for `a`; a \
                 function has this name already";
    assert_eq!(message(&bytes, &[b"b"]), clash);
    assert_eq!(message(&bytes, &[b"x", b"y", b"z"]), "built has no function 2, only 2");

    let mut shared = Library::parse(&bytes).unwrap().edit(false).unwrap();
    shared.functions[1].reflection = shared.functions[0].reflection;
    let shared = finish(shared);
    let describes = message(&shared, &[b"a", b"c"]);
    let expected = "built: the reflection entry of function 1 `b` describes other functions";
    assert!(describes.starts_with(expected), "{describes}");
    assert_eq!(
        Library::parse(&renamed(&shared, &[b"c"]).unwrap()).unwrap().functions()[0].name(),
        "c"
    );

    let mut twice = Library::parse(&bytes).unwrap().edit(false).unwrap();
    twice.functions[1] = twice.functions[0].clone();
    twice.modules.truncate(1);
    let twice = finish(twice);
    let one = "built has `a` several times in one module, so all of them must get the same name";
    assert_eq!(message(&twice, &[b"c"]), one);
    assert_eq!(message(&twice, &[b"c", b"d"]), one);
    let both = renamed(&twice, &[b"c", b"c"]).unwrap();
    assert!(Library::parse(&both).unwrap().functions().iter().all(|f| f.name() == "c"));

    let mut alias = Library::parse(&bytes).unwrap().edit(false).unwrap();
    alias.functions[1].tags.push(FourCc::ALIS, b"c\0a\0").unwrap();
    let alias = message(&finish(alias), &[b"x"]);
    assert!(alias.starts_with("built: function 1 `b` has tag ALIS"), "{alias}");

    let mut odd = Library::parse(&bytes).unwrap().edit(false).unwrap();
    odd.functions[0].tags.retain(|tag| tag.id != FourCc::NAME);
    let odd = message(&finish(odd), &[b"x"]);
    assert!(odd.contains("(without a name) to `x`: it has no name that could be changed"), "{odd}");
}

/// Modules of a dynamic library that was merged follow the names of each other's functions.
#[test]
fn imports_from_other_modules_follow() {
    let mut new = builder(Dialect::Linker, 8, FileType::Dynamic);
    for (name, imports) in [("a", &[][..]), ("b", &[&b"a"[..], b"other"])] {
        let module = module_of(&[name.as_bytes()], imports);
        new.add(FunctionSpec::new(name, FunctionType::UNQUALIFIED, VERSIONS, module)).unwrap();
    }
    let bytes = renamed(&finish(new), &[b"ours::a"]).unwrap();
    let library = Library::parse(&bytes).unwrap();
    let names = |module: &metallib::Module<'_>| -> Vec<String> {
        let module = Module::parse(module.bytes()).unwrap();
        module.globals().unwrap().iter().map(|g| g.name_text().into_owned()).collect()
    };
    let names: Vec<_> = library.modules().iter().map(names).collect();
    assert_eq!(names, [vec!["ours::a"], vec!["b", "ours::a", "other"]]);
}

/// A library whose import list names what it defines, as a merged one may: which of both it
/// means would change with either name.
#[test]
fn names_that_the_library_imports_are_left_alone() {
    let mut new = builder(Dialect::Linker, 8, FileType::Dynamic);
    let module = module_of(&[b"a"], &[b"far"]);
    new.add(FunctionSpec::new("a", FunctionType::UNQUALIFIED, VERSIONS, module)).unwrap();
    let mut imports = SymbolList::default();
    for name in [&b"a\0"[..], b"far\0"] {
        let mut tags = TagList::new();
        tags.push(FourCc::NAME, name).unwrap();
        imports.push(tags);
    }
    let section = Section::Symbols(imports);
    new.extension_mut().unwrap().set(ExtensionTag::section(FourCc::ILST, section));
    let bytes = finish(new);
    let expected = "functions of built have, or would get, a name that the library also imports \
                    (section ILST), so what it means by it would change; leave them out, or \
                    rename before they are merged:\n  `a` to `b`";
    assert_eq!(message(&bytes, &[b"b"]), expected);
    assert!(message(&bytes, &[b"far"]).ends_with(":\n  `a` to `far`"));
}
