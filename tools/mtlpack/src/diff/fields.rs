//! Lists of what is said of something, compared by what it is said of.

use std::collections::{HashMap, VecDeque};

use super::FieldChange;

/// What something is, and what is said of it.
pub(super) type Field = (String, String);

/// What differs between two lists; what has the same name is compared in its order.
pub(super) fn compare(old: Vec<Field>, new: Vec<Field>) -> Vec<FieldChange> {
    let mut left: HashMap<&str, VecDeque<&str>> = HashMap::new();
    for (name, value) in &new {
        left.entry(name).or_default().push_back(value);
    }
    let mut changes = Vec::new();
    for (name, value) in &old {
        let other = left.get_mut(name.as_str()).and_then(VecDeque::pop_front);
        if other != Some(value.as_str()) {
            let (old, new) = (Some(value.clone()), other.map(str::to_owned));
            changes.push(FieldChange { field: name.clone(), old, new });
        }
    }
    for (name, value) in &new {
        // Those at the end of the queue are left, so all before them are passed over.
        let queue = left.get_mut(name.as_str());
        let is_left = queue.as_ref().and_then(|queue| queue.front()) == Some(&value.as_str());
        if is_left && queue.and_then(VecDeque::pop_front).is_some() {
            let new = Some(value.clone());
            changes.push(FieldChange { field: name.clone(), old: None, new });
        }
    }
    changes
}

/// The digest of what is too long to be shown.
pub(super) fn digest(bytes: &[u8]) -> String {
    let hash = crate::text::hex(&metallib_write::module_hash(bytes));
    format!("{} bytes, sha256:{}", bytes.len(), hash.get(..16).unwrap_or(&hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named_once() {
        let list = |text: &str| -> Vec<Field> {
            let words = text.split(' ').filter(|word| !word.is_empty());
            words
                .filter_map(|word| word.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect()
        };
        let shown = |old, new| {
            let changes = compare(list(old), list(new));
            let text = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
            let line = |c: FieldChange| format!("{}:{}>{}", c.field, text(c.old), text(c.new));
            changes.into_iter().map(line).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown("a=1 b=2", "b=2 a=1"), "");
        assert_eq!(shown("a=1 b=2 c=3", "a=1 b=4 d=5"), "b:2>4 c:3>- d:->5");
        assert_eq!(shown("a=1 a=2", "a=1"), "a:2>-");
        assert_eq!(shown("a=1", "a=1 a=1 a=3"), "a:->1 a:->3");
    }
}
