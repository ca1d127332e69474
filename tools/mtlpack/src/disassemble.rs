//! A module as text: what LLVM's own disassembler makes of it.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::Path;

use crate::edited::Named;
use crate::error::{Error, Result};
use crate::extract::{ModuleForm, extract};
use crate::io::{IoError, run_on};

/// Versions of LLVM whose number may be in the name of the tool, the newest first.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=22;

/// Text that [`disassemble`] got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disassembly {
    /// LLVM's text, as the tool printed it.
    pub text: Vec<u8>,
    /// What the tool said beside it; mostly nothing.
    pub messages: String,
}

/// Gives the module of a function to `llvm-dis`: to the one at this path, or to the first of
/// `llvm-dis` and `llvm-dis-22` to `llvm-dis-14` that is on the path for programs.
///
/// # Errors
/// If no function of this name has a module, or several have different ones; if there is no
/// `llvm-dis`, or it fails: its message is the error's then.
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

fn run(module: &[u8], llvm_dis: Option<&Path>) -> Result<Disassembly> {
    let candidates: Vec<OsString> = match llvm_dis {
        Some(path) => vec![path.into()],
        None => std::iter::once("llvm-dis".into())
            .chain(VERSIONS.rev().map(|version| format!("llvm-dis-{version}").into()))
            .collect(),
    };
    for tool in &candidates {
        match run_on(tool, &["-o", "-", "-"], module) {
            Ok(output) => return read(tool, output),
            Err(cause) if cause.kind() == ErrorKind::NotFound && llvm_dis.is_none() => {}
            Err(cause) => {
                let tool = tool.to_string_lossy();
                return Err(Error::refused(format!(
                    "cannot run `{tool}`: {}",
                    IoError::from(cause)
                )));
            }
        }
    }
    Err(Error::refused(
        "no llvm-dis (of LLVM 14 to 22) is on the path for programs; install LLVM, such as with \
         `apt install llvm`, `dnf install llvm` or `brew install llvm` (which leaves it in \
         `$(brew --prefix llvm)/bin`), or name one with --llvm-dis",
    ))
}

fn read(tool: &OsStr, output: std::process::Output) -> Result<Disassembly> {
    let messages = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
    if output.status.success() {
        return Ok(Disassembly { text: output.stdout, messages });
    }
    let tool = tool.to_string_lossy().into_owned();
    let what = if messages.is_empty() { output.status.to_string() } else { messages };
    Err(Error::Tool { tool, what })
}
