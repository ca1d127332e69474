//! Small AIR modules made with the writer of `air-bitcode`, which say what a test wants them to.

use std::borrow::Cow;

use air_bitcode::abbrev::{Abbreviation, Definition, Scalar, Tail, Values};
use air_bitcode::ids::metadata as code;
use air_bitcode::ids::{BLOB, block, constants, module};
use air_bitcode::{Block, Envelope, Item, Record, Stream, Wrapper, WriteOptions};

/// Entry lists by the code of tag TYPE; functions of TYPE 3 are in none.
const LISTS: [&str; 9] = [
    "air.vertex",
    "air.fragment",
    "air.kernel",
    "",
    "air.visible",
    "air.ci",
    "air.intersection",
    "air.mesh",
    "air.object",
];

/// A function of a module.
#[derive(Clone, Debug)]
pub struct AirFunction {
    /// Its symbol.
    pub name: String,
    /// Name of the list that it is an entry point of; empty for none.
    pub list: &'static str,
    /// Whether it has no body.
    pub is_declaration: bool,
    /// LLVM's number of its linkage: 0 external, 3 internal.
    pub linkage: u64,
}

/// What a module says. All of it may be changed before it is written.
#[derive(Clone, Debug)]
pub struct Air {
    /// The functions.
    pub functions: Vec<AirFunction>,
    /// AIR version; none for no `air.version`.
    pub air: Option<[u16; 2]>,
    /// Language version.
    pub language: [u16; 2],
    /// Target triple; empty for none.
    pub triple: String,
    /// Producer; empty for none.
    pub producer: String,
    /// Whether the module flags have `Debug Info Version`.
    pub debug_info: bool,
    /// Bytes of a string that nothing refers to.
    pub filler: usize,
    /// Lists of named metadata with one node of one string, such as `air.source_file_name`.
    pub texts: Vec<(&'static str, String)>,
}

impl Air {
    /// A module with one function, for macOS 14, AIR 2.6 and Metal 3.1, without producer.
    /// `code` is its TYPE; for unknown ones it is a kernel.
    #[must_use]
    pub fn new(name: &str, code: u8) -> Self {
        let list = LISTS.get(usize::from(code)).copied().unwrap_or("air.kernel");
        Self {
            functions: vec![AirFunction::new(name, list)],
            air: Some([2, 6]),
            language: [3, 1],
            triple: "air64-apple-macosx14.0.0".to_owned(),
            producer: String::new(),
            debug_info: false,
            filler: 0,
            texts: Vec::new(),
        }
    }

    /// The module with wrapper and padding.
    ///
    /// # Panics
    /// If it cannot be written.
    #[must_use]
    pub fn module(&self) -> Vec<u8> {
        let wrapper = Wrapper { version: 0, offset: 20, size: 0, cpu_type: u32::MAX };
        // Neither gap nor tail, and a size that needs no padding yet.
        let envelope = Envelope { wrapper: Some(wrapper), gap: &[], stream: &[0; 12], tail: &[] };
        let mut bytes = Vec::new();
        let write = |bytes: &mut Vec<u8>| self.stream().write(bytes, WriteOptions::default());
        envelope.write(&mut bytes, write).expect("a module that can be written");
        bytes
    }

    fn stream(&self) -> Stream<'static> {
        let mut strings = Vec::new();
        let mut items = vec![record(module::VERSION, &[2])];
        if !self.triple.is_empty() {
            let text: Vec<u64> = self.triple.bytes().map(u64::from).collect();
            items.push(record(module::TRIPLE, &text));
        }
        for function in &self.functions {
            let (offset, size) = (strings.len() as u64, function.name.len() as u64);
            let prototype = u64::from(function.is_declaration);
            let operands = [offset, size, 0, 0, prototype, function.linkage];
            items.push(record(module::FUNCTION, &operands));
            strings.extend_from_slice(function.name.as_bytes());
        }
        let (constants, metadata) = self.metadata();
        items.push(Item::Block(Block::new(block::CONSTANTS, 4, constants)));
        items.push(Item::Block(Block::new(block::METADATA, 4, metadata)));
        let strings = with_blob(&[], BLOB, &[], strings);
        Stream {
            blocks: vec![
                Block::new(block::MODULE, 3, items),
                Block::new(block::STRTAB, 3, strings.into()),
            ],
        }
    }

    /// Constants, and metadata that refers to them.
    fn metadata(&self) -> (Vec<Item<'static>>, Vec<Item<'static>>) {
        let filler = "x".repeat(self.filler);
        let mut made = Made::new(self.functions.len() as u64);
        made.strings
            .extend(["Metal", &self.producer, "Debug Info Version", &filler].map(String::from));
        let first_text = made.strings.len() as u64;
        made.strings.extend(self.texts.iter().map(|(_, text)| text.clone()));
        for (text, (name, _)) in (first_text..).zip(&self.texts) {
            made.list(name, &[vec![text]]);
        }
        if let Some([major, minor]) = self.air {
            let air = made.numbers([major, minor, 0]);
            made.list("air.version", &[air.to_vec()]);
        }
        let [major, minor] = self.language;
        let [a, b, c] = made.numbers([major, minor, 0]);
        made.list("air.language_version", &[vec![0, a, b, c]]);
        if !self.producer.is_empty() {
            made.list("llvm.ident", &[vec![1]]);
        }
        if self.debug_info {
            let [behavior, version, _] = made.numbers([2, 3, 0]);
            made.list("llvm.module.flags", &[vec![behavior, 2, version]]);
        }
        for list in LISTS.iter().filter(|list| !list.is_empty()) {
            let entries = (0..).zip(&self.functions).filter(|(_, function)| function.list == *list);
            let nodes: Vec<Vec<u64>> = entries.map(|(value, _)| vec![made.value(value)]).collect();
            if !nodes.is_empty() {
                made.list(list, &nodes);
            }
        }
        made.finish()
    }
}

impl AirFunction {
    /// A function with a body that anyone may call.
    #[must_use]
    pub fn new(name: &str, list: &'static str) -> Self {
        Self { name: name.to_owned(), list, is_declaration: false, linkage: 0 }
    }
}

/// A reflection flatbuffer of kernels with these names, and nothing else.
///
/// # Panics
/// If names have 4 GiB.
#[must_use]
pub fn reflection(names: &[&[u8]]) -> Vec<u8> {
    // One vtable for each kind of table: its size, that of the table, and the fields' places.
    const ROOT: [u16; 4] = [8, 8, 0, 4];
    const NODE: [u16; 4] = [8, 12, 4, 8];
    const BODY: [u16; 4] = [6, 8, 4, 0];
    let mut buffer = b"\x20\0\0\0AIRR".to_vec();
    [ROOT, NODE, BODY].as_flattened().iter().for_each(|n| buffer.extend(n.to_le_bytes()));
    let count = u32::try_from(names.len()).expect("less than 4 GiB");
    // Root at 32, vector of nodes at 40.
    let mut words = vec![24, 4, count];
    let mut texts = Vec::new();
    let mut text_offset = 44 + 4 * count + 20 * count;
    for (index, name) in (0..count).zip(names) {
        // From its element to the node, five words for each node in front of it.
        words.push(4 * (count - index) + 20 * index);
        texts.extend(u32::try_from(name.len()).expect("less than 4 GiB").to_le_bytes());
        texts.extend_from_slice(name);
        texts.push(0);
        texts.resize(texts.len().next_multiple_of(4), 0);
    }
    for (index, name) in (0..count).zip(names) {
        let node = 44 + 4 * count + 20 * index;
        let body = node + 12;
        words.extend([node - 16, 2, 4, body - 24, text_offset - body - 4]);
        text_offset +=
            u32::try_from((name.len() + 5).next_multiple_of(4)).expect("less than 4 GiB");
    }
    words.iter().for_each(|word: &u32| buffer.extend(word.to_le_bytes()));
    buffer.extend(texts);
    buffer
}

/// Metadata in the making.
struct Made {
    /// Number of the next constant.
    next: u64,
    constants: Vec<Item<'static>>,
    strings: Vec<String>,
    /// Values and nodes, which have the numbers behind the strings.
    nodes: Vec<Item<'static>>,
    lists: Vec<Item<'static>>,
}

impl Made {
    fn new(globals: u64) -> Self {
        let constants = vec![record(constants::SETTYPE, &[0])];
        Self { next: globals, constants, strings: Vec::new(), nodes: vec![], lists: vec![] }
    }

    /// Adds a record and gives its metadata number.
    fn node(&mut self, item: Item<'static>) -> u64 {
        self.nodes.push(item);
        (self.strings.len() + self.nodes.len() - 1) as u64
    }

    fn value(&mut self, value: u64) -> u64 {
        self.node(record(code::VALUE, &[0, value]))
    }

    fn numbers(&mut self, numbers: [u16; 3]) -> [u64; 3] {
        numbers.map(|number| {
            self.constants.push(record(constants::INTEGER, &[u64::from(number) << 1]));
            self.next += 1;
            self.value(self.next - 1)
        })
    }

    /// Adds a named list of nodes with these operands.
    fn list(&mut self, name: &str, nodes: &[Vec<u64>]) {
        let nodes: Vec<u64> = nodes
            .iter()
            .map(|operands| {
                let operands: Vec<u64> = operands.iter().map(|id| id + 1).collect();
                self.node(record(code::NODE, &operands))
            })
            .collect();
        let name: Vec<u64> = name.bytes().map(u64::from).collect();
        self.lists.push(record(code::NAME, &name));
        self.lists.push(record(code::NAMED_NODE, &nodes));
    }

    fn finish(self) -> (Vec<Item<'static>>, Vec<Item<'static>>) {
        // Lengths in chunks of six bits, padded to 32 bits, then the characters.
        let mut blob = Vec::new();
        let mut writer = air_bitcode::bits::BitWriter::new(&mut blob);
        self.strings.iter().for_each(|string| writer.vbr(string.len() as u64, 6));
        writer.align();
        let (count, offset) = (self.strings.len() as u64, blob.len() as u64);
        self.strings.iter().for_each(|string| blob.extend_from_slice(string.as_bytes()));
        let rooms = [Scalar::Vbr(6), Scalar::Vbr(6)];
        let mut metadata: Vec<Item<'static>> =
            with_blob(&rooms, code::STRINGS, &[count, offset], blob).into();
        metadata.extend(self.nodes);
        metadata.extend(self.lists);
        (self.constants, metadata)
    }
}

fn record(code: u32, operands: &[u64]) -> Item<'static> {
    Item::Record(Record::new(code, operands.to_vec()))
}

/// A record with a blob, and the definition of its abbreviation, the block's first.
fn with_blob(rooms: &[Scalar], code: u32, operands: &[u64], blob: Vec<u8>) -> [Item<'static>; 2] {
    let made = Abbreviation::new(Scalar::Literal(code.into()), rooms.to_vec(), Tail::Blob);
    let definition = Definition::new(made.expect("an abbreviation"));
    let abbreviation = definition.get().expect("a known definition");
    let values = Values { operands: operands.to_vec(), blob: Some(Cow::Owned(blob)) };
    let record = Record::with_abbreviation(4, abbreviation, code, values);
    [Item::Define(definition), Item::Record(record.expect("a fitting record"))]
}
