//! What is asked for, and what it means for one module.

use std::sync::Arc;

use air_bitcode::Target;
use metallib::{Container, Identity, Library, OsVersion, Platform, Version};

use super::RetargetOptions;
use crate::air::versions::Reads;
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
    /// Platform and version of the system; none if it stays.
    platform: Option<Platform>,
    os: Option<OsVersion>,
    air: Option<Version>,
    language: Option<Version>,
}

impl Wanted {
    /// Refuses options that say nothing, contradict each other, or name what is not known.
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
        if let Some(air) = air.filter(|air| !versions::is_air(*air)) {
            return Err(Error::refused(format!("AIR {air} is no version that is known")));
        }
        if let Some(language) = language.filter(|language| !versions::is_language(*language)) {
            return Err(Error::refused(format!("Metal {language} is no version that is known")));
        }
        if library.functions().is_empty() && system.is_none() && platform.is_none() {
            return Err(Error::refused(
                "the library has no functions, so that no version of it could be another",
            ));
        }
        let (platform, os) = (of_system.or(*platform), system.map(|(_, os)| os));
        let wanted = Self { platform, os, air: *air, language: *language };
        let own = library.identity();
        let of_header = own.platform().map(|platform| (platform, own.os));
        if let Some((platform, os)) = of_header.or(*system) {
            let newest = wanted.newest(platform, os).map_err(Error::refused)?;
            if let (Some(newest), Some(air), Some((platform, os))) = (newest, air, system)
                && *air > newest
            {
                return Err(Error::refused(too_new(*platform, *os, newest, *air)));
            }
        }
        Ok(wanted)
    }

    /// The newest AIR version of the system that something for this one is to be for: none if it
    /// is not known, and the version that is asked for is taken.
    ///
    /// # Errors
    /// What is wrong with the system.
    fn newest(
        &self,
        platform: Platform,
        os: OsVersion,
    ) -> std::result::Result<Option<Version>, String> {
        let new = self.platform.unwrap_or(platform);
        if self.os.is_none() && !versions::count_alike(new, platform) {
            let what = format!("{new} counts its systems otherwise than {platform}");
            return Err(format!("{what}; give the system"));
        }
        let new_os = self.os.unwrap_or(os);
        match versions::reads(new, new_os) {
            Reads::Newest(newest) => Ok(Some(newest)),
            // What is for this system already is let alone.
            _ if (new, new_os) == (platform, os) => Ok(None),
            Reads::TooOld => {
                Err(format!("{new} {new_os} is older than all that are known to read AIR"))
            }
            Reads::Unknown if self.air.is_some() => Ok(None),
            Reads::Unknown => Err(format!(
                "it is not known which AIR version {new} {new_os} reads; give the AIR version"
            )),
        }
    }

    /// The newest container of the system that is asked for, where it is known.
    pub(super) fn newest_container(&self, identity: &Identity) -> Option<Container> {
        let platform = self.platform.or(identity.platform())?;
        let os = self.os.or(identity.platform().map(|_| identity.os))?;
        match versions::reads(platform, os) {
            Reads::Newest(air) => versions::newest_patch(air).map(Container::new),
            _ => None,
        }
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
        let whole = Triple::parse(triple).ok_or_else(|| {
            format!("the triple `{triple}` is of no known form, so the system in it cannot be set")
        })?;
        let newest = self.newest(whole.platform, whole.os)?;
        if let (Some(newest), Some(asked)) = (newest, self.air)
            && asked > newest.max(air)
        {
            let (platform, os) =
                (self.platform.unwrap_or(whole.platform), self.os.unwrap_or(whole.os));
            return Err(too_new(platform, os, newest, asked));
        }
        let is_moved = self.platform.is_some() || self.os.is_some();
        let by_default = || newest.filter(|_| is_moved).map_or(air, |newest| air.min(newest));
        let new_air = self.air.unwrap_or_else(by_default);
        let newest = versions::language_of(newest.map_or(new_air, |os| os.min(new_air)));
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
        let triple = whole.retargeted(triple, new_air, self.platform, self.os);
        let numbers = |version: Version| [version.major.into(), version.minor.into()];
        let (air, language) = (numbers(new_air), numbers(new_language));
        Ok(ModuleTarget { triple: triple.map(Arc::from), air, language })
    }
}

/// Says that a system does not read an AIR version.
fn too_new(platform: Platform, os: OsVersion, newest: Version, air: Version) -> String {
    format!(
        "{platform} {os} reads AIR {newest} at the most, not {air}; give a newer system, or an \
         older AIR version"
    )
}
