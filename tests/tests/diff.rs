//! `diff` over the corpus: a library is the same as itself, and what was changed alone is named
//! alone.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;

use metallib::metadata::{
    debug_info, encode_debug_info, encode_function_constants, encode_vertex_attributes,
    function_constants, vertex_attributes,
};
use metallib::{
    BufferEntry, ExtensionTag, ExtensionValue, FourCc, Function, FunctionType, Library,
    LibraryBuilder, Module, Section, TagList, Version, Versions,
};
use metallib_write::{Hashes, Plan, UuidAction, WriteOptions};
use mtlpack::io::Input;
use mtlpack::{Diff, DiffOptions, FieldChange, Ignored, diff};
use mtlpack_tests::{corpus, corpus_and_large, small};

const NOTHING: Ignored = Ignored { uuid: false, paths: false, sources: false, hash: false };

/// What a comparison finds, which does not depend on the threads.
fn compared(old: &[u8], new: &[u8], ignored: Ignored) -> Diff {
    let [old, new] = [old, new].map(|bytes| Input::from_bytes("library", bytes.to_vec()));
    let [a, b] = [&old, &new].map(|input| Library::parse(input.bytes()).unwrap());
    let options = |threads| DiffOptions { ignored, threads };
    let found = diff((&old, &a), (&new, &b), options(1)).unwrap();
    if ignored == NOTHING {
        assert_eq!(diff((&old, &a), (&new, &b), options(3)).unwrap(), found);
    }
    found
}

#[test]
fn a_library_is_the_same_as_itself() {
    let (mut libraries, mut functions) = (0, 0);
    for sample in corpus_and_large("diff") {
        let found = compared(&sample.bytes, &sample.bytes, NOTHING);
        assert!(found.same && found.sections.is_empty(), "{}: {found:#?}", sample.name);
        assert_eq!(found.unchanged, sample.library().functions().len() as u64);
        libraries += 1;
        functions += found.unchanged;
    }
    println!("{libraries} libraries with {functions} functions are the same as themselves");
}

/// What a copy is expected to differ in.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    /// What differs in the library.
    library: Vec<String>,
    /// What differs in the one function that does.
    function: Vec<String>,
}

impl Told {
    fn library(field: impl Into<String>) -> Self {
        Self { library: vec![field.into()], ..Self::default() }
    }

    fn function(field: impl Into<String>) -> Self {
        Self { function: vec![field.into()], ..Self::default() }
    }
}

/// What a comparison tells, in the same words.
fn told(found: &Diff) -> Told {
    let names = |fields: &[FieldChange]| fields.iter().map(|f| f.field.clone()).collect::<Vec<_>>();
    let mut told = Told { library: names(&found.fields), function: Vec::new() };
    for change in &found.changed {
        let inside = [(change.module, "module"), (change.reflection, "reflection")];
        let inside = inside.into_iter().filter(|(is, _)| *is).map(|(_, name)| name.to_owned());
        told.function.extend(inside.chain(names(&change.fields)));
    }
    told
}

/// Changes one thing in a library that has it, and says what.
type Change = fn(&mut LibraryBuilder<'_>, usize) -> Option<Told>;

/// The ways to change one thing, most of them in one function.
const WAYS: [(&str, Change); 21] = [
    ("type", |library, index| {
        let function = function(library, index)?;
        let old = function.function_type()?;
        let kernel = FunctionType::KERNEL;
        let new = if old == kernel { FunctionType::VERTEX } else { kernel };
        function.tags.set(FourCc::TYPE, &[new.code()]).unwrap();
        Some(Told::function("TYPE"))
    }),
    ("versions", |library, index| {
        let function = function(library, index)?;
        let old = function.versions()?;
        let new = Versions { air: Version::new(old.air.major, old.air.minor + 1), ..old };
        function.tags.set(FourCc::VERS, &new.bytes()).unwrap();
        Some(Told::function("VERS"))
    }),
    ("hash", |library, index| {
        let function = function(library, index)?;
        let mut hash = *function.hash()?;
        hash[7] ^= 1;
        function.tags.set(FourCc::HASH, &hash).unwrap();
        Some(Told::function("HASH"))
    }),
    ("a tag of a function", |library, index| {
        let function = function(library, index)?;
        function.tags.push(FourCc::new(*b"WHAT"), &[1, 2]).unwrap();
        Some(Told::function("WHAT"))
    }),
    ("public tag", |library, index| {
        let function = with_module(library, index)?;
        function.public.push(FourCc::new(*b"WHAT"), &[1, 2]).unwrap();
        Some(Told::function("WHAT"))
    }),
    ("constant", |library, _| {
        let function = first_with(library, FourCc::CNST)?;
        let mut constants = function_constants(function.public.payload(FourCc::CNST)?, 0).unwrap();
        constants[0].required ^= 1;
        let told = Told::function(format!("constant {}", constants[0].index));
        let payload = encode_function_constants(&constants).unwrap();
        function.public.set(FourCc::CNST, &payload).unwrap();
        Some(told)
    }),
    ("attribute", |library, _| {
        let function = first_with(library, FourCc::VATT)?;
        let mut attributes = vertex_attributes(function.public.payload(FourCc::VATT)?, 0).unwrap();
        attributes[0].name.push(b'2');
        let told = Told::function(format!("attribute {}", attributes[0].index()));
        let payload = encode_vertex_attributes(&attributes).unwrap();
        function.public.set(FourCc::VATT, &payload).unwrap();
        Some(told)
    }),
    ("debug line", |library, _| {
        let mut functions = library.functions.iter_mut();
        let function = functions.find(|function| function.private.get(FourCc::DEBI).is_some())?;
        let mut info = debug_info(function.private.payload(FourCc::DEBI)?, 0).unwrap();
        info.line += 1;
        function.private.set(FourCc::DEBI, &encode_debug_info(&info)).unwrap();
        Some(Told::function("DEBI"))
    }),
    ("dependency", |library, _| {
        let mut functions = library.functions.iter_mut();
        let function = functions.find(|function| function.private.get(FourCc::DEPF).is_some())?;
        function.private.set(FourCc::DEPF, b"other.air\0").unwrap();
        Some(Told::function("DEPF"))
    }),
    ("a bit of a module", |library, index| module(library, index, |bytes| flip_last(bytes))),
    ("size of a module", |library, index| module(library, index, |bytes| bytes.extend([0; 16]))),
    ("reflection", |library, _| {
        let id = library.functions.first()?.reflection?;
        let users = library.functions.iter().filter(|function| function.reflection == Some(id));
        if users.count() > 1 {
            return None;
        }
        let entries = reflection(library)?;
        let mut bytes = entries[id.index()].buffer()?.into_owned();
        flip_last(&mut bytes);
        entries[id.index()] = BufferEntry::new(FourCc::RBUF, &bytes).unwrap();
        Some(Told::function("reflection"))
    }),
    ("minimum OS", |library, _| {
        library.identity.container.has_platform().then_some(())?;
        library.identity.os.minor += 1;
        Some(Told::library("minimum OS"))
    }),
    ("platform", |library, _| {
        library.identity.platform()?;
        library.identity.platform_byte = 0x80 | 10;
        Some(Told::library("platform"))
    }),
    ("macOS flag", |library, _| {
        library.identity.major_word ^= 0x8000;
        Some(Told::library("macOS flag"))
    }),
    ("kind", |library, _| {
        library.identity.type_byte |= 0x80;
        Some(Told::library("kind"))
    }),
    ("link options", |library, _| {
        let sources = sources(library)?;
        sources.link_options = [&sources.link_options[..], b" -g"].concat().into();
        Some(Told::library(format!("{} link options", sources.id())))
    }),
    ("source archive", |library, _| {
        let sources = sources(library)?;
        let archive = sources.archives.first_mut()?;
        let name = String::from_utf8(archive.id().to_vec()).unwrap();
        let payload = [archive.id(), &[0], archive.data(), &[0]].concat();
        archive.tags.set(FourCc::SARC, &payload).unwrap();
        Some(Told::library(format!("{} archive 0 `{name}`", sources.id())))
    }),
    ("uuid", |library, _| {
        let tag = library.extension.as_mut()?.tags.iter_mut().find(|tag| tag.id == FourCc::UUID)?;
        let ExtensionValue::Data(data) = &mut tag.value else { return None };
        data.to_mut()[3] ^= 1;
        Some(Told::library("UUID"))
    }),
    ("install name", |library, _| {
        let tags =
            library.extension.as_mut()?.tags.iter_mut().find_map(|tag| match &mut tag.value {
                ExtensionValue::Section(Section::Dynamic(tags)) => Some(tags),
                _ => None,
            })?;
        tags.get(FourCc::NAME)?;
        tags.set(FourCc::NAME, b"other.metallib\0").unwrap();
        Some(Told::library("install name"))
    }),
    ("unknown section", |library, _| {
        let extension = library.extension.as_mut()?;
        let section = Section::Opaque(b"what is this".into());
        extension.tags.push(ExtensionTag::section(FourCc::new(*b"WHAT"), section));
        Some(Told::library("WHAT"))
    }),
];

fn function<'b, 'a>(
    library: &'b mut LibraryBuilder<'a>,
    index: usize,
) -> Option<&'b mut Function<'a>> {
    library.functions.get_mut(index)
}

fn with_module<'b, 'a>(
    library: &'b mut LibraryBuilder<'a>,
    index: usize,
) -> Option<&'b mut Function<'a>> {
    function(library, index).filter(|function| function.module.is_some())
}

fn first_with<'b, 'a>(
    library: &'b mut LibraryBuilder<'a>,
    id: FourCc,
) -> Option<&'b mut Function<'a>> {
    library.functions.iter_mut().find(|function| function.public.get(id).is_some())
}

fn sources<'b, 'a>(library: &'b mut LibraryBuilder<'a>) -> Option<&'b mut metallib::Sources<'a>> {
    let tags = &mut library.extension.as_mut()?.tags;
    tags.iter_mut().find_map(|tag| match &mut tag.value {
        ExtensionValue::Section(Section::Sources(sources)) => Some(sources),
        _ => None,
    })
}

fn reflection<'b, 'a>(library: &'b mut LibraryBuilder<'a>) -> Option<&'b mut [BufferEntry<'a>]> {
    let tags = &mut library.extension.as_mut()?.tags;
    tags.iter_mut().find_map(|tag| match &mut tag.value {
        ExtensionValue::Section(Section::Buffers(list)) if tag.id == FourCc::RLST => {
            Some(list.entries_mut())
        }
        _ => None,
    })
}

fn flip_last(bytes: &mut [u8]) {
    *bytes.last_mut().unwrap() ^= 1;
}

/// Other bytes of a module that no other function uses.
fn module(
    library: &mut LibraryBuilder<'_>,
    index: usize,
    change: fn(&mut Vec<u8>),
) -> Option<Told> {
    let function = function(library, index)?;
    let id = function.module?;
    // The size of a module is not to be guessed.
    function.tags.get(FourCc::MDSZ)?;
    let users = library.functions.iter().filter(|function| function.module == Some(id));
    let mut bytes = library.modules[id.index()].bytes().to_vec();
    if users.count() > 1 || bytes.is_empty() {
        return None;
    }
    change(&mut bytes);
    // As it is in modules that are written: its HASH is another one, too.
    let new = library.modules[id.index()].with_bytes(bytes, false);
    library.modules[id.index()] = new;
    Some(Told::function("module"))
}

/// The library with something changed, and all else as it was.
fn edited(bytes: &[u8], change: Change) -> Option<(Vec<u8>, Told)> {
    let library = Library::parse(bytes).unwrap();
    let middle = library.functions().len() / 2;
    let mut builder = library.edit(false).unwrap();
    let told = change(&mut builder, middle)?;
    let made = builder.finish().unwrap();
    let options = WriteOptions { rebuild: true, hashes: Hashes::Changed, uuid: UuidAction::Keep };
    Some((Plan::new(&made, options).unwrap().to_vec(), told))
}

/// In copies of every library one thing is changed: that is told, there and in no other function.
#[test]
fn what_was_changed_alone_is_told_alone() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let samples = corpus("diff of edited copies");
    for sample in &samples {
        for (way, change) in WAYS {
            let Some((bytes, expected)) = edited(&sample.bytes, change) else { continue };
            let found = compared(&sample.bytes, &bytes, NOTHING);
            assert_eq!(told(&found), expected, "{}, {way}", sample.name);
            assert!(!found.same && !found.layout && !found.reordered);
            assert!(found.removed.is_empty() && found.added.is_empty());
            assert_eq!(found.changed.len(), expected.function.len().min(1));
            *counts.entry(way).or_insert(0) += 1;
            let back = compared(&bytes, &sample.bytes, NOTHING);
            assert_eq!(told(&back), expected, "{}, {way}, the other way round", sample.name);
        }
    }
    println!("{counts:?}");
    if !samples.is_empty() {
        let least = |way: &str| match way {
            "constant" => 90,
            "attribute" => 75,
            "debug line" | "dependency" | "link options" | "source archive" => 40,
            "minimum OS" | "platform" => 190,
            "reflection" => 55,
            "uuid" => 95,
            "install name" => 10,
            "unknown section" | "a bit of a module" | "size of a module" => 370,
            _ => 420,
        };
        for (way, _) in WAYS {
            let count = counts.get(way).copied().unwrap_or(0);
            assert!(count >= least(way), "{way}: {count} copies, expected {}", least(way));
        }
    }
}

/// Which of the ways change what is passed over, and nothing else.
const HIDDEN: [(&str, Ignored); 5] = [
    ("uuid", Ignored { uuid: true, ..NOTHING }),
    ("dependency", Ignored { sources: true, ..NOTHING }),
    ("link options", Ignored { sources: true, ..NOTHING }),
    ("source archive", Ignored { sources: true, ..NOTHING }),
    ("hash", Ignored { hash: true, ..NOTHING }),
];

/// What is passed over is no difference, and nothing else is passed over with it. (Edits of
/// paths alone are those of `strip --paths`.)
#[test]
fn what_is_ignored_is_passed_over_alone() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for sample in corpus("diff that ignores") {
        for (way, change) in WAYS {
            let Some((bytes, expected)) = edited(&sample.bytes, change) else { continue };
            let hidden = HIDDEN.iter().find(|(name, _)| *name == way).map(|(_, ignored)| *ignored);
            if let Some(ignored) = hidden {
                let found = compared(&sample.bytes, &bytes, ignored);
                assert!(found.same, "{}, {way}, {ignored:?}: {found:?}", sample.name);
                *counts.entry(way).or_insert(0) += 1;
            }
            let hidden = hidden.unwrap_or_default();
            let others = Ignored {
                uuid: !hidden.uuid,
                paths: true,
                sources: !hidden.sources,
                hash: !hidden.hash,
            };
            let found = compared(&sample.bytes, &bytes, others);
            assert_eq!(told(&found), expected, "{}, {way}, {others:?}", sample.name);
        }
    }
    println!("{counts:?}");
}

/// A tag list in another order says the same, and the files are not: that is told as such.
#[test]
fn another_layout_is_told() {
    let bytes = small::full();
    let other = small::with_function(&bytes, 0, |function| {
        let mut tags = TagList::new();
        let mut all: Vec<_> = function.tags.iter().collect();
        all.rotate_left(1);
        all.iter().for_each(|tag| tags.push(tag.id, tag.payload).unwrap());
        function.tags = tags;
    });
    let all = Ignored { uuid: true, paths: true, sources: true, hash: true };
    for ignored in [NOTHING, all] {
        let found = compared(&bytes, &other, ignored);
        assert!(found.layout && !found.same && found.changed.is_empty(), "{found:#?}");
    }
    let behind = [&bytes[..], &[0]].concat();
    assert!(compared(&bytes, &behind, NOTHING).layout);
    assert!(compared(&bytes, &behind, all).layout);
    assert!(compared(&behind, &behind, all).same);
}

/// A module that very many functions share is not looked into for each of them.
#[test]
fn shared_modules_do_not_take_unbounded_work() {
    let count = 3000;
    let make = |shared: bool| {
        let mut builder =
            small::builder(metallib::Dialect::Linker, 8, metallib::FileType::Executable);
        let large = [small::module("f", 1), vec![0; 1 << 20]].concat();
        let id = builder.add_module(Module::new(large)).unwrap();
        for index in 0..count {
            let spec = small::kernel(&format!("f{index}"), 1);
            match shared {
                true => builder.add_sharing(spec, id).unwrap(),
                false => builder.add(spec).unwrap(),
            }
        }
        if !shared {
            builder.add_sharing(small::kernel("last", 1), id).unwrap();
        }
        small::finish(builder)
    };
    let (shared, own) = (make(true), make(false));
    let found = compared(&shared, &own, NOTHING);
    assert_eq!(found.changed.len(), count);
    let looked = found.changed.iter().filter(|change| change.symbols.is_some()).count();
    assert!((1..20).contains(&looked), "{looked}");
    let old = Input::from_bytes("old", shared);
    let new = Input::from_bytes("new", own);
    let [a, b] = [&old, &new].map(|input| Library::parse(input.bytes()).unwrap());
    let ignored = Ignored { paths: true, ..NOTHING };
    let error = diff((&old, &a), (&new, &b), DiffOptions { ignored, threads: 1 }).unwrap_err();
    assert!(error.to_string().contains("share modules"), "{error}");
    // One that all share is compared once.
    assert!(compared(old.bytes(), old.bytes(), ignored).same);
}
