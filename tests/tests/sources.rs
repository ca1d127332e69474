//! Embedded sources: the archives of the corpus, and hostile ones.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use metallib::{ExtensionTag, ExtensionValue, FourCc, Library};
use mtlpack::archive::{ArchiveError, ArchiveErrorKind, Budget, Limits, MemberKind, unpack};
use mtlpack::{ArchiveReport, Error, Named, extract_sources, list_sources};
use mtlpack_tests::archives::{Tar, bomb, hostile, library};
use mtlpack_tests::corpus;

/// Files by their paths below a folder.
type Files = BTreeMap<String, Vec<u8>>;

/// Every archive is one of plain files, and members and end mark are all there is to it.
#[test]
fn archives_are_read_in_full() {
    let (mut archives, mut files, mut padded) = (0, 0, 0);
    for sample in corpus("source archives") {
        let library = sample.library();
        let Some(sources) = library.sources() else { continue };
        for archive in &sources.archives {
            let unpacked = unpack(archive.data(), &Limits::default())
                .unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            let mut again = Vec::new();
            for member in unpacked.members() {
                assert_eq!(member.offset, again.len() as u64);
                assert_eq!(member.header.kind(), MemberKind::File);
                assert!(member.header.is_ustar());
                again.extend(member.header.bytes());
                again.extend(member.content);
                again.resize(again.len().next_multiple_of(512), 0);
            }
            assert_eq!(unpacked.end(), [0; 1024]);
            again.extend(unpacked.end());
            assert!(again == unpacked.bytes(), "{}", sample.name);
            let size = unpacked.packed_size() + unpacked.padding();
            assert_eq!(size, archive.data().len() as u64);
            archives += 1;
            files += unpacked.len();
            padded += usize::from(unpacked.padding() > 0);
        }
    }
    println!("{archives} archives, {padded} of them padded, with {files} files");
}

/// What `extract_sources` takes out, by archive.
fn extracted(library: &Library<'_>, budget: Budget) -> Result<BTreeMap<usize, Files>, Error> {
    let mut archives: BTreeMap<usize, Files> = BTreeMap::new();
    let extraction = extract_sources(Named { name: "input", library }, budget)?;
    extraction.for_each(|file, content| {
        assert_eq!(file.size, content.len() as u64);
        let (_, path) = file.path.split_once('/').unwrap();
        let files = archives.entry(file.archive).or_default();
        assert!(files.insert(path.to_owned(), content.to_vec()).is_none());
        Ok::<_, Error>(())
    })?;
    Ok(archives)
}

/// What the system's `tar` takes out of a packed archive.
fn by_tar(data: &[u8]) -> Files {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("tar");
    command.args(["-x", "-j", "-f", "-"]).current_dir(folder.path());
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(data).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut files = Files::new();
    collect(folder.path(), folder.path(), &mut files);
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Files) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            files.insert(name, std::fs::read(&path).unwrap());
        }
    }
}

/// Whether the system has this program.
fn has(program: &str) -> bool {
    Command::new(program).arg("--help").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Files and contents are what the system's `tar` gives, for every archive.
#[test]
fn extraction_equals_that_of_tar() {
    if !has("tar") || !has("bzip2") {
        println!("no `tar` and `bzip2` here, skipped the comparison of 199 archives");
        return;
    }
    let (mut archives, mut files) = (0, 0);
    let samples = corpus("extraction equals tar");
    for sample in &samples {
        let library = sample.library();
        let Some(sources) = library.sources() else { continue };
        let ours = extracted(&library, Budget::default()).unwrap();
        assert_eq!(ours.len(), sources.archives.len(), "{}", sample.name);
        for (archive, ours) in sources.archives.iter().zip(ours.values()) {
            // tar's own reader of what stands behind the stream differs by system.
            let unpacked = unpack(archive.data(), &Limits::default()).unwrap();
            let packed = usize::try_from(unpacked.packed_size()).unwrap();
            let theirs = by_tar(&archive.data()[..packed]);
            assert!(*ours == theirs, "{}: {:?}, {:?}", sample.name, ours.keys(), theirs.keys());
            archives += 1;
            files += ours.len();
        }
    }
    println!("{archives} archives with {files} files are what tar gives");
    assert!(samples.is_empty() || archives >= 199);
}

/// The list says of every archive what extraction gives, and every function that refers to it.
#[test]
fn lists_agree_with_extraction() {
    for sample in corpus("lists of sources") {
        let library = sample.library();
        let named = Named { name: &sample.name, library: &library };
        let report = list_sources(named, Budget::default()).unwrap();
        assert_eq!(report.section.is_some(), library.sources().is_some());
        if report.section.is_none() {
            let error = extract_sources(named, Budget::default()).map(drop).unwrap_err();
            assert_eq!(error.exit_code(), 1);
            continue;
        }
        let files = extracted(&library, Budget::default()).unwrap();
        let mut users = 0;
        for (archive, files) in report.archives.iter().zip(files.values()) {
            assert_eq!((archive.fault.is_none(), archive.members.len()), (true, files.len()));
            let sizes: usize = files.values().map(Vec::len).sum();
            assert_eq!(archive.members.iter().map(|m| m.size).sum::<u64>(), sizes as u64);
            let start = usize::try_from(archive.offset).unwrap();
            assert!(sample.bytes[start..].starts_with(b"BZh"), "{}", sample.name);
            assert!(archive.original_name.as_deref().is_some_and(|name| !name.is_empty()));
            users += archive.functions.len();
        }
        let with_sources = library.functions().iter().filter(|f| f.archive.is_some()).count();
        assert_eq!(users, with_sources, "{}", sample.name);
    }
}

#[test]
fn hostile_archives_are_refused_by_name() {
    let sound = Tar::new().file("a", b"1").pack();
    for container in [5, 8] {
        for hostile in hostile() {
            let archives = [("0", sound.clone()), ("sly", hostile.data)];
            let bytes = library(container, &archives);
            let library = Library::parse(&bytes).unwrap();
            let error = extracted(&library, Budget::default()).unwrap_err().to_string();
            let section = if container == 5 { "HSRC" } else { "HSRD" };
            let place = format!("input: section {section} > archive 1 `sly` (offset 0x");
            assert!(error.starts_with(&place), "{}: {error}", hostile.name);
            assert!(error.contains(hostile.says), "{}: {error}", hostile.name);
        }
    }
}

#[test]
fn more_is_extracted_when_asked_for() {
    let many: Tar = (0..5000).fold(Tar::new(), |tar, n| tar.file(&format!("m{n}"), b""));
    let large = Tar::new().file("large", &vec![0; 3 << 20]);
    for tar in [many, large] {
        let size = tar.clone().close().len() as u64;
        let bytes = library(8, &[("0", tar.pack())]);
        let library = Library::parse(&bytes).unwrap();
        let limited = |budget| {
            matches!(extracted(&library, budget),
            Err(Error::Archive { source, .. }) if source.is_limit())
        };
        assert!(limited(Budget::default()));
        assert!(limited(Budget::up_to(size - 1)));
        assert!(extracted(&library, Budget::up_to(size)).is_ok());
    }
    // The limit is one of all archives together.
    let two = ["0", "1"].map(|id| (id, Tar::new().file("a", &[7; 100_000]).pack()));
    let bytes = library(8, &two);
    let library = Library::parse(&bytes).unwrap();
    assert!(extracted(&library, Budget::up_to(300_000)).is_ok());
    let error = extracted(&library, Budget::up_to(150_000)).unwrap_err().to_string();
    assert!(error.contains("archive 1 `1`") && error.contains("unpacks to more than"), "{error}");
}

/// Archives that are within the limits each are not all unpacked, if they are far more together
/// than what they are packed.
#[test]
fn many_archives_are_limited_together() {
    let one = Tar::new().file("zeros", &vec![0; 1_000_000]).pack();
    assert!(one.len() < 200);
    let archives = |count| vec![("x", one.clone()); count];
    let few = library(8, &archives(16));
    assert!(extracted(&Library::parse(&few).unwrap(), Budget::default()).is_ok());
    let many = library(8, &archives(20));
    let error = extracted(&Library::parse(&many).unwrap(), Budget::default()).unwrap_err();
    assert!(error.to_string().contains("archive 16 `x`"), "{error}");
    assert!(extracted(&Library::parse(&many).unwrap(), Budget::up_to(30 << 20)).is_ok());
    // Archives that are refused count as well, and leave enough for sound ones.
    let mut archives = vec![("x", bomb(&[0; 512], 1)); 40];
    archives.push(("y", Tar::new().file("a", b"1").pack()));
    let bytes = library(8, &archives);
    let library = Library::parse(&bytes).unwrap();
    let report = list_sources(Named { name: "input", library: &library }, Budget::default());
    let archives = report.unwrap().archives;
    let limit = |index: usize| match archives[index].fault.as_ref().map(ArchiveError::kind) {
        Some(ArchiveErrorKind::TooLarge { limit }) => *limit,
        other => panic!("{other:?}"),
    };
    assert_eq!(limit(0), 1 << 20);
    assert!(limit(39) < 1 << 17, "{}", limit(39));
    assert_eq!((&archives[40].fault, archives[40].members.len()), (&None, 1));
    // At some number of them no stream is opened any more: each costs the time of a block.
    let bytes = mtlpack_tests::archives::library(8, &vec![("x", bomb(&[0; 512], 1)); 1500]);
    let library = Library::parse(&bytes).unwrap();
    let report = list_sources(Named { name: "input", library: &library }, Budget::default());
    let exhausted = |found: &&ArchiveReport| {
        found.fault.as_ref().map(ArchiveError::kind) == Some(&ArchiveErrorKind::Exhausted)
    };
    let exhausted = report.unwrap().archives.iter().filter(exhausted).count();
    assert!((250..400).contains(&exhausted), "{exhausted}");
}

/// What is known of a tag that stands where others have their sources is said.
#[test]
fn an_empty_tag_in_the_place_of_sources_is_no_source() {
    let bytes = library(8, &[("0", Tar::new().file("a", b"1").pack())]);
    let mut builder = Library::parse(&bytes).unwrap().edit(false).unwrap();
    for function in &mut builder.functions {
        function.archive = None;
        function.tags.retain(|tag| tag.id != FourCc::SOFF);
    }
    let extension = builder.extension.as_mut().unwrap();
    extension.remove(FourCc::HSRD);
    let mut tag = ExtensionTag::data(FourCc::HSRP, Vec::new());
    tag.value = ExtensionValue::Absent;
    extension.set(tag);
    let built = mtlpack::Edited::unchanged(builder.finish().unwrap()).to_vec().unwrap();
    let library = Library::parse(&built).unwrap();
    let named = Named { name: "input", library: &library };
    let report = list_sources(named, Budget::default()).unwrap();
    assert_eq!((report.section, report.archives.len(), report.notes.len()), (None, 0, 1));
    assert!(report.notes[0].contains("HSRP"));
    let error = extract_sources(named, Budget::default()).map(drop).unwrap_err();
    assert_eq!(error.exit_code(), 1);
    assert!(error.to_string().starts_with("input has no embedded sources; it has a tag HSRP"));
}

#[test]
fn archives_of_one_id_get_folders_of_their_own() {
    let tar = || Tar::new().file("/a", b"1").pack();
    let bytes = library(8, &[("x", tar()), ("X", tar()), ("../x", tar()), ("index.tsv", tar())]);
    let library = Library::parse(&bytes).unwrap();
    let named = Named { name: "input", library: &library };
    let extraction = extract_sources(named, Budget::default()).unwrap();
    let paths: Vec<&str> = extraction.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["x/a", "X~2/a", "_._x/a", "index.tsv~2/a"]);
    let last = extraction.index();
    assert_eq!(last.lines().next(), Some("x/a\tx\t/a"));
    assert_eq!(last.lines().nth(2), Some("_._x/a\t../x\t/a"));
}
