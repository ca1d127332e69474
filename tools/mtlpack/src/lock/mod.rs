//! `lock`: what host code relies on in a library, as a small text to commit.
//!
//! ```text
//! mtlpack lock 1
//! platform macos
//! floor 14.0
//! kind executable
//!
//! function vector_add
//!   type kernel
//!   versions AIR 2.6 Metal 3.1
//!   constant 3 use_fog Bool required
//!   argument 0 air.buffer air.location_index 0 1 air.read …
//!   reflection sha256:…
//! ```
//!
//! One fact a line: what it is, its number where there are several, and what is said of it. Lines
//! are compared as they stand, so a change names what changed.

mod compare;
mod facts;

use std::collections::BTreeMap;

use metallib::Library;

use crate::error::{Error, Result};
use crate::io::Input;
use crate::names;

pub use compare::LockChange;
pub(crate) use compare::key;
pub(crate) use facts::public_facts;

/// The first line.
const HEAD: &str = "mtlpack lock 1";

/// What is locked of a library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// Facts of the library.
    library: Vec<String>,
    /// Facts of each function by its name; of functions of one name one after the other.
    functions: BTreeMap<Vec<u8>, Vec<String>>,
}

/// Locks a library.
///
/// The library is to have been read from the input, which is seen through windows. All metadata
/// of the modules is read, on as many threads.
///
/// ```
/// use mtlpack::io::Input;
///
/// # let bytes = include_bytes!("../../../../examples/scale.metallib");
/// let input = Input::from_bytes("scale.metallib", bytes.to_vec());
/// let library = mtlpack::metallib::Library::parse(input.bytes()).unwrap();
/// let lock = mtlpack::lock(&input, &library, 1)?;
/// let text = lock.to_string();
/// assert!(text.contains("function scale\n  type kernel\n"));
/// assert_eq!(mtlpack::Lock::parse("scale.lock", &text)?, lock);
/// # Ok::<(), mtlpack::Error>(())
/// ```
///
/// # Errors
/// If the input cannot be read to its end, or a module cannot be read.
pub fn lock(input: &Input, library: &Library<'_>, threads: usize) -> Result<Lock> {
    let library_facts = facts::library(input, library, threads)?;
    let mut lock = Lock { library: library_facts, ..Lock::default() };
    let arguments = facts::arguments(input, library, threads)?;
    for (index, function) in library.functions().iter().enumerate() {
        let facts = facts::function(library, function, arguments.get(index));
        lock.functions.entry(function.name_bytes().to_vec()).or_default().extend(facts);
    }
    Ok(lock)
}

impl Lock {
    /// Reads a lock. `name` is for messages.
    ///
    /// # Errors
    /// If it is none, or one of another version of the format.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let wrong = |number: usize, what: String| {
            Error::refused(format!("{name}, line {}: {what}", number + 1))
        };
        let mut lines = text.lines().enumerate();
        match lines.next() {
            Some((_, HEAD)) => {}
            found => {
                let found = found.map(|(_, line)| line).unwrap_or_default();
                let found: String = found.chars().take(40).collect();
                return Err(wrong(0, format!("expected `{HEAD}`, found `{found}`")));
            }
        }
        let mut lock = Self::default();
        let mut current: Option<&mut Vec<String>> = None;
        for (number, line) in lines {
            if line.is_empty() {
                continue;
            }
            if let Some(escaped) = line.strip_prefix("function ") {
                let name = names::unescape(escaped)
                    .map_err(|found| wrong(number, format!("`{found}` is no escape")))?;
                current = Some(lock.functions.entry(name).or_default());
            } else if let Some(fact) = line.strip_prefix("  ") {
                let Some(facts) = current.as_deref_mut() else {
                    return Err(wrong(number, "a fact in front of the first function".to_owned()));
                };
                facts.push(fact.to_owned());
            } else if current.is_none() {
                lock.library.push(line.to_owned());
            } else {
                let found: String = line.chars().take(40).collect();
                let what = format!("expected `function NAME` or a fact, found `{found}`");
                return Err(wrong(number, what));
            }
        }
        Ok(lock)
    }
}

impl std::fmt::Display for Lock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{HEAD}")?;
        self.library.iter().try_for_each(|fact| writeln!(f, "{fact}"))?;
        for (name, facts) in &self.functions {
            writeln!(f, "\nfunction {}", names::escape(name))?;
            facts.iter().try_for_each(|fact| writeln!(f, "  {fact}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_no_lock() {
        let error = |text| Lock::parse("a.lock", text).unwrap_err().to_string();
        assert_eq!(error(""), "a.lock, line 1: expected `mtlpack lock 1`, found ``");
        assert_eq!(
            error("mtlpack lock 2\n"),
            "a.lock, line 1: expected `mtlpack lock 1`, found `mtlpack lock 2`"
        );
        assert_eq!(
            error("mtlpack lock 1\n  type kernel\n"),
            "a.lock, line 2: a fact in front of the first function"
        );
        assert_eq!(
            error("mtlpack lock 1\nfunction a\nplatform ios\n"),
            "a.lock, line 3: expected `function NAME` or a fact, found `platform ios`"
        );
        assert_eq!(error("mtlpack lock 1\nfunction a\\q\n"), "a.lock, line 2: `\\q` is no escape");
    }

    #[test]
    fn names_of_all_kinds_come_back() {
        let names = [&b"a b"[..], b"", b"new\nline", b"back\\slash", b"\xff", b"  two"];
        let functions = names.map(|name| (name.to_vec(), vec!["type kernel".to_owned()]));
        let lock = Lock { library: vec!["platform macos".to_owned()], functions: functions.into() };
        assert_eq!(Lock::parse("x", &lock.to_string()).unwrap(), lock);
    }
}
