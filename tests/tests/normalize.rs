//! Builds that differ only in folders and UUID become the same bytes.

use metallib::{ExtensionTag, FourCc, Library};
use metallib_write::{Plan, UuidAction, WriteOptions};
use mtlpack::io::Input;
use mtlpack::{
    NormalizeOptions, PathRules, Severity, StripOptions, UuidPolicy, VerifyOptions, normalize,
    paths, strip, verify,
};
use mtlpack_tests::archives::{self, Tar};
use mtlpack_tests::{Sample, corpus_and_large};

fn normalized(name: &str, bytes: &[u8], map: &[&str]) -> Vec<u8> {
    let input = Input::from_bytes(name, bytes.to_vec());
    let library = Library::parse(input.bytes()).unwrap();
    let mut options = NormalizeOptions { threads: 1, ..NormalizeOptions::default() };
    map.iter().for_each(|map| options.paths.add(map).unwrap());
    let draft = normalize(&input, &library, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
    draft.finish().and_then(|edited| edited.to_vec()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The library as if it had been built in another folder, with another UUID.
fn elsewhere(name: &str, bytes: &[u8]) -> Vec<u8> {
    let input = Input::from_bytes(name, bytes.to_vec());
    let library = Library::parse(input.bytes()).unwrap();
    let mut rules = PathRules::default();
    for root in ["Users", "Volumes", "Applications", "private", "var"] {
        rules.add(&format!("/{root}/=/Users/other/a-much-longer-folder/{root}/")).unwrap();
    }
    let options = StripOptions {
        paths: Some(rules),
        uuid: Some(UuidPolicy::Keep),
        threads: 1,
        ..StripOptions::default()
    };
    let moved = strip(&input, &library, &options).unwrap().finish().unwrap();
    let mut builder = moved.library.edit(false).unwrap();
    if library.uuid().is_some() {
        let uuid = ExtensionTag::data(FourCc::UUID, vec![7; 16]);
        builder.extension_mut().unwrap().set(uuid);
    }
    let library = builder.finish().unwrap();
    let options = WriteOptions { uuid: UuidAction::Keep, ..WriteOptions::default() };
    Plan::new(&library, options).unwrap().to_vec()
}

#[test]
fn libraries_of_other_folders_become_the_same() {
    let (mut with, mut moved, mut kept) = (0usize, 0usize, 0usize);
    let samples = corpus_and_large("normalize");
    for Sample { name, bytes } in &samples {
        let made = normalized(name, bytes, &[]);
        assert!(normalized(name, &made, &[]) == made, "{name}: normalised twice");
        kept += usize::from(made == *bytes);
        let other = elsewhere(name, bytes);
        moved += usize::from(other != *bytes);
        assert!(normalized(name, &other, &[]) == made, "{name}: built elsewhere");
        let input = Input::from_bytes(name.as_str(), made);
        let library = Library::parse(input.bytes()).unwrap();
        paths(&input, &library, 1, |found| panic!("{name}: {found:?}")).unwrap();
        let report = verify(&input, VerifyOptions { threads: 2 }).unwrap();
        assert!(report.findings.iter().all(|f| f.severity != Severity::Error), "{name}");
        let original = Input::from_bytes(name.as_str(), bytes.clone());
        let library = Library::parse(original.bytes()).unwrap();
        let mut any = false;
        paths(&original, &library, 1, |_| any = true).unwrap();
        with += usize::from(any);
    }
    println!("{with} of {} with paths, {moved} built elsewhere, {kept} stay", samples.len());
    if !samples.is_empty() {
        assert!(with >= 75 && moved > 75);
    }
}

/// With rules the same, and the folders that they name instead.
#[test]
fn rules_name_the_folders_of_each_build() {
    let (mut count, mut absolute) = (0usize, 0usize);
    for Sample { name, bytes } in &corpus_and_large("normalize by rules") {
        let other = elsewhere(name, bytes);
        let rules = ["/Users/=/src/", "/Applications/=toolchains/"];
        let others = [
            "/Users/other/a-much-longer-folder/Users/=/src/",
            "/Users/other/a-much-longer-folder/Applications/=toolchains/",
        ];
        let made = normalized(name, bytes, &rules);
        assert!(normalized(name, &other, &others) == made, "{name}");
        count += usize::from(made != *bytes);
        let input = Input::from_bytes(name.as_str(), made);
        let library = Library::parse(input.bytes()).unwrap();
        paths(&input, &library, 1, |found| {
            absolute += 1;
            assert!(
                found.path.starts_with(b"/src/") || found.archive.is_some(),
                "{name}: {found:?}"
            );
        })
        .unwrap();
    }
    println!("{count} libraries changed, {absolute} paths below the new folder");
}

/// Owners of files in archives say who built a library; no compiler of Apple's names them.
#[test]
fn no_owner_of_a_file_is_left() {
    let module = include_bytes!("../data/debug.bc");
    let size = u32::from_le_bytes(module[12..16].try_into().unwrap()) as usize;
    let bitcode = &module[20..20 + size];
    let file = |user: &str, group: &str| {
        let mut header = archives::header(b"x.metal", b'0', 6);
        archives::put(&mut header, 265, user.as_bytes());
        archives::put(&mut header, 297, group.as_bytes());
        let tar = Tar::new().member(&header, b"kernel").pack();
        archives::library_of(8, &[("0", tar)], bitcode)
    };
    let owners = |bytes: &[u8]| {
        let input = Input::from_bytes("x", bytes.to_vec());
        let library = Library::parse(input.bytes()).unwrap();
        let mut found = Vec::new();
        paths(&input, &library, 1, |path| found.push(path)).unwrap();
        found.retain(|path| path.place == "source archive: owner of a file");
        found.into_iter().map(|found| (found.path, found.user)).collect::<Vec<_>>()
    };
    let (owned, plain) = (file("ada", "staff"), file("", ""));
    let (ada, staff) = (b"ada".to_vec(), b"staff".to_vec());
    assert_eq!(owners(&owned), [(ada.clone(), Some(ada)), (staff, None)]);
    let made = normalized("owned", &owned, &[]);
    assert!(owners(&made).is_empty());
    assert_eq!(made, normalized("plain", &plain, &[]));
}
