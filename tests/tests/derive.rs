//! What `mtlpack::derive` makes of each function's module, against what Apple's linkers wrote.

use std::collections::BTreeMap;

use air_bitcode::Module;
use metallib::metadata::debug_info;
use metallib::{FourCc, Function, Library};
use mtlpack::derive::{Debug, Derived, entries};
use mtlpack::io::Input;
use mtlpack::{Kind, VerifyOptions, verify_deep};
use mtlpack_tests::{air_files, corpus_and_large};

/// What was counted.
#[derive(Debug, Default)]
struct Counts {
    functions: usize,
    /// Functions by their tags.
    tags: BTreeMap<String, usize>,
    /// Functions with DEBI whose module has lost its debug information, by library.
    gone: BTreeMap<String, usize>,
    /// Functions with DEBI that was derived.
    debug: usize,
}

/// NAME, TYPE, VERS, LAYR, TESS, the public group and DEBI of every function are what its module
/// gives, byte for byte, but for DEBI where the linker took the debug information out of the
/// module.
#[test]
fn every_function_is_what_its_module_gives() {
    let mut counts = Counts::default();
    for sample in corpus_and_large("derive") {
        let library = sample.library();
        let mut derived: Vec<Option<Vec<Derived<'_>>>> = vec![None; library.modules().len()];
        for (index, function) in library.functions().iter().enumerate() {
            let place = format!("{}: {}", sample.name, function.place(index));
            let id = function.module.unwrap_or_else(|| panic!("{place}: no module")).index();
            let of_module = derived[id].get_or_insert_with(|| derive(&library, id, &place));
            let found: Vec<_> =
                of_module.iter().filter(|d| *d.name == *function.name_bytes()).collect();
            let [found] = found[..] else { panic!("{place}: {} in the module", found.len()) };
            compare(function, found, &place, &sample.name, &mut counts);
        }
        check_none_left(&library, &derived, &sample.name);
    }
    let gone: usize = counts.gone.values().sum();
    println!("{} functions; tags: {:?}", counts.functions, counts.tags);
    println!(
        "DEBI: {} derived, {gone} of {} libraries whose modules have lost it",
        counts.debug,
        counts.gone.len()
    );
}

fn derive<'l>(library: &'l Library<'_>, module: usize, place: &str) -> Vec<Derived<'l>> {
    let bytes = library.modules()[module].bytes();
    let module = Module::parse(bytes).unwrap_or_else(|error| panic!("{place}: {error}"));
    entries(&module).unwrap_or_else(|error| panic!("{place}: {error}"))
}

/// Every function that a module gives is in the library.
fn check_none_left(library: &Library<'_>, derived: &[Option<Vec<Derived<'_>>>], name: &str) {
    let given: usize = derived.iter().flatten().map(Vec::len).sum();
    assert_eq!(given, library.functions().len(), "{name}");
}

fn compare(
    function: &Function<'_>,
    derived: &Derived<'_>,
    place: &str,
    library: &str,
    counts: &mut Counts,
) {
    counts.functions += 1;
    assert_eq!(Some(derived.function_type), function.function_type(), "{place}");
    assert_eq!(Some(derived.versions), function.versions(), "{place}");
    assert_eq!(derived.layer, function.layer(), "{place}");
    let tessellation = derived.tessellation.map(|byte| vec![byte]);
    assert_eq!(tessellation.as_deref(), function.tags.payload(FourCc::TESS), "{place}");
    let extra: Vec<_> = derived.extra().into_iter().map(|(id, _)| id).collect();
    assert!(extra.iter().all(|id| function.tags.get(*id).is_some()), "{place}");
    assert_eq!(derived.public.as_bytes(), function.public.as_bytes(), "{place}");
    let tags = function.tags.iter().filter(|tag| extra.contains(&tag.id));
    let tags: Vec<String> = tags.chain(function.public.iter()).map(|t| t.id.to_string()).collect();
    *counts.tags.entry(tags.join(" ")).or_default() += 1;
    let stored = function.private.get(FourCc::DEBI);
    match (&derived.debug, stored) {
        (Debug::None, None) => {}
        (Debug::Info(info), Some(tag)) => {
            assert_eq!(*info, debug_info(tag.payload, tag.offset).unwrap(), "{place}");
            counts.debug += 1;
        }
        (Debug::Gone, Some(_)) => *counts.gone.entry(library.to_owned()).or_default() += 1,
        (derived, stored) => panic!("{place}: {derived:?}, stored {stored:?}"),
    }
}

/// Every `.air` file is derived, those with several functions too.
#[test]
fn air_files_are_derived() {
    let (mut files, mut functions, mut several) = (0, 0, 0);
    for sample in air_files() {
        let module = Module::parse(&sample.bytes).unwrap();
        match entries(&module) {
            Ok(found) => {
                files += 1;
                functions += found.len();
                several += usize::from(found.len() > 1);
            }
            Err(error) => panic!("{}: {error}", sample.name),
        }
    }
    println!("{files} .air files with {functions} functions, {several} with several");
}

/// The deep check finds nothing in real libraries: no tag is another one, and none cannot be
/// derived.
#[test]
fn the_deep_check_finds_nothing() {
    for sample in corpus_and_large("deep check") {
        let is_empty = sample.library().functions().is_empty();
        let input = Input::from_bytes(sample.name.clone(), sample.bytes);
        let mut report = verify_deep(&input, VerifyOptions { threads: 2 }).unwrap();
        assert_eq!(report.passed(), !is_empty, "{}", sample.name);
        report.allow_empty();
        let found: Vec<_> =
            report.findings.iter().filter(|finding| finding.kind == Kind::Derived).collect();
        assert!(found.is_empty() && report.passed(), "{}: {found:#?}", sample.name);
    }
}
