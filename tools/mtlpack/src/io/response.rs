//! Arguments out of response files (`@file`), for command lines longer than the system allows.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::error::{IoError, Result};
use super::words::label;

/// Response files may name response files, so deep.
const DEPTH: usize = 8;
/// All response files of one command line together.
const SIZE_LIMIT: u64 = 16 << 20;

/// The arguments of a command after [`expand_args`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The arguments themselves.
    pub list: Vec<OsString>,
    /// The response files that were read, nested ones too, each once; pipes are left out.
    pub files: Vec<PathBuf>,
}

/// Replaces each `@file` by the arguments in that file.
///
/// They are separated by white space. `'…'` and `"…"` quote, and a backslash takes the next
/// character as it is, also within quotes, as in GCC and LLVM. On Windows, where backslashes
/// separate folders, they do so only before `"`. A lone `@` stays. Names are relative to the
/// present folder, also within response files.
///
/// ```
/// use mtlpack::io::expand_args;
///
/// # fn main() -> Result<(), mtlpack::io::IoError> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("list");
/// std::fs::write(&path, "a.metallib 'my lib.metallib'\n").unwrap();
/// let args = expand_args(["merge".into(), format!("@{}", path.display()).into()])?;
/// assert_eq!(args.list, ["merge", "a.metallib", "my lib.metallib"]);
/// assert_eq!(args.files, [path]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If a response file cannot be read, does not close a quote, names itself, lies more than eight
/// deep, or if all of them are longer than 16 MiB together.
pub fn expand_args(args: impl IntoIterator<Item = OsString>) -> Result<Arguments> {
    let mut expansion =
        Expansion { args: Arguments::default(), open: Vec::new(), left: SIZE_LIMIT };
    for arg in args {
        expansion.add(arg)?;
    }
    Ok(expansion.args)
}

struct Expansion {
    args: Arguments,
    open: Vec<PathBuf>,
    left: u64,
}

impl Expansion {
    fn add(&mut self, arg: OsString) -> Result<()> {
        match file_of(&arg) {
            Some(path) => self.add_file(&path),
            None => {
                self.args.list.push(arg);
                Ok(())
            }
        }
    }

    fn add_file(&mut self, path: &Path) -> Result<()> {
        let fail = |reason: String| IoError::Response { name: label(path), reason };
        let identity = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if self.open.contains(&identity) {
            return Err(fail("it includes itself".to_owned()));
        }
        if self.open.len() >= DEPTH {
            return Err(fail(format!("response files are nested more than {DEPTH} deep")));
        }
        let text = self.read(path)?;
        let words = split(&text, cfg!(windows)).map_err(|reason| fail(reason.to_owned()))?;
        self.open.push(identity);
        for word in words {
            let word = to_os(word).ok_or_else(|| fail("it is not UTF-8 text".to_owned()))?;
            self.add(word)?;
        }
        self.open.pop();
        Ok(())
    }

    fn read(&mut self, path: &Path) -> Result<Vec<u8>> {
        let name = || label(path);
        let file = File::open(path).map_err(|cause| IoError::NoResponse { name: name(), cause })?;
        let is_file = file.metadata().is_ok_and(|found| found.is_file());
        if is_file && !self.args.files.iter().any(|known| known == path) {
            self.args.files.push(path.to_path_buf());
        }
        let mut text = Vec::new();
        let read = file.take(self.left.saturating_add(1)).read_to_end(&mut text);
        let read = read.map_err(|cause| IoError::Read { name: name(), cause })?;
        let advice = "split the command (the limit is for all response files together)";
        let left = self.left.checked_sub(read as u64);
        self.left =
            left.ok_or_else(|| IoError::TooLarge { name: name(), limit: SIZE_LIMIT, advice })?;
        Ok(text)
    }
}

/// The path behind an `@`.
fn file_of(arg: &OsStr) -> Option<PathBuf> {
    let name = arg.as_encoded_bytes().strip_prefix(b"@").filter(|name| !name.is_empty())?;
    to_os(name.to_vec()).map(PathBuf::from)
}

#[cfg(unix)]
fn to_os(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn to_os(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

/// Splits text into words; a byte order mark is skipped.
fn split(text: &[u8], windows: bool) -> Result<Vec<Vec<u8>>, &'static str> {
    let mut rest = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'\\' => rest = backslash(rest, windows, word.get_or_insert_default()),
            _ if quote == Some(byte) => quote = None,
            b'"' | b'\'' if quote.is_none() => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            _ if quote.is_none() && is_space(byte) => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    match quote {
        Some(_) => Err("a quote is not closed"),
        None => {
            words.extend(word);
            Ok(words)
        }
    }
}

/// Handles what follows a backslash and gives what is left.
fn backslash<'a>(rest: &'a [u8], windows: bool, word: &mut Vec<u8>) -> &'a [u8] {
    match rest.split_first() {
        Some((&next, tail)) if !windows || next == b'"' => {
            word.push(next);
            tail
        }
        _ => {
            word.push(b'\\');
            rest
        }
    }
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, windows: bool) -> Vec<String> {
        let words = split(text.as_bytes(), windows).unwrap();
        words.into_iter().map(|word| String::from_utf8(word).unwrap()).collect()
    }

    fn at(path: &Path) -> OsString {
        let mut arg = OsString::from("@");
        arg.push(path);
        arg
    }

    #[test]
    fn splits_as_gcc_and_llvm_do() {
        assert_eq!(words(" a  b\tc\r\nd\n", false), ["a", "b", "c", "d"]);
        assert_eq!(words(r#"'a b' "c 'd'" e' 'f '"'"#, false), ["a b", "c 'd'", "e f", "\""]);
        assert_eq!(
            words(r#"a\ b \"c "d\"e" 'f\'g' \\h"#, false),
            ["a b", "\"c", "d\"e", "f'g", "\\h"]
        );
        assert_eq!(words(r#"'' "" a"#, false), ["", "", "a"]);
        assert_eq!(words("a\\", false), ["a\\"]);
        assert_eq!(words("\u{feff}a", false), ["a"]);
        assert!(words("", false).is_empty());
        assert!(split(b"a 'b", false).is_err());
    }

    #[test]
    fn keeps_the_backslashes_of_windows() {
        assert_eq!(words(r#"C:\a\b "C:\my lib\x" \"q"#, true), [r"C:\a\b", r"C:\my lib\x", "\"q"]);
    }

    #[test]
    fn expands_nested_files() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two words"));
        fs::write(&one, format!("a '@{}' @ d", two.display()).replace('\\', "/")).unwrap();
        fs::write(&two, "b\nc").unwrap();
        let args = expand_args(["x".into(), at(&one), "@".into(), at(&two)]).unwrap();
        assert_eq!(args.files, [one, two]);
        assert_eq!(args.list, ["x", "a", "b", "c", "@", "d", "@", "b", "c"]);
    }

    #[test]
    fn names_a_missing_file() {
        let error = expand_args(["@no/such/list".into()]).unwrap_err().to_string();
        let expected = "cannot open the response file `no/such/list`: no such file or folder; \
                        a file that is called `@no/such/list` is `./@no/such/list`";
        assert_eq!(error, expected);
    }

    #[test]
    fn refuses_circles_and_depth() {
        let folder = tempfile::tempdir().unwrap();
        let path = |n: usize| folder.path().join(n.to_string());
        for n in 1..=8 {
            fs::write(path(n), format!("@'{}'", path(n + 1).display()).replace('\\', "/")).unwrap();
        }
        fs::write(path(9), "end").unwrap();
        assert_eq!(expand_args([at(&path(2))]).unwrap().list, ["end"]);
        let error = expand_args([at(&path(1))]).unwrap_err().to_string();
        assert!(error.ends_with("nested more than 8 deep"), "{error}");
        fs::write(path(9), format!("@{}", path(8).display()).replace('\\', "/")).unwrap();
        let error = expand_args([at(&path(8))]).unwrap_err().to_string();
        assert!(error.ends_with("it includes itself"), "{error}");
    }

    #[test]
    fn limits_all_files_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        fs::write(&path, vec![b' '; 9 << 20]).unwrap();
        assert!(expand_args([at(&path)]).unwrap().list.is_empty());
        assert!(matches!(expand_args([at(&path), at(&path)]), Err(IoError::TooLarge { .. })));
    }
}
