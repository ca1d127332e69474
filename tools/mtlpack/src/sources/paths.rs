//! Where members of archives go: paths that stay below a folder, on every system.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::io::is_device;

/// Makes relative paths out of names of members.
///
/// `/` in front, `.`, and `..` that stays inside are resolved; backslashes, control characters and
/// bytes that are no UTF-8 become `_`; names that differ by case only get a number. What Windows
/// does not allow is changed there: a file `aux.metal`, which a real archive has, is `_aux.metal`.
#[derive(Debug)]
pub(super) struct MemberPaths {
    /// Whether paths are for Windows.
    windows: bool,
    /// Names that were given, as they stand.
    names: HashSet<Vec<u8>>,
    /// Paths of files, in lower case.
    files: BTreeSet<String>,
    /// The last number of each path that several names have, in lower case.
    numbers: HashMap<String, u64>,
}

impl MemberPaths {
    /// For one archive, of which no name was seen yet.
    pub(super) fn new(windows: bool) -> Self {
        let (names, files, numbers) = (HashSet::new(), BTreeSet::new(), HashMap::new());
        Self { windows, names, files, numbers }
    }

    /// The path for a name, with `/` between folders.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn path(&mut self, name: &[u8]) -> Result<String, String> {
        let path = components(name, self.windows)?.join("/");
        if !self.names.insert(name.to_vec()) {
            return Err("an earlier member has the same name".to_owned());
        }
        let lower = path.to_lowercase();
        let mut folders = lower.match_indices('/').filter_map(|(at, _)| lower.get(..at));
        if folders.any(|folder| self.files.contains(folder)) {
            return Err("it lies in a folder where an earlier member is a file".to_owned());
        }
        Ok(self.distinct(path, lower))
    }

    /// The path, with a number if it is there already in some case.
    fn distinct(&mut self, path: String, lower: String) -> String {
        let file = path.rfind('/').map_or(0, |at| at.saturating_add(1));
        let dot = path.rfind('.').filter(|&dot| dot > file).unwrap_or(path.len());
        let (stem, extension) = path.split_at(dot);
        let number = self.numbers.entry(lower).or_insert(0);
        loop {
            *number = number.saturating_add(1);
            let numbered = match *number {
                1 => path.clone(),
                number => format!("{stem}~{number}{extension}"),
            };
            let key = numbered.to_lowercase();
            let within = format!("{key}/");
            let first = self.files.range(within.clone()..).next();
            let is_folder = first.is_some_and(|file| file.starts_with(&within));
            if !is_folder && self.files.insert(key) {
                return numbered;
            }
        }
    }
}

/// The components of a path below a folder, which is never left.
fn components(name: &[u8], windows: bool) -> Result<Vec<String>, String> {
    if name.ends_with(b"/") {
        return Err("its name ends with `/`, as only that of a folder may".to_owned());
    }
    let mut path: Vec<String> = Vec::new();
    for component in name.split(|&byte| byte == b'/') {
        match component {
            b"" | b"." => {}
            b".." => {
                let up = path.pop();
                up.ok_or_else(|| "its name leads out of the folder with `..`".to_owned())?;
            }
            component => path.push(safe(component, windows)),
        }
    }
    match name.rsplit(|&byte| byte == b'/').next() {
        Some(b"" | b"." | b"..") | None => Err("its name is not that of a file".to_owned()),
        Some(_) => Ok(path),
    }
}

/// A component as a name that the system allows.
fn safe(component: &[u8], windows: bool) -> String {
    let refused = |c: char| windows && "<>:\"|?*".contains(c);
    let allowed = |c: char| !c.is_control() && c != '\\' && !refused(c);
    let mut name = String::with_capacity(component.len());
    for chunk in component.utf8_chunks() {
        name.extend(chunk.valid().chars().map(|c| if allowed(c) { c } else { '_' }));
        name.extend(chunk.invalid().iter().map(|_| '_'));
    }
    if windows && name.ends_with(['.', ' ']) {
        name.pop();
        name.push('_');
    }
    if windows && is_device(&name) {
        name.insert(0, '_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &[u8], windows: bool) -> Result<String, String> {
        MemberPaths::new(windows).path(name)
    }

    #[test]
    fn names_of_all_forms_stay_below() {
        for (name, expected) in [
            (&b"metal-options.txt"[..], "metal-options.txt"),
            (b"/Users/me/a b.metal", "Users/me/a b.metal"),
            (b"//server//share/./a", "server/share/a"),
            (b"/src/../include/a.h", "include/a.h"),
            (b"\xff\xc3\x28/\xc3\xa9\x1b", "__(/\u{e9}_"),
            (b".hidden", ".hidden"),
        ] {
            for windows in [false, true] {
                assert_eq!(path(name, windows).as_deref(), Ok(expected), "{}", name.escape_ascii());
            }
        }
        for (name, unix, windows) in [
            (&b"C:\\..\\a.metal"[..], "C:_.._a.metal", "C__.._a.metal"),
            (b"...", "...", ".._"),
            (b"a/aux.metal/NUL", "a/aux.metal/NUL", "a/_aux.metal/_NUL"),
            (b"a. /b?", "a. /b?", "a._/b_"),
        ] {
            assert_eq!(path(name, false).as_deref(), Ok(unix));
            assert_eq!(path(name, true).as_deref(), Ok(windows));
        }
    }

    #[test]
    fn refuses_names_that_climb_or_name_no_file() {
        for name in [&b"../a"[..], b"/../a", b"a/../../a", b"..", b"a/b/../../../c"] {
            assert!(path(name, false).unwrap_err().contains("`..`"), "{}", name.escape_ascii());
        }
        for name in [&b""[..], b"/", b".", b"a/", b"a/.", b"a/b/.."] {
            assert!(path(name, false).is_err(), "{}", name.escape_ascii());
        }
    }

    #[test]
    fn names_that_collide() {
        let mut paths = MemberPaths::new(false);
        let mut path = |name: &str| paths.path(name.as_bytes());
        assert_eq!(path("/src/a.h").unwrap(), "src/a.h");
        assert_eq!(path("src/a.h").unwrap(), "src/a~2.h");
        assert_eq!(path("/SRC/A.h").unwrap(), "SRC/A~3.h");
        assert_eq!(path("/src/a~2.h").unwrap(), "src/a~2~2.h");
        assert_eq!(path("/src/a.h").unwrap_err(), "an earlier member has the same name");
        assert!(path("src/A.h/b").unwrap_err().contains("is a file"));
        assert_eq!(path("Src").unwrap(), "Src~2");
        assert_eq!(path("src/.x").unwrap(), "src/.x");
        assert_eq!(path("src/.X").unwrap(), "src/.X~2");
    }
}
