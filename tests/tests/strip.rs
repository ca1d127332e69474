//! Stripping every library of the corpus, each kind by itself and all of them.

use std::collections::BTreeMap;
use std::io::Read;

use metallib::{FourCc, Library};
use mtlpack::io::Input;
use mtlpack::{
    Named, PathOccurrence, PathRules, Severity, StripOptions, UuidPolicy, VerifyOptions, join,
    paths, roundtrip, strip, strip_source, verify,
};
use mtlpack_tests::{Sample, corpus_and_large};

/// What stands in absolute paths of Apple's systems; 104 libraries of the corpus have some.
const SECRETS: [&[u8]; 5] =
    [b"/Users/", b"/private/", b"/Applications/", b"/Volumes/", b"/var/folders/"];

fn options() -> StripOptions {
    StripOptions { threads: 1, ..StripOptions::default() }
}

fn all() -> StripOptions {
    let paths = Some(PathRules::default());
    StripOptions {
        source: true,
        paths,
        debug_info: true,
        reflection: true,
        unused: true,
        ..options()
    }
}

fn stripped(name: &str, bytes: &[u8], options: &StripOptions) -> Vec<u8> {
    let input = Input::from_bytes(name, bytes.to_vec());
    let library = Library::parse(input.bytes()).unwrap();
    let draft = strip(&input, &library, options).unwrap_or_else(|error| panic!("{name}: {error}"));
    draft.finish().and_then(|edited| edited.to_vec()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn found(name: &str, bytes: &[u8]) -> Vec<PathOccurrence> {
    let input = Input::from_bytes(name, bytes.to_vec());
    let library = Library::parse(input.bytes()).unwrap();
    let mut all = Vec::new();
    paths(&input, &library, 2, |found| all.push(found)).unwrap_or_else(|e| panic!("{name}: {e}"));
    all
}

/// It verifies without error, and comes back from the writer.
fn check(name: &str, bytes: &[u8]) {
    let input = Input::from_bytes(name, bytes.to_vec());
    let mut report = verify(&input, VerifyOptions { threads: 2 }).unwrap();
    report.allow_empty();
    for finding in &report.findings {
        assert!(finding.severity != Severity::Error, "{name}: {finding}");
    }
    assert!(report.passed() && report.canonical, "{name}");
    assert!(roundtrip(&input, VerifyOptions { threads: 2 }).unwrap().passed(), "{name}");
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|found| found == text)
}

/// Paths that are left anywhere in the bytes, source archives unpacked but for sources.
fn secrets(library: &Library<'_>, bytes: &[u8]) -> Vec<String> {
    let mut texts = vec![("bytes".to_owned(), bytes.to_vec())];
    for archive in library.sources().into_iter().flat_map(|sources| &sources.archives) {
        let mut tar = Vec::new();
        bzip2::read::BzDecoder::new(archive.data()).read_to_end(&mut tar).unwrap();
        let mut at = 0;
        while let Some(header) = tar.get(at..at + 512).filter(|header| header[0] != 0) {
            let size = std::str::from_utf8(&header[124..135]).unwrap();
            let size = usize::from_str_radix(size, 8).unwrap();
            texts.push(("tar header".to_owned(), header.to_vec()));
            if header.starts_with(b"metal-") || header.starts_with(b"original-") {
                texts.push(("tar content".to_owned(), tar[at + 512..at + 512 + size].to_vec()));
            }
            at += 512 + size.next_multiple_of(512);
        }
    }
    let left = |(place, text): &(String, Vec<u8>)| {
        let found = SECRETS.iter().find(|secret| holds(text, secret))?;
        Some(format!("{place} {}", String::from_utf8_lossy(found)))
    };
    texts.iter().filter_map(left).collect()
}

#[test]
fn after_all_is_stripped_no_path_is_left() {
    let (mut before, mut libraries, mut kinds) = (0usize, 0usize, BTreeMap::new());
    let samples = corpus_and_large("strip all");
    let (mut saved, mut companions) = ((0usize, 0usize), 0usize);
    for Sample { name, bytes } in &samples {
        let paths = found(name, bytes);
        before += paths.len();
        libraries += usize::from(!paths.is_empty());
        for found in paths {
            assert!(!found.place.contains("unknown"), "{name}: {found:?}");
            *kinds.entry(found.place).or_insert(0usize) += 1;
        }
        // Of companions, which keep the sources, the rest.
        let is_companion = Library::parse(bytes).unwrap().identity().file_type()
            == metallib::FileType::SymbolCompanion;
        companions += usize::from(is_companion);
        let all = || StripOptions { source: !is_companion, ..all() };
        let made = stripped(name, bytes, &all());
        assert_eq!(found(name, &made), [], "{name}");
        assert_eq!(secrets(&Library::parse(&made).unwrap(), &made), [""; 0], "{name}");
        check(name, &made);
        assert!(stripped(name, &made, &all()) == made, "{name}: stripped twice");
        saved = (saved.0 + bytes.len(), saved.1 + made.len());
    }
    println!("{before} paths in {libraries} of {} libraries: {kinds:#?}", samples.len());
    println!("{} bytes, stripped {}; {companions} companions", saved.0, saved.1);
    if !samples.is_empty() {
        assert!(libraries >= 75 && before > 2000);
    }
}

/// Paths alone: sources stay, and what holds none comes back byte for byte.
#[test]
fn paths_alone_are_stripped_and_the_rest_stays() {
    let (mut same, mut repacked) = (0usize, 0usize);
    let samples = corpus_and_large("strip paths");
    for Sample { name, bytes } in &samples {
        let paths = Some(PathRules::default());
        let made = stripped(name, bytes, &StripOptions { paths, ..options() });
        if found(name, bytes).is_empty() {
            assert!(made == *bytes, "{name}: without paths, and changed");
            same += 1;
            continue;
        }
        let (old, new) = (Library::parse(bytes).unwrap(), Library::parse(&made).unwrap());
        assert_eq!(found(name, &made), [], "{name}");
        assert_eq!(secrets(&new, &made), [""; 0], "{name}");
        check(name, &made);
        repacked += untouched(name, &old, &new);
    }
    println!("{same} of {} without paths; {repacked} archives packed again", samples.len());
}

/// What has nothing to do with paths is as it was. Gives the number of archives that differ.
fn untouched(name: &str, old: &Library<'_>, new: &Library<'_>) -> usize {
    assert_eq!(old.identity(), new.identity());
    assert_eq!(old.functions().len(), new.functions().len());
    let positions = [FourCc::OFFT, FourCc::HASH, FourCc::MDSZ, FourCc::SOFF, FourCc::RFLT];
    for (old, new) in old.functions().iter().zip(new.functions()) {
        let ids = |tags: &metallib::TagList<'_>| tags.iter().map(|t| t.id).collect::<Vec<_>>();
        assert_eq!(ids(&old.tags), ids(&new.tags), "{name}");
        assert_eq!(ids(&old.private), ids(&new.private), "{name}");
        assert_eq!(old.public.as_bytes(), new.public.as_bytes());
        for (old, new) in old.tags.iter().zip(new.tags.iter()) {
            assert!(
                positions.contains(&old.id) || old.payload == new.payload,
                "{name}: {}",
                old.id
            );
        }
        assert_eq!((old.archive, old.reflection), (new.archive, new.reflection));
    }
    let reflection = |library: &Library<'_>| {
        let entries = library.reflection().map_or(&[][..], metallib::BufferList::entries);
        entries.iter().map(|entry| entry.buffer().map(|b| b.to_vec())).collect::<Vec<_>>()
    };
    assert_eq!(reflection(old), reflection(new));
    for (old, new) in old.modules().iter().zip(new.modules()) {
        let has_paths = |bytes: &[u8]| {
            let mut any = false;
            mtlpack::module_paths(bytes, |_| any = true).unwrap();
            any
        };
        assert!(has_paths(old.bytes()) || old.bytes() == new.bytes(), "{name}");
        assert!(!has_paths(new.bytes()), "{name}");
    }
    let (Some(old), Some(new)) = (old.sources(), new.sources()) else { return 0 };
    let pairs = old.archives.iter().zip(&new.archives);
    pairs
        .filter(|(old, new)| {
            assert_eq!(old.id(), new.id());
            old.data() != new.data()
        })
        .count()
}

/// Mapped to something else and back by the opposite rule, a library is what it was, source
/// archives with their compression included.
#[test]
fn paths_that_are_mapped_there_and_back_are_the_original() {
    let (mut count, mut exact) = (0usize, 0usize);
    let samples = corpus_and_large("map paths");
    for Sample { name, bytes } in &samples {
        if found(name, bytes).is_empty() {
            continue;
        }
        count += 1;
        // Every first folder gets another name that is as absolute.
        let roots: std::collections::BTreeSet<Vec<u8>> = found(name, bytes)
            .into_iter()
            .map(|found| {
                let path = found.path.strip_prefix(b"/").unwrap_or(&found.path).to_vec();
                path.split(|&byte| byte == b'/').next().unwrap_or_default().to_vec()
            })
            .collect();
        let (mut there, mut back) = (PathRules::default(), PathRules::default());
        for (index, root) in roots.iter().enumerate() {
            let root = String::from_utf8(root.clone()).unwrap();
            there.add(&format!("/{root}=/Users/mapped{index}/{root}")).unwrap();
            back.add(&format!("/Users/mapped{index}/{root}=/{root}")).unwrap();
        }
        let keep =
            |rules| StripOptions { paths: Some(rules), uuid: Some(UuidPolicy::Keep), ..options() };
        let made = stripped(name, bytes, &keep(there));
        check_mapped(name, bytes, &made);
        let again = stripped(name, &made, &keep(back));
        // Of `folder//path` the second is kept, since the first says nothing.
        let is_joined = |f: &metallib::Function<'_>| {
            let debug = f.private.payload(FourCc::DEBI);
            debug.is_some_and(|payload| holds(payload, b"//"))
        };
        let joined = Library::parse(bytes).unwrap().functions().iter().any(is_joined);
        assert_eq!(again == *bytes, !joined, "{name}: there and back");
        exact += usize::from(!joined);
    }
    println!("{count} libraries mapped, {exact} come back byte for byte");
    if !samples.is_empty() {
        assert!(count >= 75);
    }
}

/// It verifies, and all paths, which are in the places where they were, begin as they should.
fn check_mapped(name: &str, old: &[u8], new: &[u8]) {
    check(name, new);
    let places = |bytes: &[u8]| {
        let all = found(name, bytes).into_iter();
        all.map(|f| (f.place, f.function, f.archive)).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(places(old), places(new), "{name}");
    for found in found(name, new) {
        let path = found.path.strip_prefix(b"/").unwrap_or(&found.path);
        assert!(path.starts_with(b"Users/mapped"), "{name}: {found:?}");
    }
}

#[test]
fn sources_are_stripped_as_strip_source_does() {
    let mut count = 0usize;
    for Sample { name, bytes } in &corpus_and_large("strip source") {
        let library = Library::parse(bytes).unwrap();
        let options = StripOptions { source: true, ..options() };
        let Ok(expected) = strip_source(Named { name, library: &library }, false) else {
            let input = Input::from_bytes(name.as_str(), bytes.clone());
            assert!(strip(&input, &library, &options).is_err(), "{name}");
            continue;
        };
        let made = stripped(name, bytes, &options);
        assert!(made == expected.library.to_vec().unwrap(), "{name}");
        count += usize::from(made != *bytes);
    }
    println!("{count} libraries with sources");
}

/// Debug information alone: none is left, no other part changes, and what has none stays.
#[test]
fn debug_information_goes() {
    let (mut modules, mut saved, mut libraries) = (0usize, (0usize, 0usize), 0usize);
    let mut lists = 0usize;
    for Sample { name, bytes } in &corpus_and_large("strip debug information") {
        let made = stripped(name, bytes, &StripOptions { debug_info: true, ..options() });
        let (old, new) = (Library::parse(bytes).unwrap(), Library::parse(&made).unwrap());
        let mut some = old.functions().iter().any(|f| f.private.get(FourCc::DEBI).is_some());
        for (before, after) in old.modules().iter().zip(new.modules()) {
            let has = |bytes| air_bitcode::Module::parse(bytes).unwrap().has_debug_info().unwrap();
            assert!(!has(after.bytes()), "{name}");
            if before.bytes() != after.bytes() {
                some = true;
                modules += 1;
                let module = air_bitcode::Module::parse(before.bytes()).unwrap();
                let metadata = module.metadata().unwrap();
                let list = air_bitcode::PATH_LISTS.iter().any(|l| metadata.named(l).is_some());
                lists += usize::from(!has(before.bytes()));
                assert!(has(before.bytes()) || list, "{name}: changed without reason");
                saved.0 += before.bytes().len();
                saved.1 += after.bytes().len();
                assert!(before.bytes().len() > after.bytes().len(), "{name}");
            } else {
                assert!(!has(before.bytes()), "{name}");
            }
        }
        for (before, after) in old.functions().iter().zip(new.functions()) {
            assert!(after.private.get(FourCc::DEBI).is_none(), "{name}");
            assert_eq!(before.name_bytes(), after.name_bytes());
            assert_eq!(before.public.as_bytes(), after.public.as_bytes());
        }
        assert_eq!(some, made != *bytes, "{name}");
        libraries += usize::from(some);
        check(name, &made);
        assert!(stripped(name, &made, &StripOptions { debug_info: true, ..options() }) == made);
    }
    println!("{modules} modules of {libraries} libraries: {} bytes, then {}", saved.0, saved.1);
    println!("{lists} of them have lists of paths alone");
}

#[test]
fn reflection_and_what_nobody_uses_go_alone() {
    let (mut reflection, mut unused) = (0usize, 0usize);
    for Sample { name, bytes } in &corpus_and_large("strip reflection") {
        let made = stripped(name, bytes, &StripOptions { reflection: true, ..options() });
        check(name, &made);
        let library = Library::parse(&made).unwrap();
        assert!(library.reflection().is_none(), "{name}");
        assert!(library.functions().iter().all(|f| f.tags.get(FourCc::RFLT).is_none()), "{name}");
        reflection += usize::from(made != *bytes);
        let made = stripped(name, bytes, &StripOptions { unused: true, ..options() });
        check(name, &made);
        let (old, new) = (Library::parse(bytes).unwrap(), Library::parse(&made).unwrap());
        let data = |library: &Library<'_>, f: &metallib::Function<'_>| {
            let archives = library.sources().map(|s| s.archives.clone()).unwrap_or_default();
            let entry = f.reflection.and_then(|id| library.reflection()?.entries().get(id.index()));
            (
                f.archive.map(|id| archives[id.index()].data().to_vec()),
                entry.map(|e| e.buffer().map(|b| b.to_vec())),
            )
        };
        for (before, after) in old.functions().iter().zip(new.functions()) {
            assert_eq!(data(&old, before), data(&new, after), "{name}");
        }
        unused += usize::from(made != *bytes);
    }
    println!("{reflection} libraries with reflection, {unused} with something unused");
}

/// What the refusal of `--all` tells the user to do: both parts stay a pair.
#[test]
fn companions_lose_all_but_their_sources_and_stay_companions() {
    let samples = corpus_and_large("strip companions");
    let is_companion =
        |s: &&Sample| s.library().identity().file_type() == metallib::FileType::SymbolCompanion;
    let uuid = |sample: &Sample| sample.library().uuid();
    let options = StripOptions {
        paths: Some(PathRules::default()),
        debug_info: true,
        uuid: Some(UuidPolicy::Keep),
        ..options()
    };
    let mut pairs = 0usize;
    for companion in samples.iter().filter(is_companion) {
        let input = Input::from_bytes(companion.name.as_str(), companion.bytes.clone());
        let refused = strip(&input, &Library::parse(input.bytes()).unwrap(), &all());
        let message = refused.map(|_| ()).unwrap_err().to_string();
        assert!(message.contains("`strip --paths --debug-info --uuid keep`"), "{message}");
        let own = |s: &&Sample| !is_companion(s) && uuid(s) == uuid(companion);
        let library = samples.iter().find(own).expect("a library of it");
        assert!(!found(&companion.name, &companion.bytes).is_empty());
        let parts = [library, companion].map(|part| stripped(&part.name, &part.bytes, &options));
        for part in &parts {
            assert_eq!(found(&companion.name, part), [], "{}", companion.name);
            check(&companion.name, part);
        }
        let [first, second] = [&parts[0], &parts[1]].map(|part| Library::parse(part).unwrap());
        let named = |name, library| Named { name, library };
        let joined = join(named("library", &first), named("companion", &second), false).unwrap();
        assert_eq!(joined.mismatches(), [], "{}", companion.name);
        let whole = joined.library("library", "companion").unwrap().to_vec().unwrap();
        check(&companion.name, &whole);
        assert_eq!(found(&companion.name, &whole), [], "{}", companion.name);
        let whole = Library::parse(&whole).unwrap();
        let again = strip_source(named("whole", &whole), false).unwrap();
        assert!(again.library.to_vec().unwrap() == parts[0], "{}", companion.name);
        assert!(again.companion.unwrap().to_vec().unwrap() == parts[1], "{}", companion.name);
        pairs += 1;
    }
    println!("{pairs} pairs");
    assert!(samples.is_empty() || pairs == 2);
}
