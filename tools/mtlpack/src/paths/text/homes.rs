//! The homes of users.

use super::{is_border_at, is_separator};

/// The folders that hold the homes of users.
const HOMES: [&[u8]; 2] = [b"Users", b"home"];

/// Whether a path passes through somebody's home here: `/Users/NAME/`, also behind other
/// folders; `/home/NAME/` behind nothing but `..`; or `~NAME/`.
pub(super) fn is_home(text: &[u8], at: usize) -> bool {
    let (before, rest) = text.split_at_checked(at).unwrap_or_default();
    match rest {
        [b'/' | b'\\', rest @ ..] => {
            let home = rest.strip_prefix(b"Users");
            let home = home.or_else(|| rest.strip_prefix(b"home").filter(|_| is_up(before)));
            home.and_then(user_and_rest).is_some_and(|(_, rest)| !rest.is_empty())
        }
        [b'~', ..] => {
            let is_first = at == 0 || is_border_at(text, at - 1);
            is_first && tilde(rest).is_some()
        }
        _ => false,
    }
}

/// Whether a text ends with a path of nothing but `..`.
fn is_up(before: &[u8]) -> bool {
    let Some(mut rest) = before.strip_suffix(b"..") else { return false };
    loop {
        match rest {
            [] => return true,
            [front @ .., b'.', b'.', b'/' | b'\\'] => rest = front,
            [.., _] => return is_border_at(before, rest.len() - 1),
        }
    }
}

/// The user of `~NAME/…`. Shorter names are no users': `~a/b` may be a formula.
fn tilde(path: &[u8]) -> Option<&[u8]> {
    let name = path.strip_prefix(b"~")?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let (name, rest) = name.split_at_checked(name.iter().position(|byte| !is_part(byte))?)?;
    let is_user = name.len() > 1 && name.first().is_some_and(u8::is_ascii_alphabetic);
    let goes_on = matches!(rest, [b'/', next, ..] if !next.is_ascii_whitespace());
    (is_user && goes_on).then_some(name)
}

/// The user's name behind the folder of homes, `/NAME`, and what follows.
fn user_and_rest(behind: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = behind.iter().position(|byte| !is_separator(*byte)).filter(|start| *start > 0)?;
    let rest = behind.get(start..)?;
    let ends = |(at, byte): (usize, &u8)| is_separator(*byte) || is_border_at(rest, at);
    let end = rest.iter().enumerate().position(ends).unwrap_or(rest.len());
    let (name, rest) = rest.split_at_checked(end)?;
    (!name.is_empty() && name != b"Shared").then_some((name, rest))
}

/// The user in whose home a path is.
pub(crate) fn user(path: &[u8]) -> Option<&[u8]> {
    if let Some(name) = tilde(path) {
        return Some(name);
    }
    let (mut start, mut is_first) = (0, true);
    while let Some(rest) = path.get(start..).filter(|rest| !rest.is_empty()) {
        let end = rest.iter().position(|byte| is_separator(*byte)).unwrap_or(rest.len());
        let (name, behind) = rest.split_at_checked(end)?;
        // `/home` holds homes only at the root.
        if HOMES.contains(&name) && (name != b"home" || is_first) {
            return user_and_rest(behind).map(|(name, _)| name);
        }
        is_first &= name.is_empty() || name == b"..";
        start += end + 1;
    }
    None
}
