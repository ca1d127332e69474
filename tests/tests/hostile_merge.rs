//! Splitting and merging odd but legal libraries: nothing goes without a word, and no work
//! grows faster than the inputs.

use std::time::{Duration, Instant};

use metallib::{
    Archive, BufferEntry, Dialect, ExtensionTag, FileType, FourCc, Library, LibraryBuilder,
    Section, Sources, SymbolList,
};
use mtlpack::{MergeOptions, Named, Splitter, merge};
use mtlpack_tests::small;

/// Ample for work that grows linearly, and far too little for work that does not.
const AMPLE: Duration = Duration::from_secs(20);

fn merged(inputs: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let libraries: Vec<Library<'_>> = inputs.iter().map(|i| Library::parse(i).unwrap()).collect();
    let named: Vec<Named<'_, '_>> =
        libraries.iter().map(|library| Named { name: "input", library }).collect();
    let edited = merge(&named, &MergeOptions::default()).map_err(|error| error.to_string())?;
    Ok(edited.to_vec().unwrap())
}

/// Checks that the library is its parts merged.
fn assert_inverse(bytes: &[u8]) {
    let library = Library::parse(bytes).unwrap();
    assert!(library.is_canonical(), "{:?}", library.irregularities().iter().collect::<Vec<_>>());
    let splitter = Splitter::new(Named { name: "input", library: &library }, false).unwrap();
    let parts: Vec<Vec<u8>> =
        (0..splitter.len()).map(|i| splitter.part(i).unwrap().to_vec().unwrap()).collect();
    assert!(merged(&parts).unwrap() == bytes);
}

fn executable(patch: u16) -> LibraryBuilder<'static> {
    let mut new = small::builder(Dialect::Linker, patch, FileType::Executable);
    for (name, words) in [("a", 1), ("b", 2), ("c", 3)] {
        new.add(small::kernel(name, words)).unwrap();
    }
    new
}

fn section(library: &mut LibraryBuilder<'static>, id: FourCc, section: Section<'static>) {
    library.extension_mut().unwrap().set(ExtensionTag::section(id, section));
}

#[test]
fn equal_archives_of_one_library_stay_two() {
    let mut library = executable(7);
    let archive = |id: &[u8], text: &[u8]| Archive::new(id, &small::bzip2(text)).unwrap();
    for (id, text) in [("5", "same"), ("6", "same"), ("6", "same"), ("7", "other"), ("8", "same")] {
        library.add_archive(archive(id.as_bytes(), text.as_bytes())).unwrap();
    }
    assert_inverse(&small::finish(library));
}

#[test]
fn reflection_entries_that_no_function_has_are_kept() {
    let mut library = executable(8);
    for size in [32, 48, 48] {
        let entry = BufferEntry::new(FourCc::RBUF, &small::flatbuffer(size)).unwrap();
        library.add_buffer(FourCc::RLST, entry).unwrap();
    }
    let bytes = small::finish(library);
    assert_inverse(&bytes);
    let other = small::finish({
        let mut other = small::builder(Dialect::Linker, 8, FileType::Executable);
        other.add(small::kernel("d", 4)).unwrap();
        other
    });
    let whole = merged(&[bytes, other]).unwrap();
    assert_eq!(Library::parse(&whole).unwrap().reflection().unwrap().entries().len(), 3);
}

#[test]
fn the_same_symbol_twice_in_one_list_stays() {
    let mut library = executable(8);
    let mut list = SymbolList::default();
    for name in [b"i\0", b"i\0", b"j\0"] {
        list.push(small::tags(&[(FourCc::NAME, name)]));
    }
    section(&mut library, FourCc::ILST, Section::Symbols(list));
    assert_inverse(&small::finish(library));
}

/// Apple's order is for what is added; what is there keeps its own.
#[test]
fn an_extension_in_another_order_keeps_it() {
    let mut library = executable(8);
    let unknown = |id: &[u8; 4]| ExtensionTag::data(FourCc::new(*id), b"data".to_vec());
    library.extension_mut().unwrap().tags.insert(0, unknown(b"XXXX"));
    library.extension_mut().unwrap().tags.push(unknown(b"YYYY"));
    let mut list = SymbolList::default();
    list.push(small::tags(&[(FourCc::NAME, b"i\0")]));
    let tag = ExtensionTag::section(FourCc::ILST, Section::Symbols(list));
    library.extension_mut().unwrap().tags.push(tag);
    assert_inverse(&small::finish(library));
}

/// HSRC where HSRD is usual, and 1.2.9 without dynamic header.
#[test]
fn what_other_writers_leave_out_is_not_added() {
    let mut library = executable(9);
    let mut sources = Sources::new(b"options".to_vec().into(), None);
    sources.archives.push(Archive::new(b"0", &small::bzip2(b"text")).unwrap());
    section(&mut library, FourCc::HSRC, Section::Sources(sources));
    assert_inverse(&small::finish(library));
}

#[test]
fn two_source_sections_are_not_merged() {
    let mut library = executable(8);
    for (id, dir) in [(FourCc::HSRC, None), (FourCc::HSRD, Some(b"/".to_vec().into()))] {
        let mut sources = Sources::new(b"options".to_vec().into(), dir);
        sources.archives.push(Archive::new(b"0", &small::bzip2(b"text")).unwrap());
        section(&mut library, id, Section::Sources(sources));
    }
    let bytes = small::finish(library);
    let error = merged(&[bytes.clone(), bytes]).unwrap_err();
    let message = "input holds sources twice (HSRC and HSRD); how the two belong together is not \
                   known, so strip them off first (strip-source)";
    assert_eq!(error, message);
}

/// Two functions that differ in a buffer that is not aligned are no duplicates.
#[test]
fn compressed_reflection_tells_functions_apart() {
    let library = |content: &[u8]| {
        let mut new = small::builder(Dialect::Linker, 8, FileType::Executable);
        new.add(small::kernel("a", 1)).unwrap();
        let entry = BufferEntry::new(FourCc::RBUZ, content).unwrap();
        let entry = new.add_buffer(FourCc::RLST, entry).unwrap();
        let function = new.functions.last_mut().unwrap();
        function.tags.push(FourCc::RFLT, &[0; 8]).unwrap();
        function.reflection = Some(entry);
        small::finish(new)
    };
    assert!(merged(&[library(b"one"), library(b"one")]).is_ok());
    let error = merged(&[library(b"one"), library(b"two")]).unwrap_err();
    assert!(error.contains("`a`: input (different reflection)"), "{error}");
}

/// The highest id there is has no next one.
#[test]
fn the_last_number_does_not_end_the_search_for_an_id() {
    let library = |name: &str, text: &[u8]| {
        let mut new = small::builder(Dialect::Linker, 8, FileType::Executable);
        new.add(small::kernel(name, 1)).unwrap();
        let id = u64::MAX.to_string();
        new.add_archive(Archive::new(id.as_bytes(), &small::bzip2(text)).unwrap()).unwrap();
        small::finish(new)
    };
    let whole = merged(&[library("a", b"one"), library("b", b"two")]).unwrap();
    let whole = Library::parse(&whole).unwrap();
    let ids: Vec<&[u8]> = whole.sources().unwrap().archives.iter().map(Archive::id).collect();
    assert_eq!(ids, [&b"18446744073709551615"[..], b"18446744073709551615.2"]);
}

/// A library with many of everything that is united.
fn many(name: &str, count: u32) -> Vec<u8> {
    let mut new = small::builder(Dialect::Linker, 8, FileType::Dynamic);
    new.add(small::kernel(name, 1)).unwrap();
    let prefix = name.as_bytes()[0];
    let numbered = |i: u32| format!("{name}{i}\0").into_bytes();
    let mut symbols = SymbolList::default();
    let mut header = vec![(FourCc::NAME, b"n\0".to_vec())];
    let mut sources = Sources::new(b"".to_vec().into(), Some(b"".to_vec().into()));
    for i in 0..count {
        symbols.push(small::tags(&[(FourCc::NAME, &numbered(i))]));
        header.push((FourCc::DYNL, numbered(i)));
        sources.archives.push(Archive::new(i.to_string().as_bytes(), &numbered(i)).unwrap());
    }
    let header: Vec<(FourCc, &[u8])> = header.iter().map(|(id, name)| (*id, &name[..])).collect();
    section(&mut new, FourCc::ILST, Section::Symbols(symbols));
    section(&mut new, FourCc::HDYN, Section::Dynamic(small::tags(&header)));
    section(&mut new, FourCc::HSRD, Section::Sources(sources));
    let tags = &mut new.extension_mut().unwrap().tags;
    for i in 0..count {
        let id =
            [prefix, b'0' + (i >> 12) as u8, b'0' + (i >> 6 & 63) as u8, b'0' + (i & 63) as u8];
        tags.push(ExtensionTag::data(FourCc::new(id), vec![1]));
    }
    small::finish(new)
}

#[test]
fn many_of_everything_are_united_in_time() {
    let inputs = [many("x", 100_000), many("y", 100_000)];
    let start = Instant::now();
    let whole = merged(&inputs).unwrap();
    assert!(start.elapsed() < AMPLE, "{:?}", start.elapsed());
    let whole = Library::parse(&whole).unwrap();
    assert_eq!(whole.imports().unwrap().symbols().len(), 200_000);
    assert_eq!(whole.dynamic_header().unwrap().iter().count(), 200_001);
    assert_eq!(whole.sources().unwrap().archives.len(), 200_000);
    assert_eq!(whole.extension().unwrap().tags.len(), 200_004);
}
