//! `verify` and `roundtrip` over the corpus: nothing but what docs/quirks.md explains.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use mtlpack::io::Input;
use mtlpack::{Severity, VerifyOptions, roundtrip, verify};
use mtlpack_tests::corpus;

/// Findings by severity and kind; no error, and no kind that is not expected.
#[test]
fn the_corpus_verifies() {
    let samples = corpus("verify");
    let mut counts = BTreeMap::new();
    for sample in &samples {
        let input = Input::from_bytes(sample.name.clone(), sample.bytes.clone());
        let mut report = verify(&input, VerifyOptions { threads: 2 }).unwrap();
        let is_empty = sample.library().functions().is_empty();
        assert_eq!(report.passed(), !is_empty, "{}", sample.name);
        report.allow_empty();
        for finding in &report.findings {
            assert!(finding.severity != Severity::Error, "{}: {finding}", sample.name);
            let key = format!("{} {}", finding.severity, finding.kind);
            *counts.entry(key).or_insert(0) += 1;
        }
        assert!(report.omitted.is_empty() && report.passed() && report.canonical);
        if let Some(uuid) = report.uuid {
            *counts.entry(format!("uuid {uuid:?}")).or_insert(0) += 1;
        }
    }
    println!("{counts:#?}");
    let expected = [
        // Core Image libraries of newer tools.
        ("note hash", 6),
        // Archives with zeros behind their stream: all but those of the newest linker.
        ("note sources", 46),
        // AIR 1.8 for iOS 8, which came with 1.6: `elnormous/ouzel`.
        ("note target", 3),
        // Stripped libraries, and one by another writer.
        ("note uuid", 23),
        ("uuid Absent", 338),
        ("uuid Md5", 2),
        ("uuid Sha256", 73),
        ("uuid Untold", 23),
        // Libraries without functions.
        ("warning empty", 7),
    ];
    if !samples.is_empty() {
        let found: Vec<(&str, i32)> =
            counts.iter().map(|(key, count)| (key.as_str(), *count)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn the_corpus_makes_the_round_trip() {
    let mut notes = BTreeMap::new();
    let samples = corpus("roundtrip report");
    for sample in &samples {
        let input = Input::from_bytes(sample.name.clone(), sample.bytes.clone());
        let report = roundtrip(&input, VerifyOptions { threads: 1 }).unwrap();
        assert!(report.passed(), "{}: {:?}", sample.name, report.outcome);
        for note in report.notes {
            let kind = note.split(' ').find(|word| *word == "UUID" || *word == "HASH");
            *notes.entry(kind.unwrap().to_owned()).or_insert(0) += 1;
        }
    }
    println!("{notes:?}");
    if !samples.is_empty() {
        assert_eq!(notes.get("UUID"), Some(&23));
        assert_eq!(notes.get("HASH"), Some(&6));
    }
}
