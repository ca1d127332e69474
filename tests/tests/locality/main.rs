//! Law 2 over the corpus: after an edit only the edited parts, and the fields that say where
//! things stand, differ.

#![allow(clippy::unwrap_used)]

mod pieces;

use std::collections::{BTreeMap, BTreeSet};

use metallib::{FileType, Function, Library};
use mtlpack::io::Input;
use mtlpack::{Edited, Named, StripOptions, rename_functions, strip, strip_source, uuid};
use mtlpack_tests::{Sample, corpus};
use pieces::{Pieces, changed, is_position};

/// What an edit did to a library, beside what it may do.
struct Edit<'a> {
    sample: &'a str,
    before: Pieces<'a>,
    after: &'a [u8],
}

impl Edit<'_> {
    /// Holds that every place that differs is a position or `allowed`; gives the latter.
    fn check(&self, allowed: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let library = Library::parse(self.after).unwrap();
        assert!(library.is_canonical(), "{}: {:?}", self.sample, library.irregularities());
        let mut places = changed(&self.before, &pieces::of(self.after));
        places.retain(|place| !is_position(place));
        let wrong: Vec<_> = places.iter().filter(|place| !allowed(place)).collect();
        assert!(wrong.is_empty(), "{}: changed beside the edit: {wrong:?}", self.sample);
        places
    }
}

/// Calls `each` with every canonical library of the corpus that has functions.
fn libraries(test: &str, mut each: impl FnMut(&Sample, &Library<'_>)) {
    for sample in corpus(test) {
        let library = sample.library();
        if library.is_canonical() && !library.functions().is_empty() {
            each(&sample, &library);
        }
    }
}

fn written(edited: mtlpack::Result<Edited<'_>>, sample: &Sample) -> Vec<u8> {
    edited.and_then(|edited| edited.to_vec()).unwrap_or_else(|e| panic!("{}: {e}", sample.name))
}

/// The last name of a place.
fn leaf(place: &str) -> &str {
    place.rsplit('/').next().unwrap_or(place)
}

const UUID: &str = "header extension/UUID";

#[test]
fn renaming_one_function_changes_it_alone() {
    let mut count = 0;
    libraries("locality of rename", |sample, library| {
        let before = pieces::of(&sample.bytes);
        let all = library.functions();
        for index in BTreeSet::from([0, all.len() / 2, all.len() - 1]) {
            let new = [all[index].name_bytes(), b"_of_ours"].concat();
            let input = Named { name: &sample.name, library };
            let draft = rename_functions(input, &BTreeMap::from([(index, new)]), false);
            let after = written(draft.and_then(mtlpack::Draft::finish), sample);
            let edit = Edit { sample: &sample.name, before: before.clone(), after: &after };
            let places = edit.check(|place| belongs_to_rename(place, all, index));
            let name = format!("function list/function {index}/NAME");
            assert!(places.contains(&name), "{}: {name} stays", sample.name);
            count += 1;
        }
    });
    println!("renamed {count} functions, one at a time");
}

/// Whether a rename of this function may change what stands in a place.
fn belongs_to_rename(place: &str, all: &[Function<'_>], index: usize) -> bool {
    let function = &all[index];
    let parts: Vec<&str> = place.split('/').collect();
    match parts[..] {
        ["function list", entry, tag] => {
            let number = entry.strip_prefix("function ").and_then(|number| number.parse().ok());
            let Some(number): Option<usize> = number else { return false };
            // Who shares the module shares what is said of it.
            let shares = all[number].module == function.module;
            number == index && matches!(tag, "NAME" | "group size")
                || shares && matches!(tag, "HASH" | "MDSZ")
        }
        ["bitcode", module] => {
            function.module.is_some_and(|id| module == format!("module {}", id.index()))
        }
        ["section RLST", entry, ..] => {
            function.reflection.is_some_and(|id| entry == format!("entry {}", id.index()))
        }
        _ => place == UUID,
    }
}

#[test]
fn a_new_uuid_changes_sixteen_bytes() {
    let mut count = 0;
    libraries("locality of uuid", |sample, library| {
        if library.uuid().is_none() {
            return;
        }
        let input = Named { name: &sample.name, library };
        let after = written(uuid::set(input, [0x5a; 16], false), sample);
        let places = changed(&pieces::of(&sample.bytes), &pieces::of(&after));
        assert_eq!(places, BTreeSet::from([UUID.to_owned()]), "{}", sample.name);
        count += 1;
    });
    println!("gave {count} libraries another UUID");
}

#[test]
fn stripping_sources_changes_what_names_them() {
    let mut count = 0;
    libraries("locality of strip-source", |sample, library| {
        if library.sources().is_none()
            || library.identity().file_type() == FileType::SymbolCompanion
        {
            return;
        }
        let input = Named { name: &sample.name, library };
        let after = written(strip_source(input, false).map(|stripped| stripped.library), sample);
        let before = pieces::of(&sample.bytes);
        let edit = Edit { sample: &sample.name, before, after: &after };
        let places = edit.check(|place| {
            let section = ["HSRC", "HSRD"].iter().any(|id| {
                place.starts_with(&format!("section {id}"))
                    || place.starts_with(&format!("header extension/{id}"))
            });
            section || place.contains("/SOFF") || matches!(leaf(place), "DEPF" | "group size")
        });
        assert!(places.iter().any(|place| place.starts_with("section HSR")), "{}", sample.name);
        count += 1;
    });
    println!("stripped the sources of {count} libraries");
}

#[test]
fn stripping_reflection_changes_what_names_it() {
    let mut count = 0;
    libraries("locality of strip --reflection", |sample, library| {
        if library.reflection().is_none() {
            return;
        }
        let options = StripOptions { reflection: true, ..StripOptions::default() };
        let input = Input::from_bytes(&sample.name, sample.bytes.clone());
        let draft = strip(&input, library, &options);
        let after = written(draft.and_then(mtlpack::Draft::finish), sample);
        let before = pieces::of(&sample.bytes);
        let edit = Edit { sample: &sample.name, before, after: &after };
        edit.check(|place| {
            place.starts_with("section RLST")
                || place.starts_with("header extension/RLST")
                || place.contains("/RFLT")
                || leaf(place) == "group size"
                || place == UUID
        });
        count += 1;
    });
    println!("stripped the reflection of {count} libraries");
}

/// A piece that an edit must not touch is seen when it is touched.
#[test]
fn a_change_elsewhere_is_seen() {
    for sample in corpus("locality of changes").iter().take(20) {
        let before = pieces::of(&sample.bytes);
        let Some((place, hash)) = before.iter().find(|(place, _)| leaf(place) == "HASH") else {
            continue;
        };
        let start = hash.as_ptr().addr() - sample.bytes.as_ptr().addr();
        let mut bytes = sample.bytes.clone();
        bytes[start + 10] ^= 1;
        let places = changed(&before, &pieces::of(&bytes));
        assert_eq!(places, BTreeSet::from([place.clone()]), "{}", sample.name);
        assert!(!is_position(place));
    }
}
