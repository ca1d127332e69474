//! Rules that say which function gets which name.

use std::collections::{BTreeMap, HashMap};

use super::pattern::Pattern;
use crate::edited::Named;
use crate::error::{Error, Result};
use crate::names::{escape, unescape};
use crate::text::lines;

/// One function's old and new name, and who says so.
#[derive(Clone, Debug)]
struct Pair {
    old: Vec<u8>,
    new: Vec<u8>,
    source: String,
}

/// Which functions get which names.
///
/// One rule renames a function: the pair of its name, if there is one, else the first pattern
/// that matches, else prefix and suffix.
///
/// ```
/// # fn main() -> mtlpack::Result<()> {
/// let mut rules = mtlpack::RenameRules::default();
/// rules.add_pair("blur=ours::blur")?;
/// rules.add_map("map.txt", "# old  new\nmain0 ours::main\n")?;
/// rules.add_pattern("^(add|sub)_f([0-9]+)$=${1}_float$2")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct RenameRules {
    pairs: Vec<Pair>,
    patterns: Vec<Pattern>,
    prefix: Option<Vec<u8>>,
    suffix: Option<Vec<u8>>,
}

impl RenameRules {
    /// Whether there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { pairs, patterns, prefix, suffix } = self;
        pairs.is_empty() && patterns.is_empty() && prefix.is_none() && suffix.is_none()
    }

    /// Adds `OLD=NEW`, with backslash escapes: an `=` in the old name is `\x3d`.
    ///
    /// # Errors
    /// If there is no `=`, a name is empty, or a backslash begins no escape.
    pub fn add_pair(&mut self, text: &str) -> Result<()> {
        let source = format!("`{text}`");
        let (old, new) = text.split_once('=').ok_or_else(|| {
            Error::refused(format!("{source} is no pair of names, expected OLD=NEW"))
        })?;
        self.push(old, new, source)
    }

    /// Adds the pairs of a file in the syntax of objcopy's `--redefine-syms`: on each line an
    /// old and a new name, with blanks between them. `#` begins a comment, wherever it stands.
    /// In a name a blank is `\x20`, a `#` is `\x23`. A byte order mark is passed over.
    ///
    /// # Errors
    /// If a line holds one or more than two names, or a backslash begins no escape.
    pub fn add_map(&mut self, source: &str, text: &str) -> Result<()> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in (1..).zip(text.lines()) {
            let place = format!("{source}: line {number}");
            let names = line.split_once('#').map_or(line, |(names, _)| names);
            let mut names = names.split_ascii_whitespace();
            match (names.next(), names.next(), names.next()) {
                (None, ..) => {}
                (Some(old), Some(new), None) => self.push(old, new, place)?,
                (Some(old), None, _) => {
                    let what = format!("{place}: `{old}` has no new name behind it");
                    return Err(Error::refused(what));
                }
                (Some(_), Some(_), Some(third)) => {
                    let what =
                        format!("{place}: `{third}` is a third name; a blank in a name is `\\x20`");
                    return Err(Error::refused(what));
                }
            }
        }
        Ok(())
    }

    /// Adds `RE=REPL`: every match of the regular expression is replaced. The first `=` ends
    /// the expression, in which `\x3d` stands for one.
    ///
    /// # Errors
    /// If there is no `=`, the expression is none, or the replacement names a group that the
    /// expression does not have.
    pub fn add_pattern(&mut self, text: &str) -> Result<()> {
        self.patterns.push(Pattern::new(text)?);
        Ok(())
    }

    /// Sets what is put in front of names, with backslash escapes.
    ///
    /// # Errors
    /// If a backslash begins no escape.
    pub fn set_prefix(&mut self, text: &str) -> Result<()> {
        self.prefix = Some(name(text, "prefix")?);
        Ok(())
    }

    /// Sets what is put behind names, with backslash escapes.
    ///
    /// # Errors
    /// If a backslash begins no escape.
    pub fn set_suffix(&mut self, text: &str) -> Result<()> {
        self.suffix = Some(name(text, "suffix")?);
        Ok(())
    }

    fn push(&mut self, old: &str, new: &str, source: String) -> Result<()> {
        let (old, new) = (name(old, &source)?, name(new, &source)?);
        if old.is_empty() || new.is_empty() {
            return Err(Error::refused(format!("{source}: a name must not be empty")));
        }
        self.pairs.push(Pair { old, new, source });
        Ok(())
    }

    /// The new names by the functions' indices.
    ///
    /// # Errors
    /// If a name has two new ones, or a rule applies to no function: all are listed.
    pub(super) fn names(&self, input: Named<'_, '_>) -> Result<BTreeMap<usize, Vec<u8>>> {
        let pairs = self.pairs_by_name()?;
        let mut used = vec![false; self.pairs.len()];
        let mut matched = vec![false; self.patterns.len()];
        let mut names = BTreeMap::new();
        for (index, function) in input.library.functions().iter().enumerate() {
            let old = function.name_bytes();
            let mut new = None;
            for &at in pairs.get(old).into_iter().flatten() {
                used.get_mut(at).into_iter().for_each(|used| *used = true);
                new = self.pairs.get(at).map(|pair| pair.new.clone());
            }
            // Every pattern is asked, to know which match nothing.
            for (pattern, matched) in self.patterns.iter().zip(&mut matched) {
                if (new.is_none() || !*matched)
                    && let Some(replaced) = pattern.replace(old)
                {
                    *matched = true;
                    new.get_or_insert(replaced);
                }
            }
            if let Some(new) = new.or_else(|| self.around(old)) {
                names.insert(index, new);
            }
        }
        let nothing = self.unused(&used, &matched, input.library.functions().is_empty());
        match nothing.is_empty() {
            true => Ok(names),
            false => {
                let what = format!("no function of {} matches:{}", input.name, lines(nothing));
                Err(Error::NoMatch { what })
            }
        }
    }

    /// The rules that apply to nothing, for the message.
    fn unused(&self, used: &[bool], matched: &[bool], empty: bool) -> Vec<String> {
        let pairs = self.pairs.iter().zip(used).filter(|(_, used)| !**used);
        let pairs = pairs.map(|(pair, _)| format!("`{}` ({})", escape(&pair.old), pair.source));
        let patterns = self.patterns.iter().zip(matched).filter(|(_, matched)| !**matched);
        let patterns = patterns.map(|(pattern, _)| format!("--regex `{}`", pattern.source()));
        let around = [("--prefix", &self.prefix), ("--suffix", &self.suffix)];
        let around = around.into_iter().filter(|(_, text)| empty && text.is_some());
        let around = around.map(|(option, _)| option.to_owned());
        pairs.chain(patterns).chain(around).collect()
    }

    /// A name with prefix and suffix; `None` if there is neither.
    fn around(&self, name: &[u8]) -> Option<Vec<u8>> {
        let (prefix, suffix) = (self.prefix.as_deref(), self.suffix.as_deref());
        prefix.or(suffix)?;
        Some([prefix.unwrap_or_default(), name, suffix.unwrap_or_default()].concat())
    }

    /// Indices of the pairs of each old name.
    fn pairs_by_name(&self) -> Result<HashMap<&[u8], Vec<usize>>> {
        let mut by_name: HashMap<&[u8], Vec<usize>> = HashMap::with_capacity(self.pairs.len());
        let mut twice = Vec::new();
        for (index, pair) in self.pairs.iter().enumerate() {
            let others = by_name.entry(&pair.old).or_default();
            let other = others.first().and_then(|&first| self.pairs.get(first));
            if let Some(other) = other.filter(|other| other.new != pair.new) {
                twice.push(format!(
                    "`{}`: `{}` ({}), `{}` ({})",
                    escape(&pair.old),
                    escape(&other.new),
                    other.source,
                    escape(&pair.new),
                    pair.source
                ));
            }
            others.push(index);
        }
        match twice.is_empty() {
            true => Ok(by_name),
            false => {
                Err(Error::refused(format!("two new names for one function:{}", lines(twice))))
            }
        }
    }
}

/// The name that a text stands for.
fn name(text: &str, source: &str) -> Result<Vec<u8>> {
    unescape(text).map_err(|escape| {
        Error::refused(format!(
            "{source}: `{escape}` is no escape; a backslash of a name is `\\\\`"
        ))
    })
}
