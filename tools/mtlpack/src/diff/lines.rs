//! Lines of two texts that differ.

use std::collections::HashMap;
use std::ops::Range;

/// How often a part between lines that are the same is divided further.
const DEPTH: u32 = 64;

/// Lines of two texts, and which parts of them correspond.
struct Texts<'t> {
    old: Vec<&'t str>,
    new: Vec<&'t str>,
}

/// A part of both texts.
#[derive(Clone, Debug)]
struct Part {
    old: Range<usize>,
    new: Range<usize>,
    depth: u32,
}

/// The lines that only one of two texts has, `-` in front of those of the first and `+` of those
/// of the second; each place begins with a line `@ -A +B`, its first line in both texts.
///
/// Parts of the texts correspond where lines that occur once in both stand in the same order.
pub(crate) fn changed_lines(old: &str, new: &str) -> Vec<String> {
    let texts = Texts { old: old.lines().collect(), new: new.lines().collect() };
    let all = Part { old: 0..texts.old.len(), new: 0..texts.new.len(), depth: DEPTH };
    // The last one is looked at first.
    let mut parts = vec![all];
    let mut lines = Vec::new();
    while let Some(part) = parts.pop() {
        let part = texts.trimmed(part);
        if part.old.is_empty() && part.new.is_empty() {
            continue;
        }
        let anchors = if part.depth == 0 { Vec::new() } else { texts.anchors(&part) };
        if anchors.is_empty() {
            texts.show(&part, &mut lines);
            continue;
        }
        let depth = part.depth - 1;
        let (mut end, mut between) = ((part.old.start, part.new.start), Vec::new());
        for (a, b) in anchors {
            between.push(Part { old: end.0..a, new: end.1..b, depth });
            end = (a + 1, b + 1);
        }
        between.push(Part { old: end.0..part.old.end, new: end.1..part.new.end, depth });
        parts.extend(between.into_iter().rev());
    }
    lines
}

impl<'t> Texts<'t> {
    /// A part without what is the same at its beginning and its end.
    fn trimmed(&self, part: Part) -> Part {
        let Part { old, new, depth } = part;
        let (a, b) = self.slices(&old, &new);
        let front = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let (a, b) = (a.get(front..).unwrap_or_default(), b.get(front..).unwrap_or_default());
        let back = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        let cut = |range: Range<usize>| range.start + front..range.end - back;
        Part { old: cut(old), new: cut(new), depth }
    }

    fn slices(&self, old: &Range<usize>, new: &Range<usize>) -> (&[&'t str], &[&'t str]) {
        let old = self.old.get(old.clone()).unwrap_or_default();
        (old, self.new.get(new.clone()).unwrap_or_default())
    }

    /// Lines that occur once in either part: the most of them that stand in the same order.
    fn anchors(&self, part: &Part) -> Vec<(usize, usize)> {
        let (a, b) = self.slices(&part.old, &part.new);
        let mut places: HashMap<&str, [Vec<usize>; 2]> = HashMap::new();
        for (side, lines) in [a, b].into_iter().enumerate() {
            for (index, line) in lines.iter().enumerate() {
                let found = places.entry(line).or_default().get_mut(side);
                // That there are two of them is enough.
                if let Some(found) = found.filter(|found| found.len() < 2) {
                    found.push(index);
                }
            }
        }
        let mut once: Vec<(usize, usize)> = places
            .into_values()
            .filter_map(|[old, new]| match (&old[..], &new[..]) {
                ([old], [new]) => Some((part.old.start + old, part.new.start + new)),
                _ => None,
            })
            .collect();
        once.sort_unstable();
        longest_rise(&once)
    }

    fn show(&self, part: &Part, lines: &mut Vec<String>) {
        let (a, b) = self.slices(&part.old, &part.new);
        lines.push(format!("@ -{} +{}", part.old.start + 1, part.new.start + 1));
        lines.extend(a.iter().map(|line| format!("-{line}")));
        lines.extend(b.iter().map(|line| format!("+{line}")));
    }
}

/// The longest part of a list of pairs, sorted by the first, in which the second rise, too.
fn longest_rise(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the index of the pair with the least end, and what comes before each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let second = |index: &usize| pairs.get(*index).map_or(0, |pair| pair.1);
    for (index, (_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| second(end) < *new);
        before.push(length.checked_sub(1).and_then(|last| ends.get(last).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut rise = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(index) = next {
        rise.extend(pairs.get(index));
        next = before.get(index).copied().flatten();
    }
    rise.reverse();
    rise
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(old: &str, new: &str) -> String {
        changed_lines(&old.replace(' ', "\n"), &new.replace(' ', "\n")).join(" ")
    }

    #[test]
    fn lines_that_differ_are_shown_in_their_places() {
        assert_eq!(shown("a b c", "a b c"), "");
        assert_eq!(shown("a b c", "a x c"), "@ -2 +2 -b +x");
        assert_eq!(shown("a b c d", "a c e d"), "@ -2 +2 -b @ -4 +3 +e");
        assert_eq!(shown("", "a"), "@ -1 +1 +a");
        assert_eq!(shown("x x b x", "x b x x"), "@ -2 +2 -x @ -4 +3 +x");
    }

    /// The second text made of the first one and the lines shown.
    fn apply(old: &str, lines: &[String]) -> Vec<String> {
        let old: Vec<&str> = old.lines().collect();
        let mut made: Vec<String> = Vec::new();
        let mut at = 0;
        for line in lines {
            match line.split_at(1) {
                ("@", numbers) => {
                    let number = numbers.trim_start().split(' ').next().unwrap();
                    let start = number[1..].parse::<usize>().unwrap() - 1;
                    made.extend(old[at..start].iter().map(|line| (*line).to_owned()));
                    at = start;
                }
                ("-", line) => {
                    assert_eq!(old[at], line);
                    at += 1;
                }
                (_, line) => made.push(line.to_owned()),
            }
        }
        made.extend(old[at..].iter().map(|line| (*line).to_owned()));
        made
    }

    proptest! {
        #[test]
        fn the_lines_make_the_one_of_the_other(old in "([a-e]\n){0,40}", new in "([a-f]\n){0,40}") {
            let made = apply(&old, &changed_lines(&old, &new));
            prop_assert_eq!(made, new.lines().collect::<Vec<_>>());
            prop_assert!(changed_lines(&old, &old).is_empty());
        }
    }
}
