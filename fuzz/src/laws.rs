//! The laws that hold for every library.

use metallib::Library;
use metallib_write::{Plan, WriteOptions};

/// What comes of laying out all parts anew, without computing hashes or UUID.
pub(crate) const REBUILD: WriteOptions = WriteOptions {
    rebuild: true,
    hashes: metallib_write::Hashes::Changed,
    uuid: metallib_write::UuidAction::Keep,
};

/// Laws 1 and 8 for a library that was parsed from `data`.
pub(crate) fn identity(library: &Library<'_>, data: &[u8]) {
    let plan = Plan::new(library, WriteOptions::default()).expect("unedited libraries are written");
    assert!(plan.to_vec() == data, "an unedited library is not its source");
    if !library.is_canonical() {
        let refused = library.clone().edit(false).map(drop);
        refused.expect_err("an irregular library must not be editable");
        return;
    }
    let plan = Plan::new(library, REBUILD).expect("canonical libraries are laid out");
    let rebuilt = plan.to_vec();
    assert!(rebuilt == data, "a canonical library is rebuilt differently");
    assert_eq!(plan.total_size(), rebuilt.len() as u64);
    let mut streamed = Vec::new();
    plan.write_to(&mut streamed).expect("vectors take everything");
    assert!(streamed == rebuilt, "write_to and to_vec differ");
}

/// Laws 1, 5 and 8 for a library that was built or edited: what is written parses, is
/// canonical, and has the same parts.
pub(crate) fn written(library: &Library<'_>, bytes: &[u8]) {
    let parsed = Library::parse(bytes).expect("what was written parses");
    if let Some(reason) = parsed.irregularities().iter().next() {
        panic!("what was written is irregular: {reason}");
    }
    identity(&parsed, bytes);
    assert_eq!(parsed.identity(), library.identity());
    assert_eq!(parsed.functions().len(), library.functions().len());
    for (ours, theirs) in parsed.functions().iter().zip(library.functions()) {
        assert_eq!(ours.name_bytes(), theirs.name_bytes());
        assert_eq!(ours.function_type(), theirs.function_type());
        assert!(ours.public == theirs.public && ours.private == theirs.private);
        let module = |library: &Library<'_>, function| {
            library.module_of(function).map(|module| module.bytes().to_vec())
        };
        assert!(module(&parsed, ours) == module(library, theirs));
        assert_eq!(ours.archive, theirs.archive);
        assert_eq!(ours.reflection, theirs.reflection);
    }
    assert!(
        parsed.reflection().map(|list| list.entries()).unwrap_or_default()
            == library.reflection().map(|list| list.entries()).unwrap_or_default()
    );
    assert!(parsed.imports() == library.imports());
    assert!(parsed.dynamic_header() == library.dynamic_header());
}
