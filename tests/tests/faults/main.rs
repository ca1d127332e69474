//! Every fault that is known to have broken a reader: one damaged or odd library each,
//! and exactly what `verify` says about it, in `expected.txt`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod framing;
mod functions;
mod inside;
mod modules;
mod sections;

use metallib::{Dialect, FileType, FourCc, FunctionSpec, FunctionType, Platform};
use mtlpack::io::Input;
use mtlpack::{VerifyOptions, verify};
use mtlpack_tests::small::*;

/// What `verify` says: one line a finding.
fn findings(bytes: &[u8]) -> Vec<String> {
    let report = |threads| {
        let input = Input::from_bytes("fault", bytes.to_vec());
        verify(&input, VerifyOptions { threads }).unwrap()
    };
    let (one, two) = (report(1), report(2));
    assert_eq!(one, two);
    one.findings.iter().map(ToString::to_string).collect()
}

/// The table: group, case, findings.
const EXPECTED: &str = include_str!("expected.txt");

/// What the table has for a group: as text, in the order of the cases.
fn expected(group: &str) -> String {
    let start = format!("[{group}]\n");
    let (_, rest) = EXPECTED.split_once(&start).expect("the group is in the table");
    rest.split("\n[").next().unwrap().trim_end().to_owned()
}

/// Compares a whole group with the table.
fn check(group: &str, cases: &[(&str, Vec<u8>)]) {
    let mut found = String::new();
    for (name, bytes) in cases {
        found += &format!("{name}\n");
        findings(bytes).iter().for_each(|line| found += &format!("    {line}\n"));
    }
    let (found, expected) = (found.trim_end(), expected(group));
    let mut lines = found.lines().zip(expected.lines());
    let differs = lines.find(|(found, expected)| found != expected);
    assert!(found == expected, "[{group}] differs from the table at {differs:?}; found:\n{found}");
}

/// The library with the u64 at an offset changed.
fn with_u64(bytes: &[u8], offset: u64, value: u64) -> Vec<u8> {
    patched(bytes, offset, &value.to_le_bytes())
}

const UNKNOWN: FourCc = FourCc::new(*b"XYZW");

#[test]
fn sound_libraries_are_clean() {
    let mut named = plain_builder();
    let long = "x".repeat(300);
    for name in ["a::b", "a/b", "..", "f<float, 3>", "with space", "größe", "First", &long] {
        let reflection = Some(reflection(&[name.as_bytes()]).into());
        named.add(FunctionSpec { reflection, ..kernel(name, 2) }).unwrap();
    }
    let mut large = plain_builder();
    let mut reflection = reflection(&[b"large"]);
    reflection.resize(100_000, 0x11);
    large.add(FunctionSpec { reflection: Some(reflection.into()), ..kernel("large", 2) }).unwrap();
    let mut old = builder(Dialect::Archiver, 2, FileType::Executable);
    old.add(function("old", FunctionType::KERNEL, OLD_VERSIONS, 2)).unwrap();
    let mut bare = builder(Dialect::Linker, 7, FileType::Executable);
    bare.add(kernel("no reflection", 1)).unwrap();
    let platform = |code: u8, triple: &str| {
        let mut new = builder(Dialect::Archiver, 7, FileType::Executable);
        new.identity.major_word = 1;
        new.identity.set_platform(Platform::from_code(code));
        let mut air = air("first", FunctionType::KERNEL, VERSIONS, 1);
        triple.clone_into(&mut air.triple);
        new.add(FunctionSpec { module: air.module().into(), ..kernel("first", 1) }).unwrap();
        finish(new)
    };
    check(
        "sound_libraries_are_clean",
        &[
            ("archiver", archiver()),
            ("extension that is only ENDT", bare_extension()),
            ("linker", plain()),
            ("everything", full()),
            ("dynamic", dynamic()),
            ("odd names", finish(named)),
            ("RBUF of 64 KiB and more", finish(large)),
            ("no MDSZ in an old archiver library", finish(old)),
            ("no reflection", finish(bare)),
            ("visionOS", platform(11, "air64-apple-xros14.0.0")),
            ("visionOS simulator", platform(12, "air64-apple-xros14.0.0-simulator")),
        ],
    );
}

/// Findings of one kind are bounded, and the rest is counted.
#[test]
fn many_findings_are_counted() {
    let mut new = builder(Dialect::Archiver, 7, FileType::Executable);
    for index in 0..150 {
        let mut spec = kernel(&format!("f{index}"), 1);
        spec.extra.push((UNKNOWN, vec![0]));
        new.add(spec).unwrap();
    }
    let input = Input::from_bytes("many", finish(new));
    let report = verify(&input, VerifyOptions::default()).unwrap();
    assert_eq!(report.findings.len(), 100);
    assert_eq!(report.count(mtlpack::Severity::Note), 150);
    assert_eq!(report.omitted.len(), 1);
    assert!(report.passed());
}
