//! Names of functions as lines of text: the names that `list` prints, the index of
//! `split`, and the lists that `filter` reads.
//!
//! A name is any bytes. As text, a backslash is `\\`, a line feed `\n`, a carriage return
//! `\r`, a tab `\t`; any other control character and every byte that is not UTF-8 is
//! `\xNN`, byte by byte, and so is a byte order mark, which readers of text take away.
//! Everything else stands for itself.

use std::borrow::Cow;

use air_bitcode::ImportKind;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A name as text without control characters.
pub(crate) fn escape(name: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(name) {
        Ok(text) if !text.contains(is_special) => text.into(),
        _ => name.utf8_chunks().fold(String::new(), push_chunk).into(),
    }
}

/// A name as a word of a map file: also without blanks and `#`.
#[cfg(feature = "cli")]
pub(crate) fn escape_word(name: &[u8]) -> String {
    escape(name).replace(' ', r"\x20").replace('#', r"\x23")
}

/// A text as a word of a lock: also without blanks, in quotes where it is empty or could be taken
/// for something else.
pub(crate) fn escape_fact(text: &[u8]) -> String {
    let escaped = escape(text).replace(' ', r"\x20");
    match escaped.is_empty() || escaped.starts_with(['"', '(', ')']) {
        true => format!("\"{escaped}\""),
        false => escaped,
    }
}

fn is_special(c: char) -> bool {
    c.is_control() || matches!(c, '\\' | BYTE_ORDER_MARK)
}

fn push_chunk(mut text: String, chunk: std::str::Utf8Chunk<'_>) -> String {
    for c in chunk.valid().chars() {
        match c {
            '\\' => text.push_str(r"\\"),
            '\n' => text.push_str(r"\n"),
            '\r' => text.push_str(r"\r"),
            '\t' => text.push_str(r"\t"),
            _ if is_special(c) => push_bytes(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes()),
            _ => text.push(c),
        }
    }
    push_bytes(&mut text, chunk.invalid());
    text
}

fn push_bytes(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        text.push_str(r"\x");
        crate::text::push_hex(text, &[*byte]);
    }
}

/// The name that a text stands for.
///
/// # Errors
/// The escape that is none.
pub(crate) fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        name.extend_from_slice(plain.as_bytes());
        let (byte, length) = unescape_one(escape)
            .ok_or_else(|| format!("\\{}", escape.chars().next().unwrap_or_default()))?;
        name.push(byte);
        rest = escape.get(length..).unwrap_or_default();
    }
    name.extend_from_slice(rest.as_bytes());
    Ok(name)
}

/// The name that a text of the command line stands for: itself if there is such a name, else
/// what it says with escapes. A backslash that begins no escape stands for itself.
pub(crate) fn resolve(text: &str, is_there: impl Fn(&[u8]) -> bool) -> Cow<'_, [u8]> {
    if is_there(text.as_bytes()) {
        return text.as_bytes().into();
    }
    unescape(text).map_or(text.as_bytes().into(), Cow::Owned)
}

/// What to say of a name that is not there, if it was meant as a pattern.
pub(crate) fn pattern_hint(name: &[u8]) -> &'static str {
    match name.iter().any(|byte| b"*?".contains(byte)) {
        true => " (a name is no pattern; `filter --keep` takes patterns)",
        false => "",
    }
}

/// The byte of what follows a backslash, and the length of that.
fn unescape_one(escape: &str) -> Option<(u8, usize)> {
    Some(match escape.as_bytes() {
        [b'\\', ..] => (b'\\', 1),
        [b'n', ..] => (b'\n', 1),
        [b'r', ..] => (b'\r', 1),
        [b't', ..] => (b'\t', 1),
        [b'x', high, low, ..] => {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            (u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()?, 3)
        }
        _ => return None,
    })
}

/// Why names cannot begin so; `None` if they can.
pub(crate) fn fault(start: &[u8]) -> Option<&'static str> {
    if start.contains(&0) {
        return Some("a name must not hold NUL");
    }
    let is_other = ImportKind::of(start) == ImportKind::Other;
    (!is_other).then_some("names with llvm. or air. belong to the compiler")
}

/// The first names of a list in backticks, and how many more there are.
pub(crate) fn some(names: &[&[u8]]) -> String {
    let shown: Vec<String> =
        names.iter().take(4).map(|name| format!("`{}`", escape(name))).collect();
    let more = names.len() - shown.len();
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{rest}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_what_is_no_plain_text() {
        assert_eq!(escape("ns::ünï<float> \u{3c0}".as_bytes()), "ns::ünï<float> \u{3c0}");
        assert_eq!(escape(b"a\\b\n\r\tc\0\x1b\x7f"), r"a\\b\n\r\tc\x00\x1b\x7f");
        assert_eq!(escape(b"a\xff\xc3(\xe2\x82"), r"a\xff\xc3(\xe2\x82");
        assert_eq!(escape("\u{feff}a\u{85}".as_bytes()), r"\xef\xbb\xbfa\xc2\x85");
    }

    #[test]
    fn refuses_what_is_no_escape() {
        for (text, escape) in [(r"a\b", r"\b"), (r"\x1", r"\x"), (r"\xg0", r"\x"), ("\\é", "\\é")]
        {
            assert_eq!(unescape(text).unwrap_err(), escape, "{text}");
        }
        assert!(unescape("a\\").is_err());
        assert_eq!(unescape(r"\xFf\\x41").unwrap(), b"\xff\\x41");
    }

    #[test]
    fn the_name_itself_comes_before_escapes() {
        let names = [&br"a\n"[..], b"a\n", b"b\n"];
        let there = |name: &[u8]| names.contains(&name);
        for (text, name) in [(r"a\n", &br"a\n"[..]), (r"b\n", &b"b\n"[..]), (r"c\d", &br"c\d"[..])]
        {
            assert_eq!(&*resolve(text, there), name, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_name_comes_back(name: Vec<u8>) {
            prop_assert_eq!(unescape(&escape(&name)).unwrap(), name);
        }

        #[test]
        fn every_text_comes_back(name in r"[\\nrtx0-9a-f\t\n\r\u{80}-\u{a0}\u{feff}é]{0,12}") {
            let text = escape(name.as_bytes());
            prop_assert!(!text.contains(|c: char| c.is_control() || c == BYTE_ORDER_MARK));
            prop_assert_eq!(unescape(&text).unwrap(), name.as_bytes());
        }
    }
}
