//! Another target for a library: system, AIR version, language version, in every place that says
//! them, or in none.
//!
//! | place | what becomes of it |
//! |---|---|
//! | header | platform, macOS flag and OS version; the container where an AIR version changes, and what it may hold |
//! | function list | VERS |
//! | modules | triple, its copy in SYMTAB, `air.version`, `air.language_version`; HASH and MDSZ follow |
//!
//! A module says which system its code is for; the code itself stays. What an older system would
//! not understand of it is refused, function by function.

mod modules;
mod shape;
mod wanted;

use std::collections::BTreeMap;

use metallib::{FileType, FourCc, Library, LibraryBuilder, OsVersion, Platform, Version, Versions};
use metallib_write::{UuidAction, UuidForm};

use crate::draft::Draft;
use crate::edited::{Edited, Named};
use crate::error::{Error, Result};
use crate::io::Input;
use crate::names;
use modules::{Found, Modules};
use wanted::Wanted;

pub(crate) use wanted::ModuleTarget;

/// The last AIR version whose functions have no MDSZ.
const LAST_WITHOUT_SIZE: Version = Version::new(1, 8);

/// Functions that a refusal lists.
const LISTED: usize = 10;

/// What a library is to be for. What is not given stays, unless the system needs it older.
#[derive(Clone, Debug, Default)]
pub struct RetargetOptions {
    /// The oldest system that it is to load on.
    pub system: Option<(Platform, OsVersion)>,
    /// The platform, where no system is given: its version stays.
    pub platform: Option<Platform>,
    /// The AIR version; by default that of the library, or the system's if that is older.
    pub air: Option<Version>,
    /// The language version; by default that of the library, or the newest that AIR version and
    /// system came with.
    pub language: Option<Version>,
    /// What an executable is called that gets a dynamic header (container 1.2.9).
    pub name: String,
    /// Whether functions that cannot be retargeted stay as they are, and the others are.
    pub keep_going: bool,
    /// Whether an irregular input may be laid out anew.
    pub new_layout: bool,
    /// Threads that look into modules.
    pub threads: usize,
}

/// A function that cannot be retargeted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedFunction {
    /// Its name, without NUL.
    pub name: Vec<u8>,
    /// Why.
    pub reason: String,
}

/// A library for another target.
#[derive(Clone, Debug)]
pub struct Retargeted<'a> {
    /// The library.
    pub draft: Draft<'a>,
    /// Functions that stay as they were; none unless the options say to keep going.
    pub refused: Vec<RefusedFunction>,
}

/// Gives a library another target. One that is for it already comes back byte for byte.
///
/// # Errors
/// If nothing is named; if it contradicts itself; if the library is a companion; if a function
/// cannot be retargeted, unless `keep_going` says to leave it; if the library holds what the
/// container of the target has no room for; if it is irregular while `new_layout` is false; if a
/// module cannot be read.
pub fn retarget<'a>(
    input: &Input,
    library: &Library<'a>,
    options: &RetargetOptions,
) -> Result<Retargeted<'a>> {
    let named = Named { name: input.name(), library };
    check(named)?;
    let wanted = Wanted::new(library, options)?;
    let Found { modules, refused } = modules::find(input, library, &wanted, options.threads)?;
    let refused = refused_functions(library, &refused);
    if !options.keep_going && !refused.is_empty() {
        return Err(refusal(input.name(), &refused));
    }
    let wrong = || Error::library(input.name());
    let mut builder = library.clone().edit(options.new_layout).map_err(wrong())?;
    let mut notes = Vec::new();
    let mut changed = set_versions(&mut builder, &modules).map_err(wrong())?;
    if modules.targets.is_empty() && !refused.is_empty() {
        return Err(refusal(input.name(), &refused));
    }
    if !refused.is_empty() {
        notes.push(format!(
            "{} stay as they were, and the library still needs what these need",
            crate::text::plural(refused.len() as u64, "function")
        ));
    }
    changed |= set_identity(&mut builder, &wanted, &modules);
    changed |= shape::fit(named, &mut builder, &options.name, &mut notes)?;
    if !changed && modules.targets.is_empty() {
        let mut unchanged = Edited::nothing_to_change(named, options.new_layout)?;
        unchanged.notes.push(format!("{} is for this target already", named.name));
        return Ok(Retargeted { draft: unchanged.into(), refused });
    }
    let mut edited = Edited::unchanged(builder.finish().map_err(wrong())?);
    edited.notes = notes;
    edited.compute_uuid(named)?;
    if edited.library.uuid().is_some() && edited.library.identity().container.patch() > 6 {
        // The MD5 form was only written up to container 1.2.6.
        edited.uuid = UuidAction::Recompute(UuidForm::Sha256);
    }
    let draft = Draft::retarget(named.name, edited, modules.targets);
    Ok(Retargeted { draft, refused })
}

/// Refuses what cannot be done rightly.
fn check(input: Named<'_, '_>) -> Result<()> {
    if input.library.identity().file_type() == FileType::SymbolCompanion {
        return Err(Error::refused(format!(
            "{} is a symbol companion, whose UUID is that of its library; join the two, retarget \
             the whole, and strip the sources off again",
            input.name
        )));
    }
    Ok(())
}

/// The functions whose modules are refused, or that have none.
fn refused_functions(
    library: &Library<'_>,
    modules: &BTreeMap<usize, String>,
) -> Vec<RefusedFunction> {
    let of = |function: &metallib::Function<'_>| {
        let reason = modules.get(&function.module?.index())?.clone();
        Some(RefusedFunction { name: function.name_bytes().to_vec(), reason })
    };
    library.functions().iter().filter_map(of).collect()
}

fn refusal(input: &str, refused: &[RefusedFunction]) -> Error {
    let mut lines: Vec<String> = refused
        .iter()
        .take(LISTED)
        .map(|function| format!("`{}`: {}", names::escape(&function.name), function.reason))
        .collect();
    if let Some(more) = refused.len().checked_sub(LISTED).filter(|more| *more > 0) {
        lines.push(format!("and {more} more"));
    }
    Error::refused(format!(
        "{input}: {} cannot be retargeted (--keep-going retargets the others):\n  {}",
        crate::text::plural(refused.len() as u64, "function"),
        lines.join("\n  ")
    ))
}

/// Gives functions the versions of their modules; says whether any are others.
fn set_versions(builder: &mut LibraryBuilder<'_>, modules: &Modules) -> metallib::Result<bool> {
    let mut changed = false;
    for function in &mut builder.functions {
        let Some(module) = function.module else { continue };
        let Some(Some(versions)) = modules.versions.get(module.index()) else { continue };
        if function.versions().is_some_and(|old| old != *versions) {
            function.tags.set(FourCc::VERS, &versions.bytes())?;
            // Up to AIR 1.8 there is none; what it says is written with the module.
            if versions.air > LAST_WITHOUT_SIZE && function.tags.get(FourCc::MDSZ).is_none() {
                function.tags.push(FourCc::MDSZ, &[0; 8])?;
                function.tags.reorder(builder.dialect.function_tag_order());
            }
            changed = true;
        }
    }
    Ok(changed)
}

/// Gives the header platform, OS version and container; says whether any is another.
fn set_identity(builder: &mut LibraryBuilder<'_>, wanted: &Wanted, modules: &Modules) -> bool {
    let before = builder.identity;
    let newest = wanted.newest_container(&before);
    builder.identity.container = modules.container(before.container, builder.dialect, newest);
    wanted.set_system(&mut builder.identity);
    builder.identity != before
}

/// The versions that a function has, as the tag holds them.
fn versions(air: [u32; 2], language: [u32; 2]) -> Option<Versions> {
    let version = |[major, minor]: [u32; 2]| {
        Some(Version::new(u16::try_from(major).ok()?, u16::try_from(minor).ok()?))
    };
    Some(Versions { air: version(air)?, language: version(language)? })
}
