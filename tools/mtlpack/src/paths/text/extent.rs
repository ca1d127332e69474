//! Where a path ends, and what it is part of begins.

use super::{Reader, is_border_at};

impl Reader<'_> {
    /// Where what holds a path begins.
    pub(super) fn token_start(&self, from: usize, at: usize) -> usize {
        if self.form.is_whole() {
            return from;
        }
        let last = (from..at).rev().find(|at| is_border_at(self.text, *at));
        last.map_or(from, |last| last + 1)
    }

    /// Where the path that begins here ends; nothing before `named` ends it, and the path before
    /// it ends at `from`.
    pub(super) fn end(&self, from: usize, at: usize, named: usize) -> usize {
        if self.form.is_whole() {
            let last = self.rest(at).iter().rposition(|byte| *byte != b'\n');
            return at + last.map_or(0, |last| last + 1);
        }
        let quote = at.checked_sub(1).filter(|quote| is_quote(self.text, *quote));
        if let Some(quote) = quote {
            return self.pair(quote).unwrap_or(self.text.len()).max(at);
        }
        self.open_quote(from, at).unwrap_or_else(|| self.plain_end(at, named))
    }

    /// Where the quote ends that the word with the path here begins with: `"-I/a b"`.
    fn open_quote(&self, from: usize, at: usize) -> Option<usize> {
        let is_blank = |at: &usize| self.text.get(*at).is_none_or(u8::is_ascii_whitespace);
        let word = (from..at).rev().take_while(|at| !is_blank(at));
        let is_opening =
            |quote: &usize| is_quote(self.text, *quote) && self.is_behind_border(*quote);
        let mut opening = word.filter(is_opening);
        opening.find_map(|quote| self.pair(quote).filter(|end| *end > at))
    }

    /// Whether a quote begins something; a backslash may stand in front of it.
    fn is_behind_border(&self, quote: usize) -> bool {
        let before = match self.before(quote) {
            [before @ .., b'\\'] => before,
            before => before,
        };
        before.is_empty() || is_border_at(self.text, before.len() - 1)
    }

    /// Where what is quoted ends: at the next such quote, with a backslash in front if that one
    /// has one.
    fn pair(&self, quote: usize) -> Option<usize> {
        let byte = self.text.get(quote)?;
        let is_escaped = |at: usize| self.before(at).ends_with(b"\\");
        let is_pair = |at: &usize| self.text.get(*at) == Some(byte) && is_quote(self.text, *at);
        let mut pairs = (quote + 1..self.text.len()).filter(is_pair);
        let first = pairs.next()?;
        if is_escaped(first) == is_escaped(quote) {
            return Some(first - usize::from(is_escaped(quote)));
        }
        let same = pairs.find(|at| is_escaped(*at) == is_escaped(quote));
        Some(same.map_or(first, |at| at - usize::from(is_escaped(quote))))
    }

    /// Where a path ends that is not quoted.
    fn plain_end(&self, at: usize, named: usize) -> usize {
        let mut escaped = false;
        let ends = |at: &usize| {
            let Some(byte) = self.text.get(*at) else { return true };
            if std::mem::replace(&mut escaped, *byte == b'\\') && byte.is_ascii_whitespace() {
                return false;
            }
            is_border_at(self.text, *at) || matches!(byte, b')' | b']' | b'}')
        };
        (named.max(at)..self.text.len()).find(ends).unwrap_or(self.text.len())
    }
}

/// Whether a quote stands here, and no apostrophe inside of a word.
fn is_quote(text: &[u8], at: usize) -> bool {
    matches!(text.get(at), Some(b'"' | b'\'' | b'`')) && is_border_at(text, at)
}
