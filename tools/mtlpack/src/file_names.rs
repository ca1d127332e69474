//! Safe, distinct file names for function names.

use std::collections::{HashMap, HashSet};

use crate::io::is_device;

/// The longest stem made of a function's name, in bytes.
const LONGEST: usize = 120;

/// Makes file names out of function names: letters, digits, `_`, `-` and inner dots
/// stay, anything else becomes `_`; names that differ only by case get a number.
///
/// ```
/// let mut names = mtlpack::FileNames::new("metallib");
/// assert_eq!(names.name(b"ns::add<float>"), "ns__add_float_.metallib");
/// assert_eq!(names.name(b"../add"), "_._add.metallib");
/// assert_eq!(names.name(b"_._ADD"), "_._ADD~2.metallib");
/// ```
#[derive(Debug)]
pub struct FileNames {
    /// With its dot; empty for folders.
    extension: String,
    taken: HashSet<String>,
    /// The last number of each stem that several names have, in lower case.
    numbers: HashMap<String, u64>,
}

impl FileNames {
    /// Names with this extension (without dot).
    #[must_use]
    pub fn new(extension: &str) -> Self {
        let extension = format!(".{extension}");
        Self { extension, taken: HashSet::new(), numbers: HashMap::new() }
    }

    /// Names of folders, which have no extension.
    #[must_use]
    pub fn folders() -> Self {
        Self { extension: String::new(), taken: HashSet::new(), numbers: HashMap::new() }
    }

    /// Keeps a file name from being given.
    pub fn reserve(&mut self, file: &str) {
        self.taken.insert(file.to_ascii_lowercase());
    }

    /// A file name for a function name, never given before.
    #[must_use]
    pub fn name(&mut self, function: &[u8]) -> String {
        let mut stem = stem(function);
        // Windows takes a dot at the end of a name away.
        if self.extension.is_empty() && stem.ends_with('.') {
            stem.replace_range(stem.len() - 1.., "_");
        }
        let number = self.numbers.entry(stem.to_ascii_lowercase()).or_insert(0);
        loop {
            *number += 1;
            let mark = if *number == 1 { String::new() } else { format!("~{number}") };
            let file = format!("{stem}{mark}{}", self.extension);
            if self.taken.insert(file.to_ascii_lowercase()) {
                return file;
            }
        }
    }
}

fn stem(function: &[u8]) -> String {
    let safe = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' => char::from(*byte),
        _ => '_',
    };
    let mut stem: String = function.iter().take(LONGEST).map(safe).collect();
    // A dot in front hides the file, or leads out of the folder.
    if stem.is_empty() || stem.starts_with('.') {
        stem.replace_range(..stem.len().min(1), "_");
    }
    if is_device(&stem) {
        stem.insert(0, '_');
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One look at what is taken for each name, not one for each name of the same stem.
    #[test]
    fn many_equal_names_get_numbers_in_time() {
        let mut names = FileNames::new("metallib");
        let start = std::time::Instant::now();
        let last = (0..100_000).map(|_| names.name(b"same")).last();
        assert_eq!(last.as_deref(), Some("same~100000.metallib"));
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }

    #[test]
    fn folders_have_no_extension() {
        let mut names = FileNames::folders();
        for (id, name) in
            [("0", "0"), ("a.metal", "a.metal"), ("..", "__"), ("A.METAL", "A.METAL~2")]
        {
            assert_eq!(names.name(id.as_bytes()), name);
        }
        assert_eq!((names.name(b"a.").as_str(), names.name(b"").as_str()), ("a_", "_"));
    }

    #[test]
    fn a_number_that_a_name_has_itself_is_passed_over() {
        let mut names = FileNames::new("air");
        assert_eq!(names.name(b"a"), "a.air");
        names.reserve("A~2.air");
        assert_eq!((names.name(b"A").as_str(), names.name(b"a").as_str()), ("A~3.air", "a~4.air"));
    }
}
