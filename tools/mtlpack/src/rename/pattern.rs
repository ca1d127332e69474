//! Regular expressions with a replacement.

use std::borrow::Cow;

use regex::bytes::Regex;

use crate::error::{Error, Result};

/// A regular expression and what its matches are replaced with.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: Regex,
    replacement: Vec<u8>,
    source: String,
}

impl Pattern {
    /// Reads `RE=REPL`.
    pub(super) fn new(text: &str) -> Result<Self> {
        let refuse = |what: String| Error::refused(format!("--regex `{text}`: {what}"));
        let (regex, replacement) =
            text.split_once('=').ok_or_else(|| refuse("expected RE=REPL".to_owned()))?;
        // The first line of the error draws the expression, the last says what is wrong.
        let regex = Regex::new(regex).map_err(|error| {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default().trim();
            refuse(last.strip_prefix("error: ").unwrap_or(last).to_owned())
        })?;
        if let Some(group) = groups(replacement).find(|group| !has_group(&regex, group)) {
            let advice = group.split_once('_').map_or_else(String::new, |(group, rest)| {
                format!("; group `{group}` in front of `_{rest}` is `${{{group}}}_{rest}`")
            });
            return Err(refuse(format!("there is no group `{group}`{advice}")));
        }
        let (replacement, source) = (replacement.as_bytes().to_vec(), text.to_owned());
        Ok(Self { regex, replacement, source })
    }

    /// The pattern as it was given.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// A name with all matches replaced; `None` if there is no match.
    pub(super) fn replace(&self, name: &[u8]) -> Option<Vec<u8>> {
        match self.regex.replace_all(name, self.replacement.as_slice()) {
            Cow::Owned(replaced) => Some(replaced),
            Cow::Borrowed(_) => None,
        }
    }
}

fn has_group(regex: &Regex, group: &str) -> bool {
    match group.parse::<usize>() {
        Ok(number) => number < regex.captures_len(),
        Err(_) => regex.capture_names().flatten().any(|name| name == group),
    }
}

/// The groups that a replacement names: `$1`, `$name` and `${name}`; `$$` is a `$`.
fn groups(replacement: &str) -> impl Iterator<Item = &str> {
    let mut rest = replacement;
    std::iter::from_fn(move || {
        loop {
            let (_, behind) = rest.split_once('$')?;
            rest = behind;
            if let Some(behind) = rest.strip_prefix('$') {
                rest = behind;
            } else if let Some((group, behind)) =
                rest.strip_prefix('{').and_then(|braced| braced.split_once('}'))
            {
                rest = behind;
                return Some(group);
            } else {
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                let (group, behind) = rest.split_at_checked(length)?;
                rest = behind;
                if !group.is_empty() {
                    return Some(group);
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(pattern: &str, name: &[u8]) -> Option<Vec<u8>> {
        Pattern::new(pattern).unwrap().replace(name)
    }

    #[test]
    fn matches_are_replaced_with_groups() {
        assert_eq!(replaced("^v(?<rest>.*)$=w$rest", b"vadd").unwrap(), b"wadd");
        assert_eq!(replaced("(a)(b)?=${1}_$2$$", b"abxa").unwrap(), b"a_b$xa_$");
        assert_eq!(replaced(r"a\x3db=c=d", b"a=b").unwrap(), b"c=d");
        assert_eq!(replaced("a=b", b"xyz"), None);
        assert_eq!(replaced(r"(?-u:\xff)=?", b"a\xff").unwrap(), b"a?");
        assert_eq!(replaced(r"^\w+$=x", "größe".as_bytes()).unwrap(), b"x");
    }

    #[test]
    fn faults_are_found_before_anything_is_renamed() {
        let message = |text| Pattern::new(text).unwrap_err().to_string();
        assert_eq!(message("abc"), "--regex `abc`: expected RE=REPL");
        assert_eq!(message("a(=b"), "--regex `a(=b`: unclosed group");
        let advice = "--regex `(a)=$1_x`: there is no group `1_x`; group `1` in front of `_x` is \
                      `${1}_x`";
        assert_eq!(message("(a)=$1_x"), advice);
        assert_eq!(message("(a)=${2}"), "--regex `(a)=${2}`: there is no group `2`");
        assert!(Pattern::new("(a)=$$2 $").is_ok());
    }
}
