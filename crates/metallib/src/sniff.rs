//! What an input is that is no Metal library: from its first bytes, for messages.

use crate::error::{Error, ErrorKind};

/// The error for an input that does not begin with `MTLB`.
pub(crate) fn not_a_library(data: &[u8]) -> Error {
    let (what, next) = describe(data);
    Error::new(ErrorKind::NotALibrary { what, next: next.to_owned() }, 0)
}

/// What the data is, and what its holder can do about it.
fn describe(data: &[u8]) -> (String, &'static str) {
    let known: &[(&[u8], &str, &str)] = &[
        (b"\xde\xc0\x17\x0b", "wrapped AIR bitcode (.air)", "link it into a library first"),
        (b"BC\xc0\xde", "raw LLVM bitcode", "link it into a library first"),
        (b"!<arch>\n", "a static archive", "link its members into a library first"),
        (b"version https://git-lfs", "a Git LFS pointer", "fetch the file with `git lfs pull`"),
        (b"version h", "a Git LFS pointer", "fetch the file with `git lfs pull`"),
        (b"PK\x03\x04", "a zip archive", "unpack it first"),
        (b"BZh", "a bzip2 stream", "unpack it first"),
    ];
    if data.is_empty() {
        return ("an empty input".to_owned(), "the step that made it wrote nothing");
    }
    if let Some((_, what, next)) = known.iter().find(|(magic, ..)| data.starts_with(magic)) {
        return ((*what).to_owned(), next);
    }
    if let Some(universal) = describe_universal(data) {
        return universal;
    }
    if data.starts_with(b"\xcf\xfa\xed\xfe") {
        return describe_mach_o(data.get(4..8).unwrap_or_default());
    }
    let start = data.get(..data.len().min(4)).unwrap_or_default();
    if b"MTLB".starts_with(start) {
        return (format!("{} bytes", start.len()), "the file was cut");
    }
    (format!("a file that begins with \"{}\"", start.escape_ascii()), "")
}

/// What a 64-bit Mach-O file is, by its CPU type: Apple uses the form for GPU code too.
fn describe_mach_o(cpu_type: &[u8]) -> (String, &'static str) {
    let gpu = match cpu_type {
        b"\x13\0\0\x01" => "an Apple GPU",
        b"\x14\0\0\x01" => "an AMD GPU",
        b"\x15\0\0\x01" => "an Intel GPU",
        b"\x16\0\0\x01" => "an NVIDIA GPU",
        b"\x17\0\0\x01" => "AIR64",
        _ => return ("a Mach-O file".to_owned(), "it may hold a library, but is none"),
    };
    let next = "GPU binaries are not read; give the library that it was made from";
    (format!("a Mach-O file for {gpu}"), next)
}

/// CPU type of slices that hold a Metal library.
const AIR64: u32 = 0x0100_0017;

/// What a universal file is, if it is one: any of four magic numbers, in either byte order.
fn describe_universal(data: &[u8]) -> Option<(String, &'static str)> {
    let magic: [u8; 4] = data.get(..4)?.try_into().ok()?;
    let big = u32::from_be_bytes(magic);
    let is_known =
        |word: u32| matches!(word, 0xcbfe_babe | 0xcafe_babe | 0xcbfe_babf | 0xcafe_babf);
    let read = if is_known(big) { u32::from_be_bytes } else { u32::from_le_bytes };
    let word = |at: usize| Some(read(data.get(at..at + 4)?.try_into().ok()?));
    let magic = word(0).filter(|&word| is_known(word))?;
    let gpu = if magic >> 24 == 0xcb { "universal GPU file" } else { "universal file" };
    let (width, entry) = if magic & 1 == 1 { (" (64-bit)", 32) } else { ("", 20) };
    let count = word(4).unwrap_or_default().min(64) as usize;
    let types: Vec<u32> = (0..count).map_while(|index| word(8 + index * entry)).collect();
    if types.is_empty() || types.contains(&AIR64) {
        return Some((format!("a {gpu}{width}"), "take its AIR slice out first"));
    }
    let next = "it holds no library; give the one that it was made from";
    Some((format!("a {gpu}{width} without AIR slice"), next))
}
