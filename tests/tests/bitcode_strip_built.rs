//! What a strip does to modules that are known record by record.

use air_bitcode::ids::{block, function, metadata as code};
use air_bitcode::{Block, Item, Module, PATH_LISTS, Record, Strip, StripReport};
use mtlpack_tests::bitcode_old::{INTRINSIC, old_debug_module};
use mtlpack_tests::id_laws::DEBUG_MODULE;

const DEBUG: Strip<'static> = Strip { debug_info: true, lists: &[] };

fn strip(bytes: &[u8], what: &Strip<'_>) -> (Vec<u8>, StripReport) {
    let stripped = Module::parse(bytes).unwrap().strip(what).unwrap();
    (stripped.to_bytes().unwrap(), *stripped.report())
}

/// The blocks with this id inside a block.
fn blocks<'b>(block: &'b Block<'static>, id: u32) -> Vec<&'b Block<'static>> {
    let items = block.items().unwrap().iter();
    let inner = items.filter_map(|item| match item {
        Item::Block(inner) if inner.id() == id => Some(inner),
        _ => None,
    });
    inner.collect()
}

/// The records of a block: codes and operands.
fn records(block: &Block<'_>) -> Vec<(u32, Vec<u64>)> {
    let items = block.items().unwrap().iter();
    let records = items.filter_map(|item| match item {
        Item::Record(record) => Some((record.code(), record.values().unwrap().operands)),
        _ => None,
    });
    records.collect()
}

fn text(operands: &[u64]) -> String {
    operands.iter().map(|&letter| char::from(u8::try_from(letter).unwrap())).collect()
}

/// The module block of a module, decoded.
fn decoded(bytes: Vec<u8>) -> Block<'static> {
    let mut module = Module::parse(bytes.leak()).unwrap();
    module.open_all().unwrap();
    let found = module.stream().blocks.iter().find(|found| found.id() == block::MODULE);
    found.unwrap().clone()
}

/// Every number of the old module moves by what went in front of it.
#[test]
fn an_old_module_is_renumbered_record_by_record() {
    let (stripped, report) = strip(&old_debug_module(None), &DEBUG);
    let expected = StripReport {
        lists: 1,
        flags: 1,
        locations: 2,
        attachments: 2,
        calls: 1,
        declarations: 1,
        definitions: 0,
        constants: 2,
        metadata: 4,
        ..StripReport::default()
    };
    assert_eq!(report, expected);
    let module = decoded(stripped);
    assert!(blocks(&module, block::CONSTANTS).is_empty());
    let metadata = records(blocks(&module, block::METADATA)[0]);
    let codes: Vec<u32> = metadata.iter().map(|(code, _)| *code).collect();
    let kept =
        [code::STRING_OLD, code::OLD_NODE, code::NAME, code::NAMED_NODE, code::KIND, code::KIND];
    assert_eq!(codes, kept);
    assert_eq!(text(&metadata[0].1), "kept");
    assert_eq!((&metadata[1].1[..], &metadata[3].1[..]), (&[2, 0][..], &[1][..]));
    let names = records(blocks(&module, block::VALUE_SYMTAB)[0]);
    assert_eq!(names.len(), 1);
    assert_eq!((names[0].1[0], text(&names[0].1[1..])), (0, "add_one".to_owned()));
    let body = blocks(&module, block::FUNCTION)[0];
    // The distances between the values are what they were.
    let kept = [
        (function::DECLAREBLOCKS, vec![1]),
        (function::BINOP, vec![2, 1, 0]),
        (function::BINOP, vec![1, 2, 0]),
        (function::RET, vec![]),
    ];
    assert_eq!(records(body), kept);
    let names = records(blocks(body, block::VALUE_SYMTAB)[0]);
    let names: Vec<(u64, String)> =
        names.iter().map(|(_, name)| (name[0], text(&name[1..]))).collect();
    assert_eq!(names, [(1, "argument".to_owned()), (4, "sum".to_owned())]);
    let attachments = records(blocks(body, block::METADATA_ATTACHMENT)[0]);
    assert_eq!(attachments, [(code::ATTACHMENT, vec![1, 1, 1])]);
}

#[test]
fn records_that_are_not_known_are_refused_by_name() {
    let bytes = old_debug_module(Some(Record::new(61, vec![1, 2])));
    let error = Module::parse(&bytes).unwrap().strip(&DEBUG).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with(
            "record of FUNCTION with code 61 and 2 operands is not known: the ids in it cannot be \
             renumbered (bit "
        ) && text.ends_with("MODULE > FUNCTION 0)"),
        "{text}"
    );
    // What has nothing to strip is not looked into.
    let nothing = Strip { debug_info: false, lists: &PATH_LISTS };
    assert_eq!(strip(&bytes, &nothing).0, bytes);
}

/// Instructions, constants and debug information of every kind: what goes is counted, and the
/// declarations' names are in no table any more.
#[test]
fn a_module_of_everything_loses_its_debug_information() {
    let (stripped, report) = strip(DEBUG_MODULE, &DEBUG);
    let counts = [report.lists, report.flags, report.calls, report.declarations];
    assert_eq!(counts, [1, 2, 4, 3]);
    // Two loops with two places each, a variable, a declaration, two functions.
    assert_eq!(report.attachments, 8);
    assert_eq!(report.locations, 30);
    let holds = |bytes: &[u8], text: &str| {
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    for text in ["llvm.dbg.declare", INTRINSIC, "llvm.dbg.label"] {
        assert!(holds(DEBUG_MODULE, text) && !holds(&stripped, text), "{text}");
    }
    let module = Module::parse(&stripped).unwrap();
    let table = module.symbol_table().unwrap().unwrap();
    let symbols: Vec<String> = table
        .symbols()
        .unwrap()
        .iter()
        .map(|symbol| String::from_utf8_lossy(symbol.ir_name).into_owned())
        .collect();
    let before = Module::parse(DEBUG_MODULE).unwrap().symbol_table().unwrap().unwrap();
    assert_eq!(symbols.len() + 3, before.symbols().unwrap().len());
    assert!(symbols.iter().any(|name| name == "air.fence"), "{symbols:?}");
    // Lists of paths are another thing.
    let metadata = module.metadata().unwrap();
    assert!(PATH_LISTS.iter().all(|list| metadata.named(list).is_some()));
    let (bare, report) = strip(&stripped, &Strip { debug_info: false, lists: &PATH_LISTS });
    assert_eq!(report.lists, 3);
    assert!(holds(&stripped, "/build") && !holds(&bare, "/build"));
}
