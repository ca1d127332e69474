//! Renaming every function of every real library, there and back.

use air_bitcode::{Module, Rename, RenameReport, WriteOptions};
use mtlpack_tests::modules;

/// Names that functions get: longer and shorter, in and outside of six-bit characters.
const NAMES: [&str; 6] = ["p", "prefix_of_ours_", "ns::sub::", "two words ", "größe→", "__"];

fn visible(module: &Module<'_>) -> Vec<Vec<u8>> {
    let globals = module.globals().unwrap();
    let functions = globals.iter().filter(|g| {
        g.is_definition && g.linkage.is_visible() && g.kind == air_bitcode::GlobalKind::Function
    });
    functions.map(|global| global.name.to_vec()).collect()
}

fn renamed(name: &str, bytes: &[u8], pairs: &[(Vec<u8>, Vec<u8>)]) -> (Vec<u8>, RenameReport) {
    let renames: Vec<_> = pairs.iter().map(|(old, new)| Rename::new(old, new)).collect();
    let module = Module::parse(bytes).unwrap();
    let renamed = module.rename(&renames).unwrap_or_else(|error| panic!("{name}: {error}"));
    (renamed.to_bytes().unwrap(), *renamed.report())
}

#[test]
fn renaming_there_and_back_gives_the_original_but_for_string_growth() {
    let (mut count, mut total) = (0usize, RenameReport::default());
    modules("bitcode rename", |name, bytes| {
        let module = Module::parse(bytes).unwrap();
        let old = visible(&module);
        let same: Vec<_> = old.iter().map(|name| (name.clone(), name.clone())).collect();
        assert!(renamed(name, bytes, &same).0 == bytes, "{name}: same names, other bytes");
        for round in [count, count + 1] {
            let new = |index: usize, old: &[u8]| match NAMES[(round + index) % NAMES.len()] {
                "p" => format!("p{index}").into_bytes(),
                prefix => [prefix.as_bytes(), old].concat(),
            };
            let there: Vec<_> =
                old.iter().enumerate().map(|(i, old)| (old.clone(), new(i, old))).collect();
            let back: Vec<_> = there.iter().map(|(old, new)| (new.clone(), old.clone())).collect();
            let (other, report) = renamed(name, bytes, &there);
            check_names(name, &other, &there);
            let (again, second) = renamed(name, &other, &back);
            assert_eq!(second.string_growth, 0, "{name}: {there:?}");
            let trimmed = Module::parse(&again).unwrap().trim_strings().unwrap();
            assert_eq!(trimmed.removed(), report.string_growth, "{name}");
            assert!(trimmed.to_bytes().unwrap() == bytes, "{name}: {there:?} and back");
            assert_eq!(report.functions as usize, there.len());
            assert_eq!(report.alias_scopes, second.alias_scopes);
            assert_eq!(report.debug_names, second.debug_names);
            total.string_growth += report.string_growth;
            total.functions += report.functions;
            total.symbols += report.symbols;
            total.alias_scopes += report.alias_scopes;
            total.debug_names += report.debug_names;
            total.debug_names_kept += report.debug_names_kept;
        }
        count += 1;
    });
    println!("{total:?}");
}

/// The renamed module has the new names, and decodes and encodes as any other.
fn check_names(name: &str, bytes: &[u8], pairs: &[(Vec<u8>, Vec<u8>)]) {
    let mut module = Module::parse(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let names = visible(&module);
    let expected: Vec<_> = pairs.iter().map(|(_, new)| new.clone()).collect();
    assert_eq!(names, expected, "{name}");
    if let Some(table) = module.symbol_table().unwrap() {
        let symbols = table.symbols().unwrap();
        for (old, new) in pairs {
            assert!(symbols.iter().any(|s| s.name == *new && s.ir_name == *new), "{name}");
            assert!(!symbols.iter().any(|symbol| symbol.name == *old), "{name}");
        }
    }
    module.open_all().unwrap_or_else(|error| panic!("{name}: {error}"));
    let options = WriteOptions { positions: true, records: true };
    assert!(module.to_bytes(options).unwrap() == bytes, "{name}: positions");
}
