//! The source archives of the corpus.

use mtlpack::archive::{Limits, MemberKind, unpack};
use mtlpack_tests::corpus;

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
