//! `diff` of what `filter`, `merge`, `rename` and `strip` made: exactly what they changed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};

use metallib::{FourCc, Function, Library};
use mtlpack::io::Input;
use mtlpack::{
    Diff, DiffOptions, FilterOptions, Ignored, MergeOptions, Named, NormalizeOptions, PathRules,
    Selection, Splitter, StripOptions, diff, filter, merge, normalize, rename_functions, strip,
};
use mtlpack_tests::{Sample, corpus};

const UUID: Ignored = Ignored { uuid: true, paths: false, sources: false, hash: false };

fn compared(old: &[u8], new: &[u8], ignored: Ignored) -> Diff {
    let [old, new] = [old, new].map(|bytes| Input::from_bytes("library", bytes.to_vec()));
    let [a, b] = [&old, &new].map(|input| Library::parse(input.bytes()).unwrap());
    diff((&old, &a), (&new, &b), DiffOptions { ignored, threads: 2 }).unwrap()
}

fn names<'n>(names: impl IntoIterator<Item = &'n String>) -> BTreeSet<String> {
    names.into_iter().cloned().collect()
}

/// Names that differ from one another.
fn distinct(library: &Library<'_>) -> Option<Vec<String>> {
    let all: Vec<String> = library.functions().iter().map(|f| f.name().into_owned()).collect();
    let is_distinct = all.iter().collect::<BTreeSet<_>>().len() == all.len();
    (is_distinct && !all.is_empty()).then_some(all)
}

fn nothing_changed(found: &Diff, name: &str) {
    assert!(found.changed.is_empty() && !found.reordered && !found.same, "{name}: {found:#?}");
}

/// Every other function is dropped; and these and the rest merged are all of them.
#[test]
fn what_was_filtered_and_merged_is_removed_and_added() {
    let mut count = 0;
    for Sample { name, bytes } in corpus("diff of filtered libraries") {
        let library = Library::parse(&bytes).unwrap();
        let Some(all) = distinct(&library).filter(|all| all.len() > 1) else { continue };
        let named = Named { name: &name, library: &library };
        let half = |first: usize| -> Vec<String> {
            all.iter().skip(first).step_by(2).map(|name| glob(name)).collect()
        };
        let keep = |keep: Vec<String>| {
            let selection = Selection { keep, ..Selection::default() };
            filter(named, &selection, &FilterOptions::default()).unwrap().to_vec().unwrap()
        };
        let (even, odd) = (keep(half(0)), keep(half(1)));
        let dropped: BTreeSet<String> = all.iter().skip(1).step_by(2).cloned().collect();
        let found = compared(&bytes, &even, UUID);
        nothing_changed(&found, &name);
        assert_eq!(names(found.removed.iter().map(|one| &one.name)), dropped, "{name}");
        assert!(found.added.is_empty());
        let [a, b] = [&even, &odd].map(|bytes| Library::parse(bytes).unwrap());
        let inputs = [Named { name: "a", library: &a }, Named { name: "b", library: &b }];
        let merged = merge(&inputs, &MergeOptions::default()).unwrap().to_vec().unwrap();
        let found = compared(&even, &merged, UUID);
        assert!(found.changed.is_empty() && !found.reordered, "{name}: {found:#?}");
        assert_eq!(names(found.added.iter().map(|one| &one.name)), dropped, "{name}");
        assert!(found.removed.is_empty());
        // Of all functions only their order is another one now.
        let found = compared(&bytes, &merged, UUID);
        let is_all = found.removed.is_empty() && found.added.is_empty();
        assert!(is_all && found.changed.is_empty() && found.reordered == (all.len() > 2), "{name}");
        count += 1;
    }
    println!("{count} libraries filtered and merged");
}

/// A pattern that only this name matches.
fn glob(name: &str) -> String {
    name.chars().fold(String::new(), |pattern, c| match c {
        '*' | '?' | '[' | ']' => pattern + &format!("[{c}]"),
        c => pattern + &c.to_string(),
    })
}

#[test]
fn what_was_renamed_is_removed_and_added() {
    let mut count = 0;
    for Sample { name, bytes } in corpus("diff of renamed libraries") {
        let library = Library::parse(&bytes).unwrap();
        let Some(all) = distinct(&library) else { continue };
        let named = Named { name: &name, library: &library };
        // One, and all of them.
        for some in [&all[..1], &all[..]] {
            let new = |name: &str| format!("ours_{name}").into_bytes();
            let map: BTreeMap<usize, Vec<u8>> =
                some.iter().enumerate().map(|(index, name)| (index, new(name))).collect();
            let draft = rename_functions(named, &map, false).unwrap();
            let made = draft.finish().unwrap().to_vec().unwrap();
            let found = compared(&bytes, &made, UUID);
            // The one module of a dynamic library is another one for those too that keep their names.
            let changed = &found.changed;
            assert!(changed.iter().all(|change| library.is_dynamic() && change.module), "{name}");
            let others = found.unchanged + (changed.len() + found.removed.len()) as u64;
            assert_eq!(others, all.len() as u64, "{name}");
            let added: BTreeSet<String> = some.iter().map(|name| format!("ours_{name}")).collect();
            assert_eq!(names(found.removed.iter().map(|one| &one.name)), names(some), "{name}");
            assert_eq!(names(found.added.iter().map(|one| &one.name)), added, "{name}");
            count += some.len();
        }
    }
    println!("{count} functions renamed");
}

/// What is in the parts of a library that a strip leaves alone.
fn stripped(name: &str, bytes: &[u8], options: &StripOptions) -> Vec<u8> {
    let input = Input::from_bytes(name, bytes.to_vec());
    let library = Library::parse(input.bytes()).unwrap();
    strip(&input, &library, options).unwrap().finish().unwrap().to_vec().unwrap()
}

#[test]
fn what_was_stripped_is_changed() {
    let mut counts = [0; 3];
    let options = || StripOptions { threads: 1, ..StripOptions::default() };
    for Sample { name, bytes } in corpus("diff of stripped libraries") {
        let library = Library::parse(&bytes).unwrap();
        let count_of = |is: &dyn Fn(&Function<'_>) -> bool| {
            library.functions().iter().filter(|function| is(function)).count()
        };
        let made = stripped(&name, &bytes, &StripOptions { reflection: true, ..options() });
        let found = compared(&bytes, &made, UUID);
        assert_eq!(found.changed.len(), count_of(&|f| f.reflection.is_some()), "{name}");
        assert!(found.changed.iter().all(|c| c.reflection && !c.module && c.fields.is_empty()));
        counts[0] += found.changed.len();

        let made = stripped(&name, &bytes, &StripOptions { debug_info: true, ..options() });
        let found = compared(&bytes, &made, UUID);
        let other = Library::parse(&made).unwrap();
        let pairs = library.functions().iter().zip(other.functions());
        let module = |library: &Library<'_>, function: &Function<'_>| {
            library.module_of(function).map(|module| module.bytes().to_vec())
        };
        let differs = |(a, b): &(&Function<'_>, &Function<'_>)| {
            module(&library, a) != module(&other, b) || a.private != b.private
        };
        assert_eq!(found.changed.len(), pairs.filter(differs).count(), "{name}");
        let is_debug = |field: &mtlpack::FieldChange| field.field == "DEBI" && field.new.is_none();
        assert!(found.changed.iter().all(|c| !c.reflection && c.fields.iter().all(is_debug)));
        counts[1] += found.changed.len();

        let is_companion = library.identity().file_type() == metallib::FileType::SymbolCompanion;
        if !is_companion {
            let made = stripped(&name, &bytes, &StripOptions { source: true, ..options() });
            let found = compared(&bytes, &made, Ignored { sources: true, ..Ignored::default() });
            assert!(found.same, "{name}: {found:#?}");
            let found = compared(&bytes, &made, Ignored::default());
            assert_eq!(found.same, made == bytes, "{name}");
            counts[2] += usize::from(!found.same);
        }
    }
    println!(
        "functions that lost reflection, debug information; libraries that lost sources: {counts:?}"
    );
}

/// Without their paths two builds in different folders are the same.
#[test]
fn paths_can_be_passed_over() {
    let (mut with_paths, mut modules) = (0, 0);
    let ignored = Ignored { uuid: true, paths: true, ..Ignored::default() };
    let samples = corpus("diff without paths");
    for Sample { name, bytes } in &samples {
        let options = StripOptions {
            paths: Some(PathRules::default()),
            threads: 1,
            ..StripOptions::default()
        };
        let made = stripped(name, bytes, &options);
        let found = compared(bytes, &made, ignored);
        assert!(found.same, "{name}: {found:#?}");
        let input = Input::from_bytes(name.as_str(), bytes.clone());
        let library = Library::parse(input.bytes()).unwrap();
        let draft = normalize(&input, &library, &NormalizeOptions::default()).unwrap();
        let normal = draft.finish().unwrap().to_vec().unwrap();
        assert!(compared(bytes, &normal, ignored).same, "{name}");
        let found = compared(bytes, &made, UUID);
        assert_eq!(found.same, made == *bytes, "{name}");
        with_paths += usize::from(!found.same);
        modules += found.changed.iter().filter(|change| change.module).count();
    }
    println!("{with_paths} libraries with paths, {modules} functions with paths in modules");
    assert!(samples.is_empty() || with_paths >= 75 && modules > 100);
}

/// The functions of a library in the opposite order are the same ones.
#[test]
fn order_is_told() {
    let mut count = 0;
    for Sample { name, bytes } in corpus("diff of other orders") {
        let library = Library::parse(&bytes).unwrap();
        if !(2..=40).contains(&library.functions().len()) || library.is_dynamic() {
            continue;
        }
        let splitter = Splitter::new(Named { name: &name, library: &library }, false).unwrap();
        let parts: Vec<Vec<u8>> = (0..splitter.len())
            .rev()
            .map(|i| splitter.part(i).unwrap().to_vec().unwrap())
            .collect();
        let parts: Vec<Library<'_>> = parts.iter().map(|p| Library::parse(p).unwrap()).collect();
        let inputs: Vec<_> = parts.iter().map(|library| Named { name: "part", library }).collect();
        let made = merge(&inputs, &MergeOptions::default()).unwrap().to_vec().unwrap();
        let found = compared(&bytes, &made, Ignored { sources: true, ..UUID });
        assert!(found.reordered && !found.same && found.changed.is_empty(), "{name}: {found:#?}");
        assert_eq!(found.unchanged, library.functions().len() as u64);
        let has_sources = library.functions().iter().any(|f| f.tags.get(FourCc::SOFF).is_some());
        assert!(has_sources || found.fields.is_empty(), "{name}: {:?}", found.fields);
        count += 1;
    }
    println!("{count} libraries in the opposite order");
}
