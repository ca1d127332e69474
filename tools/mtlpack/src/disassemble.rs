//! A module as text: what LLVM's own disassembler makes of it.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::Path;
use std::process::Output;

use crate::edited::Named;
use crate::error::{Error, Result};
use crate::extract::{ModuleForm, extract};
use crate::io::{IoError, run_on};

/// Versions of LLVM whose number may be in the name of the tool, the newest first.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=22;

/// To read standard input and write standard output.
const ARGUMENTS: [&str; 3] = ["-o", "-", "-"];

/// Text that [`disassemble`] got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disassembly {
    /// LLVM's text, as the tool printed it.
    pub text: Vec<u8>,
    /// What the tool said beside it; mostly nothing.
    pub messages: String,
}

/// Gives the module of a function to `llvm-dis`: to the one at this path, or to the first of
/// `llvm-dis` and `llvm-dis-22` to `llvm-dis-14` on the path for programs that can read it.
///
/// # Errors
/// If no function of this name has a module, or several have different ones; if there is no
/// `llvm-dis`, or it fails or prints nothing: its message is the error's then, of several the
/// first one's.
pub fn disassemble(
    input: Named<'_, '_>,
    function: &str,
    llvm_dis: Option<&Path>,
) -> Result<Disassembly> {
    let found = extract(input, &[function], ModuleForm::Air)?;
    match found.modules.as_slice() {
        [module] => run(module.bytes, llvm_dis),
        several => Err(Error::refused(format!(
            "{}: {} functions with modules of their own are called `{function}`; `mtlpack extract` \
             writes all of them",
            input.name,
            several.len()
        ))),
    }
}

/// As [`disassemble`], of a module that is at hand.
pub(crate) fn disassemble_module(module: &[u8], llvm_dis: Option<&Path>) -> Result<Disassembly> {
    run(module, llvm_dis)
}

fn run(module: &[u8], llvm_dis: Option<&Path>) -> Result<Disassembly> {
    if let Some(path) = llvm_dis {
        return read(path.as_os_str(), start(path.as_os_str(), module)?);
    }
    let candidates = std::iter::once(OsString::from("llvm-dis"))
        .chain(VERSIONS.rev().map(|version| format!("llvm-dis-{version}").into()));
    // A tool that is found first may be too old; what it says is told if no other can do it.
    let mut failed: Option<Error> = None;
    for tool in candidates {
        let output = match run_on(&tool, &ARGUMENTS, module) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => continue,
            Err(cause) => return Err(not_run(&tool, cause)),
            Ok(output) => output,
        };
        match (read(&tool, output), &failed) {
            (Ok(found), None) => return Ok(found),
            (Ok(mut found), Some(earlier)) => {
                let tool = tool.to_string_lossy();
                found.messages += &format!("\n{earlier}; `{tool}` was taken instead");
                found.messages = found.messages.trim_start().to_owned();
                return Ok(found);
            }
            (Err(error), _) => failed = failed.or(Some(error)),
        }
    }
    Err(failed.unwrap_or_else(|| Error::refused(
        "no llvm-dis (of LLVM 14 to 22) is on the path for programs; install LLVM, such as with \
         `apt install llvm`, `dnf install llvm` or `brew install llvm` (which leaves it in \
         `$(brew --prefix llvm)/bin`), or name one with --llvm-dis",
    )))
}

fn start(tool: &OsStr, module: &[u8]) -> Result<Output> {
    run_on(tool, &ARGUMENTS, module).map_err(|cause| not_run(tool, cause))
}

fn not_run(tool: &OsStr, cause: std::io::Error) -> Error {
    let tool = tool.to_string_lossy();
    Error::refused(format!("cannot run `{tool}`: {}", IoError::from(cause)))
}

fn read(tool: &OsStr, output: Output) -> Result<Disassembly> {
    let messages = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
    if output.status.success() && !output.stdout.is_empty() {
        return Ok(Disassembly { text: output.stdout, messages });
    }
    let what = match (messages.is_empty(), output.status.success()) {
        (false, _) => messages,
        (true, true) => "it printed nothing, expected the text of the module".to_owned(),
        (true, false) => output.status.to_string(),
    };
    let version = version(tool).map_or_else(String::new, |version| {
        format!(" (LLVM {version}; modules need LLVM 14 to 22)")
    });
    Err(Error::Tool { tool: format!("{}{version}", tool.to_string_lossy()), what })
}

/// The version that a tool of LLVM says it has.
fn version(tool: &OsStr) -> Option<String> {
    let output = run_on(tool, &["--version"], b"").ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, rest) = text.split_once("LLVM version ")?;
    rest.split_whitespace().next().map(str::to_owned)
}
