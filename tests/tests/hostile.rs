//! Inputs made to break things: odd but framed libraries, and libraries that would make
//! work grow faster than they do.

use std::time::{Duration, Instant};

use metallib::{Archive, Dialect, ExtensionTag, FourCc, Library, Section, Sources, TagList};
use metallib_write::{Hashes, Plan, WriteOptions};
use mtlpack_tests::small;

/// Ample for work that grows linearly, and far too little for work that does not.
const AMPLE: Duration = Duration::from_secs(20);

/// The library laid out anew, whether it was edited or not.
fn rebuilt(bytes: &[u8]) -> Vec<u8> {
    let library = Library::parse(bytes).unwrap();
    assert!(library.is_canonical(), "{:?}", library.irregularities().iter().collect::<Vec<_>>());
    let options =
        WriteOptions { rebuild: true, hashes: Hashes::Changed, ..WriteOptions::default() };
    Plan::new(&library, options).unwrap().to_vec()
}

/// A file with these functions and sections of these sizes; the bytes of groups are those
/// of empty ones, everything else is zero.
fn file(functions: &[TagList<'_>], metadata: usize, bitcode: usize) -> Vec<u8> {
    let mut list = Vec::new();
    for tags in functions {
        let size = u32::try_from(tags.as_bytes().len() + 8).unwrap();
        list.extend_from_slice(&size.to_le_bytes());
        list.extend_from_slice(tags.as_bytes());
        list.extend_from_slice(b"ENDT");
    }
    let public = 92 + list.len() + 4;
    let (private, code) = (public + metadata, public + 2 * metadata);
    let mut bytes = small::empty(Dialect::Linker, 7)[..16].to_vec();
    let header =
        [code + bitcode, 88, list.len(), public, metadata, private, metadata, code, bitcode];
    header.iter().for_each(|&word| bytes.extend_from_slice(&(word as u64).to_le_bytes()));
    bytes.extend_from_slice(&u32::try_from(functions.len()).unwrap().to_le_bytes());
    bytes.extend_from_slice(&list);
    bytes.extend_from_slice(b"ENDT");
    for _ in 0..2 {
        bytes.extend_from_slice(b"\x08\0\0\0ENDT");
        bytes.resize(bytes.len() + metadata - 8, 0);
    }
    bytes.resize(bytes.len() + bitcode, 0);
    bytes
}

/// A function whose module lies here; all functions share the first metadata groups.
fn function_at(module: u64, size: u64) -> TagList<'static> {
    let offsets = metallib::Offsets { bitcode: module, ..metallib::Offsets::default() };
    small::tags(&[(FourCc::OFFT, &offsets.bytes()), (FourCc::MDSZ, &size.to_le_bytes())])
}

#[test]
fn shared_modules_among_many_are_found_in_time() {
    let count = 200_000;
    let functions: Vec<_> =
        (0..count).flat_map(|i| [function_at(i * 16, 16), function_at(i * 16, 16)]).collect();
    let bytes = file(&functions, 800_000, 16 * 200_000);
    let start = Instant::now();
    let library = Library::parse(&bytes).unwrap();
    assert_eq!(library.modules().len(), 200_000);
    assert!(start.elapsed() < AMPLE, "{:?}", start.elapsed());
}

/// The bytes behind a module are counted once, in whatever order the functions name them.
#[test]
fn tails_of_modules_out_of_order_do_not_add_up() {
    let size = 1 << 20;
    let place = |i: u64| if i.is_multiple_of(2) { i * 16 } else { size - i * 16 };
    let functions: Vec<_> = (0..1000).map(|i| function_at(place(i), 16)).collect();
    let bytes = file(&functions, 8_000, 1 << 20);
    let library = Library::parse(&bytes).unwrap();
    let whole: usize = library.modules().iter().map(|m| m.bytes().len() + m.tail().len()).sum();
    assert_eq!(whole, 1 << 20);
}

#[test]
fn empty_modules_have_no_tail() {
    let place = [(0, 0), (0, 16), (16, 0), (16, 16), (40, 8)];
    let functions: Vec<_> = place.iter().map(|&(at, size)| function_at(at, size)).collect();
    let bytes = file(&functions, 40, 48);
    let library = Library::parse(&bytes).unwrap();
    let tails: Vec<usize> = library.modules().iter().map(|module| module.tail().len()).collect();
    assert_eq!(tails, [0, 0, 0, 8, 0]);
}

#[test]
fn a_wide_tag_in_the_dynamic_header_is_written_as_it_was() {
    let bytes = small::edited(&small::full(), |library| {
        let names = small::tags(&[(FourCc::NAME, b"n\0"), (FourCc::RBUF, b"wide")]);
        library.set_dynamic_header(names).unwrap();
    });
    assert_eq!(rebuilt(&bytes), bytes);
}

/// A library with both HSRC and HSRD, whose functions refer to the first.
fn two_sources() -> Vec<u8> {
    small::edited(&small::full(), |library| {
        let mut other = Sources::new(b"options".to_vec().into(), None);
        for id in [&b"7"[..], b"8", b"9"] {
            other.archives.push(Archive::new(id, &small::bzip2(b"text")).unwrap());
        }
        let own = library.extension_mut().unwrap();
        own.tags.insert(0, ExtensionTag::section(FourCc::HSRC, Section::Sources(other)));
        for function in &mut library.functions {
            function.archive = Some(metallib::ArchiveId::from_index(2));
        }
    })
}

#[test]
fn of_two_source_sections_the_second_is_carried() {
    let bytes = two_sources();
    assert_eq!(rebuilt(&bytes), bytes);
    let library = Library::parse(&bytes).unwrap();
    assert_eq!(library.functions()[1].archive.map(metallib::ArchiveId::index), Some(2));
    let part = metallib::Subset::new(&library, false).unwrap().of(&[1]).unwrap();
    let part = small::finish(part);
    let part = Library::parse(&part).unwrap();
    assert!(part.is_canonical());
    let sections: Vec<_> = part.extension().unwrap().sections().collect();
    let archives = |index: usize| match &sections[index].value {
        metallib::ExtensionValue::Section(Section::Sources(sources)) => sources.archives.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!((archives(0).len(), archives(1).len()), (3, 2));
}

/// The offsets of a second tag would be wrong as soon as anything moved.
#[test]
fn a_section_named_twice_is_not_edited() {
    let bytes = small::edited(&small::full(), |library| {
        let extension = library.extension_mut().unwrap();
        extension.tags.push(ExtensionTag::data(FourCc::RLST, vec![1; 16]));
    });
    let error = Library::parse(&bytes).unwrap().edit(true).unwrap_err();
    let message = "tag RLST of the header extension stands twice; where the second one points is \
                   not followed, so editing such a library is not supported";
    assert_eq!(error.kind().to_string(), message);
    assert!(error.offset() > 0);
}

/// Where a reference pointed at nothing, it must not come to point at something.
#[test]
fn references_to_nothing_are_not_moved() {
    for (id, name) in [(FourCc::SOFF, "SOFF"), (FourCc::RFLT, "RFLT")] {
        let bytes = small::full();
        let at = small::tag_offset(&bytes, 1, id);
        let bytes = small::patched(&bytes, at, &3_u64.to_le_bytes());
        let library = Library::parse(&bytes).unwrap().edit(true).unwrap().finish().unwrap();
        let error = Plan::new(&library, WriteOptions::default()).err().unwrap();
        let message = format!(
            "tag {name} points at nothing, and might point at something once it is moved; \
             editing such a library is not supported (offset {at:#x}, function 1 `second`)"
        );
        assert_eq!(error.to_string(), message);
    }
}

/// A module that was the last one, and so reached to the end.
#[test]
fn a_module_of_unknown_size_gets_none_behind_it() {
    let bytes = small::edited(&small::full(), |library| {
        let last = &mut library.functions[1];
        last.tags.retain(|tag| tag.id != FourCc::MDSZ);
        library.modules[1] = metallib::Module::new(vec![7; 32]);
    });
    let library = Library::parse(&bytes).unwrap();
    assert!(!library.is_canonical());
    let mut turned = library.edit(true).unwrap();
    let same = turned.clone().finish().unwrap();
    assert!(Plan::new(&same, WriteOptions::default()).is_ok());
    turned.functions.reverse();
    let turned = turned.finish().unwrap();
    let error = Plan::new(&turned, WriteOptions::default()).err().unwrap().to_string();
    assert!(
        error.starts_with("neither MDSZ nor a wrapper gives the size of the module"),
        "{error}"
    );
    assert!(error.ends_with("function 0 `second`)"), "{error}");
}
