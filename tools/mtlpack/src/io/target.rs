//! Where a result goes, as the user names it.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::words::label;

/// Where a result goes: a path, or standard output.
///
/// ```
/// use mtlpack::io::Target;
///
/// assert_eq!(Target::from("-"), Target::Stdout);
/// assert_eq!(Target::from("./-"), Target::Path("./-".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// A file, device or named pipe.
    Path(PathBuf),
    /// Standard output.
    Stdout,
}

impl Target {
    /// Reads the argument of `-o`: `-` (and `/dev/stdout`) is standard output.
    #[must_use]
    pub fn parse(argument: &OsStr) -> Self {
        if argument == "-" || (cfg!(unix) && argument == "/dev/stdout") {
            return Self::Stdout;
        }
        Self::Path(argument.into())
    }

    /// The path for dependency files; `None` for standard output.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Stdout => None,
        }
    }

    /// The name for messages: the path as given, or `<stdout>`.
    #[must_use]
    pub fn name(&self) -> String {
        self.path().map_or_else(|| "<stdout>".to_owned(), label)
    }
}

impl From<OsString> for Target {
    fn from(argument: OsString) -> Self {
        Self::parse(&argument)
    }
}

impl From<&OsStr> for Target {
    fn from(argument: &OsStr) -> Self {
        Self::parse(argument)
    }
}

impl From<&str> for Target {
    fn from(argument: &str) -> Self {
        Self::parse(OsStr::new(argument))
    }
}

impl From<PathBuf> for Target {
    /// A path is a path: no name has a special meaning.
    fn from(path: PathBuf) -> Self {
        Self::Path(path)
    }
}

impl FromStr for Target {
    type Err = Infallible;

    fn from_str(argument: &str) -> Result<Self, Infallible> {
        Ok(Self::from(argument))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_argument() {
        assert_eq!(Target::from(OsString::from("-")), Target::Stdout);
        assert_eq!("-".parse(), Ok(Target::Stdout));
        assert_eq!(Target::from("a/-").path(), Some(Path::new("a/-")));
        assert_eq!(Target::from(PathBuf::from("-")).path(), Some(Path::new("-")));
        assert_eq!(
            (Target::Stdout.name(), Target::from("x").name()),
            ("<stdout>".into(), "x".into())
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_device_of_standard_output_is_standard_output() {
        assert_eq!(Target::from("/dev/stdout"), Target::Stdout);
    }
}
