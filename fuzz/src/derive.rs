//! What a library says of functions, derived from their module.

use air_bitcode::Module;
use metallib::metadata as view;
use metallib::{
    Container, Dialect, FileType, FourCc, FunctionSpec, LibraryBuilder, OsVersion, Platform,
    TagList,
};
use mtlpack::derive::{Debug, Derived, entries};
use mtlpack::io::Input;
use mtlpack::{Kind, VerifyOptions, verify_deep};
use mtlpack_tests::small::finish;

/// Any bytes: they are no module, or refused, or what is derived can be read by the views, is the
/// same when derived again, and a library that says it passes the deep check.
///
/// # Panics
/// If a law does not hold.
pub fn derive(data: &[u8]) {
    let Ok(module) = Module::parse(data) else { return };
    let derived = entries(&module);
    assert_eq!(derived, entries(&module));
    let Ok(derived) = derived else { return };
    derived.iter().for_each(check_views);
    check_library(data, &derived);
}

fn check_views(derived: &Derived<'_>) {
    assert!(!derived.name.is_empty() && !derived.name.contains(&0));
    let mut counts = [None; 2];
    for tag in derived.public.iter() {
        let (payload, offset) = (tag.payload, tag.offset);
        match tag.id {
            FourCc::VATT => {
                counts[0] = Some(view::vertex_attributes(payload, offset).expect("VATT").len());
            }
            FourCc::VATY => {
                counts[1] =
                    Some(view::vertex_attribute_types(payload, offset).expect("VATY").len());
            }
            FourCc::CNST => drop(view::function_constants(payload, offset).expect("CNST")),
            FourCc::RETR => drop(view::return_type(payload, offset).expect("RETR")),
            FourCc::ARGR => drop(view::arguments(payload, offset).expect("ARGR")),
            other => panic!("tag {other}"),
        }
    }
    assert_eq!(counts[0], counts[1]);
    assert!(derived.extra().iter().all(|(_, payload)| payload.len() == 1));
}

/// A library of all functions, which share the module.
fn check_library(data: &[u8], derived: &[Derived<'_>]) {
    let os = OsVersion { major: 14, minor: 0, update: 0 };
    let (container, kind) = (Container::new(7), FileType::Executable);
    let mut library = LibraryBuilder::new(Dialect::Archiver, container, Platform::MACOS, os, kind);
    let id = library.add_module(metallib::Module::new(data.to_vec())).expect("one module");
    for derived in derived {
        let Ok(name) = std::str::from_utf8(&derived.name) else { return };
        let mut private = TagList::new();
        if let Debug::Info(info) = &derived.debug {
            let pushed = private.push(FourCc::DEBI, &view::encode_debug_info(info));
            if pushed.is_err() {
                return;
            }
        }
        let spec = FunctionSpec::new(name, derived.function_type, derived.versions, data.to_vec());
        let (public, extra) = (derived.public.clone(), derived.extra());
        let spec = FunctionSpec { public, private, extra, ..spec };
        if library.add_sharing(spec, id).is_err() {
            return;
        }
    }
    if derived.is_empty() {
        return;
    }
    let input = Input::from_bytes("derived", finish(library));
    let report = verify_deep(&input, VerifyOptions { threads: 1 }).expect("bytes in memory");
    let found = report.findings.iter().find(|finding| finding.kind == Kind::Derived);
    assert!(found.is_none(), "{found:?}");
}
