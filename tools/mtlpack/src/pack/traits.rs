//! What a module says that the library around it follows from.

use air_bitcode::Head;
use metallib::{Container, Dialect, OsVersion, Platform, Version, Versions, printable};

use crate::air::{Triple, versions};
use crate::error::{Error, Result};

/// Systems, versions and compiler of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Traits {
    /// The triple as it stands, for messages.
    pub(super) triple: String,
    pub(super) platform: Platform,
    pub(super) os: OsVersion,
    pub(super) versions: Versions,
    /// Whether the language calls itself `Metal`; in modules of 2015 it is `METAL`.
    is_metal: bool,
    producer: String,
}

impl Traits {
    /// Reads them.
    ///
    /// # Errors
    /// If the module does not say its versions, or has a triple that is not known or does not
    /// fit them.
    pub(super) fn of(input: &str, head: &Head<'_>) -> Result<Self> {
        let Some(text) = &head.triple else {
            return Err(Error::refused(format!(
                "{input}: the module has no target triple, expected one such as \
                 air64-apple-macosx14.0.0"
            )));
        };
        let triple = printable(text);
        let Some(Triple { air, platform, os }) = Triple::parse(&triple) else {
            return Err(Error::refused(format!(
                "{input}: the module's target triple is `{triple}`, expected one such as \
                 air64-apple-macosx14.0.0; compile it for Metal"
            )));
        };
        let (versions, name) = versions_of(input, head)?;
        if let Some(air) = air.filter(|air| *air != versions.air) {
            return Err(Error::refused(format!(
                "{input}: the module's target triple `{triple}` is of AIR {air}, but its \
                 air.version is {}",
                versions.air
            )));
        }
        let producer = head.producer.as_deref().unwrap_or_default();
        let producer = String::from_utf8_lossy(producer).into_owned();
        Ok(Self { triple, platform, os, versions, is_metal: name == b"Metal", producer })
    }

    /// Whether functions have the tag MDSZ: all but those that the archiver makes of AIR 1.8
    /// and older. Of these the tools of 2016 wrote it, whose modules name no compiler.
    /// Holds for 60,455 functions.
    pub(super) fn has_module_size(&self, dialect: Dialect) -> bool {
        dialect == Dialect::Linker
            || self.versions.air > Version::new(1, 8)
            || (self.is_metal && versions::metalfe(&self.producer).is_none())
    }

    /// The container that Apple's tool wrote at the time of the module's compiler.
    ///
    /// The archiver followed the compiler's number, see [`versions::patch`]; of modules that
    /// name no compiler it made container 1.2.2.
    pub(super) fn container_of_its_time(&self, dialect: Dialect) -> Option<Container> {
        let unnamed = versions::metalfe(&self.producer).is_none();
        let patch = match dialect {
            Dialect::Linker => versions::newest_patch(self.versions.air),
            Dialect::Archiver if unnamed => Some(2),
            Dialect::Archiver => versions::patch(dialect, self.versions.air, &self.producer),
        };
        patch.map(Container::new)
    }
}

/// AIR and language version, and the language's name.
fn versions_of<'h>(input: &str, head: &'h Head<'_>) -> Result<(Versions, &'h [u8])> {
    let missing = |list: &str| {
        let what = format!("{input}: the module has no `{list}`: it is no AIR, or it was stripped");
        Error::refused(what)
    };
    let version = |[major, minor, _]: [i64; 3]| {
        let (found, limit) = (format!("{major}.{minor}"), u16::MAX);
        let part = |part: i64| u16::try_from(part).ok();
        let version = part(major).zip(part(minor)).map(|(major, minor)| Version::new(major, minor));
        version.ok_or_else(|| {
            let what = format!("{input}: version {found} of the module is beyond {limit}.{limit}");
            Error::refused(what)
        })
    };
    let air = version(head.version.ok_or_else(|| missing("air.version"))?)?;
    let language = head.language.as_ref().ok_or_else(|| missing("air.language_version"))?;
    Ok((Versions { air, language: version(language.1)? }, &language.0))
}
