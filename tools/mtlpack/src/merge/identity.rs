//! The header of the output: platform, kind, container, OS version.

use metallib::{Container, Identity};

use super::OsChoice;
use crate::edited::Named;
use crate::error::{Error, Result};

/// Combines the identities of the inputs; refuses inputs that do not belong together. The
/// container is the newest, unless a newer one is asked for.
pub(crate) fn combine(
    inputs: &[Named<'_, '_>],
    os: OsChoice,
    container: Option<Container>,
    notes: &mut Vec<String>,
) -> Result<Identity> {
    let of = |input: &Named<'_, '_>| *input.library.identity();
    let first = inputs.first().ok_or_else(|| Error::refused("no input to merge"))?;
    let mut output = of(first);
    let mut platform_from = first;
    for input in inputs {
        let identity = of(input);
        if identity.type_byte != output.type_byte {
            return Err(differ("kinds of library", first, kind(&output), input, kind(&identity)));
        }
        if identity.is_mac() != output.is_mac() {
            return Err(differ("platforms", first, family(&output), input, family(&identity)));
        }
        match (output.platform(), identity.platform()) {
            (None, Some(_)) => {
                output.platform_byte = identity.platform_byte;
                platform_from = input;
            }
            (Some(ours), Some(theirs)) if ours != theirs => {
                let (ours, theirs) = (ours.to_string(), theirs.to_string());
                return Err(differ("platforms", platform_from, ours, input, theirs));
            }
            _ => {}
        }
        output.container = output.container.max(identity.container);
    }
    output.container = output.container.max(container.unwrap_or(output.container));
    for input in inputs.iter().filter(|input| of(input).container != output.container) {
        notes.push(converted(input, &output));
    }
    choose_os(inputs, os, &mut output, notes);
    Ok(output)
}

fn converted(input: &Named<'_, '_>, output: &Identity) -> String {
    let old = input.library.identity().container;
    let mut note = format!("{}: container {old} converted to {}", input.name, output.container);
    if let (None, Some(platform)) = (input.library.identity().platform(), output.platform()) {
        note += &format!("; it does not record its platform, taken to be {platform}");
    }
    note
}

/// Sets the OS version, and says so where the inputs differ.
fn choose_os(
    inputs: &[Named<'_, '_>],
    os: OsChoice,
    output: &mut Identity,
    notes: &mut Vec<String>,
) {
    let recorded = || inputs.iter().filter(|input| input.library.identity().platform().is_some());
    let versions = recorded().map(|input| input.library.identity().os);
    let chosen = match os {
        OsChoice::Highest => versions.max(),
        OsChoice::First => recorded().next().map(|input| input.library.identity().os),
    };
    let Some(chosen) = chosen else { return };
    output.os = chosen;
    if recorded().any(|input| input.library.identity().os != chosen) {
        let list: Vec<String> = recorded()
            .map(|input| format!("{} ({})", input.library.identity().os, input.name))
            .collect();
        let how = match os {
            OsChoice::Highest => "highest",
            OsChoice::First => "first",
        };
        notes.push(format!(
            "the inputs are for OS {}; the output says {chosen} ({how})",
            list.join(", ")
        ));
    }
}

fn kind(identity: &Identity) -> String {
    let stub = if identity.is_stub() { " (stub)" } else { "" };
    format!("{}{stub}", identity.file_type())
}

fn family(identity: &Identity) -> String {
    let family = if identity.is_mac() { "macos" } else { "not macos" };
    identity.platform().map_or_else(|| family.to_owned(), |platform| platform.to_string())
}

fn differ(
    what: &str,
    first: &Named<'_, '_>,
    ours: String,
    other: &Named<'_, '_>,
    theirs: String,
) -> Error {
    Error::refused(format!(
        "different {what} cannot be combined: {} is {ours}, {} is {theirs}; keep \
         a library for each",
        first.name, other.name
    ))
}
