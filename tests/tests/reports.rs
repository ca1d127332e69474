//! Reports over the corpus: every byte of a library has its place in `inspect`, and `info`
//! and `list` agree with the library.

use mtlpack::inspect::{Node, Scope, inspect};
use mtlpack::{Named, info, list};
use mtlpack_tests::corpus;

/// Checks that the children of each node cover it without gap and overlap; those of a
/// tag cover its payload, behind name and length.
fn check(node: &Node, sample: &str) {
    let Some(first) = node.children.first() else { return };
    let place = format!("{sample}: {} at {:#x}", node.name, node.offset);
    let head = first.offset - node.offset;
    assert!(matches!(head, 0 | 6 | 8), "{place}: {head} bytes in front of {}", first.name);
    assert_eq!(head == 0, node.name.len() != 4, "{place}: only tags have a head");
    let mut position = first.offset;
    for child in &node.children {
        assert_ne!(child.name, "unused", "{place}");
        assert_eq!(child.offset, position, "{place}: {} leaves a gap or overlaps", child.name);
        position = child.end();
        check(child, sample);
    }
    assert_eq!(position, node.end(), "{place}: its children end elsewhere");
}

#[test]
fn inspect_gives_every_byte_a_place() {
    let mut nodes = 0;
    for sample in corpus("inspect") {
        let library = sample.library();
        let tree = inspect(&library, Scope::All).unwrap();
        check(&tree, &sample.name);
        nodes += tree.children.len();
        for name in list(&library).take(3).map(|row| row.name) {
            let one = inspect(&library, Scope::Function(&name)).unwrap();
            assert!(one.children.len() >= 4, "{}: {name}", sample.name);
            for part in &one.children {
                let found = tree.children.iter().flat_map(|node| &node.children);
                assert!(found.clone().any(|node| same_but_value(node, part)), "{}", sample.name);
            }
        }
    }
    println!("{nodes} parts");
}

/// The module of one function does not say whose it is.
fn same_but_value(a: &Node, b: &Node) -> bool {
    (a.offset, a.size, &a.name, &a.children) == (b.offset, b.size, &b.name, &b.children)
}

#[test]
fn info_and_list_agree_with_the_library() {
    for sample in corpus("info and list") {
        let library = sample.library();
        let info = info(Named { name: &sample.name, library: &library });
        let rows: Vec<_> = list(&library).collect();
        assert_eq!(info.size, sample.bytes.len() as u64);
        assert_eq!(info.functions, rows.len() as u64, "{}", sample.name);
        let by_type: u64 = info.functions_by_type.iter().map(|one| one.count).sum();
        assert_eq!(by_type, info.functions, "{}", sample.name);
        assert!(info.canonical && info.reasons.is_empty(), "{}", sample.name);
        assert_eq!(info.uuid, library.uuid(), "{}", sample.name);
        for (row, function) in rows.iter().zip(library.functions()) {
            assert_eq!(row.name.as_bytes(), function.name_bytes(), "{}", sample.name);
            let size = row.module_size.unwrap();
            assert_eq!(size, function.stored_module_size().unwrap_or(size), "{}", sample.name);
            assert!(info.air_versions.contains(&row.air.unwrap()), "{}", sample.name);
        }
    }
}
