//! The module of one function is the same where it was alone.

use std::collections::BTreeMap;

use air_bitcode::{EntryKind, Error, Global, KeptReport, Module, WriteOptions};
use mtlpack_tests::id_laws::modules;

/// Why a module of one entry point does not stay as it is.
fn reason(name: &str, kind: EntryKind, report: &KeptReport) -> &'static str {
    let only = |sources, listed, metadata| KeptReport { sources, listed, metadata, ..*report };
    let nothing = KeptReport::default();
    let declared = KeptReport { declarations: 0, types: 0, attributes: 0, ..*report };
    let is_linked = name.contains(", module ");
    let is_listed = report.listed == 1 && report.metadata == 2 && report.sources == 2;
    if *report == nothing {
        "same"
    } else if is_linked && report.declarations > 0 && declared == nothing {
        "declarations that nothing calls"
    } else if is_linked && kind == EntryKind::CoreImage && is_listed {
        "Core Image"
    } else if is_listed && only(0, 0, 0) == nothing {
        if is_linked { "another linker" } else { "not linked, and alone" }
    } else if is_listed && !is_linked {
        "not linked, and not alone"
    } else {
        panic!("{name}: {report:?}")
    }
}

#[test]
fn what_is_alone_stays_as_it_is() {
    let mut reasons: BTreeMap<&str, u32> = BTreeMap::new();
    let count = modules("modules of one function", |name, bytes| {
        let mut module = Module::parse(bytes).unwrap();
        let entries = module.air_info().unwrap().entries;
        let [entry] = &entries[..] else { return };
        // It has sources that no function is named by, and a function that nobody calls.
        if name.ends_with("debug.bc") {
            return;
        }
        let splitter = module.splitter().unwrap_or_else(|error| panic!("{name}: {error}"));
        let kept = splitter.keep(&entry.name).unwrap_or_else(|error| panic!("{name}: {error}"));
        let written = kept.to_bytes().unwrap();
        assert_eq!(kept.is_changed(), written != bytes, "{name}");
        let again = Module::parse(&written).unwrap().keep_entry(&entry.name).unwrap();
        assert!(!again.is_changed(), "{name}: {:?}", again.report());
        *reasons.entry(reason(name, entry.kind, kept.report())).or_default() += 1;
    });
    println!("{reasons:?}");
    let of = |reason| reasons.get(reason).copied().unwrap_or_default();
    assert!(of("another linker") <= 1 && of("Core Image") <= 9);
    assert!(count < 1000 || of("same") as usize > count * 99 / 100);
    assert!(of("declarations that nothing calls") <= 70);
}

/// Takes out what nobody uses, of globals only what is offered.
fn left(bytes: &[u8], may_go: impl Fn(&Global<'_>) -> bool) -> Result<usize, Error> {
    let removed = Module::parse(bytes)?.remove_unused(may_go)?;
    Ok(removed.report().types + removed.report().attributes + removed.report().sections)
}

/// What instructions make of values has its types in the table, as LLVM's writer has it: no
/// module of its own has a type that nothing has.
#[test]
fn every_type_and_every_attribute_is_used() {
    let (mut modules_with, mut count) = (0, 0);
    modules("types that nothing has", |name, bytes| {
        let found = left(bytes, |_| false).unwrap_or_else(|error| panic!("{name}: {error}"));
        count += 1;
        if found > 0 {
            println!("{name}: {found}");
            modules_with += 1;
        }
    });
    println!("{modules_with} of {count} modules have types or attributes that nothing has");
    assert!(modules_with <= 1);
}

/// With all of its functions a module is the same but for its sources, and keeps them all.
#[test]
fn all_functions_are_the_same_module() {
    let (mut same, mut named) = (0, 0);
    modules("modules of all their functions", |name, bytes| {
        let mut module = Module::parse(bytes).unwrap();
        let source = module.source_file_name().unwrap();
        let globals = module.globals().unwrap();
        if globals.len() < 2 || name.ends_with("debug.bc") {
            return;
        }
        let linked = name.contains(", module ");
        let new = if linked { source.clone().unwrap_or_default() } else { "ours::all".to_owned() };
        let kept = module.splitter().unwrap().keep_all(new.as_bytes()).unwrap();
        let report = *kept.report();
        let bytes_after = kept.to_bytes().unwrap();
        let after = Module::parse(&bytes_after).unwrap();
        assert!(after.globals().unwrap() == globals, "{name}");
        let listed = report.listed;
        assert_eq!(
            KeptReport {
                listed,
                metadata: 2 * listed,
                sources: report.sources,
                ..KeptReport::default()
            },
            report,
            "{name}"
        );
        if source.is_some() {
            assert_eq!(after.source_file_name().unwrap(), Some(new.clone()), "{name}");
            let table = after.symbol_table().unwrap();
            assert!(table.is_none_or(|table| table.source_file_name().unwrap() == new.as_bytes()));
        }
        same += u32::from(bytes_after == bytes);
        named += u32::from(report.sources > 0);
    });
    println!("{same} are the same, {named} have another source");
    assert!(same + named == 0 || (same > 15_000 && named > 50));
}

/// What cannot be split is refused by name.
#[test]
fn what_is_no_function_is_refused() {
    let bytes = mtlpack_tests::id_laws::DEBUG_MODULE;
    let refused = |name: &str| {
        let kept = Module::parse(bytes).unwrap().keep_entry(name.as_bytes());
        kept.map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(refused("nobody"), "no function nobody in the module");
    let globals = Module::parse(bytes).unwrap().globals().unwrap();
    let import = globals.iter().find(|global| global.is_import()).unwrap().name_text();
    let expected = format!("{import} is only declared in the module, expected its body");
    assert_eq!(refused(&import), expected);
    let same = Module::parse(bytes).unwrap().to_bytes(WriteOptions::default()).unwrap();
    assert!(same == bytes);
}
