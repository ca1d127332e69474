//! Lists of metadata as AIR has them: a kind, then keys with what belongs to them.

use air_bitcode::Term;

/// In front of the kind of an input that a function constant switches on; its node follows.
const CONSTANT: &[u8] = b"air.function_constant";

/// An output of an entry point, or an input behind its argument's number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys<'k, 'm> {
    /// What it is, such as `air.buffer`; empty if the list does not begin so.
    pub(super) kind: &'m [u8],
    /// Whether a function constant says if it is there.
    pub(super) is_conditional: bool,
    rest: &'k [Term<'m>],
}

impl<'k, 'm> Keys<'k, 'm> {
    pub(super) fn new(terms: &'k [Term<'m>]) -> Self {
        match terms {
            [Term::Text(CONSTANT), _, Term::Text(kind), rest @ ..] => {
                Self { kind, is_conditional: true, rest }
            }
            [Term::Text(kind), rest @ ..] => Self { kind, is_conditional: false, rest },
            other => Self { kind: &[], is_conditional: false, rest: other },
        }
    }

    /// An input: the number of its argument, and the rest.
    pub(super) fn of_input(terms: &'k [Term<'m>]) -> Option<(i64, Self)> {
        let (first, rest) = terms.split_first()?;
        Some((first.integer()?, Self::new(rest)))
    }

    /// Whether a key is there that nothing belongs to, such as `air.read`.
    pub(super) fn has(&self, key: &str) -> bool {
        self.rest.contains(&Term::Text(key.as_bytes()))
    }

    /// What stands behind a key.
    fn behind(&self, key: &str) -> Option<&'k [Term<'m>]> {
        let at = self.rest.iter().position(|term| *term == Term::Text(key.as_bytes()))?;
        self.rest.get(at + 1..)
    }

    /// The text of a key.
    pub(super) fn text(&self, key: &str) -> Option<&'m [u8]> {
        self.behind(key)?.first()?.text()
    }

    /// The number of a key.
    pub(super) fn integer(&self, key: &str) -> Option<i64> {
        self.behind(key)?.first()?.integer()
    }

    /// Both numbers of a key.
    pub(super) fn integers(&self, key: &str) -> Option<(i64, i64)> {
        match self.behind(key)? {
            [Term::Integer(first), Term::Integer(second), ..] => Some((*first, *second)),
            _ => None,
        }
    }
}

/// A text of metadata in a message.
pub(super) fn shown(text: &[u8]) -> String {
    format!("`{}`", metallib::printable(text))
}
