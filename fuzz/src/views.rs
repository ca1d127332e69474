//! Typed views of metadata.

use metallib::metadata as view;
use metallib::{Library, Result};

/// Any bytes, taken as the payload of each tag and, if they are a library, each payload in it:
/// a view refuses them, or encodes back to them.
///
/// # Panics
/// If a law does not hold.
pub fn views(data: &[u8]) {
    all_views(data);
    let Ok(library) = Library::parse(data) else { return };
    for function in library.functions() {
        for list in [&function.tags, &function.public, &function.private] {
            list.iter().for_each(|tag| all_views(tag.payload));
        }
        let _ = (function.name(), function.layer(), function.tessellation());
    }
    for archive in library.sources().into_iter().flat_map(|sources| &sources.archives) {
        let whole = [archive.id(), &[0], archive.data()].concat();
        assert_eq!(archive.tags.payload(metallib::FourCc::SARC).unwrap_or(&[0]), whole);
    }
}

fn all_views(data: &[u8]) {
    let back = |encoded: Option<Result<Vec<u8>>>| {
        if let Some(encoded) = encoded {
            assert_eq!(encoded.expect("what was read can be encoded"), data);
        }
    };
    back(view::function_constants(data, 0).ok().map(|v| view::encode_function_constants(&v)));
    back(view::vertex_attributes(data, 0).ok().map(|v| view::encode_vertex_attributes(&v)));
    let types = view::vertex_attribute_types(data, 0).ok();
    back(types.map(|v| view::encode_vertex_attribute_types(&v)));
    back(view::debug_info(data, 0).ok().map(|v| Ok(view::encode_debug_info(&v))));
    back(view::dependency_file(data, 0).ok().map(|path| Ok([path, &[0]].concat())));
    back(view::return_type(data, 0).ok().map(|v| Ok(encoded(&v))));
    back(view::arguments(data, 0).ok().map(|v| view::encode_arguments(&v)));
}

fn encoded(data_type: &view::DetailedType) -> Vec<u8> {
    let mut out = Vec::new();
    view::encode_detailed_type(&mut out, data_type);
    out
}
