//! Laws 3 and 4 over the corpus: splitting and merging, filtering, stripping and joining.

use metallib::{FileType, FunctionType, Library};
use mtlpack::{
    Edited, FilterOptions, MergeOptions, Mismatch, Named, Selection, Splitter, filter, join, merge,
    strip_source,
};
use mtlpack_tests::{Sample, corpus};

fn named<'l, 'a>(name: &'l str, library: &'l Library<'a>) -> Named<'l, 'a> {
    Named { name, library }
}

/// Merges libraries given as bytes.
fn merge_bytes(parts: &[Vec<u8>]) -> Vec<u8> {
    let libraries: Vec<Library<'_>> = parts.iter().map(|p| Library::parse(p).unwrap()).collect();
    let inputs: Vec<Named<'_, '_>> = libraries.iter().map(|l| named("part", l)).collect();
    let options = MergeOptions { allow_empty: true, ..MergeOptions::default() };
    merge(&inputs, &options).unwrap().to_vec().unwrap()
}

#[test]
fn merging_one_library_is_the_identity() {
    for sample in corpus("merge one") {
        assert!(
            merge_bytes(std::slice::from_ref(&sample.bytes)) == sample.bytes,
            "{}",
            sample.name
        );
    }
}

#[test]
fn split_then_merge_is_the_original() {
    let mut count = 0;
    for sample in corpus("split and merge") {
        let library = sample.library();
        if library.functions().is_empty() {
            continue;
        }
        let splitter = Splitter::new(named(&sample.name, &library), false).unwrap();
        let parts: Vec<Vec<u8>> =
            (0..splitter.len()).map(|i| splitter.part(i).unwrap().to_vec().unwrap()).collect();
        for part in &parts {
            let part = Library::parse(part).unwrap();
            assert!(part.is_canonical(), "{}: {:?}", sample.name, part.irregularities());
            assert_eq!(part.functions().len(), 1);
        }
        let merged = merge_bytes(&parts);
        assert!(merged == sample.bytes, "{}: split and merged again it differs", sample.name);
        count += 1;
    }
    println!("split and merged {count} libraries");
}

/// Every other function taken out and the two halves of each kind put together again
/// have the same functions, and merging is associative.
#[test]
fn merging_is_associative() {
    let mut count = 0;
    for sample in corpus("associative") {
        let library = sample.library();
        if library.functions().len() < 3 {
            continue;
        }
        let splitter = Splitter::new(named(&sample.name, &library), false).unwrap();
        let part = |i: usize| splitter.part(i).unwrap().to_vec().unwrap();
        let (a, b, c) = (part(2), part(0), part(1));
        let left = merge_bytes(&[merge_bytes(&[a.clone(), b.clone()]), c.clone()]);
        let right = merge_bytes(&[a, merge_bytes(&[b, c])]);
        assert!(left == right, "{}", sample.name);
        count += 1;
    }
    println!("associative for {count} libraries");
}

#[test]
fn filtering_keeps_what_it_keeps() {
    for sample in corpus("filter") {
        let library = sample.library();
        let Some(first) = library.functions().first() else { continue };
        let list =
            mtlpack::NameList { source: "list".into(), names: vec![first.name_bytes().into()] };
        let selection = Selection { keep_lists: vec![list], ..Selection::default() };
        let options = FilterOptions::default();
        let filtered = filter(named(&sample.name, &library), &selection, &options).unwrap();
        let bytes = filtered.to_vec().unwrap();
        let part = Library::parse(&bytes).unwrap();
        assert!(part.is_canonical(), "{}", sample.name);
        let (kept, original) = (&part.functions()[0], first);
        assert_eq!(part.functions().len(), 1);
        assert_eq!(kept.name(), original.name());
        assert_eq!((&kept.public, &kept.private), (&original.public, &original.private));
        let module =
            |l: &Library<'_>, f: &metallib::Function<'_>| l.module_of(f).unwrap().bytes().to_vec();
        assert_eq!(module(&part, kept), module(&library, original));
    }
}

/// Joins a library and a companion given as bytes.
fn join_bytes(library: &[u8], companion: &[u8]) -> Result<Vec<u8>, Vec<Mismatch>> {
    let libraries = [library, companion].map(|bytes| Library::parse(bytes).unwrap());
    let [library, companion] = [("library", &libraries[0]), ("companion", &libraries[1])]
        .map(|(name, library)| named(name, library));
    let joined = join(library, companion, false).unwrap();
    match joined.mismatches() {
        [] => Ok(joined.library("library", "companion").unwrap().to_vec().unwrap()),
        mismatches => Err(mismatches.to_vec()),
    }
}

/// What Apple's tool made of one library, joined and stripped again, is the same bytes.
#[test]
fn stripping_gives_apples_library_and_companion() {
    let samples = corpus("strip-source pairs");
    let uuid = |sample: &Sample| sample.library().uuid();
    let mut pairs = 0;
    for companion in samples.iter().filter(|s| s.bytes[10] == FileType::SymbolCompanion.code()) {
        let pair = samples.iter().find(|s| s.bytes[10] != 3 && uuid(s) == uuid(companion));
        let Some(apples) = pair else { continue };
        pairs += 1;
        let original = join_bytes(&apples.bytes, &companion.bytes).unwrap();
        let library = Library::parse(&original).unwrap();
        assert!(library.is_canonical());
        let stripped = strip_source(named("original", &library), false).unwrap();
        assert!(stripped.library.to_vec().unwrap() == apples.bytes, "{}", apples.name);
        let ours = stripped.companion.unwrap().to_vec().unwrap();
        assert!(ours == companion.bytes, "{}", companion.name);
        // The UUID is that of the whole again.
        let status = metallib_write::uuid_status(&library).unwrap();
        assert!(matches!(status, metallib_write::UuidStatus::Follows(_)), "{}", apples.name);
        println!("{} and {}", apples.name, companion.name);
    }
    assert!(samples.is_empty() || pairs == 2, "{pairs} pairs");
}

/// Stripping and joining is the identity wherever there are sources, and no library takes the
/// companion of the one before it.
#[test]
fn stripping_and_joining_is_the_identity() {
    let (mut joined, mut refused) = (0, 0);
    let mut previous: Option<(String, Vec<u8>)> = None;
    let samples = corpus("strip-source and join");
    for sample in &samples {
        let library = sample.library();
        if library.identity().file_type() == FileType::SymbolCompanion {
            assert!(strip_source(named("x", &library), false).is_err());
            continue;
        }
        let stripped = strip_source(named("x", &library), false).unwrap();
        let bytes = stripped.library.to_vec().unwrap();
        let parsed = Library::parse(&bytes).unwrap();
        assert!(parsed.is_canonical() && parsed.sources().is_none());
        assert_eq!(parsed.uuid(), library.uuid());
        let Some(companion) = stripped.companion else {
            assert!(library.sources().is_none() && bytes == sample.bytes);
            continue;
        };
        let companion = companion.to_vec().unwrap();
        assert_eq!(companion[10], FileType::SymbolCompanion.code());
        assert!(join_bytes(&bytes, &companion).unwrap() == sample.bytes, "{}", sample.name);
        joined += 1;
        if let Some((name, other)) = previous.replace((sample.name.clone(), companion)) {
            let mismatches = join_bytes(&bytes, &other).unwrap_err();
            assert!(!mismatches.is_empty(), "{} and the companion of {name}", sample.name);
            refused += 1;
        }
    }
    println!("{joined} libraries stripped and joined, {refused} refused companions of others");
    assert!(samples.is_empty() || joined >= 48);
}

/// Types that are there can be chosen; a type that is not is an error.
#[test]
fn types_select() {
    for sample in corpus("filter by type") {
        let library = sample.library();
        for code in 0..9 {
            let wanted = FunctionType::from_code(code);
            let expected =
                library.functions().iter().filter(|f| f.function_type() == Some(wanted)).count();
            let selection = Selection { types: vec![wanted], ..Selection::default() };
            let result = filter(named("x", &library), &selection, &FilterOptions::default());
            match result {
                Ok(Edited { library: part, .. }) => assert_eq!(part.functions().len(), expected),
                Err(error) => assert!(expected == 0 && error.exit_code() == 1),
            }
        }
    }
}
