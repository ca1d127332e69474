//! Which module gets which target, and which cannot.

use std::collections::BTreeMap;

use air_bitcode::{EntryKind, Module};
use metallib::{Container, Dialect, Library, ModuleId, Version, Versions};

use super::wanted::{ModuleTarget, Wanted};
use crate::air::versions;
use crate::error::Result;
use crate::io::Input;
use crate::modules;

/// The first AIR version whose constant samplers have 128 bits; before they had 64.
const WIDE_SAMPLERS: Version = Version::new(2, 7);

/// The first AIR version whose readers know pointers that do not say what to.
const OPAQUE_POINTERS: Version = Version::new(2, 8);

/// Kinds of functions that are younger than AIR, and the version they came with.
const YOUNGER: [(EntryKind, Version); 4] = [
    (EntryKind::Visible, Version::new(2, 3)),
    (EntryKind::Intersection, Version::new(2, 3)),
    (EntryKind::Mesh, Version::new(2, 5)),
    (EntryKind::Object, Version::new(2, 5)),
];

/// What becomes of the modules.
#[derive(Debug, Default)]
pub(super) struct Modules {
    /// Those that change, in order.
    pub(super) targets: Vec<(ModuleId, ModuleTarget)>,
    /// The versions of each module afterwards; none of one that is refused or holds nothing.
    pub(super) versions: Vec<Option<Versions>>,
    /// The highest AIR version afterwards, and the producer of a module that has it.
    highest: Option<(Version, String)>,
    /// Whether the AIR version of any module changes.
    is_other_air: bool,
}

/// Modules, and those that are refused by their numbers.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) modules: Modules,
    pub(super) refused: BTreeMap<usize, String>,
}

/// What one module gives.
struct One {
    /// None if it says all that already.
    target: Option<ModuleTarget>,
    versions: Option<Versions>,
    is_other_air: bool,
    producer: String,
}

/// Asks every module.
pub(super) fn find(
    input: &Input,
    library: &Library<'_>,
    wanted: &Wanted,
    threads: usize,
) -> Result<Found> {
    let mut found = Found::default();
    let each =
        |some: &mut Vec<_>, index: usize, bytes: &[u8]| some.push((index, one(wanted, bytes)));
    modules::fold(input, library, threads, each, |some: Vec<(usize, _)>| {
        for (index, one) in some {
            found.take(index, one);
        }
        Ok(())
    })?;
    Ok(found)
}

impl Found {
    fn take(&mut self, index: usize, one: std::result::Result<Option<One>, String>) {
        let modules = &mut self.modules;
        let one = match one {
            Ok(one) => one,
            Err(reason) => {
                self.refused.insert(index, reason);
                None
            }
        };
        modules.versions.push(one.as_ref().and_then(|one| one.versions));
        let Some(One { target, versions, is_other_air, producer }) = one else { return };
        let id = ModuleId::from_index(u32::try_from(index).unwrap_or(u32::MAX));
        modules.targets.extend(target.map(|target| (id, target)));
        modules.is_other_air |= is_other_air;
        if let Some(Versions { air, .. }) = versions
            && modules.highest.as_ref().is_none_or(|(highest, _)| *highest < air)
        {
            modules.highest = Some((air, producer));
        }
    }
}

impl Modules {
    /// The container of a library of this one, for a system that reads `newest` at the most.
    ///
    /// Where an AIR version changes it is the one that Apple's newest tools write for the highest,
    /// or the compiler's own, where that wrote a newer one. It is never newer than what these
    /// and the system came with.
    pub(super) fn container(
        &self,
        old: Container,
        dialect: Dialect,
        newest: Option<Container>,
    ) -> Container {
        let Some((air, producer)) = &self.highest else {
            return newest.map_or(old, |newest| old.min(newest));
        };
        let Some(usual) = versions::newest_patch(*air).map(Container::new) else { return old };
        let own = versions::patch(dialect, *air, producer).map_or(usual, Container::new).max(usual);
        let container = match self.is_other_air {
            true if old < usual => usual,
            true => old.min(own),
            false => old,
        };
        newest.map_or(container, |newest| container.min(newest.max(own)))
    }
}

/// What becomes of a module, or why nothing can.
fn one(wanted: &Wanted, bytes: &[u8]) -> std::result::Result<Option<One>, String> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let wrong = |error: air_bitcode::Error| error.to_string();
    let module = Module::parse(bytes).map_err(wrong)?;
    let metadata = module.air_metadata().map_err(wrong)?;
    let info = metadata.info().map_err(wrong)?;
    let triple = module.triple().map_err(wrong)?.ok_or("the module has no target triple")?;
    let air = info.version.and_then(version).ok_or("the module says no AIR version")?;
    let language = info.language.as_ref().and_then(|language| version(language.version));
    let language = language.ok_or("the module says no language version")?;
    let target = wanted.of(&triple, air, language)?;
    let versions = super::versions(target.air, target.language);
    let new_air = versions.map_or(air, |versions| versions.air);
    if new_air != air {
        let has_samplers = metadata.metadata().named("air.sampler_states").is_some();
        check(&module, &info, has_samplers, air, new_air)?;
    }
    let retargeted = module.retarget(&target.target()).map_err(wrong)?;
    let is_changed = retargeted.is_changed();
    let producer = info.producer.unwrap_or_default();
    let target = is_changed.then_some(target);
    Ok(Some(One { target, versions, is_other_air: new_air != air, producer }))
}

/// Refuses a module whose code another AIR version would have otherwise.
fn check(
    module: &Module<'_>,
    info: &air_bitcode::AirInfo<'_>,
    has_samplers: bool,
    old: Version,
    new: Version,
) -> std::result::Result<(), String> {
    if has_samplers && (old < WIDE_SAMPLERS) != (new < WIDE_SAMPLERS) {
        return Err(format!(
            "it has constant samplers, which are [2 x i64] from AIR {WIDE_SAMPLERS} on and i64 \
             before: from AIR {old} to {new} their type would have to change"
        ));
    }
    if new < OPAQUE_POINTERS && module.has_opaque_pointers().map_err(|e| e.to_string())? {
        return Err(format!(
            "it has opaque pointers, which no system reads under an AIR version before \
             {OPAQUE_POINTERS}, such as {new}"
        ));
    }
    let younger = info.entries.iter().find_map(|entry| {
        let (_, since) = YOUNGER.iter().find(|(kind, _)| *kind == entry.kind)?;
        (new < *since).then_some((entry.kind, since))
    });
    match younger {
        Some((kind, since)) => {
            Err(format!("functions of {} came with AIR {since}, later than {new}", kind.list()))
        }
        None => Ok(()),
    }
}

fn version([major, minor, _]: [i64; 3]) -> Option<Version> {
    Some(Version::new(u16::try_from(major).ok()?, u16::try_from(minor).ok()?))
}
