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

/// The library without paths, and with its UUID.
fn paths_stripped(bytes: &[u8]) -> Vec<u8> {
    let input = Input::from_bytes("x", bytes.to_vec());
    let library = Library::parse(input.bytes()).unwrap();
    let uuid = Some(UuidPolicy::Keep);
    let options =
        StripOptions { paths: Some(PathRules::default()), uuid, threads: 1, ..Default::default() };
    strip(&input, &library, &options).unwrap().finish().unwrap().to_vec().unwrap()
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
        let mut report = verify(&input, VerifyOptions { threads: 2 }).unwrap();
        report.allow_empty();
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

fn normalize_error(bytes: &[u8], maps: &[&str]) -> Option<String> {
    let input = Input::from_bytes("x", bytes.to_vec());
    let library = Library::parse(input.bytes()).unwrap();
    let mut options = NormalizeOptions { threads: 1, ..NormalizeOptions::default() };
    maps.iter().for_each(|map| options.paths.add(map).unwrap());
    normalize(&input, &library, &options).err().map(|error| error.to_string())
}

/// Normalised again by the same rules a library stays, also if NEW begins with OLD; rules by
/// which it would not are refused.
#[test]
fn rules_make_the_same_again_or_are_refused() {
    let roots = ["Users", "Volumes", "Applications", "private", "var"];
    let longer = roots.map(|root| format!("/{root}=/{root}/of/builds"));
    let longer: Vec<&str> = longer.iter().map(String::as_str).collect();
    let (mut changed, mut refused) = (0usize, 0usize);
    let samples = corpus_and_large("normalize by rules that grow");
    for Sample { name, bytes } in &samples {
        let made = normalized(name, bytes, &longer);
        assert!(normalized(name, &made, &longer) == made, "{name}");
        changed += usize::from(made != *bytes);
        let error = normalize_error(bytes, &["/Users=/home", "/home=/Users"]);
        let holds = made.windows(17).any(|found| found == b"/Users/of/builds/");
        assert!(error.is_some() || !holds, "{name}");
        let is_told = |error: &String| error.contains("normalised again it would become");
        assert!(error.as_ref().is_none_or(is_told), "{name}: {error:?}");
        refused += usize::from(error.is_some());
    }
    println!("{changed} of {} changed, {refused} refused by rules that exchange", samples.len());
    assert!(samples.is_empty() || changed >= 75 && refused >= 50);
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
    let file = |user: &str, group: &str, numbers: [&[u8]; 2]| {
        let mut header = archives::header(b"x.metal", b'0', 6);
        archives::put(&mut header, 108, numbers[0]);
        archives::put(&mut header, 116, numbers[1]);
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
        found.retain(|path| &*path.place == "source archive: owner of a file");
        found.into_iter().map(|found| (found.path, found.user)).collect::<Vec<_>>()
    };
    let zero = [&b"000000 \0"[..]; 2];
    let plain = normalized("plain", &file("", "", zero), &[]);
    let text = |text: &str| text.as_bytes().to_vec();
    for (owned, numbers) in [
        (file("ada", "staff", [b"000765 \0", b"000024 \0"]), vec!["user 765", "group 24"]),
        (file("ada", "staff", zero), vec![]),
        (
            file("ada", "staff", [b"\x80\0\0\0\0\xff\xff\xff", zero[0]]),
            vec![r"user \x80\x00\x00\x00\x00\xff\xff\xff"],
        ),
    ] {
        let mut expected = vec![(text("ada"), Some(text("ada"))), (text("staff"), None)];
        expected.extend(numbers.into_iter().map(|number| (text(number), None)));
        assert_eq!(owners(&owned), expected);
        let made = normalized("owned", &owned, &[]);
        assert!(owners(&made).is_empty());
        assert!(made == plain);
        assert!(owners(&paths_stripped(&owned)).is_empty());
    }
    // In the form that other writers give to numbers.
    let [own, roots] =
        [[b"0000765\0"; 2], [b"0000000\0"; 2]].map(|numbers| file("", "", numbers.map(|n| &n[..])));
    assert_eq!(owners(&own).len(), 2);
    assert!(
        owners(&roots).is_empty()
            && normalized("own", &own, &[]) == normalized("roots", &roots, &[])
    );
}
