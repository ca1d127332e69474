//! Reports on libraries, also on irregular ones.

use metallib::Library;
use mtlpack::inspect::{Node, Scope, inspect};
use mtlpack::io::Input;
use mtlpack::{
    DiffOptions, Ignored, ModuleForm, ModuleSymbols, Named, United, Which, bitcode_info, diff,
    extract, family_sizes, function_sizes, info, list, section_sizes,
};

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
    modules(data, &library);
    sizes(data, &library);
    same(data);
}

/// Every byte is counted; where parts overlap some are counted twice.
fn sizes(data: &[u8], library: &Library<'_>) {
    let sections: u64 = section_sizes(library).iter().map(|part| part.size).sum();
    assert!(sections >= data.len() as u64);
    assert!(sections == data.len() as u64 || !library.is_canonical());
    let functions = function_sizes(library);
    assert_eq!(functions.len(), library.functions().len());
    let total: u64 = functions.iter().map(|row| row.size).sum();
    assert_eq!(family_sizes(library).iter().map(|row| row.size).sum::<u64>(), total);
}

/// Nothing differs from itself, whatever is passed over.
fn same(data: &[u8]) {
    let input = Input::from_bytes("input", data.to_vec());
    let library = Library::parse(input.bytes()).expect("it was read before");
    let all = Ignored { uuid: true, paths: true, sources: true, hash: true };
    for ignored in [Ignored::default(), all] {
        // To compare modules without their paths is refused where very many functions share them.
        let options = DiffOptions { ignored, threads: 1 };
        match diff((&input, &library), (&input, &library), options) {
            Ok(found) => assert!(found.same, "{found:?}"),
            Err(error) => assert!(ignored.paths, "{error}"),
        }
    }
}

/// What is said of the modules agrees with them, and does not depend on the threads.
fn modules(data: &[u8], library: &Library<'_>) {
    let input = Input::from_bytes("input", data.to_vec());
    let united = [1, 2].map(|threads| {
        United::read(&input, library, Which::All, threads).expect("the input can be read")
    });
    assert_eq!(united[0], united[1]);
    let info = bitcode_info(&input, library, 1).expect("the input can be read");
    let empty = library.modules().iter().filter(|module| module.bytes().is_empty()).count();
    let all = info.modules + info.unread + empty as u64;
    assert_eq!(all, library.modules().len() as u64);
    let named = Named { name: "input", library };
    let Ok(extraction) = extract(named, &[], ModuleForm::Air) else { return };
    assert_eq!(extraction.modules.len() + empty, library.modules().len());
    let first = extraction.modules.first().map(|module| module.bytes);
    for bytes in first.into_iter().chain([data]) {
        let _ = ModuleSymbols::read(bytes, Which::Defined).map(|found| found.iter().count());
    }
}

fn check(node: &Node) {
    for child in &node.children {
        assert!(node.offset <= child.offset && child.end() <= node.end(), "{child:?} in {node:?}");
        check(child);
    }
}
