//! Renaming every function of every real library, there and back, inside and out.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashSet};

use metallib::Library;
use metallib_write::{UuidAction, UuidStatus, uuid_status};
use mtlpack::io::Input;
use mtlpack::{Named, Severity, VerifyOptions, rename_functions, verify};
use mtlpack_tests::trimmed::trimmed;
use mtlpack_tests::{LARGE, Sample, corpus_and_large};

/// What names begin with that are longer than the old ones, and that are shorter: in and
/// outside of the characters that LLVM packs into six bits.
const LONGER: [&str; 5] = ["prefix_of_ours_", "ns::sub::", "two words ", "größe→", "__"];
const SHORTER: [&str; 4] = ["p", "::", "é", "a "];

/// What the libraries showed, all of them together.
#[derive(Debug, Default)]
struct Seen {
    libraries: usize,
    functions: usize,
    longer: usize,
    shorter: usize,
    /// New names with `::`, with a space, and outside of ASCII.
    kinds: [usize; 3],
    reflection: usize,
    /// Libraries with functions whose UUID follows no formula: they get one that does.
    new_uuids: usize,
    /// Modules whose HASH is of an unknown formula, and stays.
    hashes_kept: u64,
    string_growth: u64,
    /// Reflection entries that keep the name they had in between.
    longer_entries: usize,
    debug_names_kept: u64,
}

/// New names of all functions, given the old ones.
type NewNames = fn(&BTreeMap<usize, Vec<u8>>) -> BTreeMap<usize, Vec<u8>>;

fn longer(old: &BTreeMap<usize, Vec<u8>>) -> BTreeMap<usize, Vec<u8>> {
    let new = |index: usize, old: &[u8]| [LONGER[index % LONGER.len()].as_bytes(), old].concat();
    old.iter().map(|(&index, old)| (index, new(index, old))).collect()
}

/// Names that no function had or has, each shorter than the old one: no real name is of one byte.
///
/// The shortest names are given first, for few are shorter than those.
fn shorter(old: &BTreeMap<usize, Vec<u8>>) -> BTreeMap<usize, Vec<u8>> {
    let mut taken: HashSet<Vec<u8>> = old.values().cloned().collect();
    let mut order: Vec<_> = old.iter().collect();
    order.sort_by_key(|(_, name)| name.len());
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names = BTreeMap::new();
    for (&index, old) in order {
        let mut new = None;
        for prefix in [SHORTER[index % SHORTER.len()], ""] {
            let next = used.entry(prefix).or_default();
            let mut found = || {
                let name = [prefix.as_bytes(), &digits(*next)].concat();
                *next += 1;
                name
            };
            let free = std::iter::repeat_with(&mut found).find(|name| !taken.contains(name));
            new = free.filter(|name| name.len() < old.len());
            if new.is_some() {
                break;
            }
        }
        let new = new.unwrap_or_else(|| panic!("no name is shorter than {old:?}"));
        taken.insert(new.clone());
        names.insert(index, new);
    }
    names
}

/// A number in letters and digits, as few as can be.
fn digits(mut number: usize) -> Vec<u8> {
    const DIGITS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let mut text = Vec::new();
    loop {
        text.push(DIGITS[number % DIGITS.len()]);
        number /= DIGITS.len();
        if number == 0 {
            return text;
        }
        number -= 1;
    }
}

fn names(library: &Library<'_>) -> BTreeMap<usize, Vec<u8>> {
    let names = library.functions().iter().map(|function| function.name_bytes().to_vec());
    names.enumerate().collect()
}

fn renamed(name: &str, bytes: &[u8], names: &BTreeMap<usize, Vec<u8>>) -> (Vec<u8>, Vec<String>) {
    let library = Library::parse(bytes).unwrap();
    let draft = rename_functions(Named { name, library: &library }, names, false);
    let edited = draft.and_then(mtlpack::Draft::finish).unwrap_or_else(|error| panic!("{error}"));
    (edited.to_vec().unwrap(), edited.notes)
}

/// The number that the note with these words begins with or holds.
fn figure(notes: &[String], words: &str) -> u64 {
    let note = notes.iter().find(|note| note.contains(words));
    let number = |note: &String| note.split(' ').find_map(|word| word.parse().ok());
    note.map_or(0, |note| number(note).unwrap())
}

fn findings(sample: &str, bytes: &[u8]) -> Vec<String> {
    let input = Input::from_bytes(sample, bytes.to_vec());
    let mut report = verify(&input, VerifyOptions { threads: 1 }).unwrap();
    report.allow_empty();
    assert!(report.canonical && report.omitted.is_empty(), "{sample}");
    let kinds = report.findings.iter().map(|finding| {
        assert!(finding.severity != Severity::Error, "{sample}: {finding}");
        format!("{} {}", finding.severity, finding.kind)
    });
    kinds.filter(|kind| kind != "note uuid").collect()
}

fn check(sample: &Sample, new_names: NewNames, seen: &mut Seen) {
    let Sample { name, bytes } = sample;
    let library = sample.library();
    let old = names(&library);
    assert!(renamed(name, bytes, &old).0 == *bytes, "{name}: same names, other bytes");
    let new = new_names(&old);
    let lengths = || old.values().zip(new.values()).map(|(old, new)| new.len().cmp(&old.len()));
    let (there, notes) = renamed(name, bytes, &new);
    assert_eq!(findings(name, &there), findings(name, bytes), "{name}");
    let other = Library::parse(&there).unwrap();
    assert_eq!(names(&other), new, "{name}");
    let (back, second) = renamed(name, &there, &old);
    let growth = figure(&notes, "string tables grew");
    assert_eq!(figure(&second, "string tables grew"), 0, "{name}");
    let status = uuid_status(&library).unwrap();
    let uuid = match status {
        UuidStatus::Follows(form) => UuidAction::Recompute(form),
        UuidStatus::Other | UuidStatus::Absent => UuidAction::Keep,
    };
    let again = trimmed(&back, uuid, &library);
    assert_eq!(again.strings, growth, "{name}");
    assert!(again.bytes == *bytes, "{name}: {new:?} and back");
    if status == UuidStatus::Other && !old.is_empty() {
        assert!(matches!(uuid_status(&other).unwrap(), UuidStatus::Follows(_)), "{name}");
        seen.new_uuids += 1;
    }
    seen.libraries += 1;
    seen.functions += old.len();
    seen.longer += lengths().filter(|order| order.is_gt()).count();
    seen.shorter += lengths().filter(|order| order.is_lt()).count();
    for name in new.values() {
        seen.kinds[0] += usize::from(name.windows(2).any(|pair| pair == b"::"));
        seen.kinds[1] += usize::from(name.contains(&b' '));
        seen.kinds[2] += usize::from(!name.is_ascii());
    }
    seen.reflection += library.functions().iter().filter(|f| f.reflection.is_some()).count();
    seen.string_growth += growth;
    seen.longer_entries += again.entries;
    seen.hashes_kept += figure(&notes, "no known formula");
    seen.debug_names_kept += figure(&notes, "debug information");
}

#[test]
fn renaming_there_and_back_gives_the_original_but_for_string_growth() {
    for (new_names, is_longer) in [(longer as NewNames, true), (shorter, false)] {
        let mut seen = Seen::default();
        for sample in corpus_and_large("rename") {
            check(&sample, new_names, &mut seen);
        }
        println!("{seen:?}");
        if seen.libraries > 0 {
            let large = if std::env::var_os(LARGE).is_some() { 2 } else { 0 };
            assert_eq!((seen.libraries, seen.new_uuids), (436 + large, 21));
            let lengths = if is_longer { (seen.functions, 0) } else { (0, seen.functions) };
            assert_eq!((seen.longer, seen.shorter), lengths);
            assert!(seen.kinds.iter().all(|&count| count > 1000), "{seen:?}");
        }
    }
}
