//! Reading: one pass, no deeper than [`DEPTH`].

use super::{Data, Member, Span, Value};

/// How deep lists and objects may nest; scripts need nine levels.
pub const DEPTH: u32 = 64;

/// The longest text that is read, in bytes. A tree of tiny values takes some thirty times its text.
pub const LIMIT: usize = 64 << 20;

/// A text that was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The value.
    pub value: Value,
    /// Commas behind which no value comes, which JSON does not allow.
    pub trailing_commas: Vec<Span>,
}

/// Why a text is no JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where.
    pub span: Span,
    /// What was found, and what was expected.
    pub what: String,
}

type Result<T> = std::result::Result<T, SyntaxError>;

/// Reads a text. Commas behind the last element of a list or an object are allowed.
///
/// ```
/// use mtlp_script::json::read;
///
/// let parsed = read(br#"{"a": [1, 2,]}"#).unwrap();
/// assert_eq!(parsed.value.list("a").len(), 2);
/// assert_eq!(parsed.trailing_commas[0].start, 11);
/// assert_eq!(read(b"{\"a\" 1}").unwrap_err().what, "expected `:`, found `1`");
/// ```
///
/// # Errors
/// If it is no UTF-8, no JSON, nests deeper than [`DEPTH`], or is longer than [`LIMIT`].
pub fn read(bytes: &[u8]) -> Result<Parsed> {
    if bytes.len() > LIMIT {
        let what = format!("the script has {} bytes; at most {LIMIT} are read", bytes.len());
        return Err(SyntaxError { span: Span::default(), what });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| SyntaxError {
        span: span(error.valid_up_to(), error.valid_up_to()),
        what: "this byte is not UTF-8".to_owned(),
    })?;
    let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut reader = Reader { text, at, trailing_commas: Vec::new() };
    reader.space();
    let value = reader.value(0)?;
    reader.space();
    if reader.at < text.len() {
        let what = format!("expected the end of the script, found {}", reader.found());
        return Err(reader.error(what));
    }
    Ok(Parsed { value, trailing_commas: reader.trailing_commas })
}

/// Offsets fit: the text is no longer than `LIMIT`.
fn span(start: usize, end: usize) -> Span {
    let narrow = |at| u32::try_from(at).unwrap_or(u32::MAX);
    Span { start: narrow(start), end: narrow(end) }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    trailing_commas: Vec<Span>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Goes on if this byte comes next.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// What comes next, for messages.
    fn found(&self) -> String {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some('/') => "`/` (JSON has no comments)".to_owned(),
            Some(c) if c.is_control() => format!("`{}`", c.escape_default()),
            Some(c) => format!("`{c}`"),
            None => "the end of the text".to_owned(),
        }
    }

    fn error(&self, what: impl Into<String>) -> SyntaxError {
        SyntaxError { span: span(self.at, self.at), what: what.into() }
    }

    fn value(&mut self, depth: u32) -> Result<Value> {
        if depth > DEPTH {
            return Err(self.error(format!("nested deeper than {DEPTH} levels")));
        }
        let start = self.at;
        let data = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Data::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Value { data, span: span(start, self.at) })
    }

    fn word(&mut self) -> Result<Data> {
        let words =
            [("null", Data::Null), ("true", Data::Flag(true)), ("false", Data::Flag(false))];
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        match words.into_iter().find(|(word, _)| rest.get(..end) == Some(*word)) {
            Some((word, data)) => {
                self.at += word.len();
                Ok(data)
            }
            None => Err(self.error(format!("expected a value, found {}", self.found()))),
        }
    }

    fn list(&mut self, depth: u32) -> Result<Data> {
        let mut elements = Vec::new();
        self.sequence(b']', |reader| {
            elements.push(reader.value(depth + 1)?);
            Ok(())
        })?;
        elements.shrink_to_fit();
        Ok(Data::List(elements))
    }

    fn object(&mut self, depth: u32) -> Result<Data> {
        let mut members = Vec::new();
        self.sequence(b'}', |reader| {
            let start = reader.at;
            if reader.peek() != Some(b'"') {
                let what = format!("expected a key in quotes, found {}", reader.found());
                return Err(reader.error(what));
            }
            let key = reader.string()?;
            let span = span(start, reader.at);
            reader.space();
            if !reader.take(b':') {
                let what = format!("expected `:`, found {}", reader.found());
                return Err(reader.error(what));
            }
            reader.space();
            members.push(Member { key, span, value: reader.value(depth + 1)? });
            Ok(())
        })?;
        members.shrink_to_fit();
        Ok(Data::Object(members))
    }

    /// What stands between brackets, with commas in between and perhaps one behind the last.
    fn sequence(&mut self, close: u8, mut each: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.at += 1;
        self.space();
        if self.take(close) {
            return Ok(());
        }
        loop {
            each(self)?;
            self.space();
            let comma = self.at;
            if self.take(close) {
                return Ok(());
            }
            if !self.take(b',') {
                let what =
                    format!("expected `,` or `{}`, found {}", char::from(close), self.found());
                return Err(self.error(what));
            }
            self.space();
            if self.take(close) {
                self.trailing_commas.push(span(comma, comma + 1));
                return Ok(());
            }
        }
    }

    fn number(&mut self) -> Result<Data> {
        let start = self.at;
        self.take(b'-');
        let zero = self.peek() == Some(b'0');
        let whole = self.digits()?;
        if zero && whole > 1 {
            self.at = start;
            return Err(self.error("a number begins with a needless 0"));
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(Data::Number(self.text.get(start..self.at).unwrap_or_default().into()))
    }

    fn digits(&mut self) -> Result<usize> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        match self.at - start {
            0 => Err(self.error(format!("expected a digit, found {}", self.found()))),
            count => Ok(count),
        }
    }

    fn string(&mut self) -> Result<Box<str>> {
        let opened = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest.bytes().take_while(|&byte| byte >= b' ' && !b"\"\\".contains(&byte));
            let plain = plain.count();
            text.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text.into());
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => {
                    let what = format!("a string holds {}, which must be escaped", self.found());
                    return Err(self.error(what));
                }
                None => {
                    self.at = opened;
                    return Err(self.error("this string does not end"));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        self.at += 1;
        let c = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(start),
            _ => return Err(self.bad_escape(start)),
        };
        self.at += 1;
        Ok(c)
    }

    fn bad_escape(&mut self, start: usize) -> SyntaxError {
        self.at = start;
        self.error("JSON does not know this escape")
    }

    /// `\uXXXX`, or two of them for a character above U+FFFF.
    fn unicode(&mut self, start: usize) -> Result<char> {
        let first = self.unit().ok_or_else(|| self.bad_escape(start))?;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        if (0xd800..0xdc00).contains(&first) && self.take(b'\\') {
            let second = self.unit().filter(|unit| (0xdc00..0xe000).contains(unit));
            let joined =
                second.map(|second| 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
            if let Some(c) = joined.and_then(char::from_u32) {
                return Ok(c);
            }
        }
        Err(self.bad_escape(start))
    }

    /// `uXXXX`.
    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at + 1..self.at + 5)?;
        let is_unit = self.peek() == Some(b'u') && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let unit = u32::from_str_radix(digits, 16).ok().filter(|_| is_unit)?;
        self.at += 5;
        Some(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(text: &str) -> (u32, String) {
        let error = read(text.as_bytes()).unwrap_err();
        (error.span.start, error.what)
    }

    #[test]
    fn reads_values_with_their_places() {
        let text = "\u{feff} {\"a\": [null, true, -1.5e+3], \"b\\u00e9\\ud83d\\ude00\": \"\\n\"}";
        let value = read(text.as_bytes()).unwrap().value;
        let [null, flag, number] = value.list("a") else { panic!("three elements") };
        assert!(matches!(null.data, Data::Null) && matches!(flag.data, Data::Flag(true)));
        let Span { start, end } = number.span;
        assert_eq!(&text[start as usize..end as usize], "-1.5e+3");
        assert_eq!(value.get("bé😀").unwrap().text(), Some("\n"));
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        assert_eq!(fails(""), (0, "expected a value, found the end of the text".to_owned()));
        assert_eq!(fails("{} }"), (3, "expected the end of the script, found `}`".to_owned()));
        assert_eq!(fails("[1 2]"), (3, "expected `,` or `]`, found `2`".to_owned()));
        assert_eq!(fails("{a: 1}"), (1, "expected a key in quotes, found `a`".to_owned()));
        assert_eq!(fails("[\"a]"), (1, "this string does not end".to_owned()));
        assert_eq!(fails("[01]"), (1, "a number begins with a needless 0".to_owned()));
        assert_eq!(fails("[\"\\ud800\"]"), (2, "JSON does not know this escape".to_owned()));
        assert!(fails("[1] // x").1.ends_with("`/` (JSON has no comments)"));
        assert_eq!(read(b"[\"\xff\"]").unwrap_err().span.start, 2);
        for text in ["[,]", "[1,,]", "{,}", "nul", "nulls", "-", "1.", "1e", "\"\t\"", "\"\\x\""] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn refuses_what_nests_too_deep() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(nested(65).as_bytes()).is_ok());
        assert_eq!(fails(&nested(66)), (65, "nested deeper than 64 levels".to_owned()));
        assert!(read("[{\"a\":".repeat(1 << 20).as_bytes()).is_err());
    }
}
