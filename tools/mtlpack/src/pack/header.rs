//! The header that follows from all inputs: platform, OS version, container, dialect.

use metallib::{Container, Dialect, Library};

use super::options::PackOptions;
use super::unit::Unit;
use crate::air::versions;
use crate::edited::Named;
use crate::error::{Error, Result};
use crate::merge::Form;

/// The container that dynamic libraries were first seen in.
const FIRST_DYNAMIC: Container = Container::new(5);

/// Decides container and dialect; refuses inputs of different platforms.
pub(super) fn choose(
    units: &[&Unit<'_>],
    libraries: &[Named<'_, '_>],
    options: &PackOptions,
    links_dylibs: bool,
) -> Result<Form> {
    one_platform(units, libraries)?;
    let dialect = dialect(libraries, options, links_dylibs)?;
    let container = container(units, libraries, options)?;
    if options.install_name.is_some() && container < FIRST_DYNAMIC {
        return Err(Error::refused(format!(
            "container {container} has no dynamic libraries: they need {FIRST_DYNAMIC} (AIR 2.3) \
             or later"
        )));
    }
    if links_dylibs && !container.has_extension() {
        return Err(Error::refused(format!(
            "container {container} cannot name dynamic libraries: that needs 1.2.3 (AIR 2.1) or \
             later"
        )));
    }
    Ok(Form { container, dialect })
}

/// The dialect asked for; else the linker's if only that can hold the output; else that of the
/// first library, and the archiver's if all inputs are modules.
fn dialect(
    libraries: &[Named<'_, '_>],
    options: &PackOptions,
    links_dylibs: bool,
) -> Result<Dialect> {
    let needs_linker = match (options.install_name.is_some(), links_dylibs) {
        (true, _) => Some("a dynamic library"),
        (false, true) => Some("imports from a dynamic library"),
        (false, false) => None,
    };
    match (options.dialect, needs_linker) {
        (Some(Dialect::Archiver), Some(what)) => Err(Error::refused(format!(
            "{what}: the archiver never writes that; leave out the dialect, or say `linker`"
        ))),
        (Some(dialect), _) => {
            let parts = libraries.iter().find_map(|l| Some((l.name, beyond(l.library, dialect)?)));
            match parts {
                Some((name, part)) => Err(Error::refused(format!(
                    "{name} has {part}, which the archiver never writes; leave out the dialect, \
                     or say `linker`"
                ))),
                None => Ok(dialect),
            }
        }
        (None, Some(_)) => Ok(Dialect::Linker),
        (None, None) => {
            let shown = libraries.iter().find(|named| !named.library.functions().is_empty());
            Ok(shown.map_or(Dialect::Archiver, |named| named.library.dialect()))
        }
    }
}

/// What a library has that the archiver never writes.
fn beyond(library: &Library<'_>, dialect: Dialect) -> Option<&'static str> {
    let parts = [
        (library.reflection().is_some(), "reflection (RLST)"),
        (library.uuid().is_some(), "a UUID"),
        (library.dynamic_header().is_some(), "a dynamic header (HDYN)"),
        (library.imports().is_some(), "imported symbols (ILST)"),
        (library.scripts().is_some(), "scripts (SLST)"),
    ];
    let found = parts.into_iter().find(|(is_there, _)| *is_there);
    found.filter(|_| dialect == Dialect::Archiver).map(|(_, what)| what)
}

/// The container asked for, else the newest that an input needs.
fn container(
    units: &[&Unit<'_>],
    libraries: &[Named<'_, '_>],
    options: &PackOptions,
) -> Result<Container> {
    let newest = libraries.iter().max_by_key(|named| named.library.identity().container);
    let newest = newest.map(|named| (named.name, named.library.identity().container));
    if let Some(asked) = options.container {
        return match newest.filter(|(_, container)| *container > asked) {
            Some((name, container)) => Err(Error::refused(format!(
                "container {asked} was asked for, but {name} is of {container}: libraries are \
                 only brought to newer containers"
            ))),
            None => Ok(asked),
        };
    }
    let of_unit = |unit: &Unit<'_>| {
        let air = unit.traits.versions.air;
        versions::newest_patch(air).map(Container::new).ok_or_else(|| {
            Error::refused(format!(
                "{}: AIR {air} is newer than all that is known, so its container is not; give one",
                unit.name
            ))
        })
    };
    let mut container = newest.map(|(_, container)| container);
    for unit in units {
        container = container.max(Some(of_unit(unit)?));
    }
    container.ok_or_else(|| Error::refused("no input to pack"))
}

/// Refuses inputs of different platforms, naming two.
fn one_platform(units: &[&Unit<'_>], libraries: &[Named<'_, '_>]) -> Result<()> {
    let of_units = units.iter().map(|unit| (unit.name.as_str(), unit.traits.platform));
    let of_libraries = libraries
        .iter()
        .filter_map(|named| Some((named.name, named.library.identity().platform()?)));
    let mut all = of_units.chain(of_libraries);
    let Some((first, platform)) = all.next() else { return Ok(()) };
    match all.find(|(_, other)| *other != platform) {
        Some((name, other)) => Err(Error::refused(format!(
            "different platforms cannot be combined: {first} is for {platform}, {name} for \
             {other}; make a library for each"
        ))),
        None => Ok(()),
    }
}
