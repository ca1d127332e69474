//! Finds absolute paths and home folders in texts.
//!
//! A text is one path (such as a file's name in debug information) or holds some among other
//! things (such as a command line). What begins a path is decided by what stands in front of
//! it: `a/b` and `-Ia/b` hold none, `-I/a/b`, `x=/a/b` and `"/a/b c"` hold one.

use std::ops::Range;

/// How a text is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Form {
    /// It is the path of a file, if it is one.
    File,
    /// It is the path of a folder, if it is one.
    Folder,
    /// It may hold paths.
    Text,
    /// It is a file of a source archive; the archiver leaves out the first slash.
    Member,
    /// It is a command line; the archiver leaves out the first slash in those of a source archive.
    Command,
}

impl Form {
    /// Whether a path may lack its first slash.
    const fn is_slashless(self) -> bool {
        matches!(self, Self::Member | Self::Command)
    }

    /// Whether a path is the whole text.
    const fn is_whole(self) -> bool {
        matches!(self, Self::File | Self::Folder | Self::Member)
    }
}

/// A path in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Where it stands, with a folder that was joined to it: of `folder//path` the second is
    /// the path, and the first says nothing.
    pub(crate) range: Range<usize>,
    /// Where the path itself begins.
    pub(crate) start: usize,
    /// Whether it begins at a root; else it only passes through a home folder.
    pub(crate) is_absolute: bool,
}

/// First folders of absolute paths on systems that have compilers for Metal, or build for it.
const ROOTS: [&[u8]; 20] = [
    b"Applications",
    b"Library",
    b"Network",
    b"System",
    b"Users",
    b"Volumes",
    b"bin",
    b"build",
    b"builds",
    b"etc",
    b"home",
    b"mnt",
    b"nix",
    b"opt",
    b"private",
    b"root",
    b"srv",
    b"tmp",
    b"usr",
    b"var",
];

/// Beginnings of paths without their first slash that are no relative ones.
const SLASHLESS: [&[u8]; 12] = [
    b"Applications/Xcode",
    b"Library/Developer/",
    b"System/Library/",
    b"Users/",
    b"Volumes/",
    b"home/",
    b"private/tmp/",
    b"private/var/",
    b"usr/lib/",
    b"usr/local/",
    b"var/folders/",
    b"var/tmp/",
];

/// The folders that hold the homes of users.
const HOMES: [&[u8]; 2] = [b"Users", b"home"];

/// Options of compilers and linkers (without `-`) whose path follows without anything in
/// between. Any other may have one, too: these are known so that `-Isrc/x` is seen to hold none,
/// and those that begin as one of these do, such as `-objc-isystem`, not to be `-o`.
const JOINED: [&[u8]; 26] = [
    b"B",
    b"F",
    b"I",
    b"L",
    b"MF",
    b"MJ",
    b"MQ",
    b"MT",
    b"cxx-isystem",
    b"idirafter",
    b"iframework",
    b"iframeworkwithsysroot",
    b"imacros",
    b"include",
    b"include-pch",
    b"iprefix",
    b"iquote",
    b"isysroot",
    b"isystem",
    b"isystem-after",
    b"o",
    b"objc-isystem",
    b"objcxx-isystem",
    b"object_path_lto",
    b"order_file",
    b"oso_prefix",
];

/// Bytes of the longest option that is known for one.
const MOST_OPTION: usize = 64;

/// The paths in a text, in order.
pub(crate) fn spans(text: &[u8], form: Form) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(found) = next(text, at, form) {
        at = found.range.end;
        spans.push(found);
    }
    spans
}

/// Whether a text may hold a path at all.
pub(crate) fn may_hold(text: &[u8]) -> bool {
    text.contains(&b'/') || text.contains(&b'\\')
}

/// The first path from a position on.
fn next(text: &[u8], from: usize, form: Form) -> Option<Span> {
    if !may_hold(text.get(from..)?) {
        return None;
    }
    (from..text.len()).find_map(|at| {
        let is_absolute = begins(text, at, form);
        if !is_absolute && !is_home(text, at) {
            return None;
        }
        let end = end(text, at, form);
        let is_joined = text.get(..at).is_some_and(|before| before.ends_with(b"/"))
            && !text.get(..at).is_some_and(|before| before.ends_with(b"file://"));
        let first = match is_absolute && !is_joined {
            true => at,
            false => token_start(text, from, at, form),
        };
        let is_second = |found: &usize| {
            text.get(..*found).is_some_and(|before| before.ends_with(b"/"))
                && begins(text, *found, form)
        };
        let start = if is_absolute { at } else { first };
        let second = (start + 1..end).rev().find(is_second);
        let is_absolute = is_absolute || second.is_some();
        Some(Span { range: first..end, start: second.unwrap_or(start), is_absolute })
    })
}

const fn is_separator(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// Whether a byte begins the name of a folder or file.
const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'.' | b'_' | b'~' | b'@' | b'+' | b'$' | b'-')
        || byte >= 0x80
}

/// Whether a byte ends what stands in front of a path in a text.
const fn is_border(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(
            byte,
            b'"' | b'\''
                | b'='
                | b':'
                | b','
                | b';'
                | b'('
                | b'['
                | b'{'
                | b'<'
                | b'>'
                | b'|'
                | b'&'
                | b'`'
                | 0
        )
}

/// Whether an absolute path begins here.
fn begins(text: &[u8], at: usize, form: Form) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let before = text.get(..at).unwrap_or_default();
    match rest {
        [b'/', name, ..] if is_name(*name) => may_begin(before, rest),
        [drive, b':', b'/' | b'\\', name, ..] if drive.is_ascii_alphabetic() && is_name(*name) => {
            before.last().is_none_or(|last| is_border(*last)) || is_option(before)
        }
        [b'\\', b'\\', name, ..] if is_name(*name) => before.is_empty(),
        _ if form.is_slashless() => {
            before.last().is_none_or(|last| is_border(*last))
                && SLASHLESS.iter().any(|root| rest.starts_with(root))
        }
        _ => false,
    }
}

/// Whether a path may begin with this slash behind that text.
fn may_begin(before: &[u8], rest: &[u8]) -> bool {
    match before {
        [] => true,
        // `file:///a` holds a path, `https://a` does not.
        [.., b':', b'/'] => false,
        [.., b'/', b'/'] => before.ends_with(b"file://"),
        // `folder//path`, as old tools joined them, and no slash that is there twice.
        [.., b'/'] => {
            let first = first_name(rest);
            ROOTS.contains(&first) || !first.is_empty() && first == first_name(before)
        }
        // A response file.
        [.., b'@'] => before.len() < 2 || before.iter().nth_back(1).is_some_and(|&b| is_border(b)),
        [.., last] => is_border(*last) || is_option(before),
    }
}

/// The first folder of a path.
fn first_name(path: &[u8]) -> &[u8] {
    path.split(|byte| is_separator(*byte)).find(|name| !name.is_empty()).unwrap_or_default()
}

/// Whether a text ends with an option that takes a path without anything in between. `-I` is
/// one; `-Isrc` is that with the beginning of a relative path.
fn is_option(before: &[u8]) -> bool {
    // Longer ones do not exist; and texts of megabytes are searched in one pass.
    let near = before.get(before.len().saturating_sub(MOST_OPTION)..).unwrap_or_default();
    let option = near.rsplit(|byte| is_border(*byte)).next().unwrap_or_default();
    let [b'-', name @ ..] = option else { return false };
    let has_relative = || JOINED.iter().any(|joined| is_longer(name, joined));
    !name.is_empty()
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+'))
        && (JOINED.contains(&name) || !has_relative())
}

/// Whether a text is a beginning and something behind it.
fn is_longer(text: &[u8], beginning: &[u8]) -> bool {
    text.strip_prefix(beginning).is_some_and(|rest| !rest.is_empty())
}

/// Whether a path passes through somebody's home here: `/Users/NAME/`. Of `/home/NAME/` only
/// the first folder is believed.
fn is_home(text: &[u8], at: usize) -> bool {
    let Some([separator, rest @ ..]) = text.get(at..) else { return false };
    let name = rest.strip_prefix(b"Users").filter(|rest| rest.first() == Some(separator));
    is_separator(*separator)
        && name.is_some_and(|rest| user_name(rest).is_some_and(|name| rest.len() > name.len() + 1))
}

/// The user's name behind the folder of homes: `/NAME`.
fn user_name(rest: &[u8]) -> Option<&[u8]> {
    let ([separator, rest @ ..], true) = (rest, rest.len() > 1) else { return None };
    let end = rest.iter().position(|byte| is_separator(*byte) || is_border(*byte));
    let name = rest.get(..end.unwrap_or(rest.len()))?;
    (is_separator(*separator) && !name.is_empty() && name != b"Shared").then_some(name)
}

/// The user in whose home a path is.
pub(crate) fn user(path: &[u8]) -> Option<&[u8]> {
    let mut start = 0;
    while let Some(rest) = path.get(start..).filter(|rest| !rest.is_empty()) {
        let end = rest.iter().position(|byte| is_separator(*byte)).unwrap_or(rest.len());
        let (name, behind) = rest.split_at_checked(end)?;
        // `/home` holds homes only at the root.
        if HOMES.contains(&name) && (name != b"home" || start <= 1) {
            return user_name(behind);
        }
        start += end + 1;
    }
    None
}

/// Where what holds a path begins.
fn token_start(text: &[u8], from: usize, at: usize, form: Form) -> usize {
    if form.is_whole() {
        return from;
    }
    let before = text.get(from..at).unwrap_or_default();
    before.iter().rposition(|byte| is_border(*byte)).map_or(from, |last| from + last + 1)
}

/// Where the path that begins here ends.
fn end(text: &[u8], at: usize, form: Form) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length = match form.is_whole() {
        true => rest.iter().rposition(|byte| *byte != b'\n').map_or(0, |last| last + 1),
        false => length(rest, text.get(..at).and_then(|before| before.last())),
    };
    at + length
}

/// How long a path in a text is, behind that byte.
fn length(rest: &[u8], before: Option<&u8>) -> usize {
    if let Some(quote @ (b'"' | b'\'' | b'`')) = before {
        return rest.iter().position(|byte| byte == quote).unwrap_or(rest.len());
    }
    let mut escaped = false;
    let ends = |(index, byte): (usize, &u8)| {
        if std::mem::replace(&mut escaped, *byte == b'\\') && byte.is_ascii_whitespace() {
            return false;
        }
        // The colon of a drive is none.
        (is_border(*byte) && (*byte != b':' || index != 1)) || matches!(byte, b')' | b']' | b'}')
    };
    rest.iter().enumerate().map(ends).position(|ends| ends).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, form: Form) -> Vec<&str> {
        let spans = spans(text.as_bytes(), form).into_iter();
        spans.map(|span| &text[span.start..span.range.end]).collect()
    }

    #[test]
    fn a_whole_path_is_found_with_its_blanks() {
        for form in [Form::File, Form::Folder, Form::Member] {
            for path in
                ["/a b/c.metal", "C:\\x\\y", "D:/x", "/Users/me/x", "\\\\host\\share", "/tmp"]
            {
                assert_eq!(found(path, form), [path], "{form:?}");
                assert_eq!(found(&format!("{path}\n"), form), [path], "{form:?}");
            }
            for other in
                ["", "/", "a/b.metal", "x.metal", "//", "@rpath/a", "https://x.y/z", "<built-in>"]
            {
                assert!(found(other, form).is_empty(), "{other} {form:?}");
            }
        }
    }

    #[test]
    fn paths_are_found_among_other_things() {
        let text = "ld -I/usr/x -L /opt/a:/opt/b -o \"/my files/o\" '/q' -D P=/tmp/y,-rpath,/z a/b ../c /d\\ e";
        let all = ["/usr/x", "/opt/a", "/opt/b", "/my files/o", "/q", "/tmp/y", "/z", "/d\\ e"];
        assert_eq!(found(text, Form::Text), all);
        assert_eq!(found("lambda at /x/y.metal:3:4) in", Form::Text), ["/x/y.metal"]);
        assert_eq!(
            found("cl C:\\a\\b.metal /Fo:D:\\o", Form::Text),
            ["C:\\a\\b.metal", "/Fo", "D:\\o"]
        );
        assert_eq!(found("see https://a.b/c and file:///Users/me/x", Form::Text), ["/Users/me/x"]);
        assert!(found("a / b, operator/=, air/buffer", Form::Text).is_empty());
    }

    #[test]
    fn options_with_relative_paths_hold_none() {
        let relative =
            "-Isrc/x -Llib/x -Fmy-frameworks/x -isystemsrc/x -iquotesrc/x -oout/x -MFd/x";
        for form in [Form::Text, Form::Command] {
            assert!(found(relative, form).is_empty());
            assert!(found("-Isrc//x -I../src/x -include-pchpch/x", form).is_empty());
        }
        let rest =
            "-objc-isystem/a/x -stdlib++-isystem/b/x @/c/x -iwithsysroot/d/x x@/e -ivfsoverlay/f";
        assert_eq!(found(rest, Form::Text), ["/a/x", "/b/x", "/c/x", "/d/x", "/f"]);
        let valued = "-fmodules-cache-path=/a -ffile-prefix-map=/b=/c --sysroot=/d -Wl,-rpath,/e";
        assert_eq!(found(valued, Form::Text), ["/a", "/b", "/c", "/d", "/e"]);
        let absolute = "-I/a/x -isystem/b/x -isystem-after/c/x -include-pch/d/x -o/e -MF/f -Qx/g";
        let all = ["/a/x", "/b/x", "/c/x", "/d/x", "/e", "/f", "/g"];
        assert_eq!(found(absolute, Form::Command), all);
        assert_eq!(found("-Isrc/Users/me/x", Form::Command), ["-Isrc/Users/me/x"]);
    }

    #[test]
    fn of_joined_paths_the_second_counts() {
        let text = "/Users/a/dir//Users/a/dir/x.metal";
        assert_eq!(found(text, Form::File), ["/Users/a/dir/x.metal"]);
        assert_eq!(found("dir//private/x.metal", Form::File), ["/private/x.metal"]);
        assert_eq!(found("/a//b/x.metal", Form::File), ["/a//b/x.metal"]);
    }

    #[test]
    fn archives_leave_out_the_first_slash() {
        for (text, form) in [("Users/me/x.metal", Form::Member), ("Volumes/a/x", Form::Member)] {
            assert_eq!(found(text, form), [text]);
            assert!(found(text, Form::File).is_empty());
        }
        let text = "-isysroot Applications/Xcode.app/SDKs -c Users/me/x.metal src/home/y";
        assert_eq!(found(text, Form::Command), ["Applications/Xcode.app/SDKs", "Users/me/x.metal"]);
    }

    #[test]
    fn homes_are_found_behind_relative_paths_too() {
        let span = &spans(b"-I ../../Users/me/x", Form::Text)[0];
        assert_eq!((span.range.clone(), span.is_absolute), (3..19, false));
        assert!(spans(b"../Users/Shared/x", Form::File).is_empty());
        assert!(spans(b"src/home/page.metal", Form::File).is_empty());
        let user = |path: &'static str| {
            user(path.as_bytes()).map(|name| std::str::from_utf8(name).unwrap())
        };
        assert_eq!(user("/Users/me/x"), Some("me"));
        assert_eq!(user("/Users/me"), Some("me"));
        assert_eq!(user("Users/me/x"), Some("me"));
        assert_eq!(user("/home/me/x"), Some("me"));
        assert_eq!(user("C:\\Users\\me\\x"), Some("me"));
        assert_eq!(user("/Volumes/disk/Users/me/x"), Some("me"));
        assert_eq!(user("/src/home/me/x"), None);
        assert_eq!(user("/Users/Shared/x"), None);
        assert_eq!(user("/tmp/x"), None);
    }
}
