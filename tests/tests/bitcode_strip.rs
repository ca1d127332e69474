//! Debug information and path lists of every real module, taken out.

use std::collections::BTreeMap;

use air_bitcode::ids::{block, function};
use air_bitcode::{
    Block, Global, Item, Module, PATH_LISTS, Renumbering, Strip, StripReport, WriteOptions,
};
use mtlpack_tests::id_laws::modules;

const DEBUG: Strip<'static> = Strip { debug_info: true, lists: &[] };
const PATHS: Strip<'static> = Strip { debug_info: false, lists: &PATH_LISTS };
const BOTH: Strip<'static> = Strip { debug_info: true, lists: &PATH_LISTS };

fn parse<'a>(name: &str, bytes: &'a [u8]) -> Module<'a> {
    Module::parse(bytes).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What is written without it, and what was taken out. Checked: nothing is left to take out, the
/// bytes are what they are written as anew, and every id can be followed.
fn stripped(name: &str, bytes: &[u8], what: &Strip<'_>) -> (Vec<u8>, StripReport) {
    let fail = |error| -> ! { panic!("{name}: {error}") };
    let stripped = parse(name, bytes).strip(what).unwrap_or_else(|error| fail(error));
    let written = stripped.to_bytes().unwrap_or_else(|error| fail(error));
    let report = *stripped.report();
    assert_eq!(stripped.is_changed(), written != bytes, "{name}: {report:?}");
    if !stripped.is_changed() {
        return (written, report);
    }
    assert!(written.len() < bytes.len(), "{name}: nothing saved by {report:?}");
    let again = parse(name, &written).strip(what).unwrap_or_else(|error| fail(error));
    assert!(!again.is_changed(), "{name}: left {:?}", again.report());
    assert!(again.to_bytes().unwrap_or_else(|error| fail(error)) == written, "{name}");
    for how in [Renumbering::Same, Renumbering::Reversed] {
        let mut other = parse(name, &written);
        other.renumber(how).unwrap_or_else(|error| fail(error));
        let options = WriteOptions { positions: true, records: true };
        let mut anew = other.to_bytes(options).unwrap_or_else(|error| fail(error));
        if how == Renumbering::Reversed {
            let mut back = parse(name, &anew);
            back.renumber(how).unwrap_or_else(|error| fail(error));
            let bytes = back.to_bytes(options).unwrap_or_else(|error| fail(error));
            anew = bytes;
        }
        assert!(anew == written, "{name}: {how:?} gives another module");
    }
    (written, report)
}

/// What a module shows to others: globals without their numbers, symbols.
fn shown(name: &str, bytes: &[u8]) -> (Vec<String>, Vec<String>) {
    let module = parse(name, bytes);
    let is_left = |name: &[u8]| !name.starts_with(b"llvm.dbg.");
    let globals = module.globals().unwrap();
    let globals = globals.into_iter().filter(|global| is_left(&global.name));
    let text = |global: Global<'_>| format!("{:?}", Global { value: 0, ..global });
    let table = module.symbol_table().unwrap();
    let symbols = table.map(|table| {
        let symbols = table.symbols().unwrap().into_iter();
        let head = [table.producer(), table.triple(), table.source_file_name()];
        let head = head.map(|text| format!("{:?}", text.unwrap()));
        let symbols = symbols.filter(|symbol| is_left(symbol.ir_name));
        head.into_iter().chain(symbols.map(|symbol| format!("{symbol:?}"))).collect()
    });
    (globals.map(text).collect(), symbols.unwrap_or_default())
}

/// Records of function bodies that say where an instruction comes from, counted by a walk of
/// its own: a strip asks no body that no debug information is left for.
fn locations(name: &str, bytes: &[u8]) -> usize {
    let mut module = parse(name, bytes);
    module.open_all().unwrap_or_else(|error| panic!("{name}: {error}"));
    module.stream().blocks.iter().map(locations_of).sum()
}

fn locations_of(of: &Block<'_>) -> usize {
    let is_location = |code| [function::DEBUG_LOC, function::DEBUG_LOC_AGAIN].contains(&code);
    let count = |item: &Item<'_>| match item {
        Item::Block(inner) => locations_of(inner),
        Item::Record(record) => {
            usize::from(of.id() == block::FUNCTION && is_location(record.code()))
        }
        Item::Define(_) => 0,
    };
    of.items().unwrap_or_default().iter().map(count).sum()
}

#[test]
fn debug_information_goes_and_nothing_else() {
    let (mut with, mut with_units, mut before, mut after) = (0, 0, 0, 0);
    let mut sums = BTreeMap::new();
    modules("debug information", |name, bytes| {
        let module = parse(name, bytes);
        let has = module.has_debug_info().unwrap();
        let metadata = module.metadata().unwrap();
        let units = metadata.named("llvm.dbg.cu").is_some();
        assert!(has || !units, "{name}");
        let (written, report) = stripped(name, bytes, &DEBUG);
        assert_eq!(has, report != StripReport::default(), "{name}");
        if !has {
            return;
        }
        (with, with_units) = (with + 1, with_units + usize::from(units));
        (before, after) = (before + bytes.len(), after + written.len());
        let StripReport { lists, flags, attachments, .. } = report;
        let StripReport { calls, declarations, constants, metadata, .. } = report;
        let counts = [
            ("lists", lists),
            ("flags", flags),
            ("locations", report.locations),
            ("attachments", attachments),
            ("calls", calls),
            ("declarations", declarations),
            ("constants", constants),
            ("metadata", metadata),
        ];
        counts.iter().for_each(|(what, count)| *sums.entry(*what).or_insert(0) += count);
        assert_eq!(locations(name, bytes), report.locations, "{name}: locations");
        assert_eq!(locations(name, &written), 0, "{name}");
        let module = parse(name, &written);
        assert!(!module.has_debug_info().unwrap(), "{name}");
        assert_eq!(module.air_info().unwrap().debug_info, None, "{name}");
        assert_eq!(shown(name, &written), shown(name, bytes), "{name}");
    });
    let saved = before - after;
    println!("{with} modules with debug information, {with_units} with units: {before} bytes,");
    println!(
        "{saved} less without it: {:.1} %; {sums:?}",
        100.0 * saved as f64 / before.max(1) as f64
    );
    assert!(with == 0 || saved * 4 > before, "less than a quarter");
}

#[test]
fn path_lists_go_and_nothing_else() {
    let (mut with, mut saved) = (0, 0);
    modules("path lists", |name, bytes| {
        let module = parse(name, bytes);
        let metadata = module.metadata().unwrap();
        let count = PATH_LISTS.iter().filter(|list| metadata.named(list).is_some()).count();
        if count == 0 && !module.has_debug_info().unwrap() {
            // Checked by the other test, and not decoded.
            assert!(!module.strip(&PATHS).unwrap().is_changed(), "{name}");
            return;
        }
        let (written, report) = stripped(name, bytes, &PATHS);
        assert_eq!(report.lists, count, "{name}");
        assert_eq!(
            report.calls + report.locations + report.attachments + report.flags,
            0,
            "{name}"
        );
        with += usize::from(count > 0);
        saved += bytes.len() - written.len();
        let left = parse(name, &written);
        let names = |module: &Module<'_>| -> Vec<String> {
            let metadata = module.metadata().unwrap();
            let names = metadata.names().map(std::borrow::Cow::into_owned);
            names.filter(|name| !PATH_LISTS.contains(&&**name)).collect()
        };
        assert_eq!(names(&left), names(&parse(name, bytes)), "{name}");
        assert_eq!(left.has_debug_info().unwrap(), module_has(name, bytes), "{name}");
        // One after the other is both at once.
        let (both, _) = stripped(name, bytes, &BOTH);
        assert!(stripped(name, &written, &DEBUG).0 == both, "{name}: differs from both at once");
    });
    println!("{with} modules with path lists, {saved} bytes less without them");
}

fn module_has(name: &str, bytes: &[u8]) -> bool {
    parse(name, bytes).has_debug_info().unwrap()
}
