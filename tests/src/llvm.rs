//! LLVM's tools as witnesses: they are looked for on PATH, in any version from 14 to 22.

use std::process::Command;

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
