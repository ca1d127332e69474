//! The reflection list: shape of its entries, and how they belong to functions.

use std::borrow::Cow;

use metallib::{BufferEntry, BufferList, FourCc, Function, Library, Reflection, printable};

use super::findings::{Findings, Kind, Severity};

const NOTE: (Severity, Kind) = (Severity::Note, Kind::Reflection);
const WARNING: (Severity, Kind) = (Severity::Warning, Kind::Reflection);
const ERROR: (Severity, Kind) = (Severity::Error, Kind::Reflection);

/// Identifier of a reflection flatbuffer, at its offset 4.
const IDENTIFIER: &[u8] = b"AIRR";

pub(super) fn check(library: &Library<'_>, findings: &mut Findings) {
    let Some(list) = library.reflection() else { return };
    for (index, entry) in list.entries().iter().enumerate() {
        check_entry(index, entry, findings);
    }
    let tag = library.extension().and_then(|extension| extension.get(FourCc::RLST));
    let offset = tag.map_or(0, |tag| tag.range.offset);
    let container = library.identity().container;
    if !container.has_reflection() {
        let what = || format!("container {container} holds reflection, which came with 1.2.7");
        findings.add(NOTE, offset, || "section RLST", what);
    }
    check_users(library, list, offset, findings);
    // The one entry of a dynamic library names no function.
    if !library.is_dynamic() {
        check_names(library, list, findings);
    }
}

/// The buffer of a function names it, and no other.
fn check_names(library: &Library<'_>, list: &BufferList<'_>, findings: &mut Findings) {
    // Each buffer is read once, however many functions share it.
    let mut known: Vec<Option<Names<'_>>> = vec![None; list.entries().len()];
    for (index, function) in library.functions().iter().enumerate() {
        let Some(id) = function.reflection.filter(|_| has_name(function)) else { continue };
        let Some(entry) = list.entries().get(id.index()) else { continue };
        let Some(names) = known.get_mut(id.index()) else { continue };
        let expected = function.name_bytes();
        let wrong = match names.get_or_insert_with(|| Names::of(entry)) {
            Names::Unread => continue,
            Names::None => None,
            Names::Some(names) => match names.iter().flatten().find(|name| **name != expected) {
                Some(other) => Some(*other),
                None => continue,
            },
        };
        let tag = entry.tags.get(FourCc::RBUF);
        let offset = tag.map_or(entry.tags.offset(), |tag| tag.offset) + u64::from(entry.padding);
        let place = || format!("{} > reflection", function.place(index));
        let what = || match wrong {
            None => "the reflection buffer names no function".to_owned(),
            Some(other) => format!("the reflection buffer names `{}`", printable(other)),
        };
        let kind = if wrong.is_some() { ERROR } else { WARNING };
        findings.add(kind, offset, place, what);
    }
}

fn has_name(function: &Function<'_>) -> bool {
    function.tags.get(FourCc::NAME).is_some()
}

/// The functions that a buffer names, the first two of them.
#[derive(Clone, Copy)]
enum Names<'a> {
    /// There is no buffer, or it is none.
    Unread,
    None,
    Some([Option<&'a [u8]>; 2]),
}

impl<'a> Names<'a> {
    fn of(entry: &'a BufferEntry<'_>) -> Self {
        // What is read from a file is borrowed from it.
        let Some(Cow::Borrowed(buffer)) = entry.buffer() else { return Self::Unread };
        let Some(reflection) = Reflection::new(buffer) else { return Self::Unread };
        let mut names = reflection.function_names();
        match [names.next(), names.next()] {
            [None, _] => Self::None,
            found => Self::Some(found),
        }
    }
}

fn check_entry(index: usize, entry: &BufferEntry<'_>, findings: &mut Findings) {
    let place = || format!("section RLST > buffer {index}");
    let mut buffers = 0;
    for tag in entry.tags.iter() {
        let place = || format!("section RLST > buffer {index} > tag {}", tag.id);
        match tag.id {
            FourCc::RBUF => {
                buffers += 1;
                let content = entry.content(&tag);
                if content.get(4..8) != Some(IDENTIFIER) {
                    let what = || format!("no AIRR at offset 4 of {} bytes", content.len());
                    findings.add(WARNING, tag.offset + u64::from(entry.padding), place, what);
                }
            }
            FourCc::RBUZ => {
                buffers += 1;
                let what = || "a compressed buffer, which is not checked further";
                findings.add(NOTE, tag.offset, place, what);
            }
            FourCc::RBSZ => {}
            _ => {
                let what = || format!("unknown tag of {} bytes", tag.payload.len());
                findings.add((Severity::Note, Kind::UnknownTag), tag.offset, place, what);
            }
        }
    }
    if buffers == 0 {
        findings.add(WARNING, entry.tags.offset(), place, || "an entry without tag RBUF");
    }
}

/// An executable has one entry a function, a dynamic library one for all.
fn check_users(library: &Library<'_>, list: &BufferList<'_>, offset: u64, findings: &mut Findings) {
    let mut users: Vec<Option<usize>> = vec![None; list.entries().len()];
    let mut without = 0;
    for (index, function) in library.functions().iter().enumerate() {
        let user = function.reflection.and_then(|id| users.get_mut(id.index()));
        match user {
            Some(Some(first)) if !library.is_dynamic() => {
                let offset = function.tags.get(FourCc::RFLT).map_or(0, |tag| tag.offset);
                let place = || format!("{} > tag RFLT", function.place(index));
                let what = || format!("shares the reflection entry of function {first}");
                findings.add((Severity::Note, Kind::Shared), offset, place, what);
            }
            Some(user) => *user = user.or(Some(index)),
            None => without += 1,
        }
    }
    if without > 0 {
        let total = library.functions().len();
        let what = || format!("{without} of {total} functions have no reflection");
        findings.add(NOTE, offset, || "section RLST", what);
    }
    let unused = users.iter().filter(|user| user.is_none()).count();
    if unused > 0 {
        let what = || format!("{unused} of {} entries belong to no function", users.len());
        findings.add(NOTE, offset, || "section RLST", what);
    }
}
