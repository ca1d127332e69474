//! Reports on libraries, also on irregular ones.

use metallib::Library;
use mtlpack::inspect::{Node, Scope, inspect};
use mtlpack::{Named, info, list};

/// Any bytes that are a library: reports agree with it, and every node of the tree lies
/// within the one above it.
///
/// # Panics
/// If a law does not hold.
pub fn reports(data: &[u8]) {
    let Ok(library) = Library::parse(data) else { return };
    let info = info(Named { name: "input", library: &library });
    assert_eq!(info.size, data.len() as u64);
    assert_eq!(info.functions, list(&library).count() as u64);
    assert_eq!(info.canonical, info.reasons.is_empty());
    let tree = inspect(&library, Scope::All).expect("a library that was read can be inspected");
    assert_eq!((tree.offset, tree.end()), (0, data.len() as u64));
    check(&tree);
    let first = library.functions().first();
    if let Some(name) = first.and_then(|function| std::str::from_utf8(function.name_bytes()).ok()) {
        check(&inspect(&library, Scope::Function(name)).expect("the function is there"));
    }
}

fn check(node: &Node) {
    for child in &node.children {
        assert!(node.offset <= child.offset && child.end() <= node.end(), "{child:?} in {node:?}");
        check(child);
    }
}
