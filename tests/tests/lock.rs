//! `lock` over the corpus: it comes back, nothing changed is no change, and what changed is named.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;

use metallib::metadata::{
    encode_function_constants, encode_vertex_attributes, function_constants, vertex_attributes,
};
use metallib::{FourCc, FunctionType, Library, Module};
use mtlpack::io::Input;
use mtlpack::{Kind, Lock, Policy, lock, policy};
use mtlpack_tests::{Sample, corpus, corpus_and_large, small};

fn locked(bytes: &[u8]) -> Lock {
    let input = Input::from_bytes("library", bytes.to_vec());
    lock(&input, &Library::parse(input.bytes()).unwrap(), 2).unwrap()
}

/// What `verify --lock` says of a library: place and words.
fn changes(lock: &Lock, bytes: &[u8]) -> Vec<(String, String)> {
    let input = Input::from_bytes("library", bytes.to_vec());
    let asked = Policy { lock: Some(lock.clone()), ..Policy::default() };
    let found = policy(&input, &Library::parse(input.bytes()).unwrap(), &asked, 2).unwrap();
    assert!(found.iter().all(|finding| finding.kind == Kind::Lock));
    found.into_iter().map(|finding| (finding.place, finding.what)).collect()
}

#[test]
fn a_library_is_what_was_locked() {
    let mut facts = BTreeMap::new();
    for sample in corpus_and_large("lock") {
        let lock = locked(&sample.bytes);
        let text = lock.to_string();
        assert!(Lock::parse("text", &text).unwrap() == lock, "{}", sample.name);
        assert_eq!(changes(&lock, &sample.bytes), [], "{}", sample.name);
        for line in text.lines().filter_map(|line| line.strip_prefix("  ")) {
            let word = line.split(' ').next().unwrap();
            *facts.entry(word.to_owned()).or_insert(0) += 1;
        }
    }
    println!("{facts:?}");
}

/// A library with one thing changed, and what its lock says: the function, the fact.
type Changed = Option<(Vec<u8>, String, String)>;

/// A way to change one thing, where a library has it.
type Change = fn(&Sample) -> Changed;

#[test]
fn each_change_is_named() {
    let ways: [(&str, Change); 4] = [
        ("constant", |sample| tag(sample, FourCc::CNST, "constant", constant)),
        ("attribute", |sample| tag(sample, FourCc::VATT, "attribute", attribute)),
        ("argument", argument),
        ("type", kind),
    ];
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let samples = corpus("lock of edited copies");
    for sample in &samples {
        let lock = locked(&sample.bytes);
        for (name, change) in ways {
            let Some((bytes, function, words)) = change(sample) else { continue };
            let found = changes(&lock, &bytes);
            let is_told = |(place, what): &(String, String)| {
                *place == format!("function `{function}`") && what.contains(&words)
            };
            assert!(found.iter().any(is_told), "{}, {name} {words}: {found:?}", sample.name);
            *counts.entry(name).or_insert(0) += 1;
        }
    }
    println!("{counts:?}");
    if !samples.is_empty() {
        let least = [("constant", 20), ("attribute", 50), ("argument", 350), ("type", 429)];
        assert!(least.iter().all(|(name, least)| counts[name] >= *least), "{counts:?}");
    }
}

fn name_of(library: &Library<'_>, index: usize) -> String {
    // Names with escapes would have to be written as the lock does.
    library.functions()[index].name().into_owned()
}

/// The first function with a tag of its public metadata, which `change` changes.
fn tag(sample: &Sample, id: FourCc, word: &str, change: fn(&[u8]) -> (Vec<u8>, String)) -> Changed {
    let library = sample.library();
    let has_tag = |function: &metallib::Function<'_>| function.public.get(id).is_some();
    let index = library.functions().iter().position(has_tag)?;
    let (payload, name) = change(library.functions()[index].public.payload(id).unwrap());
    let bytes = small::with_function(&sample.bytes, index, |function| {
        function.public.set(id, &payload).unwrap();
    });
    Some((bytes, name_of(&library, index), format!("`{word} {name}")))
}

/// Another index.
fn constant(payload: &[u8]) -> (Vec<u8>, String) {
    let mut constants = function_constants(payload, 0).unwrap();
    let first = &mut constants[0];
    let told = format!("{} {}", first.index, String::from_utf8_lossy(&first.name));
    first.index += 1000;
    (encode_function_constants(&constants).unwrap(), told)
}

/// Another name.
fn attribute(payload: &[u8]) -> (Vec<u8>, String) {
    let mut attributes = vertex_attributes(payload, 0).unwrap();
    let first = &mut attributes[0];
    first.name = [b"new_", &first.name[..]].concat();
    let told = format!("{} {}", first.index(), String::from_utf8_lossy(&first.name));
    (encode_vertex_attributes(&attributes).unwrap(), told)
}

/// The name of an argument in the module.
fn argument(sample: &Sample) -> Changed {
    let library = sample.library();
    let (index, function) = library.functions().iter().enumerate().find(|(index, function)| {
        let lock = locked_arguments(&library, *index, function);
        !lock.is_empty()
    })?;
    let names = locked_arguments(&library, index, function);
    let module = function.module?.index();
    let bytes = library.modules()[module].bytes();
    let wanted = names.first()?.clone();
    let other = format!("{wanted}_new");
    let rewritten = air_bitcode::Module::parse(bytes).unwrap();
    let mut any = false;
    let rewritten = rewritten
        .rewrite_texts(wanted.as_bytes(), |text| {
            let is_wanted = *text.bytes == *wanted.as_bytes();
            any |= is_wanted;
            is_wanted.then(|| other.clone().into_bytes())
        })
        .unwrap()
        .to_bytes()
        .unwrap();
    assert!(any, "{}: {wanted}", sample.name);
    let new =
        small::edited(&sample.bytes, |builder| builder.modules[module] = Module::new(rewritten));
    Some((new, name_of(&library, index), format!("air.arg_name {other}`")))
}

/// Names of the arguments of one of the first functions, where they end a fact.
fn locked_arguments(
    library: &Library<'_>,
    index: usize,
    function: &metallib::Function<'_>,
) -> Vec<String> {
    let Some(module) = library.module_of(function) else { return Vec::new() };
    if index > 4 {
        return Vec::new();
    }
    let module = air_bitcode::Module::parse(module.bytes()).unwrap();
    let metadata = module.metadata().unwrap();
    let info = module.air_info().unwrap();
    let Some(entry) = info.entries.first() else { return Vec::new() };
    let operands = metadata.operands(entry.node).unwrap().unwrap();
    let Some(list) = operands.get(2).and_then(|operand| operand.node()) else { return Vec::new() };
    let mut names = Vec::new();
    for argument in metadata.operands(list).unwrap().unwrap() {
        let words = metadata.operands(argument.node().unwrap()).unwrap().unwrap();
        let words: Vec<_> = words.iter().map(|word| word.string()).collect();
        if let [.., Some(b"air.arg_name"), Some(name)] = words[..] {
            names.push(String::from_utf8(name.to_vec()).unwrap());
        }
    }
    names
}

/// Visible in place of what the first function is.
fn kind(sample: &Sample) -> Changed {
    let library = sample.library();
    let old = library.functions().first()?.function_type()?;
    let new = if old == FunctionType::KERNEL { FunctionType::VERTEX } else { FunctionType::KERNEL };
    let bytes = small::with_function(&sample.bytes, 0, |function| {
        function.tags.set(FourCc::TYPE, &[new.code()]).unwrap();
    });
    let words = format!("locked is `type {old}`, found `type {new}`");
    Some((bytes, name_of(&library, 0), words))
}
