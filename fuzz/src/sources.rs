//! Embedded sources.

use std::collections::BTreeSet;

use metallib::Library;
use mtlpack::archive::{Budget, Limits, Member, MemberKind, Unpacked, members, unpack};
use mtlpack::{Error, Named, extract_sources, list_sources};
use mtlpack_tests::archives::{library, pack};

/// Little, so that a run is short.
const LIMITS: Limits = Limits { size: 1 << 17, ratio: None, members: 64 };

/// Any bytes, taken as a tar archive, as a packed one, and as a library: they are refused, or all
/// members lie within the archive in order, and what is extracted has safe paths, no two alike.
///
/// # Panics
/// If a law does not hold.
pub fn sources(data: &[u8]) {
    if let Ok(found) = members(data, &LIMITS) {
        check(&found, data);
        extract(&library(8, &[("0", pack(data))]), Some(&found));
    }
    if let Ok(unpacked) = unpack(data, &LIMITS) {
        let found: Vec<Member<'_>> = unpacked.members().collect();
        check(&found, unpacked.bytes());
        assert_eq!(unpacked.packed_size() + unpacked.padding(), data.len() as u64);
        assert_eq!(members(unpacked.bytes(), &LIMITS).map(|again| again.len()), Ok(found.len()));
        repack(&unpacked);
    }
    if Library::parse(data).is_ok() {
        extract(data, None);
    }
}

/// Packed again an archive is the same: members byte for byte, what stands behind them, level,
/// and whether it is padded. What was packed here is packed again to the same bytes.
fn repack(unpacked: &Unpacked) {
    let Some(packed) = unpacked.repacked() else {
        return assert!(unpacked.padding() > 0, "only an unknown padding is in the way");
    };
    // Padding between members that is not zero becomes zero, and nothing else is lost.
    let again = unpack(&packed, &LIMITS).expect("what was packed can be unpacked");
    assert_eq!((again.level(), again.len()), (unpacked.level(), unpacked.len()));
    assert!(again.end() == unpacked.end() && again.bytes().len() == unpacked.bytes().len());
    for (old, new) in unpacked.members().zip(again.members()) {
        assert!(old.header == new.header && old.content == new.content, "member {}", old.number);
    }
    // A stream of another size may fit without padding; none gets any that had none.
    assert!(unpacked.padding() > 0 || again.padding() == 0);
    assert!(again.repacked() == Some(packed), "packed a third time");
}

/// Headers and contents follow each other, and nothing but zeros stands between and behind.
fn check(members: &[Member<'_>], tar: &[u8]) {
    let mut again = Vec::with_capacity(tar.len());
    for (index, member) in members.iter().enumerate() {
        assert_eq!((member.number, member.offset), (index, again.len() as u64));
        assert_eq!(member.header.size(), Some(member.content.len() as u64));
        again.extend(member.header.bytes());
        again.extend(member.content);
        let padded = again.len().next_multiple_of(512);
        again.extend(&tar[again.len()..padded]);
    }
    assert!(tar.starts_with(&again) && tar[again.len()..].iter().all(|&byte| byte == 0));
}

/// What is said of the sources of a library agrees with what is extracted of them.
fn extract(data: &[u8], expected: Option<&[Member<'_>]>) {
    let library = Library::parse(data).expect("a library");
    let named = Named { name: "input", library: &library };
    let budget = Budget::new(LIMITS, 1 << 20);
    let Ok(report) = list_sources(named, budget) else { return };
    let Ok(extraction) = extract_sources(named, budget) else { return };
    assert!(report.archives.iter().all(|archive| archive.fault.is_none()));
    let listed: usize = report.archives.iter().map(|archive| archive.members.len()).sum();
    let (mut count, mut paths) = (0, BTreeSet::new());
    let done = extraction.for_each(|file, content| {
        if let Some(expected) = expected {
            assert_eq!(expected[count].header.kind(), MemberKind::File);
            assert!(expected[count].content == content);
        }
        let unsafe_part = |part: &str| matches!(part, "" | "." | "..");
        assert!(!file.path.split('/').any(unsafe_part), "{}", file.path);
        assert!(!file.path.contains(|c: char| c == '\\' || c.is_control()), "{}", file.path);
        assert!(paths.insert(file.path.to_lowercase()), "{} is there twice", file.path);
        count += 1;
        Ok::<_, Error>(())
    });
    done.expect("what was planned can be done");
    assert_eq!((count, extraction.files().len()), (listed, listed));
    let folders = paths.iter().flat_map(|path| path.match_indices('/').map(|(at, _)| &path[..at]));
    assert!(!folders.into_iter().any(|folder| paths.contains(folder)), "a file is a folder");
    assert_eq!(extraction.index().lines().count(), listed);
}
