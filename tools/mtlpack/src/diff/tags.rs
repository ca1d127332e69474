//! Tags and metadata of two functions.

use std::borrow::Cow;
use std::collections::BTreeMap;

use metallib::{FourCc, Function, FunctionType, TagList, Versions};

use super::FieldChange;
use super::eyes::Eyes;
use super::fields::{self, Field, digest};
use crate::lock;
use crate::text::{hex, lossy};

/// Tags of the public metadata that are compared by what they say of each constant or attribute.
const FACTS: [FourCc; 3] = [FourCc::CNST, FourCc::VATT, FourCc::VATY];

/// What the tags and the metadata of two functions say, where they differ. The HASH is only
/// looked at if `hash` says so: that of another module is another one.
pub(super) fn compare(
    a: &Function<'_>,
    b: &Function<'_>,
    eyes: &Eyes,
    hash: bool,
) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    let lists = [(&a.tags, &b.tags), (&a.public, &b.public), (&a.private, &b.private)];
    for (old, new) in lists {
        if old.as_bytes() != new.as_bytes() {
            list(old, new, eyes, hash, &mut changes);
        }
    }
    if a.archive.is_some() != b.archive.is_some() && !eyes.ignored.sources {
        let words = |is_there: bool| is_there.then(|| "a source archive".to_owned());
        let (old, new) = (words(a.archive.is_some()), words(b.archive.is_some()));
        changes.push(FieldChange { field: FourCc::SOFF.to_string(), old, new });
    }
    changes
}

/// Payloads by name, each name in its order.
type Payloads<'t> = BTreeMap<FourCc, Vec<Cow<'t, [u8]>>>;

fn list(
    old: &TagList<'_>,
    new: &TagList<'_>,
    eyes: &Eyes,
    hash: bool,
    changes: &mut Vec<FieldChange>,
) {
    let (one, other) = (payloads(old, eyes, hash), payloads(new, eyes, hash));
    let ids = one.keys().chain(other.keys().filter(|id| !one.contains_key(id)));
    let differing: Vec<FourCc> = ids.copied().filter(|id| one.get(id) != other.get(id)).collect();
    let has_facts = differing.iter().any(|id| FACTS.contains(id));
    let found = if has_facts { fields::compare(facts(old), facts(new)) } else { Vec::new() };
    let is_told = !found.is_empty();
    changes.extend(found);
    for id in differing.into_iter().filter(|id| !(is_told && FACTS.contains(id))) {
        let words = |payloads: &Payloads<'_>| {
            let words: Vec<_> = payloads.get(&id)?.iter().map(|p| value(id, p)).collect();
            Some(words.join(" "))
        };
        changes.push(FieldChange { field: id.to_string(), old: words(&one), new: words(&other) });
    }
}

fn payloads<'t>(tags: &'t TagList<'_>, eyes: &Eyes, hash: bool) -> Payloads<'t> {
    let mut payloads = Payloads::new();
    let is_seen = |id: FourCc| eyes.is_seen(id) && (hash || id != FourCc::HASH);
    for tag in tags.iter().filter(|tag| is_seen(tag.id)) {
        payloads.entry(tag.id).or_default().push(eyes.payload(tag.id, tag.payload));
    }
    payloads
}

/// What constants and attributes are said to be, by their number.
fn facts(tags: &TagList<'_>) -> Vec<Field> {
    let mut some = TagList::new();
    for tag in tags.iter().filter(|tag| FACTS.contains(&tag.id)) {
        // It was in a list, so it fits into one.
        let _ = some.push(tag.id, tag.payload);
    }
    let facts = lock::public_facts(&some).into_iter();
    let split = |fact: String| {
        let name = lock::key(&fact).to_owned();
        let value = fact.get(name.len()..).unwrap_or_default().trim_start().to_owned();
        (name, value)
    };
    facts.map(split).collect()
}

/// A payload in words.
fn value(id: FourCc, payload: &[u8]) -> String {
    match (id, payload) {
        (FourCc::TYPE, [code]) => FunctionType::from_code(*code).to_string(),
        (FourCc::LAYR, [code]) => metallib::DataType::from_code(*code).to_string(),
        (FourCc::VERS, _) => match Versions::from_bytes(payload) {
            Some(found) => format!("AIR {} Metal {}", found.air, found.language),
            None => hex(payload),
        },
        (FourCc::DEBI, _) => match metallib::metadata::debug_info(payload, 0) {
            Ok(found) => format!("{}:{}", String::from_utf8_lossy(&found.path), found.line),
            Err(_) => hex(payload),
        },
        (FourCc::DEPF, _) => lossy(payload),
        (FourCc::HASH, _) => hex(payload),
        _ if payload.len() <= 64 => hex(payload),
        _ => digest(payload),
    }
}
