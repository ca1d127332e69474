//! Dependency files in the syntax of Make, as Ninja, `CMake` and Make read them.

use std::collections::HashSet;
use std::path::Path;

use super::error::{IoError, Result};
use super::words::label;

/// One rule that says which inputs the outputs were made from.
///
/// Paths are written as they are given (with `/` for `\` on Windows), each input once, in order.
/// Spaces, tabs, `#`, `$` and `:` are escaped, except for the colon of a drive letter; backslashes
/// stand for themselves, and are doubled where they precede a space. Ninja cannot name files with
/// a tab, whatever the escape.
///
/// ```
/// # fn main() -> Result<(), mtlpack::io::IoError> {
/// let text = mtlpack::io::depfile(&["out.metallib"], &["a.metallib", "my lib/b.metallib"])?;
/// assert_eq!(text, "out.metallib: \\\n  a.metallib \\\n  my\\ lib/b.metallib\n");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If there is no output, or if the syntax cannot name one of the files.
pub fn depfile<O: AsRef<Path>, I: AsRef<Path>>(outputs: &[O], inputs: &[I]) -> Result<String> {
    let outputs: Vec<String> =
        outputs.iter().map(|path| escape(path.as_ref())).collect::<Result<_>>()?;
    if outputs.is_empty() {
        let reason = "it has no named output";
        return Err(IoError::Depfile { name: "<stdout>".to_owned(), reason });
    }
    let mut text = outputs.join(" ");
    text.push(':');
    let mut seen = HashSet::new();
    for input in inputs {
        let name = escape(input.as_ref())?;
        if !seen.contains(&name) {
            text.push_str(" \\\n  ");
            text.push_str(&name);
            seen.insert(name);
        }
    }
    text.push('\n');
    Ok(text)
}

fn escape(path: &Path) -> Result<String> {
    let refuse = |reason| IoError::Depfile { name: label(path), reason };
    let name = path.to_str().ok_or_else(|| refuse("its name is not UTF-8"))?;
    match cfg!(windows) && !name.starts_with(r"\\?\") {
        true => escape_name(&name.replace('\\', "/")),
        false => escape_name(name),
    }
    .map_err(refuse)
}

fn escape_name(name: &str) -> Result<String, &'static str> {
    check(name)?;
    let drive = has_drive(name);
    let mut text = String::with_capacity(name.len() + 8);
    let mut backslashes = 0;
    for (index, letter) in name.char_indices() {
        match letter {
            // 2N+1 backslashes and a space are N backslashes and a space of the name.
            ' ' | '\t' => text.extend(std::iter::repeat_n('\\', backslashes + 1)),
            '#' => text.push('\\'),
            ':' if !(drive && index == 1) => text.push('\\'),
            '$' => text.push('$'),
            _ => {}
        }
        text.push(letter);
        backslashes = if letter == '\\' { backslashes + 1 } else { 0 };
    }
    Ok(text)
}

/// Refuses what Make and Ninja read differently or not at all.
fn check(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("it is empty");
    }
    if name.contains(|c: char| c.is_ascii_control() && c != '\t') {
        return Err("it contains a line break or another control character");
    }
    if name.contains(['*', ';', '<', '>', '|', '^', '`']) {
        return Err("it contains one of * ; < > | ^ `, where Ninja ends a name");
    }
    if name.ends_with([':', '\\']) || [r"\#", r"\:", r"\$"].iter().any(|pair| name.contains(pair)) {
        return Err("it has a colon or backslash where none can be written");
    }
    Ok(())
}

/// `C:` with a path behind it; elsewhere `C:` may well be the beginning of a plain name.
fn has_drive(name: &str) -> bool {
    match name.as_bytes() {
        [letter, b':', rest @ ..] if letter.is_ascii_alphabetic() => {
            cfg!(windows) || matches!(rest.first(), Some(b'/' | b'\\'))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(name: &str) -> String {
        escape_name(name).unwrap()
    }

    // Tried with GNU Make 4.3, Ninja 1.13 and CMake 4.4 over Ninja (which makes `\` a `/`). Exceptions:
    // tabs (Make only), drive letters and `=` (not in Make on Linux).
    #[test]
    fn escapes_what_needs_it() {
        assert_eq!(escaped("a/b-c_d.metallib"), "a/b-c_d.metallib");
        assert_eq!(escaped("a b"), r"a\ b");
        assert_eq!(escaped(r"a\ b"), r"a\\\ b");
        assert_eq!(escaped("a\tb"), "a\\\tb");
        assert_eq!(escaped("a#b"), r"a\#b");
        assert_eq!(escaped("$a$$"), "$$a$$$$");
        assert_eq!(escaped("ns::f"), r"ns\:\:f");
        assert_eq!(escaped("(a)[b]{c}%~=@!&'\""), "(a)[b]{c}%~=@!&'\"");
        assert_eq!(escaped("ünï"), "ünï");
    }

    #[test]
    fn leaves_drive_letters_and_backslashes() {
        assert_eq!(escaped(r"C:\dir\a b"), r"C:\dir\a\ b");
        assert_eq!(escaped("c:/x:y"), r"c:/x\:y");
        assert_eq!(escaped("1:/x"), r"1\:/x");
        #[cfg(unix)]
        assert_eq!(escaped("a:b"), r"a\:b");
    }

    #[test]
    fn refuses_what_cannot_be_written() {
        for name in ["", "a\nb", "a\rb", "f<int>", "a;b", "a|b", "a:", r"a\", r"a\#b"] {
            assert!(escape_name(name).is_err(), "{name:?}");
        }
        let error = depfile(&["out"], &["f<int>"]).unwrap_err().to_string();
        assert!(error.starts_with("cannot list `f<int>` in a dependency file: "), "{error}");
    }

    #[test]
    fn writes_one_rule() {
        assert_eq!(depfile(&["a b", "c"], &["x", "y", "x"]).unwrap(), "a\\ b c: \\\n  x \\\n  y\n");
        assert_eq!(depfile(&["out"], &[] as &[&str]).unwrap(), "out:\n");
        assert!(depfile(&[] as &[&str], &["x"]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn refuses_names_that_are_not_text() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"a\xff"));
        assert!(depfile(&["out"], &[path]).is_err());
    }
}
