//! Law 6: unknown tags and sections survive every edit made elsewhere, in order.

use metallib::{
    Archive, BufferEntry, Container, Dialect, ExtensionTag, FileType, FourCc, FunctionSpec,
    FunctionType, Library, LibraryBuilder, OsVersion, Platform, Section, SymbolList, TagList,
    Version, Versions,
};
use mtlpack::io::Input;
use mtlpack::{
    FilterOptions, MergeOptions, Named, NormalizeOptions, PathRules, Selection, Splitter,
    StripOptions, filter, join, merge, normalize, paths, strip, strip_source,
};
use mtlpack_tests::air::Air;
use mtlpack_tests::archives::Tar;

const X: FourCc = FourCc::new(*b"XAAA");
const Y: FourCc = FourCc::new(*b"YBBB");
const Z: FourCc = FourCc::new(*b"ZCCC");

/// Unknown tags around the tags of a list, first, between and last.
fn around(known: &[(FourCc, &[u8])]) -> TagList<'static> {
    let mut tags = TagList::new();
    tags.push(X, b"first").unwrap();
    for (id, payload) in known {
        tags.push(*id, payload).unwrap();
        tags.push(Y, b"between").unwrap();
    }
    tags.push(Z, b"").unwrap();
    tags
}

/// A library with unknown tags in every area.
fn everywhere(names: &[&str]) -> Vec<u8> {
    let os = OsVersion { major: 15, minor: 0, update: 0 };
    let container = Container::new(8);
    let kind = FileType::Executable;
    let mut b = LibraryBuilder::new(Dialect::Linker, container, Platform::MACOS, os, kind);
    let versions = Versions { air: Version::new(2, 7), language: Version::new(3, 2) };
    for name in names {
        let data = Tar::new().file("/x.metal", name.as_bytes()).pack();
        let mut archive = Archive::new(name.as_bytes(), &data).unwrap();
        archive.tags.push(Y, b"in archive").unwrap();
        let archive = b.add_archive(archive).unwrap();
        let mut entry = BufferEntry::new(FourCc::RBUF, b"\x04\0\0\0AIRRflat").unwrap();
        entry.tags = around(&[(FourCc::RBUF, entry.tags.payload(FourCc::RBUF).unwrap())]);
        let entry = b.add_buffer(FourCc::RLST, entry).unwrap();
        let module = Air::new(name, FunctionType::KERNEL.code()).module();
        let mut spec = FunctionSpec::new(*name, FunctionType::KERNEL, versions, module);
        spec.public = around(&[(FourCc::CNST, &[0, 0])]);
        spec.private = around(&[(FourCc::DEPF, b"/x.air\0")]);
        spec.archive = Some(archive);
        b.add(spec).unwrap();
        let function = b.functions.last_mut().unwrap();
        let mut tags = TagList::new();
        tags.push(X, b"front").unwrap();
        for tag in function.tags.iter() {
            tags.push(tag.id, tag.payload).unwrap();
            tags.push(Y, tag.id.bytes().as_slice()).unwrap();
        }
        tags.push(FourCc::RFLT, &[0; 8]).unwrap();
        tags.push(Z, b"").unwrap();
        function.tags = tags;
        function.reflection = Some(entry);
    }
    b.set_dynamic_header(around(&[(FourCc::NAME, b"lib\0"), (FourCc::DYNL, b"other\0")])).unwrap();
    let mut imports = SymbolList::default();
    imports.push(around(&[(FourCc::NAME, b"symbol\0")]));
    let extension = b.extension_mut().unwrap();
    extension.set(ExtensionTag::section(FourCc::ILST, Section::Symbols(imports)));
    // Unknown tags with data, with 16 bytes that are no range, and with a section.
    extension.tags.insert(0, ExtensionTag::data(X, b"data".to_vec()));
    extension.tags.insert(2, ExtensionTag::data(Y, vec![0xff; 16]));
    let opaque = Section::Opaque(b"an unknown section".to_vec().into());
    extension.tags.push(ExtensionTag::section(Z, opaque));
    let library = b.finish().unwrap();
    let uuid = metallib_write::UuidAction::Recompute(metallib_write::UuidForm::Sha256);
    let options = metallib_write::WriteOptions { uuid, ..Default::default() };
    metallib_write::Plan::new(&library, options).unwrap().to_vec()
}

/// Everything unknown, and in which order, with the known tags around it.
fn fingerprint(library: &Library<'_>) -> Vec<String> {
    let list = |tags: &TagList<'_>| {
        tags.iter().map(|tag| tag.id.to_string()).collect::<Vec<_>>().join(" ")
    };
    let mut found = Vec::new();
    for function in library.functions() {
        found.push(format!("{}: {}", function.name(), list(&function.tags)));
        found.push(list(&function.public));
        found.push(list(&function.private));
    }
    let extension = library.extension().unwrap();
    let ids = extension.tags.iter().map(|tag| tag.id.to_string());
    found.push(ids.collect::<Vec<_>>().join(" "));
    found.push(list(library.dynamic_header().unwrap()));
    found.extend(library.imports().unwrap().symbols().iter().map(list));
    let entries = library.reflection().into_iter().flat_map(|list| list.entries());
    found.extend(entries.map(|entry| list(&entry.tags)));
    let sources = library.sources().into_iter().flat_map(|sources| &sources.archives);
    found.extend(sources.map(|archive| list(&archive.tags)));
    let last = extension.get(Z).unwrap();
    found.push(format!("{:?}", last.value));
    found
}

#[test]
fn they_are_carried_by_reading_and_rebuilding() {
    let bytes = everywhere(&["a", "b", "c"]);
    let library = Library::parse(&bytes).unwrap();
    assert!(library.is_canonical(), "{:?}", library.irregularities());
    let options = metallib_write::WriteOptions { rebuild: true, ..Default::default() };
    assert!(metallib_write::Plan::new(&library, options).unwrap().to_vec() == bytes);
    let found = fingerprint(&library);
    assert!(found[0].starts_with("a: XAAA NAME YBBB TYPE YBBB"), "{}", found[0]);
    assert!(
        found.iter().any(|line| line == "XAAA HSRD YBBB HDYN ILST RLST UUID ZCCC"),
        "{found:?}"
    );
}

#[test]
fn they_survive_split_and_merge() {
    let bytes = everywhere(&["a", "b", "c"]);
    let library = Library::parse(&bytes).unwrap();
    let splitter = Splitter::new(Named { name: "x", library: &library }, false).unwrap();
    let parts: Vec<Vec<u8>> = (0..3).map(|i| splitter.part(i).unwrap().to_vec().unwrap()).collect();
    for (part, name) in parts.iter().zip(["a", "b", "c"]) {
        let expected = everywhere(&[name]);
        assert!(*part == expected, "part {name} is what the builder makes of one function");
    }
    let parsed: Vec<Library<'_>> = parts.iter().map(|part| Library::parse(part).unwrap()).collect();
    let inputs: Vec<_> = parsed.iter().map(|library| Named { name: "p", library }).collect();
    let merged = merge(&inputs, &MergeOptions::default()).unwrap().to_vec().unwrap();
    assert!(merged == bytes);
}

#[test]
fn they_survive_filter() {
    let bytes = everywhere(&["a", "b", "c"]);
    let library = Library::parse(&bytes).unwrap();
    let selection = Selection { drop: vec!["b".into()], ..Selection::default() };
    let input = Named { name: "x", library: &library };
    let filtered = filter(input, &selection, &FilterOptions::default()).unwrap().to_vec().unwrap();
    assert!(filtered == everywhere(&["a", "c"]));
}

#[test]
fn they_survive_strip_source() {
    let bytes = everywhere(&["a", "b"]);
    let library = Library::parse(&bytes).unwrap();
    let stripped = strip_source(Named { name: "x", library: &library }, false).unwrap();
    let stripped = stripped.library.to_vec().unwrap();
    let parsed = Library::parse(&stripped).unwrap();
    assert!(parsed.is_canonical(), "{:?}", parsed.irregularities());
    let without = |line: &String| {
        !line.starts_with("SARC")
            && !matches!(line.as_str(), "XAAA HSRD YBBB HDYN ILST RLST UUID ZCCC")
    };
    let expected: Vec<String> = fingerprint(&library)
        .iter()
        .filter(|line| without(line))
        .map(|line| line.replace("SOFF ", "").replace("DEPF ", ""))
        .collect();
    let found = fingerprint(&parsed);
    let list = "XAAA YBBB HDYN ILST RLST UUID ZCCC";
    assert!(found.iter().any(|line| line == list), "{found:?}");
    let found: Vec<String> = found.into_iter().filter(|line| line != list).collect();
    assert_eq!(found, expected);
}

#[test]
fn they_survive_a_merge_of_two_dialects() {
    let bytes = everywhere(&["a", "b"]);
    let os = OsVersion { major: 15, minor: 0, update: 0 };
    let (container, kind) = (Container::new(8), FileType::Executable);
    let mut archiver = LibraryBuilder::new(Dialect::Archiver, container, Platform::MACOS, os, kind);
    let versions = Versions { air: Version::new(2, 7), language: Version::new(3, 2) };
    let module = metallib::wrap(b"BC\xc0\xde").unwrap();
    archiver.add(FunctionSpec::new("k", FunctionType::KERNEL, versions, module)).unwrap();
    let archiver = archiver.finish().unwrap();
    let library = Library::parse(&bytes).unwrap();
    for order in [[&archiver, &library], [&library, &archiver]] {
        let inputs = order.map(|library| Named { name: "x", library });
        let merged = merge(&inputs, &MergeOptions::default()).unwrap().to_vec().unwrap();
        let parsed = Library::parse(&merged).unwrap();
        assert!(parsed.is_canonical(), "{:?}", parsed.irregularities());
        let found = fingerprint(&parsed);
        for line in fingerprint(&library).iter().filter(|line| !line.contains("NAME YBBB TYPE")) {
            assert!(found.contains(line), "{line}\n{found:#?}");
        }
        // Each unknown tag still follows the tag it followed.
        let function = parsed.function("a").unwrap();
        let ids: Vec<FourCc> = function.tags.iter().map(|tag| tag.id).collect();
        for tag in function.tags.iter().filter(|tag| tag.id == Y) {
            let at = function.tags.iter().position(|t| t.offset == tag.offset).unwrap();
            assert_eq!(ids[at - 1].bytes(), tag.payload);
        }
    }
}

/// What `strip` makes of a library.
fn stripped(bytes: &[u8], options: &StripOptions) -> Vec<u8> {
    let input = Input::from_bytes("x", bytes.to_vec());
    let library = Library::parse(input.bytes()).unwrap();
    let draft = strip(&input, &library, options).unwrap();
    let made = draft.finish().unwrap().to_vec().unwrap();
    let parsed = Library::parse(&made).unwrap();
    assert!(parsed.is_canonical(), "{:?}", parsed.irregularities());
    made
}

/// Paths mapped to others.
fn mapped(map: &str) -> StripOptions {
    let mut rules = PathRules::default();
    rules.add(map).unwrap();
    StripOptions { paths: Some(rules), ..StripOptions::default() }
}

#[test]
fn they_survive_other_paths_and_come_back() {
    let bytes = everywhere(&["a", "b"]);
    let there = stripped(&bytes, &mapped("/x=/other/x"));
    assert!(there != bytes);
    let fingerprints = [&bytes, &there].map(|bytes| fingerprint(&Library::parse(bytes).unwrap()));
    assert_eq!(fingerprints[0], fingerprints[1]);
    assert!(stripped(&there, &mapped("/other/x=/x")) == bytes);
    let input = Input::from_bytes("x", bytes);
    let library = Library::parse(input.bytes()).unwrap();
    let draft = normalize(&input, &library, &NormalizeOptions::default()).unwrap();
    let normal = draft.finish().unwrap().to_vec().unwrap();
    assert_eq!(fingerprint(&Library::parse(&normal).unwrap()), fingerprints[0]);
}

#[test]
fn they_survive_strips_of_the_rest() {
    let bytes = everywhere(&["a", "b"]);
    let nothing = StripOptions { debug_info: true, unused: true, ..StripOptions::default() };
    assert!(stripped(&bytes, &nothing) == bytes);
    let reflection = StripOptions { reflection: true, ..StripOptions::default() };
    let made = stripped(&bytes, &reflection);
    let without = |line: String| line.replace("RFLT ", "").replace("RLST ", "");
    let before = fingerprint(&Library::parse(&bytes).unwrap());
    let expected = before.into_iter().filter(|line| !line.contains("RBUF")).map(without);
    assert_eq!(fingerprint(&Library::parse(&made).unwrap()), expected.collect::<Vec<_>>());
}

#[test]
fn they_survive_join() {
    let bytes = everywhere(&["a", "b"]);
    let library = Library::parse(&bytes).unwrap();
    let both = strip_source(Named { name: "x", library: &library }, false).unwrap();
    let parts = [both.library, both.companion.unwrap()].map(|part| part.to_vec().unwrap());
    let [library, companion] = [&parts[0], &parts[1]].map(|part| Library::parse(part).unwrap());
    let named = |name, library| Named { name, library };
    let joined = join(named("x", &library), named("y", &companion), false).unwrap();
    assert!(joined.library("x", "y").unwrap().to_vec().unwrap() == bytes);
}

/// Libraries that hold a path in one unknown place each, and how `paths` calls it.
fn with_unknown_paths() -> Vec<(&'static str, Vec<u8>)> {
    const PATH: &[u8] = b"\x01\0/Users/ada/x.metal\0";
    let plain = everywhere(&["a", "b"]);
    let add = |tags: &mut TagList<'_>| tags.push(Y, PATH).unwrap();
    type Change<'c> = &'c dyn Fn(&mut LibraryBuilder<'_>);
    let section = |b: &mut LibraryBuilder<'_>, id: FourCc, change: &dyn Fn(&mut Section<'_>)| {
        let tags = &mut b.extension.as_mut().unwrap().tags;
        let tag = tags.iter_mut().find(|tag| tag.id == id).unwrap();
        let metallib::ExtensionValue::Section(section) = &mut tag.value else { panic!() };
        change(section);
    };
    let put = |tags: &mut TagList<'_>, id, front: &[u8]| {
        tags.push(id, &[front, PATH].concat()).unwrap();
    };
    let changes: [(&'static str, Change<'_>); 18] = [
        ("function list: unknown tag YBBB", &|b| add(&mut b.functions[1].tags)),
        ("public metadata: unknown tag YBBB", &|b| add(&mut b.functions[1].public)),
        ("private metadata: unknown tag YBBB", &|b| add(&mut b.functions[1].private)),
        ("header extension: unknown tag WDDD", &|b| {
            let tag = ExtensionTag::data(FourCc::new(*b"WDDD"), PATH.to_vec());
            b.extension.as_mut().unwrap().tags.insert(0, tag);
        }),
        ("unknown section ZCCC", &|b| {
            section(b, Z, &|section| *section = Section::Opaque(PATH.to_vec().into()));
        }),
        ("section HDYN: unknown tag YBBB", &|b| {
            section(b, FourCc::HDYN, &|section| {
                let Section::Dynamic(tags) = section else { panic!() };
                add(tags);
            });
        }),
        ("section ILST: unknown tag YBBB", &|b| {
            section(b, FourCc::ILST, &|section| {
                let Section::Symbols(list) = section else { panic!() };
                list.push(around(&[(FourCc::NAME, b"n\0"), (Y, PATH)]));
            });
        }),
        ("section RLST: unknown tag YBBB", &|b| {
            section(b, FourCc::RLST, &|section| {
                let Section::Buffers(list) = section else { panic!() };
                list.push(around(&[(Y, PATH)]).into());
            });
        }),
        ("section HSRD: unknown tag YBBB", &|b| {
            section(b, FourCc::HSRD, &|section| {
                let Section::Sources(sources) = section else { panic!() };
                add(&mut sources.archives[1].tags);
            });
        }),
        ("function list: tag ALIS", &|b| put(&mut b.functions[1].tags, FourCc::ALIS, b"a\0")),
        ("public metadata: tag CNST", &|b| put(&mut b.functions[1].public, FourCc::CNST, b"")),
        ("private metadata: tag DEPF", &|b| {
            put(&mut b.functions[1].private, FourCc::DEPF, b"x.air\0");
        }),
        ("section HDYN: tag NAME", &|b| {
            section(b, FourCc::HDYN, &|section| {
                let Section::Dynamic(tags) = section else { panic!() };
                put(tags, FourCc::NAME, b"n\0");
            });
        }),
        ("section ILST: tag NAME", &|b| {
            section(b, FourCc::ILST, &|section| {
                let Section::Symbols(list) = section else { panic!() };
                list.push(around(&[(FourCc::NAME, PATH)]));
            });
        }),
        ("section RLST: tag RBUZ", &|b| {
            section(b, FourCc::RLST, &|section| {
                let Section::Buffers(list) = section else { panic!() };
                list.push(around(&[(FourCc::RBUZ, PATH)]).into());
            });
        }),
        ("section RLST: tag RBUF", &|b| {
            section(b, FourCc::RLST, &|section| {
                let Section::Buffers(list) = section else { panic!() };
                let buffer = [b"\x04\0\0\0AIRRflat".as_slice(), PATH].concat();
                list.push(BufferEntry::new(FourCc::RBUF, &buffer).unwrap());
            });
        }),
        ("section HSRD: tag SARC", &|b| {
            section(b, FourCc::HSRD, &|section| {
                let Section::Sources(sources) = section else { panic!() };
                put(&mut sources.archives[1].tags, FourCc::SARC, b"1\0");
            });
        }),
        ("section HSRD: tag SARC", &|b| {
            section(b, FourCc::HSRD, &|section| {
                let Section::Sources(sources) = section else { panic!() };
                let data = sources.archives[1].data().to_vec();
                sources.archives[1] = Archive::new(b"/Users/ada/x.metal", &data).unwrap();
            });
        }),
    ];
    let made = changes.map(|(place, change)| {
        let mut builder = Library::parse(&plain).unwrap().edit(false).unwrap();
        change(&mut builder);
        let options = metallib_write::WriteOptions::default();
        (place, metallib_write::Plan::new(&builder.finish().unwrap(), options).unwrap().to_vec())
    });
    made.to_vec()
}

/// What is not known cannot be rewritten: `paths` tells of it, and a strip of paths is refused
/// unless it removes the place.
#[test]
fn paths_in_what_is_not_known_are_told_and_refused() {
    for (place, bytes) in with_unknown_paths() {
        let input = Input::from_bytes("x", bytes.clone());
        let library = Library::parse(input.bytes()).unwrap();
        let mut found = Vec::new();
        paths(&input, &library, 1, |path| found.push(path)).unwrap();
        found.retain(|found| found.path.starts_with(b"/Users"));
        let [found] = found.as_slice() else { panic!("{place}: {found:?}") };
        assert_eq!(&*found.place, place);
        assert_eq!(
            (found.path.as_slice(), found.user.as_deref()),
            (&b"/Users/ada/x.metal"[..], Some(&b"ada"[..]))
        );
        // The offset is where it stands.
        assert!(bytes[found.offset as usize..].starts_with(b"/Users/ada/x.metal"), "{place}");
        let refused = |draft: mtlpack::Result<mtlpack::Draft<'_>>| {
            let error = draft.map(|_| ()).unwrap_err().to_string();
            let what = format!("{place}, offset {:#x}, holds the path `/Users/ada", found.offset);
            assert!(error.contains(&what), "{error}");
            assert_eq!(error.contains("function 1 `b`"), found.function == Some(1), "{error}");
        };
        refused(strip(&input, &library, &mapped("/x=/y")));
        refused(normalize(&input, &library, &NormalizeOptions::default()));
        // Where something else has changed in front of it too, and without paths elsewhere.
        let none = Some(PathRules::default());
        let all = StripOptions { paths: none.clone(), debug_info: true, ..Default::default() };
        refused(strip(&input, &library, &all));
        let (source, reflection) =
            (place.contains("HSRD") || place.contains("DEPF"), place.contains("RLST"));
        let fits = StripOptions { paths: none, source, reflection, ..Default::default() };
        assert_eq!(strip(&input, &library, &fits).is_ok(), source || reflection, "{place}");
        // It is nothing to other strips.
        stripped(&bytes, &StripOptions { debug_info: true, unused: true, ..Default::default() });
    }
}
