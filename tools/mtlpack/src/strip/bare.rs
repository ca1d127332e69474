//! Modules by themselves, such as `.air` files.

use super::StripOptions;
use super::module::{ModuleStrip, Refusal, StrippedModule};
use crate::error::{Error, Result};
use crate::paths::PathRules;
use crate::text::plural;

/// A module from which something was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrippedBitcode {
    /// The module, in a wrapper if it was in one.
    pub bytes: Vec<u8>,
    /// What there is to say of it, one sentence each.
    pub notes: Vec<String>,
}

/// Removes paths and debug information from a module by itself.
///
/// A module in which nothing is to be removed comes back byte for byte.
///
/// # Errors
/// If nothing is named, or something that only libraries have; if the module cannot be read.
pub fn strip_bitcode(name: &str, module: &[u8], options: &StripOptions) -> Result<StrippedBitcode> {
    check(name, options)?;
    let inside = ModuleStrip { debug_info: options.debug_info, paths: options.paths.clone() };
    let wrong = |error| Error::refused(format!("{name}: {error}"));
    let (mut bytes, mut notes) = (module.to_vec(), Vec::new());
    let changes = inside.changes(module).map_err(|refusal| match refusal {
        Refusal::Bitcode(error) => wrong(error),
        Refusal::Path(found) => Error::refused(format!("{name}: {}", Refusal::of_path(&found, 0))),
    })?;
    if changes {
        bytes.clear();
        let StrippedModule { debug_info, texts } =
            inside.apply(module, &mut bytes).map_err(wrong)?;
        if texts > 0 {
            notes.push(format!("texts with paths: {texts}"));
        }
        if debug_info {
            let less = module.len().saturating_sub(bytes.len()) as u64;
            notes.push(format!("debug information removed, {}", plural(less, "byte")));
        }
    }
    let unused = options.paths.iter().flat_map(PathRules::unused);
    notes.extend(unused.map(|rule| format!("--map `{rule}`: no path begins so")));
    if !changes {
        notes.push(format!("{name} holds nothing of what is to go"));
    }
    Ok(StrippedBitcode { bytes, notes })
}

/// Refuses what a module by itself does not have.
fn check(name: &str, options: &StripOptions) -> Result<()> {
    let of_libraries = [
        (options.source, "--source"),
        (options.reflection, "--reflection"),
        (options.unused, "--unused"),
        (options.install_names, "--install-name"),
        (options.uuid.is_some(), "--uuid"),
    ];
    if let Some((_, option)) = of_libraries.into_iter().find(|(is_given, _)| *is_given) {
        return Err(Error::refused(format!(
            "{name} is a module by itself, and {option} is about what only libraries have; \
             --paths and --debug-info can be stripped of it"
        )));
    }
    if options.paths.is_none() && !options.debug_info {
        return Err(Error::refused("nothing to strip is named: --paths, --debug-info, or --all"));
    }
    Ok(())
}
