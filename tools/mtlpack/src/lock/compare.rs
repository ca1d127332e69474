//! What changed since a library was locked.

use std::collections::BTreeMap;

use super::Lock;
use crate::names;

/// One thing that changed since a library was locked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockChange {
    /// The function, in words; empty for the library as a whole.
    pub place: String,
    /// What changed.
    pub what: String,
}

impl Lock {
    /// What is different in a library that was found, in the order of names.
    #[must_use]
    pub fn changes(&self, found: &Self) -> Vec<LockChange> {
        let mut changes = Vec::new();
        facts("", &self.library, &found.library, &mut changes);
        for (name, locked) in &self.functions {
            let place = format!("function `{}`", names::escape(name));
            match found.functions.get(name) {
                Some(found) => facts(&place, locked, found, &mut changes),
                None => changes.push(LockChange { place, what: "is gone".to_owned() }),
            }
        }
        for name in found.functions.keys().filter(|name| !self.functions.contains_key(*name)) {
            let place = format!("function `{}`", names::escape(name));
            changes.push(LockChange { place, what: "is new".to_owned() });
        }
        changes
    }
}

/// What a fact is about: its first word, and its second if that is a number.
pub(crate) fn key(fact: &str) -> &str {
    let end = fact.find(' ').unwrap_or(fact.len());
    let rest = fact.get(end..).unwrap_or_default().trim_start();
    let number = rest.split(' ').next().unwrap_or_default();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let length = if is_number { end + 1 + number.len() } else { end };
    fact.get(..length).unwrap_or(fact)
}

/// The facts that differ. Those of one key are compared in their order.
fn facts(place: &str, locked: &[String], found: &[String], changes: &mut Vec<LockChange>) {
    if locked == found {
        return;
    }
    let mut left: BTreeMap<&str, std::collections::VecDeque<&str>> = BTreeMap::new();
    for fact in found {
        left.entry(key(fact)).or_default().push_back(fact);
    }
    let mut add = |what| changes.push(LockChange { place: place.to_owned(), what });
    for fact in locked {
        match left.get_mut(key(fact)).and_then(std::collections::VecDeque::pop_front) {
            Some(same) if same == fact => {}
            Some(other) => add(format!("locked is `{fact}`, found `{other}`")),
            None => add(format!("locked is `{fact}`, which is gone")),
        }
    }
    for fact in left.into_values().flatten() {
        add(format!("found `{fact}`, which is not locked"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_name_what_changed() {
        let text = |lines: &str| Lock::parse("x", &format!("mtlpack lock 1\n{lines}")).unwrap();
        let old =
            text("floor 14.0\n\nfunction a\n  type kernel\n  constant 1 x Bool\n\nfunction b\n");
        let new =
            text("floor 15.0\n\nfunction a\n  type kernel\n  constant 2 x Bool\n\nfunction c\n");
        let changes = old.changes(&new);
        let words: Vec<String> =
            changes.iter().map(|change| format!("{}: {}", change.place, change.what)).collect();
        assert_eq!(
            words,
            [
                ": locked is `floor 14.0`, found `floor 15.0`",
                "function `a`: locked is `constant 1 x Bool`, which is gone",
                "function `a`: found `constant 2 x Bool`, which is not locked",
                "function `b`: is gone",
                "function `c`: is new",
            ]
        );
        assert_eq!(old.changes(&old), []);
    }
}
