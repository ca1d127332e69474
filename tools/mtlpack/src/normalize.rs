//! The same bytes from builds that differ only in paths and UUID.

use metallib::{FileType, Library};
use metallib_write::{UuidAction, UuidForm, UuidStatus, uuid_of, uuid_status};

use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::io::Input;
use crate::paths::PathRules;
use crate::strip::{StripOptions, StrippedBitcode, UuidPolicy, removed, strip_bitcode};

/// How a library is normalised.
#[derive(Clone, Debug, Default)]
pub struct NormalizeOptions {
    /// What becomes of absolute paths.
    pub paths: PathRules,
    /// Whether an irregular input may be laid out anew.
    pub new_layout: bool,
    /// Threads that look into modules.
    pub threads: usize,
}

/// Gives the same bytes for any two builds of a library that differ only in folders and UUID.
///
/// Absolute paths become what the rules say, or the file's name alone, wherever
/// [`paths`](crate::paths) finds them; install names (HDYN) stay, for programs find libraries by
/// them. Times and owners in source archives become zero, as Apple's tools have them; the format
/// itself holds none. The UUID, if there is one, is computed from the content, in the SHA-256 form.
/// Normalised again by the same rules, a library stays as it is.
///
/// # Errors
/// As [`strip`](crate::strip) with paths, and if a path would change once more when the library is normalised
/// again.
pub fn normalize<'a>(
    input: &Input,
    library: &Library<'a>,
    options: &NormalizeOptions,
) -> Result<Draft<'a>> {
    let NormalizeOptions { paths, new_layout, threads } = options.clone();
    let options = StripOptions {
        paths: Some(paths),
        archive_times: true,
        uuid: Some(UuidPolicy::Keep),
        new_layout,
        threads,
        ..StripOptions::default()
    };
    let (mut draft, changed) = removed(input, library, &options)?;
    // All texts have been looked at by now, those of modules too.
    options.paths.iter().try_for_each(|rules| check_stable(input.name(), rules))?;
    if library.uuid().is_some() {
        draft.set_uuid(UuidAction::Recompute(UuidForm::Sha256));
    }
    note(input, library, changed, draft.notes_mut())?;
    Ok(draft)
}

/// Says what becomes of the UUID, and of the other half of a pair.
fn note(
    input: &Input,
    library: &Library<'_>,
    changed: bool,
    notes: &mut Vec<String>,
) -> Result<()> {
    let (name, form) = (input.name(), UuidForm::Sha256);
    let of_library = || uuid_of(library, form).map_err(Error::library(name));
    if library.uuid().is_none() || !changed && library.uuid() == Some(of_library()?) {
        if !changed {
            notes.push(format!("{name} is normalised already"));
        }
        return Ok(());
    }
    notes.push(format!("UUID computed anew ({form} form)"));
    let is_companion = library.identity().file_type() == FileType::SymbolCompanion;
    let is_half = library.sources().is_none()
        && uuid_status(library).map_err(Error::library(name))? == UuidStatus::Other;
    if is_companion || is_half {
        let other = if is_companion { "library" } else { "companion, if it has one," };
        notes.push(format!(
            "with another UUID {name} no longer belongs to its {other}; normalize the library \
             before strip-source divides it"
        ));
    }
    Ok(())
}

/// Gives the same bytes for any two builds of a module by itself that differ only in folders.
///
/// # Errors
/// As [`normalize`], and if the module cannot be read.
pub fn normalize_bitcode(
    name: &str,
    module: &[u8],
    options: &NormalizeOptions,
) -> Result<StrippedBitcode> {
    let paths = Some(options.paths.clone());
    let made = strip_bitcode(name, module, &StripOptions { paths, ..StripOptions::default() })?;
    check_stable(name, &options.paths)?;
    Ok(made)
}

/// Refuses rules by which what they made is changed once more.
fn check_stable(name: &str, rules: &PathRules) -> Result<()> {
    rules.unstable().map_or(Ok(()), |(once, twice)| {
        Err(Error::refused(format!(
            "{name}: by these --map rules `{once}` is made, and normalised again it would become \
             `{twice}`; give the rules a NEW that no OLD begins with, such as `.`"
        )))
    })
}
