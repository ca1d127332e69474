//! Paths in source archives, which are unpacked and packed again.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use metallib::{Archive, FourCc, printable};

use super::outside::Job;
use crate::archive::{Budget, NewMember, Unpacked};
use crate::error::{Error, Result};
use crate::paths::{At, Form, content_form, in_archive_rest};

/// An archive with other paths in the names of its files, and in those files that only say how
/// it was made; nothing if there are none to change.
pub(super) fn rewrite(
    job: Job<'_>,
    index: usize,
    archive: &Archive<'_>,
    budget: &mut Budget,
) -> Result<Option<Archive<'static>>> {
    let refuse = |why: String| {
        let id = String::from_utf8_lossy(archive.id());
        let offset = archive.tags.get(FourCc::SARC).map_or(0, |tag| tag.offset);
        let input = job.input;
        Error::refused(format!(
            "{input}: source archive {index} (`{id}`, offset {offset:#x}) {why}; strip --source \
             removes the archives"
        ))
    };
    let unpacked = budget
        .unpack(archive.data())
        .map_err(|error| refuse(format!("cannot be read: {error}")))?;
    if let Some((path, place)) = carried(&unpacked) {
        let path = printable(&path);
        return Err(refuse(format!(
            "holds `{path}` ({place}), which cannot be rewritten where it stands"
        )));
    }
    let Some(members) = other_members(job, &unpacked).map_err(&refuse)? else { return Ok(None) };
    if !unpacked.is_plain() {
        let why = "holds links or extended headers, whose paths are not rewritten".to_owned();
        return Err(refuse(why));
    }
    let packed = unpacked.pack(&members).ok_or_else(|| {
        refuse(format!("is padded with {} zeros, by no known rule", unpacked.padding()))
    })?;
    // Only the payload of the first SARC is another; what else the archive has stays.
    let mut made = Archive { tags: metallib::TagList::new() };
    let payload = [archive.id(), &[0], &packed].concat();
    let mut packed = Some(payload.as_slice());
    for tag in archive.tags.iter() {
        let new = if tag.id == FourCc::SARC { packed.take() } else { None };
        let payload = new.unwrap_or(tag.payload);
        made.tags.push(tag.id, payload).map_err(Error::library(job.input))?;
    }
    Ok(Some(made))
}

/// The first path, or name of an owner, where nothing can be rewritten, and what it stands in.
fn carried(unpacked: &Unpacked) -> Option<(Vec<u8>, Arc<str>)> {
    let mut first = None;
    in_archive_rest(unpacked, At::new("", 0), &mut |found| {
        first.get_or_insert((found.path, found.place));
    });
    first
}

/// The members with other names and contents; nothing if all stay. It is an error if a name is
/// too long.
fn other_members<'u>(
    job: Job<'_>,
    unpacked: &'u Unpacked,
) -> Result<Option<Vec<NewMember<'u>>>, String> {
    let names: Vec<Vec<u8>> = unpacked.members().map(|member| member.header.name()).collect();
    let new_names = other_names(job, &names);
    let mut changed = false;
    let mut members = Vec::with_capacity(unpacked.len());
    for ((member, old), new) in unpacked.members().zip(&names).zip(&new_names) {
        let mut made = NewMember::new(&member);
        if let Cow::Owned(new) = new {
            changed = true;
            if !made.set_name(new) {
                let name = String::from_utf8_lossy(new);
                return Err(format!("would have a file `{name}`, a name too long for it"));
            }
        }
        let content = content_form(old).and_then(|form| job.rules.apply(member.content, form));
        if let Some(content) = content {
            changed = true;
            made.set_content(content);
        }
        if job.clear_times && member.header.modified() != Some(0) {
            changed = true;
            made.clear_time();
        }
        if member.header.has_owner() {
            changed = true;
            made.clear_owner();
        }
        // A link says where it leads, too; what is no file is refused for it.
        if job.rules.apply(member.header.link_name(), Form::Member).is_some() {
            changed = true;
            made.clear_link();
        }
        members.push(made);
    }
    Ok(changed.then_some(members))
}

/// The names of files without their paths. Those of different files stay different: the second
/// file of a name gets it behind a number and a slash.
fn other_names<'n>(job: Job<'_>, names: &'n [Vec<u8>]) -> Vec<Cow<'n, [u8]>> {
    let new = |name: &'n Vec<u8>| match job.rules.apply(name, Form::Member) {
        Some(new) => Cow::Owned(new),
        None => Cow::Borrowed(name.as_slice()),
    };
    let mut made: Vec<Cow<'n, [u8]>> = names.iter().map(new).collect();
    let is_kept = |name: &&Cow<'_, [u8]>| matches!(name, Cow::Borrowed(_));
    let mut taken: HashSet<Vec<u8>> =
        made.iter().filter(is_kept).map(|name| name.to_vec()).collect();
    for name in &mut made {
        let Cow::Owned(own) = name else { continue };
        let mut number = 1_u64;
        let mut candidate = own.clone();
        while !taken.insert(candidate.clone()) {
            number += 1;
            candidate = [format!("{number}/").as_bytes(), own].concat();
        }
        *own = candidate;
    }
    made
}
