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
        (b"\xcb\xfe\xba\xbe", "a universal GPU file", "take its AIR slice out first"),
        (b"\xbe\xba\xfe\xcb", "a universal GPU file", "take its AIR slice out first"),
        (b"\xca\xfe\xba\xbe", "a universal file", "take its AIR slice out first"),
        (b"\xbe\xba\xfe\xca", "a universal file", "take its AIR slice out first"),
        (b"\xca\xfe\xba\xbf", "a universal file (64-bit)", "take its AIR slice out first"),
        (b"\xcf\xfa\xed\xfe", "a Mach-O file", "it may hold a library, but is none"),
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
    let start = data.get(..data.len().min(4)).unwrap_or_default();
    if b"MTLB".starts_with(start) {
        return (format!("{} bytes", start.len()), "the file was cut");
    }
    (format!("a file that begins with \"{}\"", start.escape_ascii()), "")
}
