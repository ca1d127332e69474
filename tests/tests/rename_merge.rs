//! Merging real libraries that have functions of the same names.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::{BTreeMap, HashMap, HashSet};

use air_bitcode::{ImportKind, Module};
use metallib::{Function, Library};
use mtlpack::{MergeOptions, Named, OnDuplicate, merge, rename_functions};
use mtlpack_tests::{LARGE, Sample, corpus_and_large, shape};

mod findings;

use findings::Known;

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

/// Functions of the second library that the merge is to rename, and how many it is to fold:
/// of those that the first has a function of the same name of, those that differ from it, and
/// those that are the very same.
fn expected(first: &Library<'_>, second: &Library<'_>) -> (BTreeMap<usize, Vec<u8>>, usize) {
    let known: HashMap<&[u8], &Function<'_>> =
        first.functions().iter().map(|f| (f.name_bytes(), f)).collect();
    let (mut renamed, mut folded) = (BTreeMap::new(), 0);
    for (index, function) in second.functions().iter().enumerate() {
        let Some(other) = known.get(function.name_bytes()) else { continue };
        if shape::of_function(first, other) == shape::of_function(second, function) {
            folded += 1;
        } else {
            renamed.insert(index, [PREFIX, function.name_bytes()].concat());
        }
    }
    (renamed, folded)
}

/// Tells how many functions were renamed and how many folded; `None` if the two cannot be
/// merged for other reasons.
fn check([a, b]: [&Sample; 2], known: [&Known; 2]) -> Option<(usize, usize)> {
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
    let both = format!("{} and {}", a.name, b.name);
    findings::no_more_than(&known, &both, &bytes);
    let merged = Library::parse(&bytes).unwrap();
    let (renamed, folded) = expected(&first, &second);
    let count = first.functions().len() + second.functions().len() - folded;
    assert_eq!(merged.functions().len(), count, "{both}: other functions were folded");
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
    let names: HashSet<&[u8]> = [&first, &alone]
        .iter()
        .flat_map(|library| library.functions().iter().map(Function::name_bytes))
        .collect();
    assert!(by_name.keys().all(|name| names.contains(name)), "{both}: others were renamed");
    Some((renamed.len(), folded))
}

#[test]
fn what_clashes_is_renamed_and_nothing_is_lost() {
    let samples = corpus_and_large("merge with renaming");
    let large = std::env::var_os(LARGE).is_some();
    let (mut merged, mut functions, mut folded) = (0, 0, 0);
    let mut projects: BTreeMap<&str, usize> = PROJECTS.map(|name| (name, 0)).into();
    let mut known: HashMap<usize, Known> = HashMap::new();
    for (a, b) in pairs(&samples) {
        for index in [a, b] {
            let Sample { name, bytes } = &samples[index];
            known.entry(index).or_insert_with(|| Known::of(name, bytes));
        }
        let known = [&known[&a], &known[&b]];
        let (a, b) = (&samples[a], &samples[b]);
        let Some((renamed, same)) = check([a, b], known) else { continue };
        merged += 1;
        functions += renamed;
        folded += same;
        for (project, count) in &mut projects {
            *count += usize::from(renamed > 0 && is_of(a, project) && is_of(b, project));
        }
    }
    println!("{merged} pairs, {functions} functions renamed, {folded} folded, {projects:?}");
    if !samples.is_empty() {
        assert!(functions > 0 && folded > 0);
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
