//! Laws over arbitrary libraries from the builder.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use metallib::{BufferList, FourCc, Function, Library, TagList};
use metallib_write::{Hashes, Plan, UuidAction, UuidForm, WriteOptions};
use mtlpack::io::Input;
use mtlpack::{Severity, UuidState, VerifyOptions, roundtrip, verify};
use mtlpack_tests::small::write;
use mtlpack_tests::strategies::{changes, recipe};
use proptest::prelude::*;

/// Tags whose payload the writer computes.
const COMPUTED: [FourCc; 5] =
    [FourCc::HASH, FourCc::OFFT, FourCc::MDSZ, FourCc::SOFF, FourCc::RFLT];

/// Ids and payloads, without the payloads that are computed.
fn tags(list: &TagList<'_>) -> Vec<(FourCc, Vec<u8>)> {
    let payload = |tag: metallib::Tag<'_>| match COMPUTED.contains(&tag.id) {
        true => Vec::new(),
        false => tag.payload.to_vec(),
    };
    list.iter().map(|tag| (tag.id, payload(tag))).collect()
}

fn assert_same_function(built: &Function<'_>, read: &Function<'_>) {
    assert_eq!(tags(&built.tags), tags(&read.tags));
    assert_eq!(built.public, read.public);
    assert_eq!(built.private, read.private);
    assert_eq!(built.module, read.module);
    assert_eq!(built.archive, read.archive);
    assert_eq!(built.reflection, read.reflection);
}

/// Law 5: what was written is read as the same model.
fn assert_same(built: &Library<'_>, read: &Library<'_>) {
    assert_eq!(built.identity(), read.identity());
    assert_eq!(built.functions().len(), read.functions().len());
    for (built, read) in built.functions().iter().zip(read.functions()) {
        assert_same_function(built, read);
    }
    if !built.functions().is_empty() {
        // Only metadata groups tell the dialect for sure.
        assert_eq!(built.dialect(), read.dialect());
        assert_eq!(built.modules().len(), read.modules().len());
    }
    for (built, read) in built.modules().iter().zip(read.modules()) {
        assert_eq!(built.bytes(), read.bytes());
        assert_eq!(read.tail(), b"");
    }
    let ids = |library: &Library<'_>| -> Vec<FourCc> {
        library.extension().iter().flat_map(|e| &e.tags).map(|tag| tag.id).collect()
    };
    assert_eq!(ids(built), ids(read));
    let archives = (built.sources(), read.sources());
    assert_eq!(archives.0.map(|s| &s.archives), archives.1.map(|s| &s.archives));
    assert_eq!(built.dynamic_header(), read.dynamic_header());
    assert_eq!(built.imports(), read.imports());
    let buffers = (built.reflection(), read.reflection());
    assert_eq!(buffers.0.map(BufferList::entries), buffers.1.map(BufferList::entries));
}

fn sections<'l>(library: &'l Library<'_>) -> impl Iterator<Item = String> + 'l {
    library.extension().into_iter().flat_map(|e| &e.tags).map(|tag| match &tag.value {
        metallib::ExtensionValue::Data(data) if tag.id != FourCc::UUID => format!("{data:?}"),
        metallib::ExtensionValue::Section(metallib::Section::Opaque(bytes)) => format!("{bytes:?}"),
        _ => String::new(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_written_is_read_again(recipe in recipe()) {
        let built = recipe.library();
        let bytes = write(&built);
        let read = Library::parse(&bytes).expect("a written library parses");
        let reasons: Vec<String> = read.irregularities().iter().map(ToString::to_string).collect();
        prop_assert!(reasons.is_empty(), "{:?}", reasons);
        assert_same(&built, &read);
        prop_assert!(sections(&built).eq(sections(&read)));
        // Everything computed anew gives the same bytes.
        let uuid = UuidAction::Recompute(UuidForm::Sha256);
        let options = WriteOptions { rebuild: true, hashes: Hashes::All, uuid };
        let plan = Plan::new(&read, options).unwrap();
        prop_assert_eq!(plan.total_size(), bytes.len() as u64);
        prop_assert!(plan.to_vec() == bytes);
    }

    #[test]
    fn what_is_written_verifies(recipe in recipe()) {
        let bytes = write(&recipe.library());
        let input = Input::from_bytes("built", bytes);
        let mut report = verify(&input, VerifyOptions { threads: 1 }).unwrap();
        report.allow_empty();
        let errors: Vec<String> = report
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .map(ToString::to_string)
            .collect();
        prop_assert!(errors.is_empty(), "{:?}", errors);
        prop_assert!(matches!(report.uuid, Some(UuidState::Absent | UuidState::Sha256)));
        let report = roundtrip(&input, VerifyOptions { threads: 1 }).unwrap();
        prop_assert!(report.passed(), "{:?}", report.outcome);
    }

    /// Law 1 for libraries with a few bytes changed.
    #[test]
    fn changed_libraries_are_refused_or_carried(
        recipe in recipe(),
        changes in changes(),
    ) {
        let mut bytes = write(&recipe.library());
        changes.iter().for_each(|change| change.apply(&mut bytes));
        if let Ok(library) = Library::parse(&bytes) {
            let unedited = Plan::new(&library, WriteOptions::default()).unwrap();
            prop_assert!(unedited.to_vec() == bytes);
            let options = WriteOptions { rebuild: true, ..WriteOptions::default() };
            let plan = Plan::new(&library, options).unwrap();
            if library.is_canonical() {
                prop_assert!(plan.to_vec() == bytes);
            }
        }
        let input = Input::from_bytes("changed", bytes);
        verify(&input, VerifyOptions { threads: 1 }).unwrap();
    }
}

/// The writer finds the place of the UUID behind tags with a u32 length too.
#[test]
fn the_uuid_stands_behind_a_tag_with_a_wide_length() {
    let mut builder = mtlpack_tests::small::plain_builder();
    let tag = metallib::ExtensionTag::data(FourCc::new(*b"SBUZ"), b"wide".to_vec());
    builder.extension_mut().unwrap().tags.insert(0, tag);
    let input = Input::from_bytes("wide", write(&builder.finish().unwrap()));
    let report = verify(&input, VerifyOptions { threads: 1 }).unwrap();
    assert_eq!(report.uuid, Some(UuidState::Sha256));
    assert_eq!(report.count(Severity::Warning), 0);
}
