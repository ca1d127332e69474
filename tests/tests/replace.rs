//! Replacing: what comes in, what goes, what is refused, and what is said.
#![allow(clippy::unwrap_used)]

use metallib::{
    Archive, BufferEntry, Container, Dialect, FileType, FourCc, FunctionSpec, FunctionType,
    Identity, Library, LibraryBuilder, Module, OsVersion, Platform, Section,
};
use mtlpack::io::Input;
use mtlpack::{
    Named, OsChoice, ReplaceOptions, Replacement, Severity, VerifyOptions, replace, verify,
};
use mtlpack_tests::shape;
use mtlpack_tests::small::{self, finish, kernel};

/// `NAME` by the function of that name in `b`, `NAME#FUNCTION` by another one.
fn replaced_with(
    a: &[u8],
    b: &[u8],
    requests: &[&str],
    options: &ReplaceOptions,
) -> Result<(Vec<u8>, Vec<String>), String> {
    let (a, b) = (Library::parse(a).unwrap(), Library::parse(b).unwrap());
    let from = Named { name: "b", library: &b };
    let request = |text: &&str| {
        let (name, function) = match text.split_once('#') {
            Some((name, function)) => (name, Some(function.into())),
            None => (*text, None),
        };
        Replacement { name: name.into(), from, function }
    };
    let requests: Vec<Replacement<'_, '_>> = requests.iter().map(request).collect();
    let edited = replace(Named { name: "a", library: &a }, &requests, options)
        .map_err(|error| error.to_string())?;
    let bytes = edited.to_vec().unwrap();
    assert!(Library::parse(&bytes).unwrap().is_canonical());
    let input = Input::from_bytes("replaced", bytes.clone());
    let mut report = verify(&input, VerifyOptions { threads: 1 }).unwrap();
    report.allow_empty();
    let errors = report.findings.iter().filter(|f| f.severity == Severity::Error);
    assert_eq!(errors.map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    Ok((bytes, edited.notes))
}

fn replaced(a: &[u8], b: &[u8], requests: &[&str]) -> Result<(Vec<u8>, Vec<String>), String> {
    replaced_with(a, b, requests, &ReplaceOptions::default())
}

fn error(a: &[u8], b: &[u8], requests: &[&str]) -> String {
    replaced(a, b, requests).unwrap_err()
}

/// Archiver, container 1.2.7: kernels with this many words of bitcode.
fn kernels(list: &[(&str, u8)]) -> Vec<u8> {
    finish(builder(list))
}

fn builder(list: &[(&str, u8)]) -> LibraryBuilder<'static> {
    let mut new = small::builder(Dialect::Archiver, 7, FileType::Executable);
    list.iter().for_each(|(name, words)| new.add(kernel(name, *words)).unwrap());
    new
}

fn names(bytes: &[u8]) -> Vec<String> {
    let library = Library::parse(bytes).unwrap();
    library.functions().iter().map(|function| function.name().into_owned()).collect()
}

fn ids(bytes: &[u8]) -> Vec<String> {
    let library = Library::parse(bytes).unwrap();
    let archives = library.sources().map_or(&[][..], |sources| &sources.archives);
    archives.iter().map(|archive| String::from_utf8_lossy(archive.id()).into_owned()).collect()
}

#[test]
fn the_order_stays_and_the_notes_say_what_was_done() {
    let a = kernels(&[("x", 1), ("y", 2), ("z", 3)]);
    let b = kernels(&[("z", 7), ("x", 30), ("w", 9)]);
    let (out, notes) = replaced(&a, &b, &["z", "x"]).unwrap();
    assert_eq!(names(&out), ["x", "y", "z"]);
    let (out, b, a) =
        (Library::parse(&out).unwrap(), Library::parse(&b).unwrap(), Library::parse(&a).unwrap());
    let expected = [(&b, 1), (&a, 1), (&b, 0)];
    for (function, (from, index)) in out.functions().iter().zip(expected) {
        let expected = shape::of_function(from, &from.functions()[index]);
        assert_eq!(shape::of_function(&out, function), expected);
    }
    assert_eq!(
        notes,
        [
            "`x` (kernel, 320 bytes, AIR 2.6, Metal 3.1) replaced by `x` of b (kernel, 784 bytes, \
             AIR 2.6, Metal 3.1)",
            "`z` (kernel, 352 bytes, AIR 2.6, Metal 3.1) replaced by `z` of b (kernel, 416 bytes, \
             AIR 2.6, Metal 3.1)",
        ]
    );
}

#[test]
fn the_very_same_stays() {
    let a = kernels(&[("x", 1), ("y", 2)]);
    let (out, notes) = replaced(&a, &kernels(&[("x", 1)]), &["x"]).unwrap();
    assert!(out == a);
    assert_eq!(notes, ["`x` of b is the very same, and stays"]);
}

#[test]
fn every_name_that_is_not_there_is_listed() {
    let a = kernels(&[("x", 1), ("y", 2)]);
    let b = kernels(&[("p", 1), ("q", 2), ("r", 2), ("s", 2), ("t", 2)]);
    assert_eq!(
        error(&a, &b, &["x", "v#p", "y#u"]),
        "no function to replace, or to replace it by:\n  `x` is not in b, and which of its 5 \
         functions is meant must be said: `p`, `q`, `r`, `s` and 1 more\n  `v` is not in a\n  `u` \
         is not in b"
    );
    let none = small::empty(Dialect::Archiver, 7);
    let message = "no function to replace, or to replace it by:\n  `x` is not in b, which has no \
                   functions";
    assert_eq!(error(&a, &none, &["x"]), message);
}

#[test]
fn names_must_be_clear() {
    let a = kernels(&[("x", 1), ("y", 2), ("y", 3)]);
    let b = kernels(&[("x", 4), ("x", 5), ("z", 6)]);
    assert_eq!(
        error(&a, &b, &["y#z", "x"]),
        "which function is meant is not clear:\n  a has `y` 2 times\n  b has `x` 2 times"
    );
    let message = "which function is meant is not clear:\n  `x` would be replaced twice";
    assert_eq!(error(&a, &b, &["x#z", "x#z"]), message);
}

#[test]
fn another_type_must_be_allowed() {
    let a = kernels(&[("x", 1), ("y", 2)]);
    let mut b = builder(&[]);
    let spec = small::function("x", FunctionType::FRAGMENT, small::VERSIONS, 3);
    b.add(FunctionSpec { extra: vec![(FourCc::LAYR, vec![6])], ..spec }).unwrap();
    let b = finish(b);
    let message = "functions of different types; --allow-type-change replaces them:\n  `x` is \
                   of type kernel, `x` of b of type fragment";
    assert_eq!(error(&a, &b, &["x"]), message);
    let options = ReplaceOptions { allow_type_change: true, ..ReplaceOptions::default() };
    let (out, _) = replaced_with(&a, &b, &["x"], &options).unwrap();
    let out = Library::parse(&out).unwrap();
    assert_eq!(out.functions()[0].function_type(), Some(FunctionType::FRAGMENT));
    assert_eq!(out.functions()[0].layer().map(metallib::DataType::code), Some(6));
}

#[test]
fn shared_modules_are_refused_on_both_sides() {
    let dynamic = small::dynamic();
    let mut other = small::builder(Dialect::Linker, 8, FileType::Dynamic);
    let spec = FunctionSpec { function_type: FunctionType::UNQUALIFIED, ..kernel("_Z1av", 9) };
    other.add(spec).unwrap();
    let message = "a is a dynamic library: its functions share one module, so that none of them \
                   can be taken out or put in by itself";
    assert_eq!(error(&dynamic, &finish(other), &["_Z1av"]), message);
    let plain = kernels(&[("x", 1), ("y", 2)]);
    assert_eq!(error(&plain, &dynamic, &["x#_Z1av"]), message.replacen('a', "b", 1));

    let mut new = builder(&[("z", 4)]);
    let names = ["x", "y", "w"];
    let mut air = small::shared_module(&names);
    air.functions.iter_mut().for_each(|function| function.list = "air.kernel");
    let shared = new.add_module(Module::new(air.module())).unwrap();
    for name in names {
        new.add_sharing(kernel(name, 5), shared).unwrap();
    }
    let sharing = finish(new);
    let message = |library: &str| {
        format!(
            "functions of {library} share their module, and cannot be taken out or put in by \
             themselves:\n  `x` with 2 others"
        )
    };
    assert_eq!(error(&sharing, &plain, &["x"]), message("a"));
    assert_eq!(error(&plain, &sharing, &["x"]), message("b"));
    // The others stay together.
    let (out, _) = replaced(&sharing, &kernels(&[("z", 9)]), &["z"]).unwrap();
    assert_eq!(Library::parse(&out).unwrap().modules().len(), 2);
}

#[test]
fn platform_and_kind_must_agree() {
    let a = kernels(&[("x", 1)]);
    let mut b = builder(&[("x", 2)]);
    let os = OsVersion { major: 17, minor: 0, update: 0 };
    b.identity = Identity::new(Container::new(7), Platform::IOS, os, FileType::Executable);
    let ios = finish(b.clone());
    let message =
        "different platforms cannot be combined: a is macos, b is ios; keep a library for each";
    assert_eq!(error(&a, &ios, &["x"]), message);
    b.identity = Identity::new(Container::new(7), Platform::MACOS, os, FileType::SymbolCompanion);
    let message = "different kinds of library cannot be combined: a is executable, b is symbol-companion; keep a library for each";
    assert_eq!(error(&a, &finish(b), &["x"]), message);
}

#[test]
fn scripts_are_refused() {
    let a = kernels(&[("x", 1)]);
    let mut b = builder(&[("x", 2)]);
    let entry = BufferEntry::new(FourCc::SBUF, &small::flatbuffer(16)).unwrap();
    b.add_buffer(FourCc::SLST, entry).unwrap();
    let b = finish(b);
    assert!(error(&a, &b, &["x"]).starts_with("b holds a script list (SLST)"));
    assert!(error(&b, &a, &["x"]).starts_with("a holds a script list (SLST)"));
}

#[test]
fn a_higher_os_is_said() {
    let a = kernels(&[("x", 1), ("y", 1)]);
    let mut b = builder(&[("x", 2)]);
    b.identity.os.major = 26;
    let b = finish(b);
    let (out, notes) = replaced(&a, &b, &["x"]).unwrap();
    assert_eq!(Library::parse(&out).unwrap().identity().os.major, 26);
    let note = "the inputs are for OS 14.0 (a), 26.0 (b); the output says 26.0 (highest)";
    assert_eq!(notes[1..], [note]);
    let options = ReplaceOptions { os: OsChoice::First, ..ReplaceOptions::default() };
    let (out, notes) = replaced_with(&a, &b, &["x"], &options).unwrap();
    assert_eq!(Library::parse(&out).unwrap().identity().os.major, 14);
    assert!(notes[1].ends_with("the output says 14.0 (first)"));
}

/// Every pair of dialects and containers: the newest container, the dialect of the library.
#[test]
fn dialects_and_containers_are_converted() {
    let make = |dialect, patch, words| {
        let mut new = small::builder(dialect, patch, FileType::Executable);
        new.add(kernel("x", words)).unwrap();
        let reflection = (patch >= 7).then(|| small::flatbuffer(32).into());
        new.add(FunctionSpec { reflection, ..kernel("y", words + 1) }).unwrap();
        new
    };
    for (ours, theirs) in
        [(Dialect::Archiver, Dialect::Linker), (Dialect::Linker, Dialect::Archiver)]
    {
        for (a, b) in (2..=9).flat_map(|a| (2..=9).map(move |b| (a, b))) {
            let (host, guest) = (finish(make(ours, a, 1)), finish(make(theirs, b, 10)));
            let (out, _) = replaced(&host, &guest, &["y"]).unwrap();
            let out = Library::parse(&out).unwrap();
            assert_eq!(out.identity().container, Container::new(a.max(b)));
            assert_eq!(out.dialect(), ours);
            assert_eq!(out.uuid().is_some(), Library::parse(&host).unwrap().uuid().is_some());
            let guest = Library::parse(&guest).unwrap();
            let (old, new) = (&guest.functions()[1], &out.functions()[1]);
            assert_eq!(shape::of_function(&out, new), shape::of_function(&guest, old));
            let order: Vec<FourCc> = new.tags.iter().map(|tag| tag.id).collect();
            let known = ours.function_tag_order().iter().filter(|id| order.contains(id));
            assert_eq!(order, known.copied().collect::<Vec<_>>());
        }
    }
}

#[test]
fn the_dynamic_header_keeps_its_name() {
    let with_name = |name: &str, words| {
        let mut new = small::builder(Dialect::Linker, 9, FileType::Executable);
        new.add(kernel("x", words)).unwrap();
        let name = small::c_string(name);
        let tags = [(FourCc::NAME, name.as_slice()), (FourCc::DYNL, &*name)];
        new.set_dynamic_header(small::tags(&tags)).unwrap();
        new
    };
    let header = |bytes: &[u8]| {
        let library = Library::parse(bytes).unwrap();
        let header = library.dynamic_header().unwrap();
        header.iter().map(|tag| String::from_utf8_lossy(tag.payload).into_owned()).collect()
    };
    let (a, b) = (finish(with_name("a", 1)), finish(with_name("b", 2)));
    let output_name = Some("out".to_owned());
    let options = ReplaceOptions { output_name, ..ReplaceOptions::default() };
    let (out, _) = replaced_with(&a, &b, &["x"], &options).unwrap();
    let list: Vec<String> = header(&out);
    assert_eq!(list, ["a\0", "a\0", "b\0"]);
    let mut bare = with_name("a", 1);
    bare.extension_mut().unwrap().remove(FourCc::HDYN);
    let (out, _) = replaced_with(&finish(bare), &b, &["x"], &options).unwrap();
    let list: Vec<String> = header(&out);
    assert_eq!(list, ["out\0", "b\0"]);
}

/// A library with an archive for each function, or one of several.
fn with_sources(list: &[(&str, u8, &str)]) -> Vec<u8> {
    let mut new = small::builder(Dialect::Linker, 8, FileType::Executable);
    let mut known: Vec<&str> = Vec::new();
    for (name, words, id) in list {
        let index = known.iter().position(|known| known == id).unwrap_or_else(|| {
            let content = small::bzip2(format!("{id} {words}").as_bytes());
            new.add_archive(Archive::new(id.as_bytes(), &content).unwrap()).unwrap();
            known.push(id);
            known.len() - 1
        });
        let archive = metallib::ArchiveId::from_index(u32::try_from(index).unwrap());
        new.add(FunctionSpec { archive: Some(archive), ..kernel(name, *words) }).unwrap();
    }
    finish(new)
}

#[test]
fn archives_come_and_go_with_their_functions() {
    let a = with_sources(&[("w", 1, "0"), ("x", 1, "1"), ("y", 2, "2"), ("z", 3, "2")]);
    let b = with_sources(&[("x", 9, "1"), ("y", 8, "2")]);
    let (out, _) = replaced(&a, &b, &["x"]).unwrap();
    assert_eq!(ids(&out), ["0", "1", "2"]);
    let (both, guest) = (Library::parse(&out).unwrap(), Library::parse(&b).unwrap());
    assert_eq!(both.sources().unwrap().archives[1], guest.sources().unwrap().archives[0]);
    // `z` keeps the archive that it shared with `y`; the new one has another id then.
    let (out, notes) = replaced(&a, &b, &["y"]).unwrap();
    assert_eq!(ids(&out), ["0", "1", "2", "3"]);
    assert!(notes.contains(&"b: source archive `2` is now `3`".to_owned()), "{notes:?}");
}

#[test]
fn a_library_without_sources_gets_none() {
    let mut a = small::builder(Dialect::Linker, 8, FileType::Executable);
    a.add(kernel("x", 1)).unwrap();
    let b = with_sources(&[("x", 9, "1")]);
    let (out, notes) = replaced(&finish(a), &b, &["x"]).unwrap();
    let out = Library::parse(&out).unwrap();
    assert!(out.sources().is_none() && out.functions()[0].tags.get(FourCc::SOFF).is_none());
    assert_eq!(notes[1], "a embeds no sources, so those of b are left out");
}

#[test]
fn one_function_may_take_several_places() {
    let a = kernels(&[("first", 1), ("second", 2), ("third", 3)]);
    let mut b = builder(&[]);
    b.add(kernel("other", 0)).unwrap();
    let b = finish(b);
    let (out, notes) = replaced(&a, &b, &["third", "first"]).unwrap();
    assert_eq!(names(&out), ["first", "second", "third"]);
    let library = Library::parse(&out).unwrap();
    for (index, name) in [(0, "first"), (2, "third")] {
        let module = library.module_of(&library.functions()[index]).unwrap();
        let module = air_bitcode::Module::parse(module.bytes()).unwrap();
        assert_eq!(*module.globals().unwrap()[0].name, *name.as_bytes());
    }
    assert!(notes[0].contains("`first`") && notes[1].contains("`third`"), "{notes:?}");
    let (back, _) = replaced(&out, &a, &["first", "third"]).unwrap();
    assert!(back == a);
}

#[test]
fn an_irregular_library_needs_leave() {
    let a = [kernels(&[("x", 1)]), vec![0]].concat();
    let b = [kernels(&[("x", 2)]), vec![0]].concat();
    for (a, b, name) in [(&a, &kernels(&[("x", 2)]), "a"), (&kernels(&[("x", 1)]), &b, "b")] {
        let message = error(a, b, &["x"]);
        assert!(message.starts_with(&format!("{name}: ")), "{message}");
        let options = ReplaceOptions { new_layout: true, ..ReplaceOptions::default() };
        assert!(replaced_with(a, b, &["x"], &options).is_ok());
    }
}

/// Entries of the reflection list that no function refers to keep their places.
#[test]
fn reflection_keeps_its_order() {
    let mut a = small::plain_builder();
    let Some(metallib::ExtensionTag { value, .. }) =
        a.extension_mut().unwrap().tags.iter_mut().find(|tag| tag.id == FourCc::RLST)
    else {
        unreachable!("the library has reflection");
    };
    let metallib::ExtensionValue::Section(Section::Buffers(list)) = value else {
        unreachable!("RLST is a list of buffers");
    };
    let entry = |size| BufferEntry::new(FourCc::RBUF, &small::flatbuffer(size)).unwrap();
    let mut new = metallib::BufferList::default();
    let own: Vec<_> = list.entries().to_vec();
    for entry in [entry(16), own[1].clone(), entry(20), own[0].clone(), entry(24)] {
        new.push(entry);
    }
    *list = new;
    for (function, id) in a.functions.iter_mut().zip([3, 1]) {
        function.reflection = Some(metallib::BufferId::from_index(id));
    }
    let a = finish(a);
    let reflection = Some(small::flatbuffer(28).into());
    let mut b = small::builder(Dialect::Linker, 7, FileType::Executable);
    b.add(FunctionSpec { reflection, ..kernel("second", 9) }).unwrap();
    let b = finish(b);
    let sizes = |bytes: &[u8]| -> Vec<usize> {
        let library = Library::parse(bytes).unwrap();
        let entries = library.reflection().unwrap().entries();
        entries.iter().map(|entry| entry.buffer().unwrap().len()).collect()
    };
    let (out, _) = replaced(&a, &b, &["second"]).unwrap();
    assert_eq!(sizes(&out), [16, 28, 20, 80, 24]);
    let (back, _) = replaced(&out, &a, &["second"]).unwrap();
    assert!(sizes(&back) == sizes(&a));
}
