//! Finds absolute paths and home folders in texts.
//!
//! A text is one path (such as a file's name in debug information) or holds some among other
//! things (such as a command line). What begins a path is decided by what stands in front of
//! it: `a/b` and `-Ia/b` hold none, `-I/a/b`, `x=/a/b` and `"/a/b c"` hold one.
//!
//! A text is read once from its beginning to its end, whatever it holds.

mod begin;
mod extent;
mod homes;
mod roots;
#[cfg(test)]
mod tests;

use std::ops::Range;

use begin::Start;
pub(crate) use homes::user;

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

/// The paths in a text, in order.
pub(crate) fn spans(text: &[u8], form: Form) -> Spans<'_> {
    // What holds no separator need not be read.
    let at = if may_hold(text) { 0 } else { text.len() };
    let first = first_name(text);
    let slashes = text.iter().take_while(|byte| is_separator(**byte)).count();
    Spans { reader: Reader { text, form, first, first_end: slashes + first.len() }, at }
}

/// Whether a text may hold a path at all.
pub(crate) fn may_hold(text: &[u8]) -> bool {
    text.contains(&b'/') || text.contains(&b'\\')
}

/// The paths of a text that were not given yet.
pub(crate) struct Spans<'t> {
    reader: Reader<'t>,
    at: usize,
}

impl Iterator for Spans<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        let Self { reader, at: from } = &mut *self;
        let span = (*from..reader.text.len()).find_map(|at| reader.span(*from, at));
        self.at = span.as_ref().map_or(reader.text.len(), |span| span.range.end);
        span
    }
}

/// A text, and what of it is asked for at every place.
struct Reader<'t> {
    text: &'t [u8],
    form: Form,
    /// The first folder that it names: what joins a path to itself says it twice.
    first: &'t [u8],
    /// Where that ends.
    first_end: usize,
}

impl<'t> Reader<'t> {
    fn before(&self, at: usize) -> &'t [u8] {
        self.text.get(..at).unwrap_or_default()
    }

    fn rest(&self, at: usize) -> &'t [u8] {
        self.text.get(at..).unwrap_or_default()
    }

    /// The path that begins here; `from` is where the one before ends.
    fn span(&self, from: usize, at: usize) -> Option<Span> {
        let begun = self.begins(at);
        if begun.is_none() && !homes::is_home(self.text, at) {
            return None;
        }
        let is_absolute = begun.is_some();
        let Start { start, named } = begun.unwrap_or(Start { start: at, named: at });
        let end = self.end(from, at, named).max(at + 1);
        let before = self.before(at);
        let is_joined = before.ends_with(b"/") && !before.ends_with(b"file://");
        let first = match is_absolute && !is_joined {
            true => at - begin::host(before).map_or(0, <[u8]>::len).min(at - from),
            false => self.token_start(from, at),
        };
        let start = if is_absolute { start } else { first };
        let is_second = |found: &usize| self.before(*found).ends_with(b"/") && self.joins(*found);
        let second = (start + 1..end).rev().find(is_second);
        let is_absolute = is_absolute || second.is_some();
        Some(Span { range: first..end, start: second.unwrap_or(start), is_absolute })
    }
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

/// Whether a border stands here: an apostrophe inside of a word is none.
fn is_border_at(text: &[u8], at: usize) -> bool {
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
    let is_inside = || {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        is_word(before) && is_word(text.get(at + 1))
    };
    text.get(at).is_some_and(|byte| is_border(*byte) && (*byte != b'\'' || !is_inside()))
}

/// The first folder of a path.
fn first_name(path: &[u8]) -> &[u8] {
    path.split(|byte| is_separator(*byte)).find(|name| !name.is_empty()).unwrap_or_default()
}
