//! The right name that is nearest to a wrong one.

use std::cell::Cell;

use crate::finding::shown;

/// Names longer than this get no suggestion.
const LONGEST: usize = 128;

/// Looks for names, with a limit on the work for all of them together: a script can hold thousands
/// of wrong names, and a library thousands of right ones.
#[derive(Debug)]
pub(crate) struct Nearest {
    /// How many comparisons of characters may still be made.
    left: Cell<u64>,
}

impl Default for Nearest {
    fn default() -> Self {
        Self { left: Cell::new(50_000_000) }
    }
}

impl Nearest {
    /// The name with the least distance, if it is near enough to be meant: no more than a third of
    /// the characters differ, or it differs by case only.
    pub(crate) fn of<'n>(
        &self,
        wrong: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        let a: Vec<char> = wrong.chars().take(LONGEST + 1).collect();
        if a.is_empty() || a.len() > LONGEST {
            return None;
        }
        let mut best: Option<(usize, &str)> = None;
        let most = (a.len() / 3).max(1);
        for name in names {
            // Those that are passed over cost something, too.
            self.left.set(self.left.get().checked_sub(8)?);
            if name.eq_ignore_ascii_case(wrong) && name != wrong {
                return Some(name);
            }
            if name.len().abs_diff(wrong.len()) > 4 * most || name.len() > 4 * LONGEST {
                continue;
            }
            let cost = (a.len() * name.len()) as u64;
            let left = self.left.get().checked_sub(cost)?;
            self.left.set(left);
            let distance = distance(&a, name);
            if distance > 0 && distance <= most && best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, name));
            }
        }
        best.map(|(_, name)| name)
    }

    /// "; did you mean `x`?", or nothing. The name may be a hostile library's.
    pub(crate) fn hint<'n>(&self, wrong: &str, names: impl IntoIterator<Item = &'n str>) -> String {
        self.of(wrong, names)
            .map_or_else(String::new, |name| format!("; did you mean {}?", shown(name)))
    }
}

/// How many characters must be put in, left out or changed (Levenshtein).
fn distance(a: &[char], b: &str) -> usize {
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (index, cb) in b.chars().enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        for (ca, cell) in a.iter().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            let changed = diagonal + usize::from(*ca != cb);
            left = changed.min(above + 1).min(left + 1);
            diagonal = above;
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_meant() {
        let names = ["BGRA8Unorm", "BGRA8Unorm_sRGB", "RGBA8Unorm", "R8Unorm"];
        let nearest = |wrong| Nearest::default().of(wrong, names);
        assert_eq!(nearest("BGRA8Unrom"), Some("BGRA8Unorm"));
        assert_eq!(nearest("bgra8unorm_srgb"), Some("BGRA8Unorm_sRGB"));
        assert_eq!(nearest("RGBA8Norm"), Some("RGBA8Unorm"));
        assert_eq!(nearest("Depth32Float"), None);
        assert_eq!(nearest(""), None);
    }

    #[test]
    fn counts_edits() {
        let edits = |a: &str, b| distance(&a.chars().collect::<Vec<_>>(), b);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("abc", "abc"), 0);
        assert_eq!(edits("größe", "grosse"), 3);
    }
}
