//! A library cut into pieces, each with the place where it stands, to see what an edit changed.

use std::collections::{BTreeMap, BTreeSet};

use metallib::Library;
use mtlpack::inspect::{Node, Scope, inspect};

/// Bytes by the place where they stand, such as `function list/function 3/NAME`.
pub type Pieces<'a> = BTreeMap<String, &'a [u8]>;

/// Cuts a library into its fields and tags. Every byte is in one piece: what no field has is a
/// *gap*. A module is one piece.
///
/// # Panics
/// If the bytes are no library, or the nodes that `inspect` gives leave their parents.
#[must_use]
pub fn of(bytes: &[u8]) -> Pieces<'_> {
    let library = Library::parse(bytes).expect("a library");
    let root = inspect(&library, Scope::All).expect("a library read from bytes");
    let mut pieces = Pieces::new();
    cut(bytes, &root, "", &mut pieces);
    let total: usize = pieces.values().map(|piece| piece.len()).sum();
    assert_eq!(total, bytes.len(), "every byte is in one piece");
    pieces
}

/// Adds the pieces of a node.
fn cut<'a>(bytes: &'a [u8], node: &Node, place: &str, pieces: &mut Pieces<'a>) {
    let children: Vec<&Node> = node.children.iter().filter(|child| child.size > 0).collect();
    if children.is_empty() || node.name.starts_with("module ") {
        return add(bytes, node.offset..node.end(), place.to_owned(), pieces);
    }
    let mut at = node.offset;
    let mut last = "nothing".to_owned();
    let mut counts = BTreeMap::<&str, usize>::new();
    for child in children {
        let count = counts.entry(child.name.as_ref()).or_default();
        *count += 1;
        let name = match *count {
            1 => child.name.to_string(),
            count => format!("{} #{count}", child.name),
        };
        add(bytes, at..child.offset, format!("{place}/gap after {last}"), pieces);
        let inner = if place.is_empty() { name.clone() } else { format!("{place}/{name}") };
        cut(bytes, child, &inner, pieces);
        (at, last) = (child.end(), name);
    }
    add(bytes, at..node.end(), format!("{place}/gap after {last}"), pieces);
}

/// Adds one piece, if it has bytes.
fn add<'a>(bytes: &'a [u8], range: std::ops::Range<u64>, place: String, pieces: &mut Pieces<'a>) {
    let index = |at: u64| usize::try_from(at).expect("an offset in memory");
    assert!(range.start <= range.end, "{place}: parts follow each other");
    let piece = &bytes[index(range.start)..index(range.end)];
    if !piece.is_empty() {
        assert!(pieces.insert(place.clone(), piece).is_none(), "{place} is there twice");
    }
}

/// Places whose bytes differ, or that only one of the two has.
#[must_use]
pub fn changed(before: &Pieces<'_>, after: &Pieces<'_>) -> BTreeSet<String> {
    let places = before.keys().chain(after.keys());
    places.filter(|place| before.get(*place) != after.get(*place)).cloned().collect()
}

/// Whether a place holds nothing but where other things stand, how large they are, or padding:
/// what any edit in front of them may move.
#[must_use]
pub fn is_position(place: &str) -> bool {
    const FIELDS: [&str; 3] = ["file size", "reflection entry", "source archive"];
    const PARTS: [&str; 4] = ["function list", "public metadata", "private metadata", "bitcode"];
    let (folder, name) = place.rsplit_once('/').unwrap_or(("", place));
    let of_part = |end: &str| PARTS.iter().any(|part| name.strip_prefix(part) == Some(end));
    match folder {
        "header" => FIELDS.contains(&name) || of_part(" offset") || of_part(" size"),
        _ if folder.starts_with("header extension/") => {
            matches!(name, "section offset" | "section size")
        }
        // Entries begin with padding, which their size words count.
        _ if folder.starts_with("section RLST/entry ") && name == "group size" => true,
        _ if folder.ends_with("/OFFT") => name.starts_with("offset in "),
        _ => FIELDS.contains(&name) || name == "padding" || name.starts_with("gap after "),
    }
}
