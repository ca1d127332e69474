//! Merging: what is combined, converted, refused, and said.

use metallib::{
    Archive, Container, Dialect, FileType, FourCc, FunctionSpec, FunctionType, Library,
    LibraryBuilder, OsVersion, Platform, SymbolList, TagList, Version, Versions,
};
use mtlpack::{Edited, MergeOptions, Named, OnDuplicate, OsChoice, SourcesChoice, merge};

const AIR: Versions = Versions { air: Version::new(2, 6), language: Version::new(3, 1) };

fn os(major: u16) -> OsVersion {
    OsVersion { major, minor: 0, update: 0 }
}

fn module(seed: u8) -> Vec<u8> {
    metallib::wrap(&[b'B', b'C', 0xc0, 0xde, seed, 0, 0, 0]).unwrap()
}

fn kernel<'a>(name: &str, seed: u8) -> FunctionSpec<'a> {
    FunctionSpec::new(name, FunctionType::KERNEL, AIR, module(seed))
}

/// A library of kernels, each with a module of its own seed.
fn library(dialect: Dialect, patch: u16, kernels: &[(&str, u8)]) -> LibraryBuilder<'static> {
    let container = Container::new(patch);
    let mut builder =
        LibraryBuilder::new(dialect, container, Platform::MACOS, os(14), FileType::Executable);
    for (name, seed) in kernels {
        builder.add(kernel(name, *seed)).unwrap();
    }
    builder
}

fn written(builder: LibraryBuilder<'_>) -> Vec<u8> {
    let mut edited = Edited::unchanged(builder.finish().unwrap());
    if edited.library.uuid().is_some() {
        edited.uuid = metallib_write::UuidAction::Recompute(metallib_write::UuidForm::Sha256);
    }
    edited.to_vec().unwrap()
}

/// Merges inputs named `a`, `b`, `c`; gives the output and the notes, or the error.
fn merged(inputs: &[Vec<u8>], options: &MergeOptions) -> Result<(Vec<u8>, Vec<String>), String> {
    let libraries: Vec<Library<'_>> = inputs.iter().map(|i| Library::parse(i).unwrap()).collect();
    let inputs: Vec<Named<'_, '_>> = libraries
        .iter()
        .zip(["a", "b", "c"])
        .map(|(library, name)| Named { name, library })
        .collect();
    let edited = merge(&inputs, options).map_err(|error| error.to_string())?;
    let bytes = edited.to_vec().unwrap();
    let parsed = Library::parse(&bytes).unwrap();
    assert!(parsed.is_canonical(), "{:?}", parsed.irregularities());
    Ok((bytes, edited.notes))
}

fn names(bytes: &[u8]) -> Vec<String> {
    let library = Library::parse(bytes).unwrap();
    library.functions().iter().map(|function| function.name().into_owned()).collect()
}

#[test]
fn nothing_to_merge_is_an_error() {
    assert_eq!(merged(&[], &MergeOptions::default()).unwrap_err(), "no input to merge");
}

#[test]
fn order_is_kept() {
    let a = written(library(Dialect::Archiver, 7, &[("z", 1), ("a", 2)]));
    let b = written(library(Dialect::Archiver, 7, &[("m", 3)]));
    let (out, notes) = merged(&[a, b], &MergeOptions::default()).unwrap();
    assert_eq!(names(&out), ["z", "a", "m"]);
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn clashes_are_listed_all() {
    let a = written(library(Dialect::Archiver, 7, &[("x", 1), ("y", 2)]));
    let b = written(library(Dialect::Archiver, 7, &[("x", 3), ("y", 4), ("z", 5)]));
    let inputs = [a, b];
    assert_eq!(
        merged(&inputs, &MergeOptions::default()).unwrap_err(),
        "2 functions are in more than one input; choose with --on-duplicate first, last or \
         rename:PREFIX:\n  \
         `x`: a, b (different module)\n  `y`: a, b (different module)"
    );
    let with = |on_duplicate| MergeOptions { on_duplicate, ..MergeOptions::default() };
    let seed = |bytes: &[u8], name: &str| {
        let library = Library::parse(bytes).unwrap();
        library.module_of(library.function(name).unwrap()).unwrap().bytes()[24]
    };
    let (first, notes) = merged(&inputs, &with(OnDuplicate::First)).unwrap();
    assert_eq!((names(&first), seed(&first, "x")), (vec!["x".into(), "y".into(), "z".into()], 1));
    assert_eq!(notes, ["of several functions of one name the first is kept: `x`, `y`"]);
    let (last, _) = merged(&inputs, &with(OnDuplicate::Last)).unwrap();
    assert_eq!(names(&last), ["x", "y", "z"]);
    assert_eq!(seed(&last, "x"), 3);
}

#[test]
fn the_very_same_function_is_stored_once() {
    let a = written(library(Dialect::Linker, 8, &[("x", 1), ("y", 2)]));
    let (out, notes) = merged(&[a.clone(), a.clone()], &MergeOptions::default()).unwrap();
    assert_eq!(out, a);
    assert_eq!(
        notes,
        [
            "the very same in several inputs, stored once: `x`, `y`",
            "UUID computed anew (sha-256 form)"
        ]
    );
}

#[test]
fn a_function_of_another_type_is_a_clash() {
    let a = written(library(Dialect::Archiver, 7, &[("x", 1)]));
    let mut b = library(Dialect::Archiver, 7, &[]);
    b.add(FunctionSpec::new("x", FunctionType::FRAGMENT, AIR, module(1))).unwrap();
    let error = merged(&[a, written(b)], &MergeOptions::default()).unwrap_err();
    assert!(error.ends_with("`x`: a, b (different type)"), "{error}");
}

#[test]
fn platforms_and_kinds_must_agree() {
    let a = written(library(Dialect::Archiver, 7, &[("x", 1)]));
    let mut b = library(Dialect::Archiver, 7, &[("y", 1)]);
    b.identity =
        metallib::Identity::new(Container::new(7), Platform::IOS, os(17), FileType::Executable);
    let ios = written(b.clone());
    b.identity = metallib::Identity::new(
        Container::new(7),
        Platform::MAC_CATALYST,
        os(17),
        FileType::Executable,
    );
    let catalyst = written(b.clone());
    b.identity =
        metallib::Identity::new(Container::new(7), Platform::MACOS, os(14), FileType::Dynamic);
    let dynamic = written(b);
    let error = |other: &Vec<u8>| {
        merged(&[a.clone(), other.clone()], &MergeOptions::default()).unwrap_err()
    };
    assert_eq!(
        error(&ios),
        "different platforms cannot be combined: a is macos, b is ios; keep a library for each"
    );
    assert_eq!(
        error(&catalyst),
        "different platforms cannot be combined: a is macos, b is mac-catalyst; keep a library for each"
    );
    assert_eq!(
        error(&dynamic),
        "different kinds of library cannot be combined: a is executable, b is dynamic; keep a library for each"
    );
}

/// OS 14, 15 and 26 mixed in either order.
#[test]
fn the_highest_os_is_stamped() {
    let of = |major: u16, name: &str| {
        let mut builder = library(Dialect::Archiver, 7, &[(name, 1)]);
        builder.identity.os = os(major);
        written(builder)
    };
    for order in [[14, 15, 26], [26, 15, 14], [15, 26, 14]] {
        let inputs: Vec<Vec<u8>> =
            order.iter().zip(["x", "y", "z"]).map(|(major, name)| of(*major, name)).collect();
        let (out, notes) = merged(&inputs, &MergeOptions::default()).unwrap();
        assert_eq!(Library::parse(&out).unwrap().identity().os, os(26));
        let [p, q, r] = order;
        assert_eq!(
            notes,
            [format!(
                "the inputs are for OS {p}.0 (a), {q}.0 (b), {r}.0 (c); the output says 26.0 (highest)"
            )]
        );
        let first = MergeOptions { os: OsChoice::First, ..MergeOptions::default() };
        let (out, _) = merged(&inputs, &first).unwrap();
        assert_eq!(Library::parse(&out).unwrap().identity().os, os(order[0]));
    }
}

/// Every pair of dialects and containers: the newest container, the first dialect.
#[test]
fn dialects_and_containers_are_converted() {
    let mut public = TagList::new();
    public.push(FourCc::CNST, &[0, 0]).unwrap();
    for (first, second) in
        [(Dialect::Archiver, Dialect::Linker), (Dialect::Linker, Dialect::Archiver)]
    {
        for a in 2..=9 {
            for b in 2..=9 {
                let make = |dialect, patch, name: &str| {
                    let mut builder = library(dialect, patch, &[]);
                    let old = Versions { air: Version::new(1, 8), language: Version::new(1, 1) };
                    let mut spec = FunctionSpec::new(name, FunctionType::KERNEL, old, module(7));
                    spec.public = public.clone();
                    if patch >= 7 && dialect == Dialect::Linker {
                        spec.reflection = Some(b"\x04\0\0\0AIRR\0\0\0\0".to_vec().into());
                    }
                    builder.add(spec).unwrap();
                    written(builder)
                };
                let inputs = [make(first, a, "x"), make(second, b, "y")];
                let options = MergeOptions {
                    output_name: Some("o.metallib".into()),
                    ..MergeOptions::default()
                };
                let (out, notes) = merged(&inputs, &options).unwrap();
                let library = Library::parse(&out).unwrap();
                assert_eq!(library.dialect(), first);
                assert_eq!(library.identity().container.patch(), a.max(b));
                assert_eq!(a == b, !notes.iter().any(|note| note.contains("converted")));
                for function in library.functions() {
                    assert_eq!(function.public.payload(FourCc::CNST), Some(&[0, 0][..]));
                    let order: Vec<FourCc> = function.tags.iter().map(|tag| tag.id).collect();
                    let expected: Vec<FourCc> = first
                        .function_tag_order()
                        .iter()
                        .filter(|id| order.contains(id))
                        .copied()
                        .collect();
                    assert_eq!(order, expected);
                    if first == Dialect::Linker {
                        assert!(function.stored_module_size().is_some());
                    }
                }
                let header = library.dynamic_header().is_some();
                assert_eq!(header, first == Dialect::Linker && a.max(b) == 9, "{first} {a} {b}");
            }
        }
    }
}

fn with_sources(ids: &[(&str, &str)], names: &[&str]) -> Vec<u8> {
    let mut builder = library(Dialect::Linker, 8, &[]);
    let archives: Vec<_> = ids
        .iter()
        .map(|(id, data)| {
            builder.add_archive(Archive::new(id.as_bytes(), data.as_bytes()).unwrap()).unwrap()
        })
        .collect();
    let sources = builder.sources_mut().unwrap();
    sources.link_options = b"air-lld -o x".to_vec().into();
    sources.working_dir = Some(b"/src".to_vec().into());
    for (index, name) in names.iter().enumerate() {
        let seed = name.as_bytes()[0];
        let mut spec = kernel(name, seed);
        spec.archive = Some(archives[index]);
        builder.add(spec).unwrap();
    }
    written(builder)
}

/// Equal archives once, clashing ids renumbered, SOFF right.
#[test]
fn sources_are_united() {
    let a = with_sources(&[("0", "one"), ("1", "runtime")], &["x"]);
    let b = with_sources(&[("0", "two"), ("1", "three"), ("2", "runtime")], &["y", "z"]);
    let (out, notes) = merged(&[a.clone(), b.clone()], &MergeOptions::default()).unwrap();
    let library = Library::parse(&out).unwrap();
    let sources = library.sources().unwrap();
    let archives: Vec<(String, String)> = sources
        .archives
        .iter()
        .map(|a| (String::from_utf8_lossy(a.id()).into(), String::from_utf8_lossy(a.data()).into()))
        .collect();
    let expected = [("0", "one"), ("2", "two"), ("3", "three"), ("1", "runtime")];
    assert_eq!(archives, expected.map(|(id, data)| (id.to_owned(), data.to_owned())));
    let of = |name: &str| {
        let archive = library.function(name).unwrap().archive.unwrap();
        sources.archives[archive.index()].data()
    };
    assert_eq!((of("x"), of("y"), of("z")), (&b"one"[..], &b"two"[..], &b"three"[..]));
    assert!(notes.contains(&"b: source archive `0` is now `2`".to_owned()), "{notes:?}");

    let drop = MergeOptions { sources: SourcesChoice::Drop, ..MergeOptions::default() };
    let (out, _) = merged(&[a, b], &drop).unwrap();
    let library = Library::parse(&out).unwrap();
    assert!(library.sources().is_none());
    assert!(library.functions().iter().all(|f| f.tags.get(FourCc::SOFF).is_none()));
}

fn dynamic(name: &str, functions: &[&str], imports: &[&str], seed: u8) -> Vec<u8> {
    let container = Container::new(7);
    let mut builder =
        LibraryBuilder::new(Dialect::Linker, container, Platform::MACOS, os(13), FileType::Dynamic);
    let module_id = builder.add_module(metallib::Module::new(module(seed))).unwrap();
    for function in functions {
        let spec = FunctionSpec::new(*function, FunctionType::UNQUALIFIED, AIR, Vec::new());
        builder.add_sharing(spec, module_id).unwrap();
    }
    let mut header = TagList::new();
    header.push(FourCc::NAME, format!("{name}\0").as_bytes()).unwrap();
    header.push(FourCc::DYNL, b"libother\0").unwrap();
    builder.set_dynamic_header(header).unwrap();
    let mut list = SymbolList::default();
    for import in imports {
        let mut tags = TagList::new();
        tags.push(FourCc::NAME, format!("{import}\0").as_bytes()).unwrap();
        list.push(tags);
    }
    let section = metallib::Section::Symbols(list);
    builder.extension_mut().unwrap().set(metallib::ExtensionTag::section(FourCc::ILST, section));
    written(builder)
}

#[test]
fn dynamic_libraries_share_modules_and_unite_imports() {
    let a = dynamic("libA", &["f", "g"], &["i", "j"], 1);
    let b = dynamic("libB", &["h"], &["j", "k"], 1);
    let error = merged(&[a.clone(), b.clone()], &MergeOptions::default()).unwrap_err();
    assert!(error.contains("--name"), "{error}");
    let options = MergeOptions { output_name: Some("libC".into()), ..MergeOptions::default() };
    let (out, notes) = merged(&[a.clone(), b.clone()], &options).unwrap();
    let library = Library::parse(&out).unwrap();
    assert_eq!(library.modules().len(), 1);
    assert_eq!(library.functions().len(), 3);
    let imports: Vec<&[u8]> = library.imports().unwrap().names().collect();
    assert_eq!(imports, [b"i", b"j", b"k"]);
    let header = library.dynamic_header().unwrap();
    let tags: Vec<_> = header.iter().map(|tag| (tag.id, tag.payload)).collect();
    assert_eq!(tags, [(FourCc::NAME, &b"libC\0"[..]), (FourCc::DYNL, b"libother\0")]);
    assert!(notes.iter().any(|note| note.contains("`libC`")), "{notes:?}");
    let named = MergeOptions { name: Some("libD".into()), ..MergeOptions::default() };
    let (out, _) = merged(&[a, b], &named).unwrap();
    let library = Library::parse(&out).unwrap();
    let name = library.dynamic_header().unwrap().payload(FourCc::NAME);
    assert_eq!(name, Some(&b"libD\0"[..]));
}

/// In executables equal modules are never shared.
#[test]
fn executables_do_not_share_modules() {
    let a = written(library(Dialect::Linker, 7, &[("x", 1)]));
    let b = written(library(Dialect::Linker, 7, &[("y", 1)]));
    let (out, _) = merged(&[a, b], &MergeOptions::default()).unwrap();
    assert_eq!(Library::parse(&out).unwrap().modules().len(), 2);
}

#[test]
fn two_script_lists_are_refused() {
    let scripts = |name: &str| {
        let mut builder = library(Dialect::Linker, 8, &[(name, 1)]);
        let entry = metallib::BufferEntry::new(FourCc::SBUF, b"\x04\0\0\0MTLP").unwrap();
        builder.add_buffer(FourCc::SLST, entry).unwrap();
        written(builder)
    };
    let (a, b) = (scripts("x"), scripts("y"));
    let plain = written(library(Dialect::Linker, 8, &[("z", 1)]));
    let error = merged(&[a.clone(), b], &MergeOptions::default()).unwrap_err();
    assert!(error.starts_with("a and b hold script lists (SLST)"), "{error}");
    let (out, _) = merged(&[a, plain], &MergeOptions::default()).unwrap();
    assert_eq!(Library::parse(&out).unwrap().scripts().unwrap().entries().len(), 1);
}

/// A library without functions changes nothing, and is named.
#[test]
fn an_empty_library_adds_nothing() {
    let a = written(library(Dialect::Archiver, 7, &[("x", 1)]));
    let empty = written(library(Dialect::Archiver, 7, &[]));
    let (out, notes) = merged(&[empty.clone(), a.clone()], &MergeOptions::default()).unwrap();
    assert_eq!((out, notes), (a.clone(), vec!["a has no functions".to_owned()]));
    let (out, notes) = merged(&[a.clone(), empty], &MergeOptions::default()).unwrap();
    assert_eq!((out, notes), (a, vec!["b has no functions".to_owned()]));
}

#[test]
fn an_empty_library_is_only_made_if_asked_for() {
    let empty = written(library(Dialect::Archiver, 7, &[]));
    for inputs in [vec![empty.clone()], vec![empty.clone(), empty.clone()]] {
        let error = merged(&inputs, &MergeOptions::default()).unwrap_err();
        let message = "no input has a function; to make an empty library use --allow-empty";
        assert_eq!(error, message);
        let options = MergeOptions { allow_empty: true, ..MergeOptions::default() };
        assert_eq!(merged(&inputs, &options).unwrap().0, empty);
    }
}

/// Asked for a new layout, even an operation with nothing else to do gives one.
#[test]
fn a_new_layout_is_made_where_it_is_asked_for() {
    let regular = written(library(Dialect::Archiver, 7, &[("x", 1)]));
    let irregular = [regular.as_slice(), b"behind the end"].concat();
    let parsed = Library::parse(&irregular).unwrap();
    let input = Named { name: "a", library: &parsed };
    let keep = mtlpack::Selection { keep: vec!["*".into()], ..Default::default() };
    for new_layout in [false, true] {
        let options = MergeOptions { new_layout, ..MergeOptions::default() };
        let filter_options = mtlpack::FilterOptions { new_layout, ..Default::default() };
        let results = [
            merge(&[input], &options).unwrap(),
            mtlpack::filter(input, &keep, &filter_options).unwrap(),
            mtlpack::strip_source(input, new_layout).unwrap().library,
        ];
        for result in results {
            let expected = if new_layout { &regular } else { &irregular };
            assert_eq!(&result.to_vec().unwrap(), expected);
            let note = "a was irregular and is laid out anew";
            assert_eq!(result.notes.iter().any(|n| n == note), new_layout);
        }
    }
}
