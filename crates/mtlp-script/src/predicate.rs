//! Predicates: conditions over GPU families, under which a pipeline is compiled.

use crate::finding::shown;
use crate::values::FAMILIES;

/// What a predicate names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named<'p> {
    /// `supportsFamily(F)`.
    Family(&'p str),
    /// `$name()`.
    Predicate(&'p str),
}

/// How deep parentheses and negations may nest.
const DEPTH: u32 = 64;

/// Reads a predicate and gives what it names. Empty means true.
///
/// # Errors
/// What was found, and what was expected.
pub(crate) fn read(text: &str) -> Result<Vec<Named<'_>>, String> {
    let mut reader = Reader { rest: text.trim(), named: Vec::new() };
    if reader.rest.is_empty() {
        return Ok(Vec::new());
    }
    reader.any(0)?;
    match reader.rest.is_empty() {
        true => Ok(reader.named),
        false => Err(format!("expected `&&`, `||` or the end, found {}", reader.found())),
    }
}

struct Reader<'p> {
    rest: &'p str,
    named: Vec<Named<'p>>,
}

impl<'p> Reader<'p> {
    fn take(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.take(token) {
            true => Ok(()),
            false => Err(format!("expected `{token}`, found {}", self.found())),
        }
    }

    fn found(&self) -> String {
        match self.rest.is_empty() {
            true => "the end".to_owned(),
            false => shown(self.rest),
        }
    }

    /// Conditions with `||` and `&&` between them. Which binds closer does not matter here.
    fn any(&mut self, depth: u32) -> Result<(), String> {
        loop {
            self.one(depth)?;
            if !self.take("||") && !self.take("&&") {
                return Ok(());
            }
        }
    }

    fn one(&mut self, depth: u32) -> Result<(), String> {
        if depth > DEPTH {
            return Err(format!("nested deeper than {DEPTH} levels"));
        }
        if self.take("!") {
            return self.one(depth + 1);
        }
        if self.take("(") {
            self.any(depth + 1)?;
            return self.expect(")");
        }
        if self.take("$") {
            let name = self.word("the name of a predicate")?;
            self.named.push(Named::Predicate(name));
            self.expect("(")?;
            return self.expect(")");
        }
        if self.take("supportsFamily") {
            self.expect("(")?;
            let family = self.word("a GPU family")?;
            self.named.push(Named::Family(family));
            return self.expect(")");
        }
        Err(format!("expected `supportsFamily(…)` or `$name()`, found {}", self.found()))
    }

    fn word(&mut self, what: &str) -> Result<&'p str, String> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or_default();
        if word.is_empty() {
            return Err(format!("expected {what}, found {}", self.found()));
        }
        self.rest = rest.trim_start();
        Ok(word)
    }
}

/// Whether a family is one that predicates know.
pub(crate) fn is_family(name: &str) -> bool {
    FAMILIES.has(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_conditions() {
        let text = " !( supportsFamily(apple7) && $fast() ) || supportsFamily ( mac2 )";
        let expected = [Named::Family("apple7"), Named::Predicate("fast"), Named::Family("mac2")];
        assert_eq!(read(text).unwrap(), expected);
        assert_eq!(read("  "), Ok(vec![]));
    }

    #[test]
    fn says_what_is_wrong() {
        let wrong = |text: &str| read(text).unwrap_err();
        assert_eq!(wrong("supportsFamily(apple7"), "expected `)`, found the end");
        assert_eq!(wrong("$fast"), "expected `(`, found the end");
        assert_eq!(wrong("apple7"), "expected `supportsFamily(…)` or `$name()`, found `apple7`");
        assert_eq!(wrong("$a() $b()"), "expected `&&`, `||` or the end, found `$b()`");
        for deep in ["(", "!"].map(|token| token.repeat(1 << 20)) {
            assert!(wrong(&deep).contains("nested deeper"));
        }
    }
}
