//! A library of the functions that patterns, types and lists choose.

use std::collections::HashSet;

use glob::{MatchOptions, Pattern};
use metallib::{Function, FunctionType, Subset};

use crate::edited::{Edited, Named};
use crate::error::{Error, Result};
use crate::names;

/// Names read from a file, one a line.
#[derive(Clone, Debug)]
pub struct NameList {
    /// Name of the file, for messages.
    pub source: String,
    /// The names, as the bytes that libraries hold.
    pub names: Vec<Vec<u8>>,
}

impl NameList {
    /// Reads one name a line, with the backslash escapes that [`Splitter::index`] writes
    /// too; empty lines and a byte order mark are passed over.
    ///
    /// ```
    /// let list = mtlpack::NameList::parse("list", "add\r\n\na\\tb\n").unwrap();
    /// assert_eq!(list.names, [&b"add"[..], b"a\tb"]);
    /// ```
    ///
    /// # Errors
    /// If a backslash begins no escape.
    ///
    /// [`Splitter::index`]: crate::Splitter::index
    pub fn parse(source: impl Into<String>, text: &str) -> Result<Self> {
        let source = source.into();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().map(|line| line.trim_end_matches('\r')).enumerate();
        let name = |(index, line): (usize, &str)| {
            names::unescape(line).map_err(|escape| {
                Error::refused(format!(
                    "{source}: line {}: `{escape}` is no escape; a backslash of a name is `\\\\`",
                    index + 1
                ))
            })
        };
        let names = lines.filter(|(_, line)| !line.is_empty()).map(name).collect::<Result<_>>()?;
        Ok(Self { source, names })
    }
}

/// Which functions to keep.
///
/// A function is kept if a keep pattern or list has it (or there is none), its type is
/// among the types (or there is none), and no drop pattern or list has it.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Patterns of names to keep: `*`, `?`, `[a-z]`; `*` also matches `/` and `:`. One with a
    /// backslash that matches no name as it is stands for names with escapes, as
    /// [`NameList::parse`] reads them.
    pub keep: Vec<String>,
    /// Patterns of names to drop.
    pub drop: Vec<String>,
    /// Types to keep.
    pub types: Vec<FunctionType>,
    /// Names to keep.
    pub keep_lists: Vec<NameList>,
    /// Names to drop.
    pub drop_lists: Vec<NameList>,
}

/// How a library is filtered.
#[derive(Clone, Copy, Debug, Default)]
pub struct FilterOptions {
    /// Whether a library without functions is a fine result.
    pub allow_empty: bool,
    /// Whether an irregular input may be laid out anew.
    pub new_layout: bool,
}

/// Keeps the chosen functions of a library, in their order.
///
/// The UUID of a smaller library is computed anew: the SHA-256 form, or the MD5 form
/// where the library's own follows it.
///
/// # Errors
/// If a pattern, type or name of a list selects nothing, all of which are listed; if
/// the result is empty; if the library is irregular or holds scripts that may refer to
/// what is left out.
pub fn filter<'a>(
    input: Named<'_, 'a>,
    selection: &Selection,
    options: &FilterOptions,
) -> Result<Edited<'a>> {
    let library = input.library;
    let kept = Chooser::new(selection)?.choose(library.functions())?;
    if kept.is_empty() && !options.allow_empty {
        let what = format!(
            "no function of {} is left, out of {}; to make an empty library use --allow-empty",
            input.name,
            library.functions().len()
        );
        return Err(Error::NoMatch { what });
    }
    if kept.len() == library.functions().len() {
        return Edited::nothing_to_change(input, options.new_layout);
    }
    refuse_scripts(input)?;
    let wrong = || Error::library(input.name);
    let subset = Subset::new(library, options.new_layout).map_err(wrong())?;
    let part = subset.of(&kept).and_then(metallib::LibraryBuilder::finish).map_err(wrong())?;
    let mut edited = Edited::unchanged(part);
    edited.compute_uuid(input)?;
    Ok(edited)
}

/// Scripts may refer to functions in ways that are not known.
pub(crate) fn refuse_scripts(input: Named<'_, '_>) -> Result<()> {
    match input.library.scripts() {
        Some(_) => Err(Error::refused(format!(
            "{} holds a script list (SLST), which may refer to functions that would be left \
             out or renamed; this is not supported",
            input.name
        ))),
        None => Ok(()),
    }
}

/// One criterion, what it is called in messages, and whether it matched anything.
struct Criterion<T> {
    what: String,
    test: T,
    matched: bool,
}

type Names<'s> = HashSet<&'s [u8]>;

/// A pattern of names.
struct Glob {
    pattern: Pattern,
    /// Whether it is a pattern of names with escapes.
    escaped: bool,
}

impl Glob {
    fn matches(&self, function: &Function<'_>) -> bool {
        let name = match self.escaped {
            true => names::escape(function.name_bytes()),
            false => function.name(),
        };
        self.pattern.matches_with(&name, GLOB)
    }

    /// Where a pattern with a backslash matches no name as it is, it is one with escapes.
    fn settle(&mut self, functions: &[Function<'_>]) {
        let has_backslash = self.pattern.as_str().contains('\\');
        self.escaped = has_backslash && !functions.iter().any(|f| self.matches(f));
    }
}

/// A selection, compiled.
struct Chooser<'s> {
    keep: Vec<Criterion<Glob>>,
    drop: Vec<Criterion<Glob>>,
    types: Vec<Criterion<FunctionType>>,
    keep_names: Names<'s>,
    drop_names: Names<'s>,
    lists: Vec<&'s NameList>,
    keeps_all: bool,
}

const GLOB: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: false,
    require_literal_leading_dot: false,
};

impl<'s> Chooser<'s> {
    fn new(selection: &'s Selection) -> Result<Self> {
        let patterns = |option: &str, patterns: &[String]| {
            patterns
                .iter()
                .map(|pattern| {
                    let pattern = Pattern::new(pattern).map_err(|error| {
                        Error::refused(format!("pattern `{pattern}`: {}", error.msg))
                    })?;
                    let what = format!("{option} `{}`", pattern.as_str());
                    let test = Glob { pattern, escaped: false };
                    Ok(Criterion { what, test, matched: false })
                })
                .collect::<Result<Vec<_>>>()
        };
        let types = selection.types.iter().map(|&test| Criterion {
            what: format!("--type {test}"),
            test,
            matched: false,
        });
        let names = |lists: &'s [NameList]| {
            lists.iter().flat_map(|list| list.names.iter().map(Vec::as_slice)).collect()
        };
        Ok(Self {
            keep: patterns("--keep", &selection.keep)?,
            drop: patterns("--drop", &selection.drop)?,
            types: types.collect(),
            keep_names: names(&selection.keep_lists),
            drop_names: names(&selection.drop_lists),
            lists: selection.keep_lists.iter().chain(&selection.drop_lists).collect(),
            keeps_all: selection.keep.is_empty() && selection.keep_lists.is_empty(),
        })
    }

    fn choose(&mut self, functions: &[Function<'_>]) -> Result<Vec<usize>> {
        for glob in self.keep.iter_mut().chain(&mut self.drop) {
            glob.test.settle(functions);
        }
        let mut seen = Names::new();
        let mut kept = Vec::new();
        for (index, function) in functions.iter().enumerate() {
            if self.decide(function) {
                kept.push(index);
            }
            let name = function.name_bytes();
            if self.keep_names.contains(name) || self.drop_names.contains(name) {
                seen.insert(name);
            }
        }
        let unmatched = self.unmatched(&seen);
        if unmatched.is_empty() {
            return Ok(kept);
        }
        let text = unmatched.iter().fold(String::new(), |text, what| format!("{text}\n  {what}"));
        Err(Error::NoMatch { what: format!("no function matches:{text}") })
    }

    /// Whether to keep a function. Every criterion is asked, to know which match nothing.
    fn decide(&mut self, function: &Function<'_>) -> bool {
        let bytes = function.name_bytes();
        let function_type = function.function_type();
        let any = |criteria: &mut Vec<Criterion<Glob>>| {
            criteria.iter_mut().fold(false, |any, criterion| {
                let matches = criterion.test.matches(function);
                criterion.matched |= matches;
                any | matches
            })
        };
        let keep = any(&mut self.keep) | self.keep_names.contains(bytes) | self.keeps_all;
        let drop = any(&mut self.drop) | self.drop_names.contains(bytes);
        let mut of_type = self.types.is_empty();
        for criterion in self.types.iter_mut().filter(|c| Some(c.test) == function_type) {
            criterion.matched = true;
            of_type = true;
        }
        keep && of_type && !drop
    }

    /// What selected nothing, for the message.
    fn unmatched(&self, seen: &Names<'_>) -> Vec<String> {
        let patterns = self.keep.iter().chain(&self.drop).filter(|c| !c.matched).map(|c| &c.what);
        let types = self.types.iter().filter(|c| !c.matched).map(|c| &c.what);
        let names = self.lists.iter().flat_map(|list| {
            let unseen = list.names.iter().filter(|name| !seen.contains(name.as_slice()));
            unseen.map(|name| unmatched_name(name, &list.source))
        });
        patterns.chain(types).cloned().chain(names).collect()
    }
}

/// A name of a list that no function has.
fn unmatched_name(name: &[u8], source: &str) -> String {
    let hint = match name.iter().any(|byte| b"*?".contains(byte)) {
        true => " (lists hold names; --keep and --drop take patterns)",
        false => "",
    };
    format!("`{}` of {source}{hint}", names::escape(name))
}
