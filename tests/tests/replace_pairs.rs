//! Functions of one real library in the place of those of another build of it.
//!
//! The two large libraries take part where `MTLPACK_LARGE` is set.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use air_bitcode::Module;
use metallib::{FunctionType, Library};
use metallib_write::UuidStatus;
use mtlpack::{Edited, Named, ReplaceOptions, Replacement, replace};
use mtlpack_tests::{corpus_folder, shape};

mod findings;

use findings::Known;

const GGML: [&str; 2] = [
    "libraries/npm-llama.rn@0.3.10/package__cpp__ggml-llama.metallib",
    "libraries/npm-llama.rn@0.5.11/package__cpp__ggml-llama.metallib",
];
const GGML_FORKS: [&str; 2] = [
    "libraries/npm-cui-llama.rn@1.12.2/package__cpp__ggml-llama-sim.metallib",
    "libraries/npm-whisper.rn@0.4.3/package__cpp__ggml-whisper-sim.metallib",
];
const MLX: &str = "libraries/github-Iito_spindll/mlx.metallib_7b0319d026.metallib";
const LARGE_MLX: [&str; 2] = [
    "large/pypi-mlx-0.20.0/mlx__lib__mlx.metallib",
    "large/pypi-mlx_metal-0.32.4/2_mlx__lib__mlx.metallib",
];

/// Bytes of a library of the corpus; where there is none, says so.
fn read(path: &str) -> Option<Vec<u8>> {
    let bytes = std::fs::read(corpus_folder().join(path)).ok();
    if bytes.is_none() {
        println!("no {path} in the corpus, skipped");
    }
    bytes
}

fn named<'l, 'a>(name: &'l str, library: &'l Library<'a>) -> Named<'l, 'a> {
    Named { name, library }
}

/// Names that both have, at most `limit`, spread over the library.
fn common(host: &Library<'_>, guest: &Library<'_>, limit: usize) -> Vec<Vec<u8>> {
    let known: HashMap<&[u8], Option<FunctionType>> =
        guest.functions().iter().map(|f| (f.name_bytes(), f.function_type())).collect();
    let shared = host.functions().iter().filter(|function| {
        known.get(function.name_bytes()).is_some_and(|known| *known == function.function_type())
    });
    let all: Vec<Vec<u8>> = shared.map(|function| function.name_bytes().to_vec()).collect();
    let step = all.len().div_ceil(limit).max(1);
    all.into_iter().step_by(step).collect()
}

/// Replaces functions by those of the same names, and checks all of the result.
fn replaced((host, guest): (&[u8], &[u8]), names: &[Vec<u8>], known: &[&Known]) -> Vec<u8> {
    let (host, guest) = (Library::parse(host).unwrap(), Library::parse(guest).unwrap());
    let from = named("guest", &guest);
    let one = |name: &Vec<u8>| Replacement { name: name.clone(), from, function: None };
    let all: Vec<Replacement<'_, '_>> = names.iter().map(one).collect();
    let edited = replace(named("host", &host), &all, &ReplaceOptions::default()).unwrap();
    let bytes = verified(&edited, known);
    let output = Library::parse(&bytes).unwrap();
    let incoming: HashMap<&[u8], usize> =
        guest.functions().iter().zip(0..).map(|(f, index)| (f.name_bytes(), index)).collect();
    assert_eq!(output.functions().len(), host.functions().len());
    for (function, old) in output.functions().iter().zip(host.functions()) {
        let name = function.name_bytes();
        let expected = match names.iter().any(|replaced| replaced == name) {
            true => shape::of_function(&guest, &guest.functions()[incoming[name]]),
            false => shape::of_function(&host, old),
        };
        assert_eq!(shape::of_function(&output, function), expected);
    }
    bytes
}

/// The bytes of a result that is canonical and in which no more is found than in the inputs.
fn verified(edited: &Edited<'_>, inputs: &[&Known]) -> Vec<u8> {
    let bytes = edited.to_vec().unwrap();
    findings::no_more_than(inputs, "replaced", &bytes);
    bytes
}

/// Every common function of one build in the other, and back.
fn exchange(paths: [&str; 2], limit: usize) {
    let [Some(a), Some(b)] = paths.map(read) else { return };
    let libraries = (Library::parse(&a).unwrap(), Library::parse(&b).unwrap());
    let names = common(&libraries.0, &libraries.1, limit);
    assert!(!names.is_empty());
    let known = (Known::of(paths[0], &a), Known::of(paths[1], &b));
    let known = [&known.0, &known.1];
    for (host, guest) in [(&a, &b), (&b, &a)] {
        let there = replaced((host, guest), &names, &known);
        let back = replaced((&there, host), &names, &known);
        let (library, back) = (Library::parse(host).unwrap(), Library::parse(&back).unwrap());
        assert_eq!(shape::of(&back).functions, shape::of(&library).functions);
        if shape::of(&back) == shape::of(&library) && comes_back(&library) {
            assert!(back.source_bytes() == library.source_bytes());
        }
    }
    println!("{} functions of {} and {} exchanged", names.len(), paths[0], paths[1]);
}

/// Whether the UUID is none, or one that can be computed anew.
fn comes_back(library: &Library<'_>) -> bool {
    metallib_write::uuid_status(library).unwrap() != UuidStatus::Other
}

#[test]
fn functions_of_two_ggml_builds_are_exchanged() {
    exchange(GGML, usize::MAX);
    exchange(GGML_FORKS, usize::MAX);
}

/// The other build has another name for the function: it is renamed in its module.
#[test]
fn a_function_of_another_name_is_renamed() {
    let [Some(a), Some(b)] = [GGML[1], MLX].map(read) else { return };
    for bytes in [a, b] {
        let library = Library::parse(&bytes).unwrap();
        let from = named("other", &library);
        let names: Vec<&[u8]> = library.functions().iter().map(|f| f.name_bytes()).collect();
        // Each function by the one behind it, and one function twice.
        let all: Vec<Replacement<'_, '_>> = (0..40)
            .map(|at| Replacement {
                name: names[at].to_vec(),
                from,
                function: Some(names[if at == 0 { 7 } else { at + 1 }].to_vec()),
            })
            .collect();
        let edited = replace(named("host", &library), &all, &ReplaceOptions::default()).unwrap();
        let output = verified(&edited, &[&Known::of("library", &bytes)]);
        let output = Library::parse(&output).unwrap();
        for (function, name) in output.functions().iter().zip(&names) {
            assert_eq!(function.name_bytes(), *name);
            let module = output.module_of(function).unwrap();
            let entries = Module::parse(module.bytes()).unwrap().air_info().unwrap().entries;
            assert!(entries.iter().any(|entry| *entry.name == **name));
        }
    }
}

/// The libraries of 72 and 214 MB, and a small build that differs in container and OS.
#[test]
fn functions_of_two_mlx_builds_are_exchanged() {
    if std::env::var_os("MTLPACK_LARGE").is_none() {
        println!("MTLPACK_LARGE is not set, skipped the libraries of 72 and 214 MB");
        return;
    }
    exchange([MLX, LARGE_MLX[0]], 100);
    exchange(LARGE_MLX, 200);
}
