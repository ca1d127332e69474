//! Renaming every function of every real library, there and back.

use air_bitcode::{Module, Rename, RenameReport, WriteOptions};
use mtlpack_tests::bitcode::{KERNEL, small_module};
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
            total.source_file_name |= report.source_file_name;
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

/// What cannot be done rightly is refused, and says why.
#[test]
fn renames_that_cannot_be_are_refused() {
    let bytes = small_module();
    let message = |pairs: &[(&str, &str)]| {
        let renames: Vec<_> = pairs.iter().map(|(old, new)| Rename::new(*old, *new)).collect();
        Module::parse(&bytes).unwrap().rename(&renames).unwrap_err().to_string()
    };
    for (pairs, expected) in [
        (&[("add_two", "x")][..], "cannot rename `add_two` to `x`: there is no such function"),
        (&[(KERNEL, "")], "cannot rename `add_one` to ``: a name must not be empty or hold NUL"),
        (
            &[(KERNEL, "a\0b")],
            "cannot rename `add_one` to `a\0b`: a name must not be empty or hold NUL",
        ),
        (
            &[(KERNEL, "air.add")],
            "cannot rename `add_one` to `air.add`: names with llvm. or air. belong to the compiler",
        ),
        (
            &[("air.fence", "fence")],
            "cannot rename `air.fence` to `fence`: names with llvm. or air. belong to the compiler",
        ),
        (&[(KERNEL, "a"), (KERNEL, "b")], "cannot rename `add_one` to `b`: it is renamed twice"),
    ] {
        assert_eq!(message(pairs), expected);
    }
}

/// A new name that an earlier rename appended is used again.
#[test]
fn strings_do_not_grow_with_every_round() {
    let bytes = small_module();
    let rename = |bytes: &[u8], old: &str, new: &str| {
        renamed("small module", bytes, &[(old.into(), new.into())])
    };
    let (first, report) = rename(&bytes, KERNEL, "longer_name");
    assert_eq!(report.string_growth, 11);
    let (back, report) = rename(&first, "longer_name", KERNEL);
    assert_eq!(report.string_growth, 0);
    let (second, report) = rename(&back, KERNEL, "longer_name");
    assert_eq!(report.string_growth, 0);
    assert!(first == second);
    let record = |bytes: &[u8]| {
        let module = Module::parse(bytes).unwrap();
        module.record(air_bitcode::ids::module::FUNCTION).unwrap().values().unwrap().operands
    };
    assert_eq!(record(&back), record(&bytes));
    // A name with other characters takes more bits, and renaming back restores the record.
    let (other, _) = rename(&bytes, KERNEL, "ns::name");
    let source = |bytes: &[u8]| {
        let module = Module::parse(bytes).unwrap();
        module.record(air_bitcode::ids::module::SOURCE_FILENAME).unwrap().id()
    };
    assert_eq!((source(&bytes), source(&other)), (4, air_bitcode::UNABBREVIATED));
    assert_eq!(source(&rename(&other, "ns::name", KERNEL).0), 4);
}
