//! Safe, distinct file names for function names.

use std::collections::HashSet;

/// The longest stem made of a function's name, in bytes.
const LONGEST: usize = 120;

/// Names that Windows keeps for devices.
const RESERVED: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

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
    extension: &'static str,
    taken: HashSet<String>,
}

impl FileNames {
    /// Names with this extension (without dot).
    #[must_use]
    pub fn new(extension: &'static str) -> Self {
        Self { extension, taken: HashSet::new() }
    }

    /// Keeps a file name from being given.
    pub fn reserve(&mut self, file: &str) {
        self.taken.insert(file.to_ascii_lowercase());
    }

    /// A file name for a function name, never given before.
    #[must_use]
    pub fn name(&mut self, function: &[u8]) -> String {
        let stem = stem(function);
        for number in 1_u64.. {
            let mark = if number == 1 { String::new() } else { format!("~{number}") };
            let file = format!("{stem}{mark}.{}", self.extension);
            if self.taken.insert(file.to_ascii_lowercase()) {
                return file;
            }
        }
        stem
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
    let base = stem.split('.').next().unwrap_or_default().to_ascii_lowercase();
    if RESERVED.contains(&base.as_str()) {
        stem.insert(0, '_');
    }
    stem
}
