//! Families of functions: those whose names begin with the same words.

use std::borrow::Cow;
use std::collections::HashMap;

/// How many functions share two words before these are a family of their own.
const MANY: usize = 8;

/// The families that names fall into.
///
/// Words end with `_`, `::` or `<`. Names that share their first two words with seven others or
/// more are a family: `steel_gemm_*`. Of the rest those that share the first word are one, and
/// what is left stands for itself.
pub(crate) struct Families<'n> {
    two_words: HashMap<&'n [u8], usize>,
    one_word: HashMap<&'n [u8], usize>,
}

impl<'n> Families<'n> {
    pub(crate) fn new(names: impl Iterator<Item = &'n [u8]> + Clone) -> Self {
        let mut families = Self { two_words: HashMap::new(), one_word: HashMap::new() };
        for [_, two] in names.clone().map(stems) {
            if let Some(stem) = two {
                *families.two_words.entry(stem).or_default() += 1;
            }
        }
        for [one, two] in names.map(stems) {
            let is_left = !two.is_some_and(|stem| families.is_large(stem));
            if let Some(stem) = one.filter(|_| is_left) {
                *families.one_word.entry(stem).or_default() += 1;
            }
        }
        families
    }

    fn is_large(&self, stem: &[u8]) -> bool {
        self.two_words.get(stem).is_some_and(|count| *count >= MANY)
    }

    /// The family of one of the names: a stem with `*`, or the name itself.
    pub(crate) fn of(&self, name: &'n [u8]) -> Family<'n> {
        let [one, two] = stems(name);
        let one = one.filter(|stem| self.one_word.get(stem).is_some_and(|count| *count > 1));
        match two.filter(|stem| self.is_large(stem)).or(one) {
            Some(stem) => Family { text: stem, is_stem: true },
            None => Family { text: name, is_stem: false },
        }
    }
}

/// What functions of a family are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Family<'n> {
    text: &'n [u8],
    is_stem: bool,
}

impl Family<'_> {
    /// The stem and `*`, or the name; what is not UTF-8 is replaced.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        let text = String::from_utf8_lossy(self.text);
        if self.is_stem { (text.into_owned() + "*").into() } else { text }
    }
}

/// What a name begins with, up to what ends its first word and its second one.
fn stems(name: &[u8]) -> [Option<&[u8]>; 2] {
    let one = end_of_word(name, 0);
    let two = one.and_then(|end| end_of_word(name, end));
    [one, two].map(|end| name.get(..end?))
}

/// Where the separator behind the next word ends. A word is not empty, and something follows it.
fn end_of_word(name: &[u8], from: usize) -> Option<usize> {
    let is_separator = |byte: &u8| matches!(byte, b'_' | b':' | b'<');
    let rest = name.get(from..)?;
    let start = rest.iter().position(|byte| !is_separator(byte))?;
    let word = rest.get(start..)?.iter().position(is_separator)?;
    let behind = rest.get(start + word..)?;
    let separators = behind.iter().position(|byte| !is_separator(byte))?;
    Some(from + start + word + separators)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_the_same_words_are_families() {
        let many: Vec<String> = (0..8).map(|n| format!("steel_gemm_nn_{n}")).collect();
        let few = ["steel_conv_a", "steel_conv_b", "kernel<float>", "kernel<half>", "blit", "_a_b"];
        let others = ["ns::add", "ns::sub", "steel", "__x", ""];
        let names = || many.iter().map(String::as_str).chain(few).chain(others);
        let families = Families::new(names().map(str::as_bytes));
        let found: Vec<_> = names().map(|name| families.of(name.as_bytes())).collect();
        let found: Vec<_> = found.iter().map(Family::text).collect();
        assert!(found[..8].iter().all(|family| family == "steel_gemm_*"));
        let expected = ["steel_*", "steel_*", "kernel<*", "kernel<*", "blit", "_a_b"];
        assert_eq!(found[8..14], expected);
        assert_eq!(found[14..], ["ns::*", "ns::*", "steel", "__x", ""]);
    }

    #[test]
    fn a_family_is_not_a_name_that_looks_like_it() {
        let names = [&b"a_1"[..], b"a_2", b"a_*"];
        let families = Families::new(names.into_iter());
        assert!(names.iter().all(|name| families.of(name).is_stem));
        let alone = Families::new([&b"a_*"[..]].into_iter());
        assert_eq!(alone.of(b"a_*"), Family { text: b"a_*", is_stem: false });
    }
}
