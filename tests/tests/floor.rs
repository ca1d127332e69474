//! `check` over the corpus: untouched libraries agree with themselves, and each thing that is
//! changed alone is found.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;

use metallib::{FourCc, Library, Module, OsVersion, Platform, Versions};
use mtlpack::io::Input;
use mtlpack::{FloorKind, FloorReport, Limits, Severity, floor};
use mtlpack_tests::{Sample, corpus, corpus_and_large, planted, small};

fn check(bytes: &[u8], limits: &Limits) -> FloorReport {
    let input = Input::from_bytes("library", bytes.to_vec());
    let library = Library::parse(input.bytes()).unwrap();
    floor(&input, &library, limits, 2).unwrap()
}

fn errors(report: &FloorReport) -> Vec<&str> {
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.what.as_str()).collect()
}

fn on(platform: Platform, os: OsVersion) -> Limits {
    Limits { system: Some((platform, os)), ..Limits::default() }
}

/// Header, triple, VERS and module versions agree everywhere, and the floor is the system that
/// the header names, where it names one; but for three libraries with AIR 1.8 for iOS 8.
#[test]
fn untouched_libraries_agree_with_themselves() {
    let samples = corpus_and_large("floor");
    let mut counts = BTreeMap::new();
    for sample in &samples {
        let report = check(&sample.bytes, &Limits::default());
        assert_eq!(errors(&report), [""; 0], "{}", sample.name);
        assert_eq!(report.findings, [], "{}", sample.name);
        let library = sample.library();
        let identity = library.identity();
        let Some(platform) = report.platform else {
            assert!(library.functions().is_empty() && !identity.container.has_platform());
            *counts.entry("of no known platform: no functions").or_insert(0) += 1;
            continue;
        };
        let os = report.os.unwrap_or_else(|| panic!("{}: no floor", sample.name));
        let stated = stated(sample, &library);
        let key = match os.cmp(&stated) {
            std::cmp::Ordering::Equal => "the system of header and triple",
            std::cmp::Ordering::Greater => "a later system, which AIR or language ask for",
            std::cmp::Ordering::Less => panic!("{}: {os} below {stated}", sample.name),
        };
        *counts.entry(key).or_insert(0) += 1;
        holds_on(sample, platform, os);
    }
    println!("{counts:?}");
    if samples.iter().any(|sample| sample.name.starts_with("libraries")) {
        assert_eq!(counts["a later system, which AIR or language ask for"], 3);
        assert_eq!(counts["of no known platform: no functions"], 2);
    }
}

/// The system that header or triple name.
fn stated(sample: &Sample, library: &Library<'_>) -> OsVersion {
    if library.identity().platform().is_some() {
        return library.identity().os;
    }
    let module = air_bitcode::Module::parse(library.modules()[0].bytes()).unwrap();
    let triple = module.triple().unwrap().unwrap();
    let version = triple.trim_start_matches(|c: char| c != '-').trim_start_matches("-apple-");
    let numbers = version.split_once('-').map_or(version, |(version, _)| version);
    let numbers = numbers.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let numbers: Vec<u16> = numbers.split('.').map(|number| number.parse().unwrap()).collect();
    assert_eq!(numbers.len(), 3, "{}: {triple}", sample.name);
    let small = |number: u16| u8::try_from(number).unwrap();
    OsVersion { major: numbers[0], minor: small(numbers[1]), update: small(numbers[2]) }
}

/// The library holds on its floor, and not below it, and not on another platform.
fn holds_on(sample: &Sample, platform: Platform, os: OsVersion) {
    let name = &sample.name;
    let is_limit = |report: &FloorReport| {
        let errors = report.findings.iter().filter(|found| found.severity == Severity::Error);
        errors.fold(false, |_, found| {
            assert_eq!(found.kind, FloorKind::Limit, "{name}: {}", found.what);
            true
        })
    };
    assert!(check(&sample.bytes, &on(platform, os)).holds(), "{name}");
    let below = match os {
        OsVersion { minor: 0, major, .. } => OsVersion { major: major - 1, minor: 99, update: 0 },
        OsVersion { minor, .. } => OsVersion { minor: minor - 1, update: 0, ..os },
    };
    assert!(is_limit(&check(&sample.bytes, &on(platform, below))), "{name}");
    for code in 1..=12 {
        let other = Platform::from_code(code);
        let limits = Limits { platform: Some(other), ..Limits::default() };
        assert_eq!(is_limit(&check(&sample.bytes, &limits)), other != platform, "{name}");
    }
}

/// A change of one library, in one place. None where it cannot be made.
type Change = fn(&[u8]) -> Option<Vec<u8>>;

/// What is changed, how, and the words with which it is found.
const CHANGES: [(&str, Change, &str); 8] = [
    ("header OS", header_os, "but the header is for"),
    ("header platform", header_platform, "but its macOS flag is|but the header is for"),
    ("macOS flag", mac_flag, "macOS flag is"),
    ("VERS AIR", |bytes| vers(bytes, true), "VERS says AIR"),
    ("VERS language", |bytes| vers(bytes, false), "VERS says Metal"),
    ("triple", triple, "triple"),
    ("air.version", |bytes| module(bytes, "air.version"), "VERS says AIR"),
    ("air.language_version", |bytes| module(bytes, "air.language_version"), "VERS says Metal"),
];

#[test]
fn each_thing_that_is_changed_alone_is_found() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let samples = corpus("floor of edited copies");
    for sample in &samples {
        if sample.library().functions().is_empty() {
            continue;
        }
        for (name, change, words) in CHANGES {
            let Some(changed) = change(&sample.bytes) else { continue };
            let report = check(&changed, &Limits::default());
            let found = errors(&report);
            let is_told = |what: &&str| words.split('|').any(|words| what.contains(words));
            assert!(found.iter().any(is_told), "{}, {name}: {found:?}", sample.name);
            assert!(report.findings.iter().all(|f| f.kind == FloorKind::Disagreement));
            *counts.entry(name).or_insert(0) += 1;
        }
    }
    println!("{counts:?}");
    if !samples.is_empty() {
        let with_platform = 194;
        let expected = [
            ("VERS AIR", 429),
            ("VERS language", 429),
            ("air.language_version", 429),
            ("air.version", 429),
            ("header OS", with_platform),
            ("header platform", with_platform),
            ("macOS flag", 429),
            ("triple", 429),
        ];
        assert_eq!(counts, expected.into());
    }
}

/// One major version less: an old header with a new module.
fn header_os(bytes: &[u8]) -> Option<Vec<u8>> {
    let identity = *Library::parse(bytes).unwrap().identity();
    identity.platform()?;
    let major = identity.os.major - 1;
    Some(small::patched(bytes, 12, &major.to_le_bytes()))
}

/// macOS for others, iOS for macOS.
fn header_platform(bytes: &[u8]) -> Option<Vec<u8>> {
    let platform = Library::parse(bytes).unwrap().identity().platform()?;
    let other = if platform == Platform::IOS { 0x87 } else { 0x82 };
    Some(small::patched(bytes, 11, &[other]))
}

fn mac_flag(bytes: &[u8]) -> Option<Vec<u8>> {
    Some(small::patched(bytes, 5, &[bytes[5] ^ 0x80]))
}

fn vers(bytes: &[u8], air: bool) -> Option<Vec<u8>> {
    let library = Library::parse(bytes).unwrap();
    let tag = library.functions()[0].tags.get(FourCc::VERS)?;
    let mut versions = Versions::from_bytes(tag.payload)?;
    if air {
        versions.air.minor += 1
    } else {
        versions.language.minor += 1
    }
    Some(small::patched(bytes, tag.offset, &versions.bytes()))
}

/// The library with its first module changed, laid out and hashed anew.
fn with_module(bytes: &[u8], change: impl FnOnce(&[u8]) -> Vec<u8>) -> Option<Vec<u8>> {
    let new = change(Library::parse(bytes).unwrap().modules()[0].bytes());
    Some(small::edited(bytes, |builder| builder.modules[0] = Module::new(new)))
}

/// A system of ten major versions later, and another platform where the header tells none.
fn triple(bytes: &[u8]) -> Option<Vec<u8>> {
    let identity = *Library::parse(bytes).unwrap().identity();
    let other = match (identity.platform(), identity.is_mac()) {
        (Some(_), _) => return with_module(bytes, |module| planted::with_triple(module, later)),
        (None, true) => "ios12.0.0",
        (None, false) => "macosx10.14.0",
    };
    with_module(bytes, |module| planted::with_triple(module, |_| format!("air64-apple-{other}")))
}

fn later(triple: &str) -> String {
    let digit = triple.rfind("-apple-").unwrap() + 7;
    let digit = digit + triple[digit..].find(|c: char| c.is_ascii_digit()).unwrap();
    format!("{}9{}", &triple[..digit], &triple[digit..])
}

fn module(bytes: &[u8], list: &str) -> Option<Vec<u8>> {
    with_module(bytes, |module| planted::with_other_minor(module, list))
}

/// No module of the corpus has opaque pointers under an old AIR version; one that is made so is
/// found.
#[test]
fn opaque_pointers_are_found() {
    let mut count = 0;
    for sample in corpus("floor of opaque pointers").iter().step_by(8) {
        let library = sample.library();
        let old = library.functions().first().and_then(metallib::Function::versions);
        if old.is_none_or(|versions| versions.air >= metallib::Version::new(2, 8)) {
            continue;
        }
        let changed = with_module(&sample.bytes, planted::with_opaque_pointer).unwrap();
        let report = check(&changed, &Limits::default());
        assert_eq!(report.findings.len(), 1, "{}", sample.name);
        assert_eq!(report.findings[0].kind, FloorKind::OpaquePointers);
        count += 1;
    }
    println!("{count} modules with an opaque pointer");
}

/// Limits of versions are held by every library with its own versions, and by none below.
#[test]
fn limits_of_versions() {
    for sample in corpus("limits of versions").iter().step_by(4) {
        let report = check(&sample.bytes, &Limits::default());
        let (Some(air), Some(language)) = (report.air, report.language) else { continue };
        let limits = |air, language| Limits { air, language, ..Limits::default() };
        assert!(check(&sample.bytes, &limits(Some(air), Some(language))).holds());
        let below = |version: metallib::Version| match version.minor {
            0 => metallib::Version::new(version.major - 1, 99),
            minor => metallib::Version::new(version.major, minor - 1),
        };
        let low = check(&sample.bytes, &limits(Some(below(air)), Some(below(language))));
        let expected = [format!("AIR {air}, "), format!("Metal {language}, ")];
        let found = errors(&low);
        assert!(found.iter().zip(&expected).all(|(a, b)| a.starts_with(b.as_str())), "{found:?}");
        assert_eq!(found.len(), 2, "{}", sample.name);
    }
}

/// A library for devices that is called one for simulators: a version of `llama.rn` shipped its
/// own so.
#[test]
fn a_device_library_is_none_for_simulators() {
    let simulator = Platform::from_name("ios-simulator").unwrap();
    let limits = Limits { platform: Some(simulator), ..Limits::default() };
    let mut found = [0; 2];
    for sample in corpus("libraries for simulators") {
        if !sample.name.contains("llama.rn") {
            continue;
        }
        let is_named = sample.name.ends_with("-sim.metallib");
        let report = check(&sample.bytes, &limits);
        assert_eq!(report.holds(), is_named, "{}: {:?}", sample.name, errors(&report));
        found[usize::from(is_named)] += 1;
        if !is_named {
            assert!(errors(&report)[0].starts_with("the header is for ios, not for ios-simulator"));
            assert!(errors(&report)[1].ends_with("is not for ios-simulator"));
        }
    }
    println!("{found:?} libraries of llama.rn, for devices and for simulators");
}

/// Damaged and missing modules cannot be judged, and are no "yes".
#[test]
fn what_cannot_be_read_does_not_hold() {
    for (module, words) in [(&b""[..], "no module"), (b"bad", "the module cannot be read")] {
        let bytes = small::edited(&small::plain(), |builder| {
            builder.modules[1] = Module::new(module.to_vec());
        });
        let report = check(&bytes, &Limits::default());
        assert_eq!(report.findings.len(), 1);
        assert_eq!(report.findings[0].kind, FloorKind::Unread);
        assert!(report.findings[0].what.starts_with(words), "{:?}", report.findings);
        assert_eq!(report.findings[0].functions, ["second"]);
    }
}
