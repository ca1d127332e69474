//! Every library of the corpus for other targets.

use std::collections::{BTreeMap, BTreeSet};

use metallib::{FileType, Library, OsVersion, Platform, Version, Versions};
use mtlpack::io::Input;
use mtlpack::{
    Error, Limits, RetargetOptions, Retargeted, Severity, VerifyOptions, floor, retarget,
    verify_deep,
};
use mtlpack_tests::{Sample, corpus_and_large};

/// AIR versions and the language versions that came with them, oldest first.
const AIR: [((u16, u16), (u16, u16)); 12] = [
    ((1, 6), (1, 0)),
    ((1, 8), (1, 1)),
    ((1, 11), (1, 2)),
    ((2, 0), (2, 0)),
    ((2, 1), (2, 1)),
    ((2, 2), (2, 2)),
    ((2, 3), (2, 3)),
    ((2, 4), (2, 4)),
    ((2, 5), (3, 0)),
    ((2, 6), (3, 1)),
    ((2, 7), (3, 2)),
    ((2, 8), (4, 0)),
];

/// The first system that came with each of them.
const MACOS: [(u16, u8); 12] = [
    (10, 11),
    (10, 11),
    (10, 12),
    (10, 13),
    (10, 14),
    (10, 15),
    (11, 0),
    (12, 0),
    (13, 0),
    (14, 0),
    (15, 0),
    (26, 0),
];
const IOS: [u16; 12] = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 26];
const VISIONOS: [u16; 12] = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 26];

/// The first system that reads an AIR version, of the platform that the first module names.
fn system_of(library: &Library<'_>, air: usize) -> Option<(Platform, OsVersion)> {
    let module = air_bitcode::Module::parse(library.modules().first()?.bytes()).ok()?;
    let triple = module.triple().ok()??;
    let (_, rest) = triple.split_once("-apple-")?;
    let (system, environment) = rest.split_once('-').unwrap_or((rest, ""));
    let name = match system.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "macosx" => "macos",
        "xros" => "visionos",
        other => other,
    };
    let name = match environment {
        "" => name.to_owned(),
        "macabi" => "mac-catalyst".to_owned(),
        other => format!("{name}-{other}"),
    };
    let (major, minor) = match name.as_str() {
        "macos" => MACOS[air],
        other if other.starts_with("visionos") => (VISIONOS[air], 0),
        _ => (IOS[air], 0),
    };
    Some((Platform::from_name(&name)?, OsVersion { major, minor, update: 0 }))
}

fn version((major, minor): (u16, u16)) -> Version {
    Version::new(major, minor)
}

fn options() -> RetargetOptions {
    RetargetOptions { threads: 2, name: "made.metallib".to_owned(), ..RetargetOptions::default() }
}

/// The versions that all functions of a library have.
fn versions(library: &Library<'_>) -> Option<Versions> {
    let all: BTreeSet<_> = library
        .functions()
        .iter()
        .map(|function| function.versions().map(|found| (found.air, found.language)))
        .collect();
    let [Some((air, language))] = all.into_iter().collect::<Vec<_>>()[..] else { return None };
    Some(Versions { air, language })
}

fn made(name: &str, bytes: &[u8], options: &RetargetOptions) -> Result<Vec<u8>, Error> {
    let input = Input::from_bytes(name, bytes.to_vec());
    let library = Library::parse(input.bytes()).unwrap();
    let Retargeted { draft, refused } = retarget(&input, &library, options)?;
    assert_eq!(refused, [], "{name}");
    draft.finish()?.to_vec()
}

/// It verifies, also against its modules, and all that says something of its target agrees.
fn check(name: &str, bytes: &[u8], limits: &Limits) {
    let input = Input::from_bytes(name, bytes.to_vec());
    let mut report = verify_deep(&input, VerifyOptions { threads: 2 }).unwrap();
    report.allow_empty();
    for finding in &report.findings {
        assert!(finding.severity != Severity::Error, "{name}: {finding}");
    }
    let library = Library::parse(input.bytes()).unwrap();
    assert!(library.is_canonical(), "{name}");
    let floor = floor(&input, &library, limits, 2).unwrap();
    assert!(floor.holds(), "{name}: {:?}", floor.findings);
}

/// Warnings that `verify` has of a library, and had not of what it was made of, without places.
fn new_warnings(name: &str, before: &[u8], after: &[u8]) -> Vec<String> {
    let of = |bytes: &[u8]| {
        let input = Input::from_bytes(name, bytes.to_vec());
        let report = mtlpack::verify(&input, VerifyOptions { threads: 2 }).unwrap();
        let warnings = report.findings.into_iter().filter(|f| f.severity == Severity::Warning);
        // Where they are is another place.
        let what = |text: String| text.split(" (offset").next().unwrap_or_default().to_owned();
        warnings.map(|finding| what(finding.to_string())).collect::<Vec<_>>()
    };
    let old = of(before);
    // The archiver of 2015 left a byte behind each module, which stays, and is only usual up to
    // AIR 1.8.
    let is_usual = |new: &String| new.contains("1 bytes between this module and the next");
    of(after).into_iter().filter(|new| !old.contains(new) && !is_usual(new)).collect()
}

fn is_companion(library: &Library<'_>) -> bool {
    library.identity().file_type() == FileType::SymbolCompanion
}

#[test]
fn their_own_target_changes_nothing() {
    let (mut same, mut companions) = (0, 0);
    for Sample { name, bytes } in &corpus_and_large("retarget to their own target") {
        let library = Library::parse(bytes).unwrap();
        if is_companion(&library) {
            companions += 1;
            assert!(
                made(name, bytes, &RetargetOptions { air: Some(version((2, 6))), ..options() })
                    .is_err()
            );
            continue;
        }
        let own = versions(&library);
        let platform = library.identity().platform();
        let options = RetargetOptions {
            system: platform.map(|platform| (platform, library.identity().os)),
            air: own.map(|own| own.air),
            language: own.map(|own| own.language),
            ..options()
        };
        if options.system.is_none() && own.is_none() {
            continue;
        }
        let after = made(name, bytes, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(after == *bytes, "{name}");
        same += 1;
    }
    println!("{same} libraries are what they were, {companions} companions are refused");
    assert!(same == 0 || same >= 420);
}

/// A reason without the numbers in it.
fn kind(error: &str) -> String {
    ["constant samplers", "opaque pointers", "came with", "embedded sources", "dynamic library"]
        .into_iter()
        .find(|kind| error.contains(kind))
        .unwrap_or(error)
        .to_owned()
}

#[test]
fn one_air_version_up_and_down() {
    let (mut done, mut refused) = (0, BTreeMap::<String, usize>::new());
    let mut warned = Vec::new();
    for Sample { name, bytes } in &corpus_and_large("retarget up and down") {
        let library = Library::parse(bytes).unwrap();
        let Some(own) = versions(&library).filter(|_| !is_companion(&library)) else { continue };
        let at = AIR.iter().position(|known| version(known.0) == own.air).unwrap();
        for near in [at.wrapping_sub(1), at + 1] {
            let Some(&(air, language)) = AIR.get(near) else { continue };
            let (air, language) = (version(air), version(language));
            let to = |air, language, system| RetargetOptions {
                system,
                air: Some(air),
                language: Some(language),
                ..options()
            };
            let system = (near > at).then(|| system_of(&library, near)).flatten();
            let after = match made(name, bytes, &to(air, language, system)) {
                Ok(after) => after,
                Err(error) => {
                    *refused.entry(kind(&error.to_string())).or_default() += 1;
                    continue;
                }
            };
            let limits = Limits { air: Some(air), language: Some(language), ..Limits::default() };
            check(name, &after, &limits);
            warned.extend(new_warnings(name, bytes, &after));
            let new = Library::parse(&after).unwrap();
            assert_eq!(versions(&new), Some(Versions { air, language }), "{name}");
            assert_eq!(new.functions().len(), library.functions().len(), "{name}");
            let system = (near < at).then(|| system_of(&library, at)).flatten();
            let back = made(name, &after, &to(own.air, own.language, system))
                .unwrap_or_else(|error| panic!("{name}, back: {error}"));
            check(name, &back, &Limits::default());
            assert_eq!(versions(&Library::parse(&back).unwrap()), Some(own), "{name}");
            done += 1;
        }
    }
    assert!(warned.is_empty(), "{warned:?}");
    println!("{done} retargeted there and back, refused: {refused:#?}");
    let known = ["constant samplers", "opaque pointers", "came with", "embedded sources"];
    assert!(refused.keys().all(|kind| known.contains(&&**kind)), "{refused:?}");
    assert!(done == 0 || done >= 600);
}

#[test]
fn the_system_before() {
    let (mut done, mut refused) = (0, BTreeMap::<String, usize>::new());
    for Sample { name, bytes } in &corpus_and_large("retarget to the system before") {
        let library = Library::parse(bytes).unwrap();
        let Some(platform) = library.identity().platform().filter(|_| !is_companion(&library))
        else {
            continue;
        };
        let major = match library.identity().os.major {
            26 if platform == Platform::VISIONOS => 2,
            26 if platform == Platform::MACOS => 15,
            26 => 18,
            1 => continue,
            other => other - 1,
        };
        let system = (platform, OsVersion { major, minor: 0, update: 0 });
        match made(name, bytes, &RetargetOptions { system: Some(system), ..options() }) {
            Ok(after) => {
                check(name, &after, &Limits { system: Some(system), ..Limits::default() });
                done += 1;
            }
            Err(error) => *refused.entry(kind(&error.to_string())).or_default() += 1,
        }
    }
    println!("{done} for the system before, refused: {refused:#?}");
    let known = ["constant samplers", "opaque pointers", "came with"];
    assert!(refused.keys().all(|kind| known.contains(&&**kind)), "{refused:?}");
    assert!(done == 0 || done >= 100);
}
