//! What is asked for, and what it means for one module.

use std::sync::Arc;

use air_bitcode::Target;
use metallib::{Identity, Library, OsVersion, Platform, Version};

use super::RetargetOptions;
use crate::air::{Triple, versions};
use crate::error::{Error, Result};

/// The target of a module: what it is to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModuleTarget {
    pub(super) triple: Option<Arc<str>>,
    pub(super) air: [u32; 2],
    pub(super) language: [u32; 2],
}

impl ModuleTarget {
    /// The same for the module's editor.
    pub(crate) fn target(&self) -> Target<'_> {
        let triple = self.triple.as_deref();
        Target { triple, air: Some(self.air), language: Some(self.language) }
    }
}

/// What a library is to be for.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// Platform, and version of the system; of the latter none if it stays.
    platform: Option<Platform>,
    os: Option<OsVersion>,
    /// The newest AIR version of that system, where it is known.
    newest: Option<Version>,
    air: Option<Version>,
    language: Option<Version>,
}

impl Wanted {
    /// Refuses options that say nothing, or contradict each other.
    pub(super) fn new(library: &Library<'_>, options: &RetargetOptions) -> Result<Self> {
        let RetargetOptions { system, platform, air, language, .. } = options;
        if system.is_none() && platform.is_none() && air.is_none() && language.is_none() {
            return Err(Error::refused(
                "no target is named: give a system, a platform, an AIR version or a language \
                 version",
            ));
        }
        let of_system = system.map(|(platform, _)| platform);
        if let (Some(one), Some(other)) = (of_system, *platform)
            && one != other
        {
            return Err(Error::refused(format!(
                "the system is one of {one}, the platform is {other}; give only one of them"
            )));
        }
        let platform = of_system.or(*platform);
        let os = system.map(|(_, os)| os);
        let own = library.identity();
        let whole = platform.or(own.platform()).zip(os.or(own.platform().map(|_| own.os)));
        let newest = whole.and_then(|(platform, os)| versions::air_of(platform, os));
        if let (Some((platform, os)), Some(newest), Some(air)) = (whole, newest, air)
            && *air > newest
            && system.is_some()
        {
            return Err(Error::refused(format!(
                "{platform} {os} reads AIR {newest} at the most, not {air}; leave out the AIR \
                 version, or give a newer system"
            )));
        }
        let newest = newest.filter(|_| system.is_some());
        Ok(Self { platform, os, newest, air: *air, language: *language })
    }

    /// Gives the header platform and system, where the container has room for them.
    pub(super) fn set_system(&self, identity: &mut Identity) {
        let has_room = identity.container.has_platform();
        if let Some(platform) = self.platform {
            let fresh =
                Identity::new(identity.container, platform, identity.os, identity.file_type());
            identity.major_word = fresh.major_word;
            identity.platform_byte = if has_room { fresh.platform_byte } else { 0 };
        }
        if !has_room {
            (identity.platform_byte, identity.os) = (0, OsVersion::default());
        } else if let Some(os) = self.os {
            identity.os = os;
        }
    }

    /// The target of a module that says this of itself.
    ///
    /// # Errors
    /// Why it cannot be given one.
    pub(super) fn of(
        &self,
        triple: &str,
        air: Version,
        language: Version,
    ) -> std::result::Result<ModuleTarget, String> {
        let new_air = self.air.unwrap_or_else(|| self.newest.map_or(air, |newest| air.min(newest)));
        let newest = versions::language_of(self.newest.map_or(new_air, |os| os.min(new_air)));
        let new_language = match (self.language, newest) {
            (Some(asked), Some(newest)) if asked > newest && asked != language => {
                return Err(format!(
                    "Metal {asked} is newer than AIR {new_air}, which has {newest}"
                ));
            }
            (Some(asked), _) => asked,
            // A language that is newer than its AIR version stays so.
            (None, Some(newest)) if new_air < air => language.min(newest),
            (None, _) => language,
        };
        let whole = Triple::parse(triple).ok_or_else(|| {
            format!("the triple `{triple}` is of no known form, so the system in it cannot be set")
        })?;
        let triple = whole.retargeted(triple, new_air, self.platform, self.os);
        let numbers = |version: Version| [version.major.into(), version.minor.into()];
        let (air, language) = (numbers(new_air), numbers(new_language));
        Ok(ModuleTarget { triple: triple.map(Arc::from), air, language })
    }
}
