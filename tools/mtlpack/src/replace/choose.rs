//! Which function takes which place, and whether it may.

use std::collections::HashMap;

use metallib::{Function, Library, Module};

use super::Replacement;
use crate::edited::{Named, Renaming};
use crate::error::{Error, Result};
use crate::names::{escape, pattern_hint, some};
use crate::text::lines;

/// One function to replace, and the one that comes in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// Index of the function to replace.
    pub(super) at: usize,
    /// Index of the library that the new function comes from.
    pub(super) source: usize,
    /// Index of the new function there.
    pub(super) function: usize,
}

/// All choices, in the order of their places, and the libraries they speak of.
pub(super) struct Chosen<'l, 'a> {
    pub(super) sources: Vec<Named<'l, 'a>>,
    pub(super) choices: Vec<Choice>,
}

impl Choice {
    /// The function to replace and the new one.
    pub(super) fn functions<'l, 'a>(
        &self,
        input: Named<'l, 'a>,
        sources: &[Named<'l, 'a>],
    ) -> Option<(&'l Function<'a>, &'l Function<'a>)> {
        let new = sources.get(self.source)?.library.functions().get(self.function)?;
        Some((input.library.functions().get(self.at)?, new))
    }

    /// The other name that the new function gets, if it gets one.
    pub(super) fn renaming(
        &self,
        input: Named<'_, '_>,
        sources: &[Named<'_, '_>],
    ) -> Option<Renaming> {
        let (replaced, function) = self.functions(input, sources)?;
        let (new, old) = (replaced.name_bytes().to_vec(), function.name_bytes().to_vec());
        let input = sources.get(self.source)?.name.to_owned();
        (old != new).then_some(Renaming { input, old, new })
    }

    /// What was replaced by what; `output` is the library as it is now.
    pub(super) fn note(
        &self,
        input: Named<'_, '_>,
        sources: &[Named<'_, '_>],
        output: &Library<'_>,
    ) -> Option<String> {
        let (old, new) = self.functions(input, sources)?;
        let from = sources.get(self.source)?.name;
        let now = output.functions().get(self.at)?;
        let name = escape(old.name_bytes());
        Some(format!(
            "`{name}` ({}) replaced by `{}` of {from} ({})",
            summary(input.library, old),
            escape(new.name_bytes()),
            summary(output, now)
        ))
    }
}

/// Type, module size and versions.
fn summary(library: &Library<'_>, function: &Function<'_>) -> String {
    let mut text = type_of(function);
    if let Some(module) = library.module_of(function) {
        text += &format!(", {} bytes", Module::bytes(module).len());
    }
    if let Some(versions) = function.versions() {
        text += &format!(", AIR {}, Metal {}", versions.air, versions.language);
    }
    text
}

fn type_of(function: &Function<'_>) -> String {
    function.function_type().map_or_else(|| "untyped".to_owned(), |known| known.to_string())
}

/// Functions of a library by name.
struct ByName<'l, 'a> {
    library: Named<'l, 'a>,
    indices: HashMap<&'l [u8], Vec<usize>>,
}

/// What is wrong with replacements, one line each.
#[derive(Default)]
struct Problems {
    missing: Vec<String>,
    unclear: Vec<String>,
}

impl<'l, 'a> ByName<'l, 'a> {
    fn new(library: Named<'l, 'a>) -> Self {
        let mut indices: HashMap<&'l [u8], Vec<usize>> = HashMap::new();
        for (index, function) in library.library.functions().iter().enumerate() {
            indices.entry(function.name_bytes()).or_default().push(index);
        }
        Self { library, indices }
    }

    fn has(&self, name: &[u8]) -> bool {
        self.indices.contains_key(name)
    }

    /// The one function of this name.
    fn find(&self, name: &[u8], problems: &mut Problems) -> Option<usize> {
        let from = self.library.name;
        match self.indices.get(name).map_or(&[][..], Vec::as_slice) {
            [index] => Some(*index),
            [] => {
                problems.missing.push(format!(
                    "`{}` is not in {from}{}",
                    escape(name),
                    pattern_hint(name)
                ));
                None
            }
            several => {
                let count = several.len();
                let what = format!("{from} has `{}` {count} times", escape(name));
                problems.unclear.push(what);
                None
            }
        }
    }

    /// The function that replaces `name` where no other name is given.
    fn default_for(&self, name: &[u8], problems: &mut Problems) -> Option<usize> {
        let functions = self.library.library.functions();
        match functions {
            [_] => return Some(0),
            _ if self.has(name) => return self.find(name, problems),
            _ => {}
        }
        let names: Vec<&[u8]> = functions.iter().map(Function::name_bytes).collect();
        let (name, from) = (escape(name), self.library.name);
        problems.missing.push(match functions.len() {
            0 => format!("`{name}` is not in {from}, which has no functions"),
            count => format!(
                "`{name}` is not in {from}, and which of its {count} functions is meant must be \
                 said: {}",
                some(&names)
            ),
        });
        None
    }
}

/// Finds all functions.
///
/// # Errors
/// If names are not there, there several times, or given twice: all of them are listed.
pub(super) fn choose<'l, 'a>(
    input: Named<'l, 'a>,
    replacements: &[Replacement<'l, 'a>],
) -> Result<Chosen<'l, 'a>> {
    let own = ByName::new(input);
    let mut others: Vec<ByName<'l, 'a>> = Vec::new();
    let mut known: HashMap<*const Library<'a>, usize> = HashMap::new();
    let mut problems = Problems::default();
    let mut choices: Vec<Choice> = Vec::with_capacity(replacements.len());
    for Replacement { name, from, function } in replacements {
        let source = *known.entry(from.library).or_insert_with(|| {
            others.push(ByName::new(*from));
            others.len() - 1
        });
        let at = own.find(name, &mut problems);
        let Some(other) = others.get(source) else { continue };
        let function = match function {
            Some(function) => other.find(function, &mut problems),
            None => other.default_for(name, &mut problems),
        };
        if let (Some(at), Some(function)) = (at, function) {
            choices.push(Choice { at, source, function });
        }
    }
    choices.sort_by_key(|choice| choice.at);
    let twice = choices.windows(2).filter_map(|pair| match pair {
        [a, b] if a.at == b.at => input.library.functions().get(a.at),
        _ => None,
    });
    let twice = twice.map(|f| format!("`{}` would be replaced twice", escape(f.name_bytes())));
    problems.unclear.extend(twice);
    problems.check()?;
    let sources = others.into_iter().map(|other| other.library).collect();
    Ok(Chosen { sources, choices })
}

impl Problems {
    fn check(self) -> Result<()> {
        if !self.missing.is_empty() {
            let what =
                format!("no function to replace, or to replace it by:{}", lines(self.missing));
            return Err(Error::NoMatch { what });
        }
        if !self.unclear.is_empty() {
            let what = format!("which function is meant is not clear:{}", lines(self.unclear));
            return Err(Error::refused(what));
        }
        Ok(())
    }
}

/// Whether functions of these libraries can be exchanged, one for the other.
///
/// # Errors
/// If not; functions that share modules or are of different types are listed.
pub(super) fn check(
    input: Named<'_, '_>,
    sources: &[Named<'_, '_>],
    choices: &[Choice],
    allow_type_change: bool,
) -> Result<()> {
    let replaced = choices.iter().map(|choice| choice.at).collect();
    check_library(input, replaced)?;
    for (index, source) in sources.iter().enumerate() {
        let own = choices.iter().filter(|choice| choice.source == index);
        let taken: Vec<usize> = own.map(|choice| choice.function).collect();
        if !taken.is_empty() {
            check_library(*source, taken)?;
        }
    }
    if allow_type_change {
        return Ok(());
    }
    let changed = |choice: &Choice| {
        let (old, new) = choice.functions(input, sources)?;
        let from = sources.get(choice.source)?.name;
        let (name, other) = (escape(old.name_bytes()), escape(new.name_bytes()));
        (old.function_type() != new.function_type()).then(|| {
            format!(
                "`{name}` is of type {}, `{other}` of {from} of type {}",
                type_of(old),
                type_of(new)
            )
        })
    };
    let changed: Vec<String> = choices.iter().filter_map(changed).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let hint = "functions of different types; --allow-type-change replaces them";
    Err(Error::refused(format!("{hint}:{}", lines(changed))))
}

/// Whether these functions can be taken out of a library, each by itself.
fn check_library(library: Named<'_, '_>, functions: Vec<usize>) -> Result<()> {
    if library.library.is_dynamic() {
        return Err(Error::refused(format!(
            "{} is a dynamic library: its functions share one module, so that none of them can be \
             taken out or put in by itself",
            library.name
        )));
    }
    crate::filter::refuse_scripts(library)?;
    let all = library.library.functions();
    let mut users = vec![0_usize; library.library.modules().len()];
    for id in all.iter().filter_map(|function| function.module) {
        if let Some(count) = users.get_mut(id.index()) {
            *count += 1;
        }
    }
    let shares = |index: usize| {
        let function = all.get(index)?;
        let count = *users.get(function.module?.index())?;
        let name = escape(function.name_bytes());
        (count > 1).then(|| format!("`{name}` with {} others", count - 1))
    };
    let shared: Vec<String> = functions.into_iter().filter_map(shares).collect();
    if shared.is_empty() {
        return Ok(());
    }
    Err(Error::refused(format!(
        "functions of {} share their module, and cannot be taken out or put in by themselves:{}",
        library.name,
        lines(shared)
    )))
}
