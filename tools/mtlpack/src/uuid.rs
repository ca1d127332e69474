//! The UUID of a library: what it follows, and new ones.

use metallib::{ExtensionTag, FourCc, Library};
use metallib_write::{UuidAction, UuidForm, UuidStatus, uuid_of, uuid_status};

use crate::edited::{Edited, Named, form_of};
use crate::error::{Error, Result};

/// A library's UUID beside what the formulae give for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UuidReport {
    /// The stored UUID.
    pub stored: Option<[u8; 16]>,
    /// What the SHA-256 form gives.
    pub sha256: [u8; 16],
    /// What the MD5 form gives.
    pub md5: [u8; 16],
    /// What the stored one is.
    pub status: UuidStatus,
}

/// Shows and checks a library's UUID.
///
/// # Errors
/// If the library cannot be laid out.
pub fn status(library: &Library<'_>) -> Result<UuidReport> {
    let wrong = || Error::library("UUID");
    Ok(UuidReport {
        stored: library.uuid(),
        sha256: uuid_of(library, UuidForm::Sha256).map_err(wrong())?,
        md5: uuid_of(library, UuidForm::Md5).map_err(wrong())?,
        status: uuid_status(library).map_err(wrong())?,
    })
}

/// The same library with a UUID computed by the form it follows, else the SHA-256 form.
///
/// # Errors
/// If the container has no room for a UUID (before 1.2.3), or the library is irregular
/// while `new_layout` is false.
pub fn recompute<'a>(input: Named<'_, 'a>, new_layout: bool) -> Result<Edited<'a>> {
    let status = uuid_status(input.library).map_err(Error::library(input.name))?;
    let form = form_of(status).unwrap_or(UuidForm::Sha256);
    let mut edited = set(input, input.library.uuid().unwrap_or_default(), new_layout)?;
    edited.uuid = UuidAction::Recompute(form);
    Ok(edited)
}

/// The same library with this UUID.
///
/// # Errors
/// As [`recompute`].
pub fn set<'a>(input: Named<'_, 'a>, uuid: [u8; 16], new_layout: bool) -> Result<Edited<'a>> {
    let wrong = || Error::library(input.name);
    let mut builder = input.library.clone().edit(new_layout).map_err(wrong())?;
    let extension = builder.extension_mut().map_err(wrong())?;
    extension.set(ExtensionTag::data(FourCc::UUID, uuid.to_vec()));
    Ok(Edited::unchanged(builder.finish().map_err(wrong())?))
}

/// A UUID in its usual form, upper case, as Apple's tools print it.
///
/// ```
/// let text = mtlpack::uuid::format(&[0x1f; 16]);
/// assert_eq!(text, "1F1F1F1F-1F1F-1F1F-1F1F-1F1F1F1F1F1F");
/// assert_eq!(mtlpack::uuid::parse(&text), Some([0x1f; 16]));
/// ```
#[must_use]
pub fn format(uuid: &[u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in uuid.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text += &format!("{byte:02X}");
    }
    text
}

/// Reads a UUID: 32 hexadecimal digits, with or without hyphens.
#[must_use]
pub fn parse(text: &str) -> Option<[u8; 16]> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|&c| c != '-')
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> =
        digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |n, d| n << 4 | d)).collect();
    (digits.len() == 32).then(|| bytes.try_into().ok()).flatten()
}
