//! The paths in source archives.

use std::ops::Range;

use metallib::{FourCc, Sources};

use super::PathOccurrence;
use super::find::{At, look};
use super::text::Form;
use super::untyped::in_bytes;
use crate::archive::{Budget, Header, MemberKind, Unpacked, field};
use crate::error::{Error, Result};
use crate::io::Input;

/// Finds the paths in the source archives of a section.
pub(super) fn in_archives(
    input: &Input,
    found: &Sources<'_>,
    each: &mut impl FnMut(PathOccurrence),
) -> Result<()> {
    let mut budget = Budget::default();
    for (index, archive) in found.archives.iter().enumerate() {
        let offset = archive.tags.get(FourCc::SARC).map_or(0, |tag| tag.offset);
        let unpacked = budget.unpack(archive.data()).map_err(|error| {
            let id = String::from_utf8_lossy(archive.id()).into_owned();
            Error::refused(format!(
                "{}: source archive {index} (`{id}`, offset {offset:#x}) cannot be read: {error}",
                input.name()
            ))
        })?;
        let at = At { archive: Some(index), is_packed: true, ..At::new("", offset) };
        in_members(&unpacked, at, each);
        in_archive_rest(&unpacked, at, each);
    }
    Ok(())
}

fn in_members(unpacked: &Unpacked, at: At<'_>, each: &mut impl FnMut(PathOccurrence)) {
    for member in unpacked.members() {
        let name = member.header.name();
        owners(&member.header, at, each);
        let mut look = |text: &[u8], form, place: &str| look(text, form, At { place, ..at }, each);
        look(&name, Form::Member, "source archive: name of a file");
        look(member.header.link_name(), Form::Member, "source archive: link");
        let is_file = member.header.kind() == MemberKind::File;
        if let Some(form) = content_form(&name).filter(|_| is_file) {
            let place = format!("source archive: {}", String::from_utf8_lossy(&name));
            look(member.content, form, &place);
        }
    }
}

/// The paths, and names of owners, where no edit rewrites an archive: in headers beside the
/// fields that are read, in extended headers, and behind files.
pub(crate) fn in_archive_rest(
    unpacked: &Unpacked,
    at: At<'_>,
    each: &mut impl FnMut(PathOccurrence),
) {
    for member in unpacked.members() {
        let mut look_in = |bytes: &[u8], place: &str| {
            let mut found = |text: &[u8], form, at: At<'_>| look(text, form, at, each);
            in_bytes(bytes, At { place, ..at }, &mut found);
        };
        look_in(&member.header.rest(), "source archive: header of a file");
        look_in(unpacked.behind(member.number), "source archive: bytes behind a file");
        if member.header.kind() != MemberKind::File {
            look_in(member.content, "source archive: extended header");
            let at = At { place: "source archive: extended header", ..at };
            extended_owners(member.content).for_each(|name| owner(name, None, at, each));
        }
    }
}

/// Records of pax that say who built an archive: `LENGTH uname=NAME`.
fn extended_owners(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split(|byte| *byte == b'\n').filter(|line| {
        let record = line.splitn(2, |byte| *byte == b' ').nth(1).unwrap_or_default();
        [&b"uname="[..], b"gname=", b"uid=", b"gid="].iter().any(|key| {
            record.strip_prefix(*key).is_some_and(|value| !value.is_empty() && value != b"0")
        })
    })
}

/// Gives names and numbers of a file's owner and group: no paths, but they tell who built it.
fn owners(header: &Header<'_>, at: At<'_>, each: &mut impl FnMut(PathOccurrence)) {
    let at = At { place: "source archive: owner of a file", ..at };
    let number = |field: Range<usize>, what| {
        let text = header.owner_number(field)?.escape_ascii().to_string();
        Some(format!("{what} {text}").into_bytes())
    };
    let (user, group) = (header.owner_name(field::USER), header.owner_name(field::GROUP));
    if let Some(user) = user {
        owner(user, Some(user), at, each);
    }
    if let Some(group) = group {
        owner(group, user.filter(|user| *user == group), at, each);
    }
    let numbers = [number(field::USER_ID, "user"), number(field::GROUP_ID, "group")];
    numbers.into_iter().flatten().for_each(|number| owner(&number, None, at, each));
}

fn owner(name: &[u8], user: Option<&[u8]>, at: At<'_>, each: &mut impl FnMut(PathOccurrence)) {
    each(PathOccurrence {
        path: name.to_vec(),
        user: user.map(<[u8]>::to_vec),
        place: at.place.into(),
        function: at.function,
        archive: at.archive,
        offset: at.offset,
    });
}

/// How the content of a member is to be read; nothing if it is a source. Readers of archives
/// take `./NAME` and `NAME` for the same file, and some systems NAMES of other case.
pub(crate) fn content_form(name: &[u8]) -> Option<Form> {
    let last = name.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
    match last.to_ascii_lowercase().as_slice() {
        b"metal-options.txt" => Some(Form::Command),
        b"metal-working-dir.txt" => Some(Form::Folder),
        b"original-input-filename.txt" => Some(Form::Member),
        _ => None,
    }
}
