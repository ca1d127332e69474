//! Helpers of the test package: the corpus of real libraries, and builders of small ones.
#![forbid(unsafe_code)]

pub mod air;
pub mod archives;
pub mod derivable;
pub mod shape;
pub mod small;
pub mod strategies;
pub mod trimmed;

use std::path::{Path, PathBuf};

use metallib::Library;

pub mod bitcode;
pub mod bitcode_laws;
pub mod bitcode_old;
pub mod bitcode_shared;
pub mod id_laws;
pub mod listing;
pub mod llvm;
pub mod planted;

/// The module of `data/pipeline.ll`, as LLVM 14's assembler writes it: a kernel, a vertex and a
/// fragment function with all that a library is derived from. The way in for other compilers.
pub const PIPELINE_MODULE: &[u8] = include_bytes!("../data/pipeline.bc");

/// Environment variable that names the folder of the unpacked corpus.
pub const CORPUS: &str = "MTLPACK_CORPUS";

/// Environment variable that lets tests take the large libraries of the corpus too.
pub const LARGE: &str = "MTLPACK_LARGE";

/// A library of the corpus.
pub struct Sample {
    /// Path below the corpus folder.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Sample {
    /// Parses the sample.
    ///
    /// # Panics
    /// If it does not parse.
    #[must_use]
    pub fn library(&self) -> Library<'_> {
        Library::parse(&self.bytes).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// Folder of the unpacked corpus: the environment variable, else `target/corpus`.
#[must_use]
pub fn corpus_folder() -> PathBuf {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/corpus");
    std::env::var_os(CORPUS).map_or_else(default, PathBuf::from)
}

/// Every library of the corpus but the two large ones, sorted by name.
///
/// Where there is no corpus, says so with the name of the test that goes without.
#[must_use]
pub fn corpus(test: &str) -> Vec<Sample> {
    let root = corpus_folder();
    let mut samples = Vec::new();
    for part in ["libraries", "air"] {
        collect(&root, &root.join(part), &mut samples);
    }
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    if samples.is_empty() {
        println!("{test}: no corpus at ${CORPUS} or target/corpus, skipped 436 libraries");
    }
    samples
}

/// What [`corpus`] gives and, with `MTLPACK_LARGE` set, the two large libraries.
#[must_use]
pub fn corpus_and_large(test: &str) -> Vec<Sample> {
    let mut samples = corpus(test);
    if std::env::var_os(LARGE).is_some() {
        samples.extend(large());
    }
    samples
}

/// The two large libraries of the corpus, if they are there.
fn large() -> Vec<Sample> {
    let root = corpus_folder();
    let mut samples = Vec::new();
    collect(&root, &root.join("large"), &mut samples);
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    samples
}

/// Adds the files below `folder` that begin as a Metal library does.
fn collect(root: &Path, folder: &Path, samples: &mut Vec<Sample>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, samples);
            continue;
        }
        let Ok(bytes) = std::fs::read(&path) else { continue };
        if bytes.starts_with(&metallib::MAGIC) {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            samples.push(Sample { name, bytes });
        }
    }
}

/// Calls `each` with every module of the corpus and of the repository's own examples.
///
/// Modules are those of libraries (shared ones once) and `.air` files. With `MTLPACK_LARGE`
/// set, those of the two large libraries too. Tells how many there were.
///
/// # Panics
/// If a file cannot be read, or a library does not parse.
pub fn modules(test: &str, mut each: impl FnMut(&str, &[u8])) -> usize {
    let mut parts = vec!["libraries", "air"];
    if std::env::var_os("MTLPACK_LARGE").is_some() {
        parts.push("large");
    }
    let root = corpus_folder();
    let mut files = Vec::new();
    parts.iter().for_each(|part| files_below(&root.join(part), &mut files));
    files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"), &mut files);
    files.sort();
    let mut count = 0;
    for path in files {
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        if metallib::Wrapper::parse(&bytes).is_some() || bytes.starts_with(&metallib::BITCODE_MAGIC)
        {
            count += 1;
            each(&name, &bytes);
        } else if bytes.starts_with(&metallib::MAGIC) {
            let library = Library::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            for (index, module) in library.modules().iter().enumerate() {
                count += 1;
                each(&format!("{name}, module {index}"), module.bytes());
            }
        }
    }
    println!("{test}: {count} modules");
    if !root.join("libraries").is_dir() {
        println!("{test}: no corpus at ${CORPUS} or target/corpus, skipped about 24,700 modules");
    }
    count
}

/// Every `.air` file of the corpus that is a bare module, sorted by name.
///
/// # Panics
/// If one cannot be read, or begins as neither a module nor a library.
#[must_use]
pub fn air_files() -> Vec<Sample> {
    let root = corpus_folder();
    let mut files = Vec::new();
    ["libraries", "air", "large"].iter().for_each(|part| files_below(&root.join(part), &mut files));
    files.retain(|path| path.extension().is_some_and(|extension| extension == "air"));
    files.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        Sample { name, bytes }
    };
    let all = files.into_iter().map(read);
    all.filter(|Sample { name, bytes }| {
        let wrapped = metallib::Wrapper::parse(bytes).is_some();
        let is_module = wrapped || bytes.starts_with(&metallib::BITCODE_MAGIC);
        assert!(is_module || bytes.starts_with(&metallib::MAGIC), "{name} is no module");
        is_module
    })
    .collect()
}

/// Every pipeline script of the corpus, sorted by name.
///
/// # Panics
/// If one cannot be read.
#[must_use]
pub fn scripts() -> Vec<(String, Vec<u8>)> {
    let root = corpus_folder();
    let mut files = Vec::new();
    ["libraries", "air", "large"].iter().for_each(|part| files_below(&root.join(part), &mut files));
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "mtlp-json" || extension == "mtl4-json")
    });
    files.sort();
    let read = |path: PathBuf| {
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, bytes)
    };
    files.into_iter().map(read).collect()
}

/// Adds the paths of all files below a folder.
fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, files);
        } else {
            files.push(path);
        }
    }
}
