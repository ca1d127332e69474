//! How reports show bytes as text, and how they are serialised.

/// Hexadecimal digits of some bytes, lower case.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    push_hex(&mut text, bytes);
    text
}

/// Appends hexadecimal digits: lists have one hash a line, so this is not left to `fmt`.
pub(crate) fn push_hex(text: &mut String, bytes: &[u8]) {
    let digit = |half: u8| char::from(if half < 10 { b'0' + half } else { b'a' - 10 + half });
    text.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
}

/// A number of things: `1 reflection entry`, `2 source archives`.
pub(crate) fn plural(count: u64, what: &str) -> String {
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {what}s"),
    }
}

/// A list for a message, one a line.
pub(crate) fn lines(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().fold(String::new(), |text, item| text + "\n  " + &item)
}

/// Bytes as text without their closing NUL; what is not UTF-8 is replaced.
pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.strip_suffix(&[0]).unwrap_or(bytes)).into_owned()
}

/// Values that are serialised as they are printed.
#[cfg(feature = "serde")]
pub(crate) mod ser {
    use std::fmt::Display;

    use serde::Serializer;

    /// Text of a value.
    pub(crate) fn text<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    /// Text of a value, or null.
    pub(crate) fn maybe<T: Display, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.collect_str(value),
            None => to.serialize_none(),
        }
    }

    /// Bytes as text; what is not UTF-8 is replaced.
    pub(crate) fn lossy<B: AsRef<[u8]>, S: Serializer>(
        bytes: &B,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(&String::from_utf8_lossy(bytes.as_ref()))
    }

    /// List of texts.
    pub(crate) fn list<T: Display, S: Serializer>(values: &[T], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(ToString::to_string))
    }

    /// A UUID, or null.
    pub(crate) fn uuid<S: Serializer>(value: &Option<[u8; 16]>, to: S) -> Result<S::Ok, S::Error> {
        maybe(&value.as_ref().map(crate::uuid::format), to)
    }

    /// A hash in hexadecimal digits, or null.
    pub(crate) fn hash<S: Serializer>(value: &Option<&[u8; 32]>, to: S) -> Result<S::Ok, S::Error> {
        maybe(&value.map(|bytes| super::hex(bytes)), to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_bytes() {
        assert_eq!(hex(&[0, 0xab, 0x7f]), "00ab7f");
        assert_eq!(lossy(b"a\0"), "a");
        assert_eq!(lossy(b"a\xff"), "a\u{fffd}");
    }
}
