//! Merging real libraries that have functions of the same names.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::{BTreeMap, HashMap, HashSet};

use air_bitcode::{ImportKind, Module};
use metallib::{Function, Library};
use mtlpack::io::Input;
use mtlpack::{MergeOptions, Named, OnDuplicate, VerifyOptions, merge, rename_functions, verify};
use mtlpack_tests::{LARGE, Sample, corpus_and_large};

const PREFIX: &[u8] = b"theirs::";

/// Projects of which the corpus has several builds.
const PROJECTS: [&str; 2] = ["ggml", "mlx"];

fn is_of(sample: &Sample, project: &str) -> bool {
    sample.name.contains(project)
}

/// For each library the next one that has one of its names, and all builds of the projects.
fn pairs(samples: &[Sample]) -> Vec<(usize, usize)> {
    let mut holders: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    let mut names = Vec::new();
    for (index, sample) in samples.iter().enumerate() {
        let library = sample.library();
        let of_library: HashSet<Vec<u8>> =
            library.functions().iter().map(|f| f.name_bytes().to_vec()).collect();
        for name in &of_library {
            holders.entry(name.clone()).or_default().push(index);
        }
        names.push((*library.identity(), of_library));
    }
    let alike = |a: usize, b: usize| {
        let (ours, theirs) = (&names[a].0, &names[b].0);
        (ours.file_type(), ours.platform()) == (theirs.file_type(), theirs.platform())
    };
    let mut pairs = Vec::new();
    for a in 0..samples.len() {
        let after = |name| holders[name].iter().copied().find(|&b| b > a && alike(a, b));
        pairs.extend(names[a].1.iter().filter_map(after).min().map(|b| (a, b)));
        let is_build =
            |b: &usize| PROJECTS.iter().any(|p| is_of(&samples[a], p) && is_of(&samples[*b], p));
        pairs.extend((a + 1..samples.len()).filter(is_build).map(|b| (a, b)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// A function's module, which must say the function's name.
fn module<'l>(library: &'l Library<'_>, function: &Function<'_>) -> &'l [u8] {
    let bytes = library.module_of(function).unwrap().bytes();
    let module = Module::parse(bytes).unwrap();
    let name = function.name_bytes();
    assert!(module.globals().unwrap().iter().any(|g| g.is_definition && g.name == name));
    bytes
}

/// Functions of the second library that the merge is to rename: those that differ.
fn expected(
    first: &Library<'_>,
    second: &Library<'_>,
    merged: &Library<'_>,
) -> BTreeMap<usize, Vec<u8>> {
    let names = |library: &Library<'_>| -> HashSet<Vec<u8>> {
        library.functions().iter().map(|f| f.name_bytes().to_vec()).collect()
    };
    let (first, merged) = (names(first), names(merged));
    let renamed = second.functions().iter().enumerate().filter_map(|(index, function)| {
        let new = [PREFIX, function.name_bytes()].concat();
        (first.contains(function.name_bytes()) && merged.contains(&new)).then_some((index, new))
    });
    renamed.collect()
}

/// Tells how many functions were renamed and how many folded; `None` if the two cannot be
/// merged for other reasons.
fn check(a: &Sample, b: &Sample) -> Option<(usize, usize)> {
    let (first, second) = (a.library(), b.library());
    let inputs =
        [Named { name: &a.name, library: &first }, Named { name: &b.name, library: &second }];
    let merged_with =
        |on_duplicate| merge(&inputs, &MergeOptions { on_duplicate, ..MergeOptions::default() });
    let merged =
        match (merged_with(OnDuplicate::Rename(PREFIX.to_vec())), merged_with(OnDuplicate::Last)) {
            (Ok(merged), _) => merged,
            (Err(error), Ok(_)) => panic!("{} and {}: {error}", a.name, b.name),
            (Err(_), Err(_)) => return None,
        };
    let bytes = merged.to_vec().unwrap();
    let input = Input::from_bytes("merged", bytes.clone());
    let report = verify(&input, VerifyOptions { threads: 1 }).unwrap();
    assert!(report.passed() && report.canonical, "{} and {}: {report:?}", a.name, b.name);
    let merged = Library::parse(&bytes).unwrap();
    let renamed = expected(&first, &second, &merged);
    let draft = rename_functions(inputs[1], &renamed, false).unwrap();
    let alone = draft.finish().unwrap().library;
    let by_name: HashMap<&[u8], &Function<'_>> =
        merged.functions().iter().map(|f| (f.name_bytes(), f)).collect();
    for library in [&first, &alone] {
        for function in library.functions() {
            let kept = by_name[function.name_bytes()];
            assert_eq!(module(library, function), module(&merged, kept));
            assert_eq!(function.function_type(), kept.function_type());
            assert_eq!((&function.public, &function.private), (&kept.public, &kept.private));
        }
    }
    let both = first.functions().len() + second.functions().len();
    Some((renamed.len(), both - merged.functions().len()))
}

#[test]
fn what_clashes_is_renamed_and_nothing_is_lost() {
    let samples = corpus_and_large("merge with renaming");
    let large = std::env::var_os(LARGE).is_some();
    let (mut merged, mut functions, mut folded) = (0, 0, 0);
    let mut projects: BTreeMap<&str, usize> = PROJECTS.map(|name| (name, 0)).into();
    for (a, b) in pairs(&samples) {
        let (a, b) = (&samples[a], &samples[b]);
        let Some((renamed, same)) = check(a, b) else { continue };
        merged += 1;
        functions += renamed;
        folded += same;
        for (project, count) in &mut projects {
            *count += usize::from(renamed > 0 && is_of(a, project) && is_of(b, project));
        }
    }
    println!("{merged} pairs, {functions} functions renamed, {folded} folded, {projects:?}");
    if !samples.is_empty() {
        // The builds of mlx are the large libraries.
        assert!(projects["ggml"] > 0 && (projects["mlx"] > 0 || !large), "{projects:?}");
    }
}

/// A module of an executable declares no function of another one, so a rename need not look
/// for the old name in all modules.
#[test]
fn modules_of_executables_need_no_function_of_their_library() {
    let mut count = 0;
    for sample in corpus_and_large("imports") {
        let library = sample.library();
        let names: HashSet<&[u8]> = library.functions().iter().map(Function::name_bytes).collect();
        for module in library.modules() {
            let module = Module::parse(module.bytes()).unwrap();
            for global in module.globals().unwrap().iter().filter(|global| global.is_import()) {
                let of_library = names.contains(&*global.name);
                assert!(!of_library, "{}: {}", sample.name, global.name_text());
                count += usize::from(ImportKind::of(&global.name) == ImportKind::Other);
            }
        }
        assert!(!library.is_dynamic() || library.modules().len() <= 1, "{}", sample.name);
    }
    println!("{count} imports of dynamic libraries");
}
