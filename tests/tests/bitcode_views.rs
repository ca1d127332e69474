//! What the views of modules say, against what Apple's linker wrote in the libraries.

use air_bitcode::abbrev::{Abbreviation, Definition, Scalar, Tail, Values};
use air_bitcode::{
    Block, EntryKind, Global, GlobalKind, GlobalReader, Head, HeadReader, Item, Module, Record,
    Stream, WriteOptions,
};
use metallib::{FourCc, FunctionType, Version};
use mtlpack_tests::corpus;

fn type_of(kind: EntryKind) -> FunctionType {
    match kind {
        EntryKind::Vertex => FunctionType::VERTEX,
        EntryKind::Fragment => FunctionType::FRAGMENT,
        EntryKind::Kernel => FunctionType::KERNEL,
        EntryKind::Visible => FunctionType::VISIBLE,
        EntryKind::CoreImage => FunctionType::EXTERN,
        EntryKind::Intersection => FunctionType::INTERSECTION,
        EntryKind::Mesh => FunctionType::MESH,
        EntryKind::Object => FunctionType::OBJECT,
        other => panic!("{other:?}"),
    }
}

fn version([major, minor, _]: [i64; 3]) -> Version {
    Version::new(u16::try_from(major).unwrap(), u16::try_from(minor).unwrap())
}

/// NAME, TYPE, VERS and DEBI of every function follow from its module.
#[test]
fn modules_agree_with_their_libraries() {
    let (mut functions, mut foreign, mut other_producers) = (0, 0, 0);
    for sample in corpus("bitcode views") {
        let library = sample.library();
        for function in library.functions() {
            let place = format!("{} `{}`", sample.name, function.name());
            let Some(stored) = library.module_of(function) else { continue };
            let module = Module::parse(stored.bytes()).unwrap_or_else(|e| panic!("{place}: {e}"));
            let info = module.air_info().unwrap_or_else(|error| panic!("{place}: {error}"));
            let globals = module.globals().unwrap();
            if function.function_type() == Some(FunctionType::UNQUALIFIED) {
                assert!(info.entries.is_empty(), "{place}");
                let found = globals.iter().find(|global| global.name == function.name_bytes());
                let found = found.unwrap_or_else(|| panic!("{place}: not in the module"));
                assert!(found.is_definition && found.kind == GlobalKind::Function, "{place}");
            } else {
                let [entry] = &info.entries[..] else { panic!("{place}: {:?}", info.entries) };
                assert_eq!(entry.name, function.name_bytes(), "{place}");
                assert_eq!(Some(type_of(entry.kind)), function.function_type(), "{place}");
            }
            let versions = function.versions().unwrap();
            assert_eq!(info.version.map(version), Some(versions.air), "{place}");
            let language = info.language.unwrap_or_else(|| panic!("{place}: no language"));
            assert_eq!(version(language.version), versions.language, "{place}");
            let debug = function.private.get(FourCc::DEBI).is_some();
            assert_eq!(info.debug_info.is_some(), debug, "{place}");
            assert!(module.triple().unwrap().unwrap().starts_with("air64"), "{place}");
            assert!(module.data_layout().unwrap().unwrap().starts_with("e-"), "{place}");
            let identification = module.identification().unwrap().unwrap_or_default();
            // Compilers that are not Apple's sign with LLVM and a version.
            assert!(identification.is_empty() || identification.starts_with("LLVM"), "{place}");
            foreign += u32::from(!identification.is_empty());
            if let Some(table) = module.symbol_table().unwrap() {
                other_producers += u32::from(!agrees(&module, &table, info.producer.as_deref()));
            }
            functions += 1;
        }
    }
    println!(
        "{functions} functions; {foreign} identify a compiler; {other_producers} whose symbol \
         table has another producer than llvm.ident"
    );
}

/// The symbol table names the same triple, source and symbols as the module; says whether the
/// producer is the compiler's.
fn agrees(
    module: &Module<'_>,
    table: &air_bitcode::SymbolTable<'_>,
    producer: Option<&str>,
) -> bool {
    assert_eq!(table.triple().unwrap(), module.triple().unwrap().unwrap().as_bytes());
    let source = module.source_file_name().unwrap().unwrap_or_default();
    assert_eq!(table.source_file_name().unwrap(), source.as_bytes());
    let globals = module.globals().unwrap();
    let symbols = table.symbols().unwrap();
    for symbol in &symbols {
        assert_eq!(symbol.name, symbol.ir_name);
        let global = globals.iter().find(|global| global.name == symbol.ir_name).unwrap();
        assert_eq!(symbol.is_undefined(), !global.is_definition, "{}", global.name_text());
    }
    assert!(table.version().unwrap() <= 3);
    let table = String::from_utf8_lossy(table.producer().unwrap()).into_owned();
    producer.is_some_and(|producer| producer.contains(&table))
}

/// Every `.air` file and every module of the large libraries can be viewed, too.
#[test]
fn all_views_read_every_module() {
    let (mut without_globals, mut heads, mut lists) = (0, HeadReader::new(), GlobalReader::new());
    mtlpack_tests::modules("bitcode views of everything", |name, bytes| {
        let module = Module::parse(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let info = module.air_info().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(info.version.is_some(), "{name}");
        assert_eq!(heads.read(bytes).unwrap(), Head::full(bytes).unwrap(), "{name}");
        let globals = module.globals().unwrap();
        assert!(Global::list(bytes).unwrap() == globals, "{name}: listed otherwise");
        assert!(lists.list(bytes).unwrap() == globals, "{name}: listed otherwise after others");
        without_globals += u32::from(globals.is_empty());
    });
    println!("{without_globals} modules without any global");
    assert!(without_globals < 10);
}

/// A list may name a node, and a node a string, any number of times: each counts once.
#[test]
fn what_is_named_again_is_not_repeated() {
    let record = |code, operands: &[u64]| Item::Record(Record::new(code, operands.to_vec()));
    let text = |code, text: &str| record(code, &text.bytes().map(u64::from).collect::<Vec<_>>());
    // A string (1), a node of it (3), then names (4) and lists (10).
    let metadata = vec![
        text(1, "air.compile.option"),
        record(3, &vec![1; 1000]),
        text(4, "air.compile_options"),
        record(10, &vec![1; 1000]),
        // A value: function 0.
        record(2, &[0, 0]),
        record(3, &[3]),
        text(4, "air.kernel"),
        record(10, &[3; 5]),
    ];
    let items = vec![
        record(1, &[2]),
        record(8, &[0, 4, 0, 0, 0, 0]),
        Item::Block(Block::new(15, 3, metadata)),
    ];
    let strings = Block::new(23, 3, strtab("main"));
    let stream = Stream { blocks: vec![Block::new(8, 3, items), strings] };
    let mut bytes = Vec::new();
    stream.write(&mut bytes, WriteOptions::default()).unwrap();
    let info = Module::parse(&bytes).unwrap().air_info().unwrap();
    assert_eq!(info.compile_options, ["air.compile.option"]);
    assert_eq!(info.entries.len(), 1);
    assert_eq!(&*info.entries[0].name, b"main");
}

/// Items of a string table.
fn strtab(strings: &str) -> Vec<Item<'static>> {
    let abbreviation = Abbreviation::new(Scalar::Literal(1), Vec::new(), Tail::Blob).unwrap();
    let definition = Definition::new(abbreviation);
    let values = Values { operands: Vec::new(), blob: Some(strings.as_bytes().to_vec().into()) };
    let record = Record::with_abbreviation(4, definition.get().unwrap(), 1, values).unwrap();
    vec![Item::Define(definition), Item::Record(record)]
}
