//! What begins a path.

use super::roots::{is_root, is_slashless, is_slashless_member};
use super::{Form, Reader, first_name, is_border_at, is_name, is_separator};

/// Options of compilers and linkers (without `-`) whose path follows without anything in
/// between. Any other may have one, too: these are known so that `-Isrc/x` is seen to hold none,
/// and those that begin as one of these do, such as `-objc-isystem`, not to be `-o`.
const JOINED: [&[u8]; 26] = [
    b"B",
    b"F",
    b"I",
    b"L",
    b"MF",
    b"MJ",
    b"MQ",
    b"MT",
    b"cxx-isystem",
    b"idirafter",
    b"iframework",
    b"iframeworkwithsysroot",
    b"imacros",
    b"include",
    b"include-pch",
    b"iprefix",
    b"iquote",
    b"isysroot",
    b"isystem",
    b"isystem-after",
    b"o",
    b"objc-isystem",
    b"objcxx-isystem",
    b"object_path_lto",
    b"order_file",
    b"oso_prefix",
];

/// Bytes of the longest option that is known for one.
const MOST_OPTION: usize = 64;

/// The beginning of an absolute path.
#[derive(Clone, Copy)]
pub(super) struct Start {
    /// Where it begins; of slashes that are there twice, the last.
    pub(super) start: usize,
    /// Up to where nothing ends it: the colon of a drive, or a bracket that its first folder
    /// begins with.
    pub(super) named: usize,
}

impl Reader<'_> {
    /// The absolute path that begins here.
    pub(super) fn begins(&self, at: usize) -> Option<Start> {
        let whole = || self.whole().filter(|_| at == 0 && self.form.is_whole());
        whole().or_else(|| match self.rest(at) {
            [b'/', b'/', ..] => self.doubled(at),
            [b'/', name, ..] if is_name(*name) => {
                self.may_begin(at).then_some(Start { start: at, named: at })
            }
            [b'/', ..] if self.is_free(at) => self.named(at, at + 1),
            [b'\\', b'/', ..] => self.escaped(at),
            [b'\\', b'\\', ..] => self.share(at),
            [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic() => {
                let start = self.named(at, self.behind(at + 2, is_separator))?;
                self.is_free(at).then_some(start)
            }
            rest => {
                let is_slashless = match self.form {
                    Form::Member => at == 0 && is_slashless_member(rest),
                    Form::Command => is_slashless(rest),
                    Form::File | Form::Folder | Form::Text => false,
                };
                let is_first = is_slashless && (at == 0 || is_border_at(self.text, at - 1));
                is_first.then_some(Start { start: at, named: at })
            }
        })
    }

    /// The path that is the whole text: whatever its names, it begins at a root and has one.
    fn whole(&self) -> Option<Start> {
        let rest = match self.text {
            [drive, b':', rest @ ..] if drive.is_ascii_alphabetic() => rest,
            all => all,
        };
        let is_root = rest.first().is_some_and(|byte| is_separator(*byte));
        let has_name = || rest.iter().any(|byte| !is_separator(*byte) && *byte != b'\n');
        let slashes = self.behind(0, |byte| byte == b'/');
        let start = slashes.saturating_sub(1);
        (is_root && has_name()).then_some(Start { start, named: start })
    }

    /// Whether what stands in front lets a path begin: a border, or an option.
    fn is_free(&self, at: usize) -> bool {
        at == 0 || is_border_at(self.text, at - 1) || is_option(self.before(at))
    }

    /// Where bytes of a kind end that stand here.
    fn behind(&self, at: usize, is_one: impl Fn(u8) -> bool) -> usize {
        at + self.rest(at).iter().take_while(|byte| is_one(**byte)).count()
    }

    /// The path that begins at `start`, with its first name at `name`. A name that begins with
    /// what could be something else as well must be followed by two more, without blanks.
    fn named(&self, start: usize, name: usize) -> Option<Start> {
        let (is_quoted, first) = (self.is_quoted(start), *self.text.get(name)?);
        if is_name(first) {
            return Some(Start { start, named: name });
        }
        let is_odd = matches!(
            first,
            b'[' | b'(' | b'{' | b'#' | b'%' | b'!' | b'*' | b'^' | b'=' | b',' | b':' | b'\''
        );
        let is_part = |byte: u8| {
            !is_separator(byte) && byte != 0 && (is_quoted || !byte.is_ascii_whitespace())
        };
        let end = self.behind(name, is_part);
        let second = self.behind(end, is_separator);
        let third = self.behind(second, is_part);
        let goes_on = second > end && third > second;
        let goes_on = goes_on && self.text.get(third).is_some_and(|byte| is_separator(*byte));
        // A comment `/*…*/` is none.
        let is_comment = first == b'*' && self.text.get(end - 1) == Some(&b'*');
        let is_name = is_odd && end > name + 1 || is_quoted && first == b' ';
        (is_name && goes_on && !is_comment).then_some(Start { start, named: end })
    }

    fn is_quoted(&self, at: usize) -> bool {
        matches!(self.before(at), [.., b'"' | b'\'' | b'`'])
    }

    /// Whether the name that begins here is followed by another one.
    fn goes_on(&self, name: usize) -> bool {
        let is_part = |byte: u8| !is_separator(byte) && byte != 0 && !byte.is_ascii_whitespace();
        let end = self.behind(name, is_part);
        self.text.get(end).is_some_and(|byte| is_separator(*byte))
    }

    /// `//name/…`, unless it is of a URL, or a comment.
    fn doubled(&self, at: usize) -> Option<Start> {
        let name = self.behind(at, |byte| byte == b'/');
        let is_path = self.text.get(name).is_some_and(|byte| is_name(*byte))
            && self.is_free(at)
            && scheme(self.before(at)).is_none()
            && self.goes_on(name);
        is_path.then_some(Start { start: name - 1, named: name })
    }

    /// `\/name`, as JSON may write slashes.
    fn escaped(&self, at: usize) -> Option<Start> {
        let mut name = at;
        while self.rest(name).starts_with(b"\\/") {
            name += 2;
        }
        let is_path = self.text.get(name).is_some_and(|byte| is_name(*byte))
            && self.is_free(at)
            && scheme(self.before(at)).is_none_or(|scheme| scheme == b"file")
            && (self.is_quoted(at) || self.goes_on(name));
        is_path.then_some(Start { start: at, named: name })
    }

    /// `\\host\share`, `\\?\C:\` and `\\.\name`; backslashes may be there twice, as in strings.
    fn share(&self, at: usize) -> Option<Start> {
        let is_backslash = |byte: u8| byte == b'\\';
        let host = self.behind(at, is_backslash);
        let begun = Start { start: at, named: host };
        if let [b'?' | b'.', b'\\', ..] = self.rest(host) {
            let name = self.behind(host + 1, is_backslash);
            let drive = self.text.get(name + 1).map_or(0, |byte| usize::from(*byte == b':') * 2);
            let has_name = self.text.get(name).is_some_and(|byte| is_name(*byte));
            return (has_name && self.is_free(at))
                .then_some(Start { start: at, named: name + drive });
        }
        let is_host = self.text.get(host).is_some_and(|byte| is_name(*byte));
        let end = self.behind(host, is_name);
        let share = self.behind(end, is_backslash);
        let has_share = || self.text.get(share).is_some_and(|byte| is_name(*byte));
        let is_share = || end > host + 1 && share > end && has_share() && self.is_free(at);
        (is_host && (at == 0 || is_share())).then_some(begun)
    }

    /// Whether a path may begin with the slash here, behind the text in front of it.
    pub(super) fn may_begin(&self, at: usize) -> bool {
        let before = self.before(at);
        match before {
            [] => true,
            // `file:///a` holds a path, `https://a` does not.
            [.., b':', b'/'] => false,
            [.., b'/', b'/'] => before.ends_with(b"file://"),
            // `folder//path`, as old tools joined them, and no slash that is there twice.
            [.., b'/'] => {
                let first = first_name(self.rest(at));
                let is_again = || at > self.first_end && first == self.first;
                is_root(first) || !first.is_empty() && is_again()
            }
            // A response file.
            [front @ .., b'@'] => front.is_empty() || is_border_at(self.text, front.len() - 1),
            _ => self.is_free(at) || host(before).is_some(),
        }
    }

    /// Whether a path begins here that was joined to what stands in front.
    pub(super) fn joins(&self, at: usize) -> bool {
        let has_name = matches!(self.rest(at), [b'/', name, ..] if is_name(*name));
        has_name && self.may_begin(at)
    }
}

/// The host of a URL of files that a text ends with: `file://host`.
pub(super) fn host(before: &[u8]) -> Option<&[u8]> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let end = before.iter().rposition(|byte| !is_part(byte))?;
    let (front, host) = before.split_at_checked(end + 1)?;
    (!host.is_empty() && front.ends_with(b"file://")).then_some(host)
}

/// The scheme that a text ends with: `https:`. A drive is none.
fn scheme(before: &[u8]) -> Option<&[u8]> {
    let before = before.strip_suffix(b":")?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-');
    let near = before.get(before.len().saturating_sub(MOST_OPTION)..)?;
    let start = near.iter().rposition(|byte| !is_part(byte)).map_or(0, |last| last + 1);
    near.get(start..).filter(|name| name.len() > 1)
}

/// Whether a text ends with an option that takes a path without anything in between. `-I` is
/// one; `-Isrc` is that with the beginning of a relative path.
fn is_option(before: &[u8]) -> bool {
    // Longer ones do not exist; and texts of megabytes are searched in one pass.
    let near = before.get(before.len().saturating_sub(MOST_OPTION)..).unwrap_or_default();
    let option = near.rsplit(|byte| super::is_border(*byte)).next().unwrap_or_default();
    let [b'-', name @ ..] = option else { return false };
    let has_relative = || JOINED.iter().any(|joined| is_longer(name, joined));
    !name.is_empty()
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+'))
        && (JOINED.contains(&name) || !has_relative())
}

/// Whether a text is a beginning and something behind it.
fn is_longer(text: &[u8], beginning: &[u8]) -> bool {
    text.strip_prefix(beginning).is_some_and(|rest| !rest.is_empty())
}
