//! What an input is that is no Metal library: from its first bytes, for messages.

use crate::error::{Error, ErrorKind};

/// The error for an input that does not begin with `MTLB`.
pub(crate) fn not_a_library(data: &[u8]) -> Error {
    let (what, next) = describe(data);
    Error::new(ErrorKind::NotALibrary { what, next: next.to_owned() }, 0)
}

/// What to do with bitcode.
const LINK: &str = "link it into a library first";

/// What the data is, and what its holder can do about it.
fn describe(data: &[u8]) -> (String, &'static str) {
    let known: &[(&[u8], &str, &str)] = &[
        (b"\xde\xc0\x17\x0b", "wrapped AIR bitcode (.air)", LINK),
        (b"BC\xc0\xde", "raw LLVM bitcode", LINK),
        (b"!<arch>\n", "a static archive", "link its members into a library first"),
        (b"version https://git-lfs", "a Git LFS pointer", "fetch the file with `git lfs pull`"),
        (b"version h", "a Git LFS pointer", "fetch the file with `git lfs pull`"),
        (b"PK\x03\x04", "a zip archive", "unpack it first"),
        (b"BZh", "a bzip2 stream", "unpack it first"),
        (b"\x1f\x8b", "a gzip stream", "unpack it first"),
        (b"\xfd7zXZ\0", "an xz stream", "unpack it first"),
        (b"\x28\xb5\x2f\xfd", "a zstd stream", "unpack it first"),
        (b"\x7fELF", "an ELF file", "it may hold a library, but is none"),
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
    if data.starts_with(b"\xce\xfa\xed\xfe") {
        return ("a 32-bit Mach-O file".to_owned(), "it may hold a library, but is none");
    }
    if data.starts_with(b"\xcf\xfa\xed\xfe") {
        return describe_mach_o(data.get(4..8).unwrap_or_default());
    }
    let start = data.get(..data.len().min(START)).unwrap_or_default();
    if b"MTLB".starts_with(start) {
        return (format!("{} bytes", start.len()), "the file was cut");
    }
    if let Some(text) = describe_text(data) {
        return text;
    }
    (format!("a file that begins with \"{}\"", beginning(data)), "")
}

/// As many bytes are shown of what is not known.
const START: usize = 4;

/// The first bytes, for messages.
fn beginning(data: &[u8]) -> impl std::fmt::Display {
    data.get(..data.len().min(START)).unwrap_or_default().escape_ascii()
}

/// As many bytes are looked at to tell text.
const TEXT: usize = 512;

/// What Metal source has near its beginning.
const METAL: [&str; 4] = ["#include <metal", "using namespace metal", "[[kernel]]", "kernel void"];

/// How LLVM assembly begins: with a comment, or one of these.
const ASSEMBLY: [&str; 4] = [";", "source_filename = ", "target datalayout = ", "target triple = "];

/// What a text is, if the data looks like one.
fn describe_text(data: &[u8]) -> Option<(String, &'static str)> {
    let start = data.get(..data.len().min(TEXT)).unwrap_or_default();
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        // The last character may have been cut.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(start.get(..error.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    if text.contains(|c: char| c.is_control() && !c.is_ascii_whitespace()) {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let has_tag = |tag: &str| text.get(..tag.len()).is_some_and(|t| t.eq_ignore_ascii_case(tag));
    let (what, next) = if has_tag("<!doctype html") || has_tag("<html") {
        ("a web page", "the download failed; fetch the file itself")
    } else if ASSEMBLY.iter().any(|mark| text.starts_with(mark)) {
        let next = "assemble it first, with `llvm-as` of LLVM 14, which writes typed pointers";
        ("LLVM assembly (.ll)", next)
    } else if METAL.iter().any(|mark| text.contains(mark)) {
        ("Metal source text", "compile it first")
    } else if text.starts_with(['{', '[']) {
        ("JSON text", "if a download answered it, the download failed; fetch the file itself")
    } else {
        let what = format!("text that begins with \"{}\"", beginning(data));
        return Some((what, "if it is Metal source, compile it first"));
    };
    Some((what.to_owned(), next))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_else_a_file_is() {
        let cases: [(&[u8], &str, &str); 16] = [
            (b"\n; kernel void f()\ndefine", "LLVM assembly (.ll)", "assemble it first"),
            (b"; ModuleID = 'a'\n", "LLVM assembly (.ll)", "assemble it first"),
            (b"\xce\xfa\xed\xfe", "a 32-bit Mach-O file", "it may hold a library"),
            (b"\x1f\x8b\x08\0", "a gzip stream", "unpack it first"),
            (b"\x7fELF\x02\x01", "an ELF file", "it may hold a library, but is none"),
            (b"<!DOCTYPE html>\n<html>", "a web page", "the download failed"),
            (b"\xef\xbb\xbf \n<html>", "a web page", "the download failed"),
            (b"{\"message\":\"Not Found\"}", "JSON text", "if a download answered it"),
            (b"// a\n#include <metal_stdlib>\n", "Metal source text", "compile it first"),
            (b"[[kernel]] void f() {}", "Metal source text", "compile it first"),
            (b"kernel void f() {}", "Metal source text", "compile it first"),
            (b"not a library", "text that begins with \"not \"", "if it is Metal source"),
            ("ünï".as_bytes(), r#"text that begins with "\xc3\xbcn\xc3""#, "if it is Metal source"),
            (b"version https://git-lfs", "a Git LFS pointer", "fetch"),
            (b"\0\0\0\0rest", "a file that begins with \"\\x00\\x00\\x00\\x00\"", ""),
            (b"a\xff\xff\xff", "a file that begins with \"a\\xff\\xff\\xff\"", ""),
        ];
        for (data, what, next) in cases {
            let found = describe(data);
            assert_eq!(found.0, what);
            assert!(found.1.starts_with(next), "{what}: {}", found.1);
        }
    }

    #[test]
    fn text_may_be_cut_within_a_character() {
        let text = [b"x".repeat(TEXT - 1), "é".repeat(4).into_bytes()].concat();
        assert_eq!(describe(&text).0, "text that begins with \"xxxx\"");
    }
}
