//! What becomes of paths: other beginnings, or only the name of the file.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::text::{Form, Span, spans};
use crate::error::{Error, Result};

/// A beginning of paths, and what stands there instead.
#[derive(Clone, Debug)]
struct Prefix {
    old: Vec<u8>,
    new: Vec<u8>,
    /// Whether a path began with the old one; copies of the rules know it together.
    used: Arc<AtomicBool>,
}

/// Why a text is looked through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// To change its paths: those that have a new beginning may begin as old ones do, too.
    First,
    /// To change what is a path in the light of the rest only now; what is new stays.
    Again,
    /// To see whether the first pass would change it, and nothing else.
    Trial,
}

/// How often a text is looked through: more than any needs that is not made to.
const ROUNDS: usize = 16;

/// What becomes of the absolute paths in a library.
///
/// A path that begins with the old text of a rule gets the new one; the longest that fits
/// counts, as in compilers' `-ffile-prefix-map`. A path that begins with the new text of a rule
/// stays, unless an old one that is as long fits it too. Of any other only the file's name stays; a folder becomes `.`, and in command lines what
/// has no extension is taken for one:
///
/// ```
/// # fn main() -> mtlpack::Result<()> {
/// let mut rules = mtlpack::PathRules::default();
/// rules.add("/Users/me/project=.")?;
/// assert_eq!(rules.file(b"/Users/me/project/a/x.metal"), b"./a/x.metal");
/// assert_eq!(rules.file(b"/opt/lib/y.metal"), b"y.metal");
/// assert_eq!(rules.file(b"z.metal"), b"z.metal");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct PathRules {
    /// The longest first.
    prefixes: Vec<Prefix>,
    /// A text that was made, and what it becomes by the same rules; copies know it together.
    unstable: Arc<OnceLock<(Vec<u8>, Vec<u8>)>>,
}

impl PathRules {
    /// Adds `OLD=NEW`. The last `=` divides, as in compilers, since a path may hold some.
    ///
    /// # Errors
    /// If there is no `=`, OLD is empty or has another NEW already, OLD is nothing but slashes
    /// and NEW empty, or one of them holds NUL.
    pub fn add(&mut self, text: &str) -> Result<()> {
        let (old, new) =
            text.rsplit_once('=').filter(|(old, _)| !old.is_empty()).ok_or_else(|| {
                Error::refused(format!("--map `{text}`: expected OLD=NEW, and OLD not empty"))
            })?;
        if text.contains('\0') {
            return Err(Error::refused(format!("--map `{text}`: a path holds no NUL")));
        }
        if new.is_empty() && old.chars().all(|c| matches!(c, '/' | '\\')) {
            return Err(Error::refused(format!(
                "--map `{text}`: would take the first slash off paths and leave the rest; give the \
                 folder that is to go, or no rule, which leaves only the names of files"
            )));
        }
        let prefix = Prefix { old: old.into(), new: new.into(), used: Arc::default() };
        if let Some(other) = self.prefixes.iter().find(|other| other.old == prefix.old) {
            if other.new == prefix.new {
                return Ok(());
            }
            let what = format!("--map `{text}`: `{old}` is mapped to something else already");
            return Err(Error::refused(what));
        }
        let longer = |other: &Prefix| other.old.len() >= prefix.old.len();
        self.prefixes.insert(self.prefixes.partition_point(longer), prefix);
        Ok(())
    }

    /// What becomes of the path of a file.
    #[must_use]
    pub fn file(&self, path: &[u8]) -> Vec<u8> {
        self.apply(path, Form::File).unwrap_or_else(|| path.to_vec())
    }

    /// The rules by which no path was changed so far.
    pub(crate) fn unused(&self) -> impl Iterator<Item = String> {
        let unused = self.prefixes.iter().filter(|prefix| !prefix.used.load(Ordering::Relaxed));
        unused.map(|Prefix { old, new, .. }| {
            format!("{}={}", String::from_utf8_lossy(old), String::from_utf8_lossy(new))
        })
    }

    /// A text that was made by the rules so far, and what it would become if it were read again;
    /// nothing if none would change.
    pub(crate) fn unstable(&self) -> Option<(String, String)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        self.unstable.get().map(|(once, twice)| (text(once), text(twice)))
    }

    /// What becomes of a text; nothing if it stays.
    pub(crate) fn apply(&self, text: &[u8], form: Form) -> Option<Vec<u8>> {
        let mut made = self.once(text, form, Pass::First)?;
        // What is left may be a path again in the light of what stands there now.
        for _ in 1..ROUNDS {
            match self.once(&made, form, Pass::Again) {
                Some(next) => made = next,
                None => break,
            }
        }
        if self.unstable.get().is_none()
            && let Some(twice) = self.once(&made, form, Pass::Trial)
        {
            // Who comes first is as good as another.
            let _ = self.unstable.set((made.clone(), twice));
        }
        Some(made)
    }

    fn once(&self, text: &[u8], form: Form, pass: Pass) -> Option<Vec<u8>> {
        let mut made = Vec::with_capacity(text.len());
        let mut from = 0;
        for span in spans(text, form) {
            made.extend_from_slice(text.get(from..span.range.start)?);
            let path = text.get(span.start..span.range.end)?;
            made.extend_from_slice(&self.path(path, &span, form, pass));
            from = span.range.end;
        }
        made.extend_from_slice(text.get(from..)?);
        (made != text).then_some(made)
    }

    /// What becomes of one path.
    fn path<'p>(&'p self, path: &'p [u8], span: &Span, form: Form, pass: Pass) -> Cow<'p, [u8]> {
        let is_slashless = span.is_absolute && !path.starts_with(b"/") && is_posix(path);
        let whole = match is_slashless {
            true => Cow::Owned([b"/", path].concat()),
            false => Cow::Borrowed(path),
        };
        let fits =
            |new: &&Vec<u8>| new.len() > 1 && (whole.starts_with(new) || path.starts_with(new));
        let news = self.prefixes.iter().map(|Prefix { new, .. }| new).filter(fits);
        let longest_new = news.map(Vec::len).max();
        let is_new = longest_new.is_some();
        for Prefix { old, new, used } in
            self.prefixes.iter().filter(|_| pass != Pass::Again || !is_new)
        {
            if let Some(rest) = whole.strip_prefix(old.as_slice()) {
                used.fetch_or(pass != Pass::Trial, Ordering::Relaxed);
                // Of `/a=/a/b` the new beginning is one that begins as the old one does.
                if longest_new.is_some_and(|length| length > old.len()) {
                    return path.into();
                }
                return mapped(new, rest, is_slashless);
            }
        }
        if is_new {
            return path.into();
        }
        let is_folder = match form {
            Form::Folder => true,
            Form::File | Form::Member => false,
            // But for the program that a command begins with.
            Form::Command => span.range.start > 0 && !has_extension(path),
            Form::Text => !has_extension(path),
        };
        if is_folder { b"."[..].into() } else { last_name(path) }
    }
}

/// The rest of a path behind the new beginning.
fn mapped(new: &[u8], rest: &[u8], is_slashless: bool) -> Cow<'static, [u8]> {
    let made = [new, rest].concat();
    let without = made.iter().position(|&byte| byte != b'/').and_then(|at| made.get(at..));
    match without {
        // A path that becomes empty is the folder itself.
        None => b"."[..].into(),
        Some(without) if is_slashless || new.is_empty() => without.to_vec().into(),
        Some(_) => made.into(),
    }
}

/// Whether a path ends as those of files do, and hardly any of a folder in a command line.
fn has_extension(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
    let dot = name.iter().rposition(|&byte| byte == b'.');
    dot.is_some_and(|dot| dot > 0 && dot + 1 < name.len())
}

fn is_posix(path: &[u8]) -> bool {
    !path.contains(&b'\\') && path.get(1) != Some(&b':')
}

/// The last name of a path; `.` for what holds homes, for a home, and for temporary folders.
/// Random parts that compilers give to temporary files, and digests of the path that Xcode
/// gives to intermediate ones, go too.
fn last_name(path: &[u8]) -> Cow<'_, [u8]> {
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    let names: Vec<&[u8]> = path.split(is_separator).filter(|name| !name.is_empty()).collect();
    let (Some(last), Some(first)) = (names.last(), names.first()) else { return b"."[..].into() };
    let is_home = super::text::user(path).is_some_and(|user| user == *last);
    if names.len() < 2
        || is_home
        || *last == b"."
        || *last == b".."
        || first.ends_with(b":") && names.len() < 3
    {
        return b"."[..].into();
    }
    without_digest(last, names.iter().any(|name| matches!(*name, b"tmp" | b"T" | b"Temp")))
}

/// `name.air` for `name-1f2e3d.air` in temporary folders, and for `name-` with 32 digits.
fn without_digest(name: &[u8], is_temporary: bool) -> Cow<'_, [u8]> {
    let Some(dot) = name.iter().rposition(|&byte| byte == b'.') else { return name.into() };
    let (stem, extension) = name.split_at(dot);
    let Some(dash) = stem.iter().rposition(|&byte| byte == b'-') else { return name.into() };
    let (kept, digest) = stem.split_at(dash);
    let digits = digest.get(1..).unwrap_or_default();
    let is_digest = digits.iter().all(u8::is_ascii_hexdigit)
        && (digits.len() == 32 || digits.len() == 6 && is_temporary);
    if is_digest && !kept.is_empty() { [kept, extension].concat().into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(maps: &[&str]) -> PathRules {
        let mut rules = PathRules::default();
        maps.iter().for_each(|map| rules.add(map).unwrap());
        rules
    }

    fn applied(rules: &PathRules, text: &str, form: Form) -> String {
        let made = rules.apply(text.as_bytes(), form).unwrap_or_else(|| text.as_bytes().to_vec());
        String::from_utf8(made).unwrap()
    }

    #[test]
    fn without_rules_only_names_stay() {
        let none = rules(&[]);
        for (path, name) in [
            ("/Users/me/x/y.metal", "y.metal"),
            ("/a/b//a/b/y.metal", "y.metal"),
            ("/Users/me", "."),
            ("/Users/me/", "."),
            ("/tmp", "."),
            ("C:\\Users\\me\\y.metal", "y.metal"),
            ("C:\\y", "."),
            ("/var/folders/kg/h0000gn/T/shaders-f22d68.air", "shaders.air"),
            (
                "/Users/me/DerivedData/convert-29d033574f330ca385c778ba34d97c20.air\n",
                "convert.air\n",
            ),
            ("/src/shaders-f22d68.air", "shaders-f22d68.air"),
            ("y.metal", "y.metal"),
            ("../../Users/me/y.metal", "y.metal"),
        ] {
            assert_eq!(applied(&none, path, Form::File), name);
        }
        assert_eq!(applied(&none, "/Users/me/x\n", Form::Folder), ".\n");
        assert_eq!(applied(&none, "Users/me/x.metal", Form::Member), "x.metal");
        let command =
            "/bin/metal -I/Users/me -isysroot Applications/Xcode.app/M.sdk -o a/b '/q r/s t'";
        let made = "metal -I. -isysroot M.sdk -o a/b '.'";
        assert_eq!(applied(&none, command, Form::Command), made);
    }

    #[test]
    fn the_longest_rule_counts_and_what_is_mapped_stays() {
        let rules = rules(&["/Users/me=/home", "/Users/me/x=.", "/a=b=c", "/q="]);
        for (path, mapped) in [
            ("/Users/me/x/y.metal", "./y.metal"),
            ("/Users/me/z/y.metal", "/home/z/y.metal"),
            ("/home/z/y.metal", "/home/z/y.metal"),
            ("/a=b/x", "c/x"),
            ("/q", "."),
            ("/other/y.metal", "y.metal"),
        ] {
            assert_eq!(applied(&rules, path, Form::File), mapped);
        }
        assert_eq!(applied(&rules, "Users/me/z/y.metal", Form::Member), "home/z/y.metal");
        assert_eq!(applied(&rules, "Users/me/x/y.metal", Form::Member), "./y.metal");
    }

    #[test]
    fn what_is_mapped_to_a_relative_path_stays_behind_an_option() {
        let rules = rules(&["/p=src", "/q="]);
        let command =
            "metal -I/p/include/a -isystem/p/b -I/q/c/d -Iown/e/f -L /p/g -F/p -o/r/x.air";
        let made = "metal -Isrc/include/a -isystemsrc/b -Ic/d -Iown/e/f -L src/g -Fsrc -ox.air";
        assert_eq!(applied(&rules, command, Form::Command), made);
    }

    #[test]
    fn what_has_its_new_beginning_stays() {
        let rules = rules(&["/src=/src/x", "/a=/a"]);
        for (path, mapped) in
            [("/src/y/z.metal", "/src/x/y/z.metal"), ("/src/x/z.metal", "/src/x/z.metal")]
        {
            assert_eq!(applied(&rules, path, Form::File), mapped);
            assert_eq!(applied(&rules, mapped, Form::File), mapped);
        }
        assert_eq!(applied(&rules, "/a/b", Form::File), "/a/b");
        assert_eq!((rules.unstable(), rules.unused().count()), (None, 0));
    }

    #[test]
    fn what_would_change_once_more_is_told() {
        for (maps, path, once, twice) in [
            (["/a=/b", "/b=/a"], "/a/x.metal", "/b/x.metal", "/a/x.metal"),
            (["/a=/b", "/b/c=/d"], "/a/c/x.metal", "/b/c/x.metal", "/d/x.metal"),
            (["/a/b=/a", "/q=/q"], "/a/b/b/x.metal", "/a/b/x.metal", "/a/x.metal"),
        ] {
            let rules = rules(&maps);
            assert_eq!(applied(&rules, path, Form::File), once);
            assert_eq!(rules.unstable(), Some((once.to_owned(), twice.to_owned())));
            // To have tried a rule is not to have used it.
            assert_eq!(rules.unused().count(), 1, "{maps:?}");
        }
    }

    #[test]
    fn rules_that_make_no_sense_are_refused() {
        let mut rules = rules(&["/a=b", "/a=b"]);
        for (text, message) in [
            ("a", "--map `a`: expected OLD=NEW, and OLD not empty"),
            ("=a", "--map `=a`: expected OLD=NEW, and OLD not empty"),
            ("/a=c", "--map `/a=c`: `/a` is mapped to something else already"),
            (
                "/=",
                "--map `/=`: would take the first slash off paths and leave the rest; give the \
                 folder that is to go, or no rule, which leaves only the names of files",
            ),
        ] {
            assert_eq!(rules.add(text).unwrap_err().to_string(), message);
        }
    }

    use proptest::prelude::*;

    /// What texts with paths are made of.
    const PIECES: [&str; 34] = [
        "/",
        "/",
        "//",
        "\\",
        "Users",
        "me",
        "home",
        " ",
        "\"",
        "'",
        "C:",
        "-I",
        "=",
        "file:",
        ".",
        "..",
        "x.metal",
        "tmp",
        ":",
        "\n",
        "opt",
        "Volumes",
        "Applications/Xcode.app",
        "\\ ",
        "(",
        "größe",
        "[x]/a",
        "%",
        "~ada/",
        "\\\\?\\",
        "\\/",
        "../home/",
        "file://host",
        "`",
    ];

    const OLD: [&str; 7] = ["/Users", "/Users/me", "/opt", "/tmp/Users", "/", "/home", "C:\\"];
    const NEW: [&str; 10] = [
        "",
        ".",
        "build",
        "/Users/me",
        "/opt",
        "/opt/tmp",
        "src",
        "/tmp/Users/opt",
        "/home",
        "D:\\x",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Whatever texts and rules are: what was made is made again, or is told of.
        #[test]
        fn rules_are_followed_once(
            pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12),
            maps in prop::collection::vec(
                (prop::sample::select(&OLD[..]), prop::sample::select(&NEW[..])),
                0..4,
            ),
        ) {
            let text = pieces.concat();
            for form in [Form::File, Form::Folder, Form::Text, Form::Member, Form::Command] {
                let mut rules = PathRules::default();
                for (old, new) in &maps {
                    // Of two rules for one folder the first counts here.
                    let _ = rules.add(&format!("{old}={new}"));
                }
                let Some(made) = rules.apply(text.as_bytes(), form) else { continue };
                let again = rules.once(&made, form, Pass::Trial);
                prop_assert_eq!(again.is_some(), rules.unstable().is_some(), "{} {:?}", &text, form);
                let stays = rules.apply(&made, form).is_none();
                prop_assert!(stays || rules.unstable().is_some(), "{} {:?} {:?}", &text, form, maps);
            }
        }

        /// Whatever a text is, none of its paths is left, and the rest stays.
        #[test]
        fn no_path_is_left(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12)) {
            let text = pieces.concat();
            for form in [Form::File, Form::Folder, Form::Text, Form::Member, Form::Command] {
                let found: Vec<Span> = spans(text.as_bytes(), form).collect();
                let made = PathRules::default().apply(text.as_bytes(), form);
                prop_assert_eq!(made.is_some(), !found.is_empty(), "{} {:?}", &text, form);
                let made = made.unwrap_or_else(|| text.clone().into_bytes());
                let left: Vec<Span> = spans(&made, form).collect();
                prop_assert!(left.is_empty(), "{:?} {:?}: {:?}", text, form, String::from_utf8_lossy(&made));
            }
        }
    }
}
