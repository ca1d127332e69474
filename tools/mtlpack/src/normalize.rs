//! The same bytes from builds that differ only in paths and UUID.

use metallib::Library;
use metallib_write::{UuidAction, UuidForm};

use crate::draft::Draft;
use crate::error::Result;
use crate::io::Input;
use crate::paths::PathRules;
use crate::strip::{StripOptions, UuidPolicy, strip};

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
/// them. Times in source archives become zero, as Apple's tools have them; the format itself
/// holds none. The UUID, if there is one, is computed from the content, in the SHA-256 form.
/// Normalised again, a library stays as it is.
///
/// # Errors
/// As [`strip`] with paths.
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
    let mut draft = strip(input, library, &options)?;
    if library.uuid().is_some() {
        draft.set_uuid(UuidAction::Recompute(UuidForm::Sha256));
    }
    Ok(draft)
}
