//! What a build asks of a library beyond being sound: `verify --require` and its like.

use std::fmt;

use glob::{MatchOptions, Pattern};
use metallib::{FourCc, Function, FunctionType, Library};

use crate::error::{Error, Result};
use crate::io::Input;
use crate::text::plural;
use crate::verify::{Finding, Kind, Severity};
use crate::{Lock, names};

/// What a library has to have, and must not have. What is not given is not asked.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// How many functions there are at the least.
    pub min_functions: Option<u64>,
    /// Names or patterns, each of which a function has to match.
    pub require: Vec<String>,
    /// Patterns that no function may match.
    pub forbid: Vec<String>,
    /// Types, of each of which there has to be a function.
    pub require_type: Vec<FunctionType>,
    /// No embedded sources.
    pub no_source: bool,
    /// No absolute paths.
    pub no_paths: bool,
    /// The lock that the library has to match.
    pub lock: Option<Lock>,
}

/// Findings of one kind that are kept of a lock.
const KEPT: usize = 100;

const GLOB: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: false,
    require_literal_leading_dot: false,
};

/// Every demand of a policy that a library does not meet, as an error of kind `policy` or `lock`.
///
/// The library is to have been read from the input. Modules are read, on as many threads, for
/// paths and for locks only.
///
/// # Errors
/// If a pattern is none, or the input cannot be read to its end.
pub fn policy(
    input: &Input,
    library: &Library<'_>,
    policy: &Policy,
    threads: usize,
) -> Result<Vec<Finding>> {
    let mut check = Check { library, found: Vec::new() };
    if let Some(least) = policy.min_functions {
        check.count(least);
    }
    for name in &policy.require {
        check.required(name)?;
    }
    for pattern in &policy.forbid {
        check.forbidden(pattern)?;
    }
    for wanted in &policy.require_type {
        check.required_type(*wanted);
    }
    if policy.no_source {
        check.no_source();
    }
    if policy.no_paths {
        check.no_paths(input, threads)?;
    }
    if let Some(lock) = &policy.lock {
        check.lock(input, lock, threads)?;
    }
    Ok(check.found)
}

struct Check<'l, 'a> {
    library: &'l Library<'a>,
    found: Vec<Finding>,
}

impl Check<'_, '_> {
    fn add(&mut self, kind: Kind, offset: u64, place: impl Into<String>, what: impl fmt::Display) {
        let (severity, place, what) = (Severity::Error, place.into(), what.to_string());
        self.found.push(Finding { severity, kind, offset, place, what });
    }

    fn count(&mut self, least: u64) {
        let count = self.library.functions().len() as u64;
        if count < least {
            let what = format!("{}, expected {least} or more", plural(count, "function"));
            self.add(Kind::Policy, metallib::HEADER_SIZE, "function list", what);
        }
    }

    /// A function has the name, or matches the pattern.
    fn required(&mut self, text: &str) -> Result<()> {
        let test = Test::new("--require", text, self.library)?;
        if !self.library.functions().iter().any(|function| test.matches(function)) {
            let what = format!("no function is `{text}`, which is required");
            self.add(Kind::Policy, metallib::HEADER_SIZE, "function list", what);
        }
        Ok(())
    }

    /// No function has the name, or matches the pattern.
    fn forbidden(&mut self, text: &str) -> Result<()> {
        let test = Test::new("--forbid", text, self.library)?;
        let library = self.library;
        let matching = library.functions().iter().enumerate();
        let mut matching = matching.filter(|(_, function)| test.matches(function));
        let Some((index, first)) = matching.next() else { return Ok(()) };
        let more = match matching.count() {
            0 => String::new(),
            more => format!(", and {more} more functions"),
        };
        let offset = first.tags.offset();
        self.add(Kind::Policy, offset, first.place(index), format!("`{text}` is forbidden{more}"));
        Ok(())
    }

    fn required_type(&mut self, wanted: FunctionType) {
        let mut types = self.library.functions().iter().map(Function::function_type);
        if !types.any(|found| found == Some(wanted)) {
            let what = format!("no function of type {wanted}, which is required");
            self.add(Kind::Policy, metallib::HEADER_SIZE, "function list", what);
        }
    }

    fn no_source(&mut self) {
        let tags = self.library.extension().into_iter().flat_map(|extension| &extension.tags);
        let found: Vec<String> = tags
            .filter(|tag| matches!(tag.id, FourCc::HSRC | FourCc::HSRD) && tag.payload_size() > 0)
            .filter(|tag| matches!(tag.value, metallib::ExtensionValue::Section(_)))
            .map(|tag| tag.id.to_string())
            .collect();
        for id in found {
            let what =
                "embedded sources, which are forbidden; `mtlpack strip-source` takes them out";
            self.add(Kind::Policy, metallib::HEADER_SIZE, format!("section {id}"), what);
        }
    }

    fn no_paths(&mut self, input: &Input, threads: usize) -> Result<()> {
        let (mut count, mut first) = (0_u64, None);
        crate::paths(input, self.library, threads, |occurrence| {
            count += 1;
            first.get_or_insert(occurrence);
        })?;
        if let Some(first) = first {
            let path = names::escape(&first.path).into_owned();
            let what = format!(
                "absolute paths in {}, which are forbidden: the first is `{path}`; `mtlpack paths` \
                 shows all",
                plural(count, "place")
            );
            self.add(Kind::Policy, first.offset, &*first.place, what);
        }
        Ok(())
    }

    fn lock(&mut self, input: &Input, lock: &Lock, threads: usize) -> Result<()> {
        let found = crate::lock(input, self.library, threads)?;
        let mut changes = lock.changes(&found).into_iter();
        for change in changes.by_ref().take(KEPT) {
            self.add(Kind::Lock, metallib::HEADER_SIZE, change.place, change.what);
        }
        match changes.count() {
            0 => {}
            more => {
                let what = format!("{} beyond these", plural(more as u64, "change"));
                self.add(Kind::Lock, metallib::HEADER_SIZE, "", what);
            }
        }
        Ok(())
    }
}

/// A name, or a pattern where no function has that name.
enum Test<'t> {
    Name(std::borrow::Cow<'t, [u8]>),
    Pattern(Pattern),
}

impl<'t> Test<'t> {
    fn new(option: &str, text: &'t str, library: &Library<'_>) -> Result<Self> {
        let is_there =
            |name: &[u8]| library.functions().iter().any(|function| function.name_bytes() == name);
        let name = names::resolve(text, is_there);
        if is_there(&name) || !text.contains(['*', '?', '[']) {
            return Ok(Self::Name(name));
        }
        let wrong = |error: glob::PatternError| {
            Error::refused(format!("{option}: pattern `{text}`: {}", error.msg))
        };
        Ok(Self::Pattern(Pattern::new(text).map_err(wrong)?))
    }

    fn matches(&self, function: &Function<'_>) -> bool {
        match self {
            Self::Name(name) => function.name_bytes() == &**name,
            Self::Pattern(pattern) => {
                pattern.matches_with(&names::escape(function.name_bytes()), GLOB)
            }
        }
    }
}
