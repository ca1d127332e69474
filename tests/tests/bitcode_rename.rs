//! Renaming every function of every real library, there and back.

use air_bitcode::{Module, Rename, RenameReport, WriteOptions};
use mtlpack_tests::bitcode::{KERNEL, small_module};
use mtlpack_tests::bitcode_laws::quickly;
use mtlpack_tests::bitcode_shared::shared_module;
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

/// Every function of every module, to names of all kinds and back.
#[test]
fn the_quick_way_gives_what_the_tree_gives() {
    let (mut count, mut tried, mut quick, mut back, mut entries) = (0usize, 0, 0, 0, 0);
    modules("bitcode rename, quick way", |name, bytes| {
        let old = visible(&Module::parse(bytes).unwrap());
        // All of a module that has few; a shared one has thousands.
        for (index, old) in old.iter().enumerate().take(4) {
            let prefix = NAMES[(count + index) % NAMES.len()].as_bytes();
            let new = [prefix, old].concat();
            let there = renamed(name, bytes, &[(old.clone(), new.clone())]).0;
            quick += usize::from(quickly(bytes, old, &new));
            back += usize::from(quickly(&there, &new, old));
            tried += 1;
        }
        entries += usize::from(old.len() == 1);
        count += 1;
    });
    println!("{quick} of {tried} functions, {back} back; {entries} of {count} modules have one");
    assert!(count < 1000 || quick * 10 > tried * 8, "{quick} of {tried} functions");
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

fn numbered(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|index| format!("{prefix}function_{index}")).collect()
}

fn pairs(old: &[String], new: &[String]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let bytes = |name: &String| name.clone().into_bytes();
    old.iter().zip(new).map(|(old, new)| (bytes(old), bytes(new))).collect()
}

/// A dynamic library has one module for thousands of functions: everything follows in all of
/// them, and comes back.
#[test]
fn thousands_of_functions_are_renamed_at_once() {
    const COUNT: usize = 20_000;
    let (old, new) = (numbered("", COUNT), numbered("ours::", COUNT));
    let bytes = shared_module(&old);
    let (there, report) = renamed("shared module", &bytes, &pairs(&old, &new));
    let count = u32::try_from(COUNT).unwrap();
    let growth = new.iter().map(String::len).sum::<usize>() as u64;
    let expected = RenameReport {
        functions: count,
        string_growth: growth,
        symbols: count,
        source_file_name: false,
        alias_scopes: count,
        debug_names: count,
        debug_names_kept: 0,
    };
    assert_eq!(report, expected);
    check_names("shared module", &there, &pairs(&old, &new));
    assert!(there != bytes && !there.windows(9).any(|bytes| bytes == b"(function"));
    let (back, report) = renamed("shared module", &there, &pairs(&new, &old));
    assert_eq!(report, RenameReport { string_growth: 0, ..expected });
    // The second time the names are found where the first time appended them.
    let (again, report) = renamed("shared module", &back, &pairs(&old, &new));
    assert_eq!(report.string_growth, 0);
    assert!(again == there);
    let trimmed = Module::parse(&back).unwrap().trim_strings().unwrap();
    assert_eq!(trimmed.removed(), growth);
    assert!(trimmed.to_bytes().unwrap() == bytes);
}

/// Ten times the functions take about ten times the time, not a hundred times.
#[test]
fn the_time_is_linear_in_the_number_of_functions() {
    let time = |count: usize| {
        let (old, new) = (numbered("", count), numbered("ours::", count));
        let (bytes, pairs) = (shared_module(&old), pairs(&old, &new));
        let once = || {
            let start = std::time::Instant::now();
            renamed("shared module", &bytes, &pairs);
            start.elapsed()
        };
        (0..3).map(|_| once()).min().unwrap()
    };
    let (few, many) = (time(2_000), time(20_000));
    println!("2,000 functions in {few:.1?}, 20,000 in {many:.1?}");
    assert!(many < few * 40, "{few:?} for 2,000, {many:?} for 20,000");
}
