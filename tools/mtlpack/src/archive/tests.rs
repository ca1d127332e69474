use super::*;

#[allow(dead_code, unreachable_pub, reason = "it is a module of the test package, too")]
#[path = "../../../../tests/src/archives.rs"]
mod archives;

use archives::{Tar, bomb, header, pack, put};

fn read(data: &[u8]) -> Result<Unpacked, ArchiveError> {
    unpack(data, &Limits::default())
}

/// What is said of an archive that is refused.
fn refused(data: &[u8]) -> String {
    read(data).unwrap_err().to_string()
}

#[test]
fn gives_members_and_their_headers() {
    let stream =
        Tar::new().file("metal-options.txt", b"-c\n").file("/src/a.metal", &[7; 600]).pack();
    for padding in [0, 5000] {
        let data = [stream.as_slice(), &vec![0; padding]].concat();
        let archive = read(&data).unwrap();
        assert_eq!(
            (archive.packed_size(), archive.padding()),
            (stream.len() as u64, padding as u64)
        );
        assert_eq!((archive.level(), archive.len(), archive.end()), (9, 2, &[0; 1024][..]));
        let members: Vec<Member<'_>> = archive.members().collect();
        assert_eq!(members[0].content, b"-c\n");
        assert_eq!((members[1].offset, members[1].content), (1024, &[7; 600][..]));
        let header = members[1].header;
        assert_eq!(header.bytes(), &archive.bytes()[1024..1536]);
        assert_eq!((header.name(), header.kind()), (b"/src/a.metal".to_vec(), MemberKind::File));
        assert_eq!((header.mode(), header.modified()), (Some(0o644), Some(0)));
        assert!(header.user().is_empty() && header.link_name().is_empty());
    }
}

#[test]
fn joins_prefix_and_name() {
    let mut long = header(&[b'n'; 100], b'0', 0);
    put(&mut long, 345, b"/a/prefix");
    let name = read(&Tar::new().member(&long, b"").pack()).unwrap();
    let name = name.members().next().unwrap().header.name();
    assert_eq!(name, [&b"/a/prefix/"[..], &[b'n'; 100]].concat());
    // Other forms of tar have something else there.
    put(&mut long, 257, b"ustar  \0");
    let archive = read(&Tar::new().member(&long, b"").pack()).unwrap();
    assert_eq!(archive.members().next().unwrap().header.name(), [b'n'; 100]);
}

#[test]
fn an_archive_needs_no_end_mark() {
    let tar = Tar::new().file("a", b"1");
    for blocks in 0..5 {
        let bytes = [tar.clone().open(), vec![0; 512 * blocks]].concat();
        assert_eq!(read(&pack(&bytes)).unwrap().len(), 1, "{blocks}");
    }
    assert_eq!(read(&pack(b"")).unwrap().len(), 0);
}

#[test]
fn refuses_damaged_archives() {
    let two = Tar::new().file("a", &[1; 600]).file("b", b"2");
    let place = "member 1 `b` at byte 1536 of the unpacked archive";
    let open = two.clone().open();
    let cut = |size: usize| refused(&pack(&open[..size]));
    assert_eq!(cut(2559), format!("{place}: the archive ends 1 bytes before this member does"));
    let header = "444 bytes stand behind this member, expected a header of 512";
    assert_eq!(cut(1980), format!("member 0 `a` at byte 0 of the unpacked archive: {header}"));
    let mut changed = open.clone();
    changed[1536] = b'c';
    let what = refused(&pack(&changed));
    assert!(what.starts_with("member 1 `c` at byte 1536 of the unpacked archive: the header's"));
    let behind = [two.close(), b"x".to_vec()].concat();
    let expected = "byte 3584 of the unpacked archive, behind its end, is not zero";
    assert_eq!(refused(&pack(&behind)), format!("{expected}: expected padding"));
    assert!(refused(&pack(&[1; 512])).ends_with("it has no checksum"));
}

#[test]
fn refuses_damaged_streams() {
    let stream = Tar::new().file("a", b"1").pack();
    let behind = [stream.as_slice(), &[0, 0, 3]].concat();
    let at = stream.len() + 2;
    let expected = format!("byte {at}, behind the end of the bzip2 stream, is not zero");
    assert_eq!(refused(&behind), format!("{expected}: expected padding"));
    for size in 4..stream.len() {
        let what = format!("the bzip2 stream is cut: its end is not among its {size} bytes");
        assert_eq!(refused(&stream[..size]), what);
    }
    assert_eq!(refused(b""), "the archive is empty, expected a bzip2 stream (BZh)");
    assert_eq!(refused(b"BZh"), "the archive is no bzip2 stream (BZh)");
    let mut damaged = stream;
    damaged[20] ^= 0xff;
    assert!(refused(&damaged).contains("damaged at its byte"));
}

#[test]
fn sizes_are_not_trusted() {
    for size in [&b"77777777777 "[..], b"777777777777"] {
        let mut large = header(b"large", b'0', 0);
        put(&mut large, 124, size);
        let error = read(&Tar::new().member(&large, b"").pack()).unwrap_err();
        assert!(error.is_limit());
        assert_eq!(error.member().unwrap().name, b"large");
    }
    let mut binary = header(b"binary", b'0', 0);
    put(&mut binary, 124, b"\x80\0\0\0\0\0\0\0\0\0\0\x01");
    assert!(refused(&Tar::new().member(&binary, b"").pack()).ends_with("is no octal number"));
    // What follows a link with a size is its content to some readers, a header to others.
    let link = header(b"link", b'2', 512);
    let what = refused(&Tar::new().member(&link, &[0; 512]).pack());
    assert!(what.ends_with("a symbolic link with a size (512), which has no content"), "{what}");
}

/// Ten gigabytes in ten kilobytes, as one member that says so, as one that is cut, and behind
/// the end of the archive.
#[test]
fn bombs_are_refused_at_their_beginning() {
    let says = archives::sealed(header(b"bomb", b'0', 8 << 30));
    let cut = archives::sealed(header(b"bomb", b'0', 1 << 19));
    for (first, named) in [(&says[..], true), (&cut[..], true), (&[0; 512][..], false)] {
        let stream = bomb(first, 228);
        assert!(stream.len() < 20_000, "{}", stream.len());
        let limits = Limits { members: 4, ..Limits::default() };
        let error = unpack(&stream, &limits).unwrap_err();
        assert!(error.is_limit(), "{error}");
        assert_eq!(error.kind(), &ArchiveErrorKind::TooLarge { limit: ALWAYS });
        assert_eq!(error.member().is_some(), named, "{error}");
    }
}

#[test]
fn limits_are_inclusive() {
    let tar = Tar::new().file("a", &[1; 2 << 20]).file("b", b"").close();
    let stream = pack(&tar);
    assert!(read(&stream).unwrap_err().is_limit());
    let exact = Limits { members: 2, ..Limits::up_to(tar.len() as u64) };
    assert_eq!(unpack(&stream, &exact).unwrap().len(), 2);
    let short = Limits::up_to(tar.len() as u64 - 1);
    assert!(unpack(&stream, &short).unwrap_err().is_limit());
    let error = unpack(&stream, &Limits { members: 1, ..exact }).unwrap_err();
    assert_eq!(error.kind(), &ArchiveErrorKind::TooMany { limit: 1 });
    assert_eq!(error.member().unwrap().name, b"b");
}
