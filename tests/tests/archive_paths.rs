//! Paths in places of source archives that nobody reads: told, and cleared or refused.

use metallib::{FunctionType, Library};
use mtlpack::io::Input;
use mtlpack::{PathOccurrence, PathRules, StripOptions, paths, strip};
use mtlpack_tests::air::Air;
use mtlpack_tests::archives::{Tar, header, library_of, put};

const SECRET: &[u8] = b"/Users/ada/x";

/// A library with this archive, and a module without paths.
fn library(archive: &[u8]) -> Vec<u8> {
    let module = Air::new("kernel", FunctionType::KERNEL.code()).module();
    let size = u32::from_le_bytes(module[12..16].try_into().unwrap()) as usize;
    library_of(8, &[("0", archive.to_vec())], &module[20..20 + size])
}

fn found(bytes: &[u8]) -> Vec<PathOccurrence> {
    let input = Input::from_bytes("x", bytes.to_vec());
    let mut all = Vec::new();
    paths(&input, &Library::parse(input.bytes()).unwrap(), 1, |found| all.push(found)).unwrap();
    all
}

fn stripped(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let input = Input::from_bytes("x", bytes.to_vec());
    let library = Library::parse(input.bytes()).unwrap();
    let options = StripOptions { paths: Some(PathRules::default()), ..StripOptions::default() };
    let draft = strip(&input, &library, &options).map_err(|error| error.to_string())?;
    Ok(draft.finish().unwrap().to_vec().unwrap())
}

/// A file, with something at an offset of its header.
fn with(at: usize, field: &[u8]) -> Vec<u8> {
    let mut header = header(b"a.metal", b'0', 1);
    put(&mut header, at, field);
    Tar::new().member(&header, b"x").pack()
}

fn extended(kind: u8, content: &[u8]) -> Vec<u8> {
    let header = header(b"h", kind, content.len() as u64);
    Tar::new().member(&header, content).file("a.metal", b"x").pack()
}

/// What cannot be rewritten is refused, and the same that `paths` tells.
#[test]
fn what_no_edit_rewrites_is_refused() {
    let mut old = header(b"a.metal", b'0', 1);
    put(&mut old, 257, b"ustar  \0");
    put(&mut old, 345, SECRET);
    let mut padded = Tar::new().file("a.metal", b"x").close();
    padded[700..700 + SECRET.len()].copy_from_slice(SECRET);
    let header = "source archive: header of a file";
    let other = "source archive: extended header";
    for (place, archive) in [
        (header, with(8, SECRET)),
        (header, with(100, b"/u/ada/x")),
        (header, with(329, SECRET)),
        (header, with(346, SECRET)),
        (header, with(158, SECRET)),
        (header, with(500, SECRET)),
        (header, Tar::new().member(&old, b"x").pack()),
        (other, extended(b'x', b"35 path=/Users/ada/secret/a.metal\n")),
        (other, extended(b'g', b"27 comment=/Users/ada/x\n")),
        (other, extended(b'L', b"/Users/ada/aaaa\0")),
        (other, extended(b'K', b"/Users/ada/aaaa\0")),
        (other, extended(b'x', b"13 uname=ada\n")),
        ("source archive: bytes behind a file", mtlpack_tests::archives::pack(&padded)),
        ("source archive: link", Tar::new().special("b", b'2', "/Users/ada/x").pack()),
    ] {
        let bytes = library(&archive);
        let found = found(&bytes);
        assert!(found.iter().any(|found| &*found.place == place), "{place}: {found:?}");
        let error = stripped(&bytes).unwrap_err();
        assert!(error.contains("strip --source removes the archives"), "{error}");
    }
}

/// What can be cleared is.
#[test]
fn what_says_nothing_of_a_file_is_cleared() {
    let options = b"-I/Users/ada/x";
    for archive in [
        with(157, SECRET),
        with(266, b"ada"),
        with(265, b"ada\0/Users/ada"),
        Tar::new().file("./metal-options.txt", options).pack(),
        Tar::new().file("Metal-Options.TXT", options).pack(),
        Tar::new().file("opt/homebrew/ada/a.metal", b"x").pack(),
        Tar::new().file("/[ci]/ada/a.metal", b"x").pack(),
    ] {
        let bytes = library(&archive);
        assert!(!found(&bytes).is_empty());
        let made = stripped(&bytes).unwrap();
        assert_eq!(found(&made), []);
        assert!(stripped(&made).unwrap() == made);
    }
}
