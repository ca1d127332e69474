//! Rules that say which function gets which name.

use std::collections::{BTreeMap, HashMap};

use super::pattern::Pattern;
use crate::edited::Named;
use crate::error::{Error, Result};
use crate::names::{escape, fault, unescape};

/// One function's old and new name, and who says so.
#[derive(Clone, Debug)]
struct Pair {
    old: Vec<u8>,
    new: Vec<u8>,
    source: String,
}

/// What rules say of a library.
#[derive(Debug, Default)]
pub(super) struct Applied {
    /// The new names by the functions' indices.
    pub(super) names: BTreeMap<usize, Vec<u8>>,
    /// Names that have several new ones, one line each.
    pub(super) twice: Vec<String>,
    /// Rules that rename no function, one line each.
    pub(super) unused: Vec<String>,
}

/// Which rules rename a function.
struct Used {
    pairs: Vec<bool>,
    patterns: Vec<bool>,
    /// Prefix and suffix, which go together.
    around: bool,
}

/// Why a rule that would match is for no function.
const EARLIER: &str = " (earlier rules are for all functions that it matches)";

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

    /// The new names by the functions' indices, and what is wrong with the rules.
    ///
    /// # Errors
    /// If names with the prefix cannot be.
    pub(super) fn apply(&self, input: Named<'_, '_>) -> Result<Applied> {
        if let Some((prefix, fault)) =
            self.prefix.as_deref().and_then(|prefix| Some((prefix, fault(prefix)?)))
        {
            return Err(Error::refused(format!("prefix `{}`: {fault}", escape(prefix))));
        }
        let (pairs, twice) = self.pairs_by_name();
        let mut applied = Applied { twice, ..Applied::default() };
        let mut used = Used {
            pairs: vec![false; self.pairs.len()],
            patterns: vec![false; self.patterns.len()],
            around: false,
        };
        for (index, function) in input.library.functions().iter().enumerate() {
            let own = pairs.get(function.name_bytes()).map_or(&[][..], Vec::as_slice);
            if let Some(new) = self.new_name(function.name_bytes(), own, &mut used) {
                applied.names.insert(index, new);
            }
        }
        applied.unused = self.unused(input, &used);
        Ok(applied)
    }

    /// The new name that the first rule for a function gives; `own` are indices of its pairs.
    fn new_name(&self, old: &[u8], own: &[usize], used: &mut Used) -> Option<Vec<u8>> {
        for &at in own {
            used.pairs.get_mut(at).into_iter().for_each(|used| *used = true);
        }
        if let Some(pair) = own.first().and_then(|&at| self.pairs.get(at)) {
            return Some(pair.new.clone());
        }
        for (pattern, used) in self.patterns.iter().zip(&mut used.patterns) {
            if let Some(new) = pattern.replace(old) {
                *used = true;
                return Some(new);
            }
        }
        let new = self.around(old);
        used.around |= new.is_some();
        new
    }

    /// The rules that rename nothing, for the message.
    fn unused(&self, input: Named<'_, '_>, used: &Used) -> Vec<String> {
        let functions = input.library.functions();
        let pairs = self.pairs.iter().zip(&used.pairs).filter(|(_, used)| !**used);
        let pairs = pairs.map(|(pair, _)| format!("`{}` ({})", escape(&pair.old), pair.source));
        let patterns = self.patterns.iter().zip(&used.patterns).filter(|(_, used)| !**used);
        let patterns = patterns.map(|(pattern, _)| {
            let matches = functions.iter().any(|f| pattern.replace(f.name_bytes()).is_some());
            format!("--regex `{}`{}", pattern.source(), if matches { EARLIER } else { "" })
        });
        let around = [("--prefix", &self.prefix), ("--suffix", &self.suffix)];
        let around = around.into_iter().filter(|(_, text)| !used.around && text.is_some());
        let around = around.map(|(option, _)| {
            format!("{option}{}", if functions.is_empty() { "" } else { EARLIER })
        });
        pairs.chain(patterns).chain(around).collect()
    }

    /// A name with prefix and suffix; `None` if there is neither.
    fn around(&self, name: &[u8]) -> Option<Vec<u8>> {
        let (prefix, suffix) = (self.prefix.as_deref(), self.suffix.as_deref());
        prefix.or(suffix)?;
        Some([prefix.unwrap_or_default(), name, suffix.unwrap_or_default()].concat())
    }

    /// Indices of the pairs of each old name, and old names with several new ones.
    fn pairs_by_name(&self) -> (HashMap<&[u8], Vec<usize>>, Vec<String>) {
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
        (by_name, twice)
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
