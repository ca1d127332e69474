//! A module of version 1 with debug information, as the compilers of 2015 write modules: names in
//! value symbol tables, strings and nodes of metadata in records of their own.

use air_bitcode::ids::{block, constants, function, metadata as code, module, types, vst};
use air_bitcode::{Block, Envelope, Item, Record, Stream, Wrapper, WriteOptions};

use crate::bitcode::{KERNEL, record};

/// Name of the debug intrinsic that the module calls.
pub const INTRINSIC: &str = "llvm.dbg.value";

/// Number of the kind of attachments that are debug information.
const DBG: u64 = 0;
/// Number of another kind.
const OTHER: u64 = 1;

fn named(code: u32, lead: &[u64], name: &str) -> Item<'static> {
    let operands: Vec<u64> = lead.iter().copied().chain(name.bytes().map(u64::from)).collect();
    record(code, &operands)
}

fn inner(id: u32, items: Vec<Item<'static>>) -> Item<'static> {
    Item::Block(Block::new(id, 4, items))
}

/// Types: void, i32, metadata, the kernel's, the intrinsic's.
fn type_table() -> Item<'static> {
    let items = vec![
        record(types::NUMENTRY, &[5]),
        record(types::VOID, &[]),
        record(7, &[32]),
        record(types::METADATA, &[]),
        record(types::FUNCTION, &[0, 0, 1]),
        record(types::FUNCTION, &[0, 0, 2, 2, 2]),
    ];
    inner(block::TYPE, items)
}

/// Metadata: three strings, a value of the flag's two numbers each, the flag, a node that stays,
/// a location that goes.
fn metadata() -> Item<'static> {
    let items = vec![
        named(code::STRING_OLD, &[], "Debug Info Version"),
        named(code::STRING_OLD, &[], "kept"),
        named(code::STRING_OLD, &[], "/build/old.metal"),
        // i32 2, i32 3, of the constants 2 and 3.
        record(code::OLD_NODE, &[1, 2, 2, 0, 1, 3]),
        record(code::OLD_NODE, &[2, 1]),
        record(code::OLD_NODE, &[2, 2]),
        named(code::NAME, &[], "llvm.module.flags"),
        record(code::NAMED_NODE, &[3]),
        named(code::NAME, &[], "llvm.dbg.cu"),
        record(code::NAMED_NODE, &[5]),
        named(code::NAME, &[], "air.list"),
        record(code::NAMED_NODE, &[4]),
        named(code::KIND, &[DBG], "dbg"),
        named(code::KIND, &[OTHER], "other"),
    ];
    inner(block::METADATA, items)
}

/// The kernel: it adds its argument to a constant of its own, twice.
fn body(extra: Option<Record<'static>>) -> Item<'static> {
    // Values: two globals, two constants, the argument is 4, its constant 5, instructions 6, 7.
    let own = vec![record(constants::SETTYPE, &[1]), record(constants::INTEGER, &[14])];
    // Explicit type, value 0 counted back from 6, metadata 5 likewise, thrice.
    let call = [0, 1 << 15, 4, 6, 1, 1, 1];
    let mut items = vec![
        record(function::DECLAREBLOCKS, &[1]),
        inner(block::CONSTANTS, own),
        record(function::CALL, &call),
        record(function::DEBUG_LOC, &[1, 2, 6, 0]),
        record(function::BINOP, &[2, 1, 0]),
        record(function::DEBUG_LOC_AGAIN, &[]),
        record(function::BINOP, &[1, 2, 0]),
        record(function::RET, &[]),
    ];
    items.extend(extra.map(Item::Record));
    items.push(inner(
        block::VALUE_SYMTAB,
        vec![named(vst::ENTRY, &[4], "argument"), named(vst::ENTRY, &[7], "sum")],
    ));
    // The second addition is the third instruction, of which the call is the first.
    let attachments = vec![
        record(code::ATTACHMENT, &[1, DBG, 5]),
        record(code::ATTACHMENT, &[2, DBG, 5, OTHER, 4]),
    ];
    items.push(inner(block::METADATA_ATTACHMENT, attachments));
    inner(block::FUNCTION, items)
}

/// The module, with wrapper and padding, and with another record at the end of its body.
///
/// # Panics
/// If it cannot be written.
#[must_use]
pub fn old_debug_module(extra: Option<Record<'static>>) -> Vec<u8> {
    let constants =
        vec![record(constants::SETTYPE, &[1]), record(4, &[4]), record(constants::INTEGER, &[6])];
    let names = vec![named(vst::ENTRY, &[0], INTRINSIC), named(vst::ENTRY, &[1], KERNEL)];
    let items = vec![
        record(module::VERSION, &[1]),
        type_table(),
        // type, convention, prototype, linkage: the intrinsic comes first.
        record(module::FUNCTION, &[4, 0, 1, 0]),
        record(module::FUNCTION, &[3, 0, 0, 0]),
        inner(block::CONSTANTS, constants),
        metadata(),
        inner(block::VALUE_SYMTAB, names),
        body(extra),
    ];
    let stream = Stream { blocks: vec![Block::new(block::MODULE, 3, items)] };
    let wrapper = Wrapper { version: 0, offset: 20, size: 0, cpu_type: u32::MAX };
    let envelope = Envelope { wrapper: Some(wrapper), gap: &[], stream: &[0; 12], tail: &[] };
    let mut bytes = Vec::new();
    let write = |bytes: &mut Vec<u8>| stream.write(bytes, WriteOptions::default());
    envelope.write(&mut bytes, write).expect("a module that can be written");
    bytes
}
