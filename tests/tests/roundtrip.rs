//! Laws 1, 5 and 8 over the corpus: identity, semantics, the plan's total.

use metallib::Library;
use metallib_write::{Hashes, Plan, UuidAction, UuidStatus, WriteOptions, uuid_status};
use mtlpack_tests::corpus;

/// Everything that can be computed is computed, and equals what Apple wrote.
#[test]
fn every_library_is_rebuilt_byte_for_byte() {
    for sample in corpus("roundtrip") {
        let library = sample.library();
        let reasons: Vec<String> =
            library.irregularities().iter().map(ToString::to_string).collect();
        assert!(reasons.is_empty(), "{}: {reasons:?}", sample.name);
        let uuid = match uuid_status(&library).unwrap() {
            UuidStatus::Follows(form) => UuidAction::Recompute(form),
            UuidStatus::Absent | UuidStatus::Other => UuidAction::Keep,
        };
        let options = WriteOptions { rebuild: true, hashes: Hashes::All, uuid };
        let plan = Plan::new(&library, options).unwrap();
        let written = plan.to_vec();
        assert_eq!(plan.total_size(), written.len() as u64, "{}", sample.name);
        assert!(written == sample.bytes, "{} differs", sample.name);
        let mut streamed = Vec::new();
        plan.write_to(&mut streamed).unwrap();
        assert!(streamed == written, "{}: write_to and to_vec differ", sample.name);
    }
}

/// How many UUIDs follow which form; the others are stripped or third-party files.
#[test]
fn uuids_follow_a_formula() {
    let samples = corpus("uuid");
    let mut counts = std::collections::BTreeMap::new();
    for sample in &samples {
        let status = uuid_status(&sample.library()).unwrap();
        *counts.entry(format!("{status:?}")).or_insert(0) += 1;
    }
    println!("{counts:?}");
    if !samples.is_empty() {
        assert_eq!(counts.get("Follows(Sha256)"), Some(&73));
        assert_eq!(counts.get("Follows(Md5)"), Some(&2));
        assert_eq!(counts.get("Other"), Some(&23));
    }
}

/// A library that was built again has no source, and parses to the same parts.
#[test]
fn an_unedited_library_is_its_source() {
    for sample in corpus("identity") {
        let library = sample.library();
        let plan = Plan::new(&library, WriteOptions::default()).unwrap();
        assert_eq!(plan.pieces().count(), 1);
        assert!(plan.to_vec() == sample.bytes);
        assert!(Library::parse(&sample.bytes).unwrap().is_canonical());
    }
}
