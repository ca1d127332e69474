//! Replacing functions: by themselves, there and back, and beside filter and merge.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use metallib::{Archive, BufferEntry, FourCc, Library, LibraryBuilder, Module, Section};
use metallib_write::{UuidAction, UuidForm};
use mtlpack::io::Input;
use mtlpack::{
    Edited, FilterOptions, MergeOptions, NameList, Named, ReplaceOptions, Replacement, Selection,
    Severity, VerifyOptions, filter, merge, replace, strip_source, verify,
};
use mtlpack_tests::small::{self, flatbuffer, module};
use mtlpack_tests::strategies::recipe;
use mtlpack_tests::{Sample, corpus, shape};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

fn named<'l, 'a>(name: &'l str, library: &'l Library<'a>) -> Named<'l, 'a> {
    Named { name, library }
}

/// Replaces functions of `host` by those of the same names of `guest`.
fn replaced(host: &[u8], guest: &[u8], names: &[Vec<u8>]) -> Vec<u8> {
    let (host, guest) = (Library::parse(host).unwrap(), Library::parse(guest).unwrap());
    let from = named("guest", &guest);
    let replacement = |name: &Vec<u8>| Replacement { name: name.clone(), from, function: None };
    let all: Vec<_> = names.iter().map(replacement).collect();
    let edited = replace(named("host", &host), &all, &ReplaceOptions::default()).unwrap();
    let bytes = edited.to_vec().unwrap();
    let parsed = Library::parse(&bytes).unwrap();
    assert!(parsed.is_canonical(), "{:?}", parsed.irregularities());
    bytes
}

/// Names that are there once, each with its index.
fn names(library: &Library<'_>) -> Vec<(usize, Vec<u8>)> {
    let all: Vec<&[u8]> = library.functions().iter().map(|f| f.name_bytes()).collect();
    let mut counts = std::collections::HashMap::new();
    all.iter().for_each(|name| *counts.entry(*name).or_insert(0) += 1);
    let once = all.iter().enumerate().filter(|(_, name)| counts[*name] == 1);
    once.map(|(index, name)| (index, name.to_vec())).collect()
}

/// First, middle and last of the functions, and every other of them.
fn choices(names: &[(usize, Vec<u8>)]) -> Vec<Vec<(usize, Vec<u8>)>> {
    let Some(last) = names.len().checked_sub(1) else { return Vec::new() };
    let mut one: Vec<usize> = vec![0, last / 2, last];
    one.dedup();
    let mut choices: Vec<_> = one.into_iter().map(|index| vec![names[index].clone()]).collect();
    choices.push(names.iter().step_by(2).cloned().collect());
    choices
}

/// The library with other modules, reflection entries and archives of some functions.
fn changed(library: &Library<'_>, functions: &[usize]) -> Vec<u8> {
    let mut builder = library.clone().edit(false).unwrap();
    for (words, &index) in (1..=200).cycle().zip(functions) {
        change(&mut builder, index, words);
    }
    small::finish(builder)
}

fn change(builder: &mut LibraryBuilder<'_>, index: usize, words: u8) {
    let function = builder.functions[index].clone();
    if let Some(id) = function.module {
        builder.modules[id.index()] = Module::new(module(&function.name(), words));
    }
    for tag in builder.extension.iter_mut().flat_map(|extension| &mut extension.tags) {
        match &mut tag.value {
            metallib::ExtensionValue::Section(Section::Buffers(list)) if tag.id == FourCc::RLST => {
                let Some(id) = function.reflection else { continue };
                let other = flatbuffer(40 + usize::from(words));
                list.entries_mut()[id.index()] = BufferEntry::new(FourCc::RBUF, &other).unwrap();
            }
            metallib::ExtensionValue::Section(Section::Sources(sources)) => {
                let Some(id) = function.archive else { continue };
                let archive = &mut sources.archives[id.index()];
                let other = small::bzip2(&[words; 9]);
                *archive = Archive::new(archive.id(), &other).unwrap();
            }
            _ => {}
        }
    }
}

/// The library as any edit leaves it: with a UUID that follows the formula, if it has one.
fn expected(sample: &Sample, library: &Library<'_>) -> Vec<u8> {
    match library.uuid() {
        None => sample.bytes.clone(),
        Some(_) => {
            let mut edited =
                Edited::unchanged(library.clone().edit(false).unwrap().finish().unwrap());
            let stored = metallib_write::uuid_status(library).unwrap();
            edited.uuid = UuidAction::Recompute(match stored {
                metallib_write::UuidStatus::Follows(form) => form,
                _ => UuidForm::Sha256,
            });
            edited.to_vec().unwrap()
        }
    }
}

/// No errors, every hash right.
fn assert_verifies(name: &str, bytes: &[u8]) {
    let input = Input::from_bytes(name, bytes.to_vec());
    let mut report = verify(&input, VerifyOptions { threads: 1 }).unwrap();
    report.allow_empty();
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    assert_eq!(errors.map(ToString::to_string).collect::<Vec<_>>(), [""; 0], "{name}");
}

/// The libraries of the corpus out of which functions can be taken.
fn exchangeable(test: &str) -> Vec<Sample> {
    let mut samples = corpus(test);
    samples.retain(|sample| {
        let library = sample.library();
        !library.is_dynamic() && !library.functions().is_empty()
    });
    samples
}

#[test]
fn a_function_replaced_by_itself_is_the_identity() {
    for sample in corpus("replace by itself") {
        let names: Vec<_> = names(&sample.library()).into_iter().map(|(_, name)| name).collect();
        assert!(replaced(&sample.bytes, &sample.bytes, &names) == sample.bytes, "{}", sample.name);
    }
}

/// A function replaced by one with another module, reflection and archive, and then by its
/// own again, is the original; so are many at once.
#[test]
fn there_and_back_is_the_original() {
    let mut count = 0;
    for sample in exchangeable("replace there and back") {
        let library = sample.library();
        let expected = expected(&sample, &library);
        for choice in choices(&names(&library)) {
            let indices: Vec<usize> = choice.iter().map(|(index, _)| *index).collect();
            let names: Vec<Vec<u8>> = choice.into_iter().map(|(_, name)| name).collect();
            let other = changed(&library, &indices);
            let there = replaced(&sample.bytes, &other, &names);
            assert!(there != sample.bytes, "{}", sample.name);
            check(&library, &Library::parse(&other).unwrap(), &there, &indices);
            let again = replaced(&there, &other, &names);
            assert!(again == there, "{}: done twice it differs", sample.name);
            let back = replaced(&there, &sample.bytes, &names);
            assert!(back == expected, "{}: {names:?}", sample.name);
            count += 1;
        }
    }
    println!("replaced there and back {count} times");
}

/// Functions of `output` at `indices` are those of `guest`, all others those of `host`.
fn check(host: &Library<'_>, guest: &Library<'_>, output: &[u8], indices: &[usize]) {
    let output = Library::parse(output).unwrap();
    assert_eq!(output.functions().len(), host.functions().len());
    for (index, function) in output.functions().iter().enumerate() {
        let from = if indices.contains(&index) { guest } else { host };
        let expected = shape::of_function(from, &from.functions()[index]);
        assert_eq!(shape::of_function(&output, function), expected);
    }
}

/// A function replaced by its neighbour in the same library, which is renamed inside and
/// out, and then by its own again.
#[test]
fn a_neighbour_in_its_place_and_back_is_the_original() {
    let mut count = 0;
    for sample in exchangeable("replace by a neighbour") {
        let library = sample.library();
        let names = names(&library);
        let same_type = |pair: &&[(usize, Vec<u8>)]| {
            let of = |(index, _): &(usize, Vec<u8>)| library.functions()[*index].function_type();
            of(&pair[0]) == of(&pair[1])
        };
        let Some([(at, name), (other, new)]) = names.windows(2).find(same_type) else { continue };
        let from = named("self", &library);
        let replacement = Replacement { name: name.clone(), from, function: Some(new.clone()) };
        let edited = replace(from, &[replacement], &ReplaceOptions::default())
            .unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let there = edited.to_vec().unwrap();
        let parsed = Library::parse(&there).unwrap();
        let (function, neighbour) = (&parsed.functions()[*at], &library.functions()[*other]);
        assert_eq!(function.name_bytes(), name);
        assert_eq!(function.public, neighbour.public);
        let module = air_bitcode::Module::parse(parsed.module_of(function).unwrap().bytes());
        let globals = module.unwrap().globals().unwrap();
        assert!(globals.iter().any(|global| global.is_definition && *global.name == **name));
        assert!(!globals.iter().any(|global| global.is_definition && *global.name == **new));
        assert_verifies(&sample.name, &there);
        let back = replaced(&there, &sample.bytes, std::slice::from_ref(name));
        assert!(back == expected(&sample, &library), "{}", sample.name);
        count += 1;
    }
    println!("{count} libraries with a neighbour in the place of a function, and back");
}

/// Replacing is filtering and merging, but for the order of functions.
fn assert_like_filter_and_merge(host: &Library<'_>, guest: &Library<'_>, name: &[u8]) {
    let (input, from) = (named("host", host), named("guest", guest));
    let replacement = Replacement { name: name.to_vec(), from, function: None };
    let options = ReplaceOptions { allow_type_change: true, ..ReplaceOptions::default() };
    let replaced = replace(input, &[replacement], &options).map(|edited| edited.library);
    let list = vec![NameList { source: "list".to_owned(), names: vec![name.to_vec()] }];
    let without = Selection { drop_lists: list.clone(), ..Selection::default() };
    let only = Selection { keep_lists: list, ..Selection::default() };
    let allow_empty = FilterOptions { allow_empty: true, new_layout: false };
    let rest = filter(input, &without, &allow_empty).unwrap().library;
    let one = filter(from, &only, &allow_empty).unwrap().library;
    // Where a library embeds no sources, none come in.
    let one = match host.sources() {
        Some(_) => one,
        None => strip_source(named("guest", &one), false).unwrap().library.library,
    };
    let header = host.dynamic_header().and_then(|header| header.payload(FourCc::NAME));
    let name = header.map(|name| String::from_utf8_lossy(&name[..name.len() - 1]).into_owned());
    let options = MergeOptions { name, allow_empty: true, ..MergeOptions::default() };
    let merged = merge(&[named("host", &rest), named("guest", &one)], &options);
    match (replaced, merged) {
        (Ok(replaced), Ok(merged)) => {
            assert_eq!(shape::of(&replaced), shape::of(&merged.library));
        }
        (replaced, merged) => {
            let error = |result: mtlpack::Result<()>| result.unwrap_err().to_string();
            assert_eq!(error(replaced.map(drop)), error(merged.map(drop)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn built_libraries_come_back(
        mut recipe in recipe(),
        chosen in vec(any::<bool>(), 6),
    ) {
        recipe.dynamic = false;
        // With an archive that comes in, equal archives become one and equal ids two, as in a
        // merge; so both are told apart here, as in every real library.
        recipe.archives.dedup_by(|a, b| a.0 == b.0 || a.1 == b.1);
        let bytes = small::write(&recipe.library());
        let library = Library::parse(&bytes).unwrap();
        let chosen = names(&library).into_iter().zip(chosen).filter(|(_, chosen)| *chosen);
        let (indices, names): (Vec<_>, Vec<_>) = chosen.map(|(name, _)| name).unzip();
        prop_assert!(replaced(&bytes, &bytes, &names) == bytes);
        let other = changed(&library, &indices);
        let there = replaced(&bytes, &other, &names);
        check(&library, &Library::parse(&other).unwrap(), &there, &indices);
        prop_assert!(replaced(&there, &bytes, &names) == bytes);
    }

    /// Any function of any other library, as long as header and kind agree.
    #[test]
    fn replacing_is_filtering_and_merging_in_another_order(
        mut host in recipe(),
        mut guest in recipe(),
        at in any::<Index>(),
        from in any::<Index>(),
    ) {
        (host.dynamic, guest.dynamic) = (false, false);
        (guest.platform, guest.dialect) = (host.platform, host.dialect);
        let libraries = (host.library(), guest.library());
        let (own, others) = (names(&libraries.0), names(&libraries.1));
        prop_assume!(!own.is_empty() && !others.is_empty());
        let (name, other) = (&own[at.index(own.len())].1, from.index(others.len()));
        let index = others[other].0;
        guest.functions[index].name = String::from_utf8(name.clone()).unwrap();
        let guest = small::write(&guest.library());
        let guest = Library::parse(&guest).unwrap();
        prop_assume!(names(&guest).iter().any(|(_, other)| other == name));
        let host = small::write(&libraries.0);
        assert_like_filter_and_merge(&Library::parse(&host).unwrap(), &guest, name);
    }
}
