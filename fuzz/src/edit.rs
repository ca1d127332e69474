//! Edits of any library.

use std::collections::BTreeMap;

use metallib::{FourCc, Function, Library, LibraryBuilder, Subset};
use metallib_write::{Plan, WriteOptions};
use mtlpack::{MergeOptions, Named, join, merge, rename_functions, strip_source};

use crate::laws;

/// As many functions as are taken out one by one.
const TAKEN: usize = 8;

/// Any bytes: a library that parses is edited, and every result is a canonical library with
/// the parts it should have; an edit that is taken back gives the original bytes.
///
/// # Panics
/// If a law does not hold.
pub fn edit(data: &[u8]) {
    let Ok(library) = Library::parse(data) else { return };
    if !library.is_canonical() {
        let subset = Subset::new(&library, false).map(drop);
        subset.expect_err("no subset of an irregular library");
        return;
    }
    subsets(&library, data);
    take_back(&library, data);
    merge_with_itself(&library, data);
    rename_all(&library, data);
    strip_and_join(&library, data);
}

/// Each function by itself, all of them, and all of them the other way round.
fn subsets(library: &Library<'_>, data: &[u8]) {
    let count = library.functions().len();
    let subset = Subset::new(library, false).expect("a canonical library has subsets");
    let take = |indices: &[usize]| {
        let part = subset.of(indices).and_then(LibraryBuilder::finish).expect("a subset");
        let bytes = write(&part);
        laws::written(&part, &bytes);
        bytes
    };
    for index in 0..count.min(TAKEN) {
        take(&[index]);
    }
    let all: Vec<usize> = (0..count).collect();
    assert!(take(&all) == data, "the subset of all functions is not the library");
    let reversed: Vec<usize> = all.into_iter().rev().collect();
    take(&reversed);
}

/// Unknown tags put into every area and taken out again.
fn take_back(library: &Library<'_>, data: &[u8]) {
    let id = FourCc::new(*b"zzzz");
    let new = |builder: &LibraryBuilder<'_>| {
        let known = builder.functions.iter().flat_map(|f| [&f.tags, &f.public, &f.private]);
        let mut extension = builder.extension.iter().flat_map(|extension| &extension.tags);
        extension.all(|tag| tag.id != id) && known.into_iter().all(|tags| tags.get(id).is_none())
    };
    let mut builder = library.clone().edit(false).expect("a canonical library is edited");
    if !new(&builder) {
        return;
    }
    for function in &mut builder.functions {
        let groups = function.module.is_some();
        let lists = [&mut function.public, &mut function.private].into_iter().filter(|_| groups);
        for tags in [&mut function.tags].into_iter().chain(lists) {
            tags.push(id, b"carried").expect("a short tag");
        }
    }
    if let Some(extension) = &mut builder.extension {
        extension.set(metallib::ExtensionTag::data(id, b"carried".as_slice()));
    }
    let edited = builder.finish().expect("references are as they were");
    let bytes = write(&edited);
    laws::written(&edited, &bytes);
    let mut builder = Library::parse(&bytes).expect("checked").edit(false).expect("checked");
    for function in &mut builder.functions {
        for tags in [&mut function.tags, &mut function.public, &mut function.private] {
            tags.retain(|tag| tag.id != id);
        }
    }
    if let Some(extension) = &mut builder.extension {
        extension.remove(id);
    }
    let back = builder.finish().expect("references are as they were");
    assert!(write(&back) == data, "taking tags back does not give the original");
}

/// Merging one library is the identity; with itself it folds or says why not.
fn merge_with_itself(library: &Library<'_>, data: &[u8]) {
    let named = Named { name: "input", library };
    let options = MergeOptions { allow_empty: true, ..MergeOptions::default() };
    let one = merge(&[named], &options).expect("one library is merged");
    assert!(one.to_vec().expect("an unedited library is written") == data);
    if let Ok(two) = merge(&[named, named], &options) {
        let bytes = two.to_vec().expect("what was merged is written");
        laws::written(&two.library, &bytes);
    }
}

/// All functions with a prefix, and without it again; or an error, for few inputs hold modules
/// and reflection that can be read.
fn rename_all(library: &Library<'_>, data: &[u8]) {
    let names = |prefix: &[u8]| -> BTreeMap<usize, Vec<u8>> {
        let name = |function: &Function<'_>| [prefix, function.name_bytes()].concat();
        library.functions().iter().map(name).enumerate().collect()
    };
    let rename = |library: &Library<'_>, names| {
        let draft = rename_functions(Named { name: "input", library }, names, false);
        let edited = draft.and_then(mtlpack::Draft::finish)?;
        let bytes = edited.to_vec()?;
        laws::written(&edited.library, &bytes);
        Ok::<_, mtlpack::Error>(bytes)
    };
    let old = names(b"");
    let same = rename(library, &old).expect("the same names");
    assert!(same == data, "the same names give other bytes");
    let new = names(b"p_");
    let Ok(there) = rename(library, &new) else { return };
    let other = Library::parse(&there).expect("checked");
    let Ok(back) = rename(&other, &old) else { return };
    let back = Library::parse(&back).expect("checked");
    assert!(back.functions().iter().map(Function::name_bytes).eq(old.values()));
}

/// A library without sources and its companion are the library again.
fn strip_and_join(library: &Library<'_>, data: &[u8]) {
    let named = Named { name: "input", library };
    let Ok(stripped) = strip_source(named, false) else { return };
    laws::written(&stripped.library.library, &write(&stripped.library.library));
    let Some(companion) = stripped.companion else { return };
    let [bytes, companion] = [&stripped.library, &companion].map(|part| write(&part.library));
    let [stripped, companion] =
        [&bytes, &companion].map(|bytes| Library::parse(bytes).expect("it was written"));
    let [stripped, companion] =
        [&stripped, &companion].map(|library| Named { name: "part", library });
    let joined = join(stripped, companion, false).expect("a library and a companion");
    let joined = joined.library("library", "companion").expect("they belong together");
    assert!(write(&joined.library) == data, "joining does not give back the library");
}

fn write(library: &Library<'_>) -> Vec<u8> {
    Plan::new(library, WriteOptions::default()).expect("an edit is laid out").to_vec()
}
