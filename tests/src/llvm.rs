//! LLVM's tools as witnesses: they are looked for on PATH, in any version from 14 to 22.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Versions whose tools are tried, beside the one without a number in its name.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=22;

/// Finds a tool such as `llvm-dis`; says with the name of the test if there is none.
#[must_use]
pub fn find(tool: &str, test: &str) -> Option<String> {
    let numbered = VERSIONS.rev().map(|version| format!("{tool}-{version}"));
    let found =
        std::iter::once(tool.to_owned()).chain(numbered).find(|name| version(name).is_some());
    match found.as_deref().and_then(version) {
        Some(version) => println!("{test}: {tool} of LLVM {version}"),
        None => println!("{test}: no {tool} of LLVM 14 to 22 on PATH, skipped"),
    }
    found
}

/// The major version of a tool, if it runs and is one that is asked for.
fn version(name: &str) -> Option<u32> {
    let output = Command::new(name).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, after) = text.split_once("LLVM version ")?;
    let major = after.split('.').next()?.trim().parse().ok()?;
    VERSIONS.contains(&major).then_some(major)
}

/// Runs a tool on a file; what it writes has another extension.
///
/// # Errors
/// What the tool says, if it fails.
///
/// # Panics
/// If it cannot be run.
pub fn run(tool: &str, arguments: &[&str], file: &Path, output: &str) -> Result<PathBuf, String> {
    let to = file.with_extension(output);
    let command = Command::new(tool).args(arguments).arg(file).arg("-o").arg(&to).output();
    let Output { status, stderr, .. } = command.expect("a tool that was found");
    let error = String::from_utf8_lossy(&stderr).into_owned();
    status.success().then_some(to).ok_or(error)
}

/// A file as text.
///
/// # Panics
/// If it cannot be read.
#[must_use]
pub fn read(file: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(file).expect("a file that was written")).into_owned()
}

/// A text of LLVM without the lines that name the file and the target.
#[must_use]
pub fn plain(text: &str) -> String {
    let named = ["; ModuleID", "source_filename", "target triple"];
    let lines = text.lines().filter(|line| !named.iter().any(|name| line.starts_with(name)));
    lines.fold(String::new(), |text, line| text + line + "\n")
}
