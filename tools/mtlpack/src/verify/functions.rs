//! The function list: tags, names, types, versions.

use std::collections::HashMap;

use metallib::{Dialect, FourCc, Function, FunctionType, Library, Tag, Version, Versions};

use super::findings::{Findings, Kind, Severity};

/// Tags of the function list that are known.
const KNOWN: [FourCc; 14] = [
    FourCc::NAME,
    FourCc::TYPE,
    FourCc::HASH,
    FourCc::MDSZ,
    FourCc::OFFT,
    FourCc::VERS,
    FourCc::SOFF,
    FourCc::RFLT,
    FourCc::LAYR,
    FourCc::TESS,
    FourCc::ALIS,
    FourCc::SPCI,
    FourCc::STCI,
    FourCc::STCE,
];

/// Tags that every function has, and what their absence means.
const REQUIRED: [(FourCc, Severity, &str); 5] = [
    (FourCc::NAME, Severity::Error, "nothing can find the function"),
    (FourCc::TYPE, Severity::Error, "nothing says what the function is for"),
    (FourCc::HASH, Severity::Warning, "caches are keyed by it"),
    (FourCc::OFFT, Severity::Error, "nothing leads to the function's module"),
    (FourCc::VERS, Severity::Error, "loaders compare it with what they support"),
];

/// The known tags of a function, in the order of [`KNOWN`].
type Tags<'f> = [Option<Tag<'f>>; KNOWN.len()];

pub(super) fn check(library: &Library<'_>, findings: &mut Findings) {
    let mut names = HashMap::with_capacity(library.functions().len());
    let mut all = Summary::default();
    for (index, function) in library.functions().iter().enumerate() {
        // One walk over the tags: a library may have tens of thousands of functions.
        let tags = check_tags(index, function, findings);
        check_required(index, function, &tags, findings);
        check_module_size(index, function, library, &tags, findings);
        check_type(index, function, &tags, findings);
        if let Some(name) = tag_of(&tags, FourCc::NAME) {
            check_name(index, function, name, findings);
            let first = *names.entry(name.payload).or_insert(index);
            if first != index {
                check_duplicate(library, first, index, findings);
            }
        }
        all.add(index, &tags);
    }
    check_versions(library, &all, findings);
    check_mixed(library, &all, findings);
}

/// What is compared between functions.
#[derive(Default)]
struct Summary {
    /// The first function with VERS, and what it says.
    versions: Option<(usize, Versions)>,
    /// The first function that says something else, and how many there are.
    differing: Option<(usize, Versions)>,
    differing_count: usize,
    /// The first Core Image function, and how many there are.
    first_extern: Option<usize>,
    extern_count: usize,
}

impl Summary {
    fn add(&mut self, index: usize, tags: &Tags<'_>) {
        let versions = tag_of(tags, FourCc::VERS);
        if let Some(found) = versions.and_then(|tag| Versions::from_bytes(tag.payload)) {
            let (_, expected) = *self.versions.get_or_insert((index, found));
            if found != expected {
                self.differing.get_or_insert((index, found));
                self.differing_count += 1;
            }
        }
        let code = tag_of(tags, FourCc::TYPE).and_then(|tag| tag.payload.first());
        if code == Some(&FunctionType::EXTERN.code()) {
            self.first_extern.get_or_insert(index);
            self.extern_count += 1;
        }
    }
}

fn tag_of<'f>(tags: &Tags<'f>, id: FourCc) -> Option<Tag<'f>> {
    let known = KNOWN.iter().position(|&known| known == id)?;
    tags.get(known).copied().flatten()
}

/// Looks for unknown and repeated tags; gives the first of each known one.
fn check_tags<'f>(index: usize, function: &'f Function<'_>, findings: &mut Findings) -> Tags<'f> {
    let mut tags: Tags<'_> = [None; KNOWN.len()];
    for tag in function.tags.iter() {
        let place = || format!("{} > tag {}", function.place(index), tag.id);
        let known = KNOWN.iter().position(|&id| id == tag.id);
        match known.and_then(|known| tags.get_mut(known)) {
            None => {
                let what = || format!("unknown tag of {} bytes", tag.payload.len());
                findings.add((Severity::Note, Kind::UnknownTag), tag.offset, place, what);
            }
            Some(Some(_)) => {
                let what = || format!("tag {} stands twice, the second is ignored", tag.id);
                findings.add((Severity::Warning, Kind::RepeatedTag), tag.offset, place, what);
            }
            Some(first) => *first = Some(tag),
        }
    }
    tags
}

fn check_required(index: usize, function: &Function<'_>, tags: &Tags<'_>, findings: &mut Findings) {
    for (id, severity, meaning) in REQUIRED {
        if tag_of(tags, id).is_none() {
            let what = || format!("tag {id} is missing: {meaning}");
            let place = || function.place(index);
            findings.add((severity, Kind::MissingTag), function.tags.offset(), place, what);
        }
    }
}

/// Only the archiver leaves MDSZ out, and only for AIR 1.8 and older.
fn check_module_size(
    index: usize,
    function: &Function<'_>,
    library: &Library<'_>,
    tags: &Tags<'_>,
    findings: &mut Findings,
) {
    if tag_of(tags, FourCc::MDSZ).is_some() {
        return;
    }
    let old = function.versions().is_none_or(|versions| versions.air <= Version::new(1, 8));
    if library.dialect() == Dialect::Linker || !old {
        let what = || "tag MDSZ is missing: the module's size is taken from its wrapper";
        let place = || function.place(index);
        let kind = (Severity::Warning, Kind::MissingTag);
        findings.add(kind, function.tags.offset(), place, what);
    }
}

fn check_name(index: usize, function: &Function<'_>, tag: Tag<'_>, findings: &mut Findings) {
    let name = tag.payload.strip_suffix(&[0]).unwrap_or(tag.payload);
    let place = || format!("{} > tag NAME", function.place(index));
    if name.is_empty() {
        findings.add((Severity::Warning, Kind::Name), tag.offset, place, || "the name is empty");
    } else if name.contains(&0) {
        let what = || "the name goes on behind a NUL";
        findings.add((Severity::Warning, Kind::Name), tag.offset, place, what);
    } else if let Err(error) = std::str::from_utf8(name) {
        let what = || "the name is not UTF-8; loaders refuse it";
        let offset = tag.offset + error.valid_up_to() as u64;
        findings.add((Severity::Error, Kind::Name), offset, place, what);
    }
}

fn check_type(index: usize, function: &Function<'_>, tags: &Tags<'_>, findings: &mut Findings) {
    let Some(tag) = tag_of(tags, FourCc::TYPE) else { return };
    let Some(&code) = tag.payload.first() else { return };
    if code > FunctionType::OBJECT.code() && code != FunctionType::NONE.code() {
        let place = || format!("{} > tag TYPE", function.place(index));
        let what = || format!("function type {code} is unknown");
        findings.add((Severity::Note, Kind::UnknownValue), tag.offset, place, what);
    }
}

/// Two functions have one name; loaders are reported to take the last.
fn check_duplicate(library: &Library<'_>, first: usize, second: usize, findings: &mut Findings) {
    let both = library.functions().get(first).zip(library.functions().get(second));
    let Some((one, two)) = both else { return };
    let how = if one.function_type() != two.function_type() {
        "of another type"
    } else if one.hash() == two.hash() {
        "with the same module"
    } else {
        "with another module"
    };
    let what = || format!("function {first} has the same name, {how}; loaders take the last");
    let place = || format!("{} > tag NAME", two.place(second));
    let kind = (Severity::Warning, Kind::DuplicateName);
    findings.add(kind, offset_of(two, FourCc::NAME), place, what);
}

/// Loaders look at the first function's versions only.
fn check_versions(library: &Library<'_>, all: &Summary, findings: &mut Findings) {
    let (Some((first, expected)), Some((index, found))) = (all.versions, all.differing) else {
        return;
    };
    let Some(function) = library.functions().get(index) else { return };
    let words = |v: Versions| format!("AIR {} with language {}", v.air, v.language);
    let what = || {
        let (found, expected) = (words(found), words(expected));
        let more = match all.differing_count {
            1 => String::new(),
            count => format!(" ({count} functions differ)"),
        };
        format!("{found}, but function {first} has {expected}{more}")
    };
    let place = || format!("{} > tag VERS", function.place(index));
    let kind = (Severity::Warning, Kind::MixedVersions);
    findings.add(kind, offset_of(function, FourCc::VERS), place, what);
}

/// Core Image functions do not stand beside others.
fn check_mixed(library: &Library<'_>, all: &Summary, findings: &mut Findings) {
    let (count, total) = (all.extern_count, library.functions().len());
    let Some(index) = all.first_extern.filter(|_| count < total) else { return };
    let Some(function) = library.functions().get(index) else { return };
    let what = || {
        format!(
            "{count} of {total} functions are extern (Core Image); loaders refuse them beside \
             others"
        )
    };
    let place = || format!("{} > tag TYPE", function.place(index));
    let kind = (Severity::Warning, Kind::MixedTypes);
    findings.add(kind, offset_of(function, FourCc::TYPE), place, what);
}

fn offset_of(function: &Function<'_>, id: FourCc) -> u64 {
    function.tags.get(id).map_or(function.tags.offset(), |tag| tag.offset)
}
