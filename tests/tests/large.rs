//! Libraries larger than what is read at a time: modules that lie across the borders of
//! windows, mapped files, and two threads.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use metallib::{Dialect, FileType, FunctionSpec};
use mtlpack::io::Input;
use mtlpack::{Report, UuidState, VerifyOptions, roundtrip, verify};
use mtlpack_tests::air::Air;
use mtlpack_tests::small::{builder, finish, kernel, module_offset, patched};

/// A module of about this many bytes, with eight bytes of padding.
fn module(name: &str, size: usize) -> Vec<u8> {
    let mut air = Air::new(name, 2);
    let mut modules = (size..size + 16).step_by(4).map(|filler| {
        air.filler = filler;
        air.module()
    });
    let padding = |module: &Vec<u8>| {
        let wrapper = metallib::Wrapper::parse(module).unwrap();
        module.len() as u64 - u64::from(wrapper.offset) - u64::from(wrapper.size)
    };
    modules.find(|module| padding(module) == 8).unwrap()
}

/// Three modules: 5 MB, 100 bytes, 7 MB.
fn library() -> Vec<u8> {
    let mut new = builder(Dialect::Linker, 7, FileType::Executable);
    for (name, size) in [("a", 5 << 20), ("b", 100), ("c", 7 << 20)] {
        new.add(FunctionSpec { module: module(name, size).into(), ..kernel(name, 0) }).unwrap();
    }
    finish(new)
}

/// The report, which must not depend on threads or on where the bytes are.
fn report(name: &str, bytes: &[u8]) -> Report {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    let file = Input::open(&path).unwrap();
    let memory = Input::from_bytes(file.name(), bytes.to_vec());
    let reports = [(&file, 1), (&file, 2), (&memory, 1), (&memory, 2)]
        .map(|(input, threads)| verify(input, VerifyOptions { threads }).unwrap());
    let [first, rest @ ..] = reports;
    rest.iter().for_each(|other| assert_eq!(*other, first));
    std::fs::remove_file(&path).unwrap();
    first
}

fn findings(report: &Report) -> Vec<String> {
    report.findings.iter().map(ToString::to_string).collect()
}

#[test]
fn modules_across_windows_are_hashed_and_checked() {
    let bytes = library();
    let sound = report("sound.metallib", &bytes);
    assert_eq!(findings(&sound), [""; 0]);
    assert_eq!((sound.modules, sound.uuid), (3, Some(UuidState::Sha256)));

    let last = bytes.len() as u64 - 1;
    let damaged = report("damaged.metallib", &patched(&bytes, last, &[1]));
    let lines = findings(&damaged);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("error: HASH is ")), "{lines:?}");
    let padding = format!(
        "warning: the padding behind the bitcode is not zero (offset {last:#x}, function 2 `c` \
         > module)"
    );
    assert!(lines.contains(&padding), "{lines:?}");
    assert_eq!(damaged.uuid, Some(UuidState::Untold));
}

#[test]
fn a_round_trip_finds_a_wrong_hash() {
    let bytes = library();
    let options = VerifyOptions { threads: 2 };
    let input = Input::from_bytes("sound", bytes.clone());
    assert!(roundtrip(&input, options).unwrap().passed());
    let inside = module_offset(&bytes, 2) + (6 << 20);
    let input = Input::from_bytes("damaged", patched(&bytes, inside, &[1]));
    let report = roundtrip(&input, options).unwrap();
    let mtlpack::RoundtripOutcome::Differs(difference) = report.outcome else {
        unreachable!("the module was changed");
    };
    let hash = mtlpack_tests::small::tag_offset(&bytes, 2, metallib::FourCc::HASH);
    assert_eq!(difference.offset, hash);
    assert_eq!(difference.region, "function list");
    assert_eq!((difference.expected.len(), difference.found.len()), (16, 16));
}
