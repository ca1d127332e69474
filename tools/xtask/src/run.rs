//! Running commands, and where things are.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Result of a task; the error is a message for the terminal.
pub(crate) type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// Root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// The target folder of the workspace.
pub(crate) fn target() -> PathBuf {
    let default = || root().join("target");
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(default, |dir| root().join(dir))
}

/// The cargo that runs this program, in the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root());
    command
}

/// A command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default();
    let set = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={:?}", name.to_string_lossy(), value?.to_string_lossy()))
    });
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    let words: Vec<String> =
        set.chain([program.to_string_lossy().into_owned()]).chain(arguments).collect();
    words.join(" ")
}

/// Runs a command; anything but success is an error.
pub(crate) fn check(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|error| format!("{}: {error}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", shown(command)).into()) }
}

/// Runs a command and gives its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| format!("{}: {error}", shown(command)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {}\n{}", shown(command), output.status, said.trim_end()).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
