//! Numbers of blocks and records that this crate looks at. All others are carried.

use std::borrow::Cow;

/// First bytes of bitcode.
pub const MAGIC: [u8; 4] = *b"BC\xc0\xde";

/// Block ids.
pub mod block {
    /// Abbreviations for other blocks.
    pub const BLOCKINFO: u32 = 0;
    /// A module.
    pub const MODULE: u32 = 8;
    /// Lists of attributes.
    pub const PARAMATTR: u32 = 9;
    /// Attributes.
    pub const PARAMATTR_GROUP: u32 = 10;
    /// Constants of a module or a function.
    pub const CONSTANTS: u32 = 11;
    /// A function's body.
    pub const FUNCTION: u32 = 12;
    /// The producer and the epoch.
    pub const IDENTIFICATION: u32 = 13;
    /// Names of values.
    pub const VALUE_SYMTAB: u32 = 14;
    /// Metadata of a module or a function.
    pub const METADATA: u32 = 15;
    /// Metadata of a function's instructions.
    pub const METADATA_ATTACHMENT: u32 = 16;
    /// Types.
    pub const TYPE: u32 = 17;
    /// Names of kinds of operand bundles.
    pub const OPERAND_BUNDLE_TAGS: u32 = 21;
    /// Names of kinds of attachments.
    pub const METADATA_KIND: u32 = 22;
    /// Strings that the module block and the symbol table point into.
    pub const STRTAB: u32 = 23;
    /// The symbol table of linkers.
    pub const SYMTAB: u32 = 25;
    /// Names of scopes of synchronization.
    pub const SYNC_SCOPE_NAMES: u32 = 26;
}

/// Record codes of the identification block.
pub mod identification {
    /// The producer.
    pub const STRING: u32 = 1;
    /// The epoch; 0.
    pub const EPOCH: u32 = 2;
}

/// Record codes of the block that holds abbreviations for others.
pub mod blockinfo {
    /// The id of the block that the following definitions are for.
    pub const SETBID: u32 = 1;
}

/// Record codes of the module block.
pub mod module {
    /// 1: names in the value symbol table; 2: names in STRTAB.
    pub const VERSION: u32 = 1;
    /// Target triple.
    pub const TRIPLE: u32 = 2;
    /// Data layout.
    pub const DATALAYOUT: u32 = 3;
    /// Assembly.
    pub const ASM: u32 = 4;
    /// Name of a section.
    pub const SECTIONNAME: u32 = 5;
    /// Name of a library that the module needs.
    pub const DEPLIB: u32 = 6;
    /// A global variable.
    pub const GLOBALVAR: u32 = 7;
    /// A function.
    pub const FUNCTION: u32 = 8;
    /// An alias, as old modules have it.
    pub const ALIAS_OLD: u32 = 9;
    /// Name of a garbage collector.
    pub const GCNAME: u32 = 11;
    /// A comdat.
    pub const COMDAT: u32 = 12;
    /// Position of the module's value symbol table.
    pub const VSTOFFSET: u32 = 13;
    /// An alias.
    pub const ALIAS: u32 = 14;
    /// The source file's name.
    pub const SOURCE_FILENAME: u32 = 16;
    /// A hash of the module.
    pub const HASH: u32 = 17;
    /// An indirect function.
    pub const IFUNC: u32 = 18;
}

/// Record codes of the type block.
pub mod types {
    /// How many types there are; makes none.
    pub const NUMENTRY: u32 = 1;
    /// The type of nothing.
    pub const VOID: u32 = 2;
    /// A number of 32 bits, the first of the types that say nothing of values.
    pub const FLOAT: u32 = 3;
    /// The type of basic blocks.
    pub const LABEL: u32 = 5;
    /// A structure that is not known; its name precedes it.
    pub const OPAQUE: u32 = 6;
    /// An integer: how many bits.
    pub const INTEGER: u32 = 7;
    /// A pointer: what to, address space.
    pub const POINTER: u32 = 8;
    /// A function as old modules have it: variadic, attributes, result, parameters.
    pub const FUNCTION_OLD: u32 = 9;
    /// An array: how many, of what.
    pub const ARRAY: u32 = 11;
    /// A vector: how many, of what.
    pub const VECTOR: u32 = 12;
    /// The type of metadata.
    pub const METADATA: u32 = 16;
    /// A structure without name: whether it is packed, elements.
    pub const STRUCT_ANON: u32 = 18;
    /// Name of the structure that follows; makes none.
    pub const STRUCT_NAME: u32 = 19;
    /// A structure whose name precedes it: whether it is packed, elements.
    pub const STRUCT_NAMED: u32 = 20;
    /// A function: variadic, result, parameters.
    pub const FUNCTION: u32 = 21;
    /// A pointer that does not say what to: address space.
    pub const OPAQUE_POINTER: u32 = 25;
    /// A type of the target, whose name precedes it: how many types, types, numbers.
    pub const TARGET: u32 = 26;
    /// The last code that is known.
    pub const LAST: u32 = 26;
}

/// Record codes of the blocks of attributes.
pub mod attributes {
    /// A list, as old modules have it: pairs of a place and bits.
    pub const LIST_OLD: u32 = 1;
    /// A list: the ids of groups.
    pub const LIST: u32 = 2;
    /// A group: id, place, attributes.
    pub const GROUP: u32 = 3;
}

/// Record codes of the constants block.
#[allow(missing_docs, reason = "the names are LLVM's")]
pub mod constants {
    /// Type of the constants that follow; makes none.
    pub const SETTYPE: u32 = 1;
    /// Zero of its type.
    pub const NULL: u32 = 2;
    pub const UNDEF: u32 = 3;
    /// An integer of at most 64 bits, with its sign in the lowest bit.
    pub const INTEGER: u32 = 4;
    pub const WIDE_INTEGER: u32 = 5;
    pub const FLOAT: u32 = 6;
    pub const AGGREGATE: u32 = 7;
    pub const STRING: u32 = 8;
    pub const CSTRING: u32 = 9;
    pub const CE_BINOP: u32 = 10;
    pub const CE_CAST: u32 = 11;
    pub const CE_GEP: u32 = 12;
    pub const CE_SELECT: u32 = 13;
    pub const CE_EXTRACTELT: u32 = 14;
    pub const CE_INSERTELT: u32 = 15;
    pub const CE_SHUFFLEVEC: u32 = 16;
    pub const CE_CMP: u32 = 17;
    pub const CE_SHUFVEC_EX: u32 = 19;
    pub const CE_INBOUNDS_GEP: u32 = 20;
    pub const BLOCKADDRESS: u32 = 21;
    pub const DATA: u32 = 22;
    pub const CE_GEP_WITH_INRANGE_INDEX: u32 = 24;
    pub const CE_UNOP: u32 = 25;
    pub const POISON: u32 = 26;
    pub const DSO_LOCAL_EQUIVALENT: u32 = 27;
    pub const NO_CFI: u32 = 29;
}

/// Record codes of a function's body.
#[allow(missing_docs, reason = "the names are LLVM's")]
pub mod function {
    /// Number of basic blocks; the first record.
    pub const DECLAREBLOCKS: u32 = 1;
    pub const BINOP: u32 = 2;
    pub const CAST: u32 = 3;
    pub const GEP_OLD: u32 = 4;
    pub const SELECT: u32 = 5;
    pub const EXTRACTELT: u32 = 6;
    pub const INSERTELT: u32 = 7;
    pub const SHUFFLEVEC: u32 = 8;
    pub const CMP: u32 = 9;
    pub const RET: u32 = 10;
    pub const BR: u32 = 11;
    pub const SWITCH: u32 = 12;
    pub const INVOKE: u32 = 13;
    pub const UNREACHABLE: u32 = 15;
    pub const PHI: u32 = 16;
    pub const ALLOCA: u32 = 19;
    pub const LOAD: u32 = 20;
    pub const VAARG: u32 = 23;
    pub const STORE_OLD: u32 = 24;
    pub const EXTRACTVAL: u32 = 26;
    pub const INSERTVAL: u32 = 27;
    pub const CMP2: u32 = 28;
    pub const VSELECT: u32 = 29;
    pub const INBOUNDS_GEP_OLD: u32 = 30;
    pub const INDIRECTBR: u32 = 31;
    /// The location of the instruction before that is also that of the last one.
    pub const DEBUG_LOC_AGAIN: u32 = 33;
    pub const CALL: u32 = 34;
    /// Location of the instruction before.
    pub const DEBUG_LOC: u32 = 35;
    pub const FENCE: u32 = 36;
    pub const CMPXCHG_OLD: u32 = 37;
    pub const ATOMICRMW_OLD: u32 = 38;
    pub const RESUME: u32 = 39;
    pub const LOADATOMIC: u32 = 41;
    pub const STOREATOMIC_OLD: u32 = 42;
    pub const GEP: u32 = 43;
    pub const STORE: u32 = 44;
    pub const STOREATOMIC: u32 = 45;
    pub const CMPXCHG: u32 = 46;
    /// Operands of the call that follows.
    pub const OPERAND_BUNDLE: u32 = 55;
    pub const UNOP: u32 = 56;
    pub const FREEZE: u32 = 58;
    pub const ATOMICRMW: u32 = 59;
}

/// Record codes of the value symbol table.
pub mod vst {
    /// Value id, name.
    pub const ENTRY: u32 = 1;
    /// Number of a basic block, name.
    pub const BBENTRY: u32 = 2;
    /// Value id, position of the body, name (none in modules of version 2).
    pub const FNENTRY: u32 = 3;
}

/// Record codes of the metadata block. Those without a word are debug information of the kind
/// that LLVM names so.
#[allow(missing_docs, reason = "the names are LLVM's")]
pub mod metadata {
    /// A string, as old modules have it.
    pub const STRING_OLD: u32 = 1;
    /// A value: type, value id.
    pub const VALUE: u32 = 2;
    /// A node: metadata ids + 1, 0 for none.
    pub const NODE: u32 = 3;
    /// Name of the named metadata that follows.
    pub const NAME: u32 = 4;
    /// As NODE, but never merged with an equal one.
    pub const DISTINCT_NODE: u32 = 5;
    /// Name of a kind of attachment.
    pub const KIND: u32 = 6;
    /// A node of old modules: pairs of type and value.
    pub const OLD_NODE: u32 = 8;
    /// A node of old modules that belongs to a function.
    pub const OLD_FN_NODE: u32 = 9;
    /// Nodes of the name that precedes.
    pub const NAMED_NODE: u32 = 10;
    /// Attachments of an instruction or a function.
    pub const ATTACHMENT: u32 = 11;
    /// All strings at once.
    pub const STRINGS: u32 = 35;
    /// Attachments of a global value.
    pub const GLOBAL_DECL_ATTACHMENT: u32 = 36;
    /// Bits from behind this record to INDEX.
    pub const INDEX_OFFSET: u32 = 38;
    /// Positions of the nodes.
    pub const INDEX: u32 = 39;
    /// Values that one variable is computed from.
    pub const ARG_LIST: u32 = 46;
    /// A place in the source.
    pub const LOCATION: u32 = 7;
    /// A function's debug information.
    pub const SUBPROGRAM: u32 = 21;

    pub const GENERIC_DEBUG: u32 = 12;
    pub const SUBRANGE: u32 = 13;
    pub const ENUMERATOR: u32 = 14;
    pub const BASIC_TYPE: u32 = 15;
    pub const FILE: u32 = 16;
    pub const DERIVED_TYPE: u32 = 17;
    pub const COMPOSITE_TYPE: u32 = 18;
    pub const SUBROUTINE_TYPE: u32 = 19;
    pub const COMPILE_UNIT: u32 = 20;
    pub const LEXICAL_BLOCK: u32 = 22;
    pub const LEXICAL_BLOCK_FILE: u32 = 23;
    pub const NAMESPACE: u32 = 24;
    pub const TEMPLATE_TYPE: u32 = 25;
    pub const TEMPLATE_VALUE: u32 = 26;
    pub const GLOBAL_VAR: u32 = 27;
    pub const LOCAL_VAR: u32 = 28;
    pub const EXPRESSION: u32 = 29;
    pub const OBJC_PROPERTY: u32 = 30;
    pub const IMPORTED_ENTITY: u32 = 31;
    pub const MODULE: u32 = 32;
    pub const MACRO: u32 = 33;
    pub const MACRO_FILE: u32 = 34;
    pub const GLOBAL_VAR_EXPR: u32 = 37;
    pub const LABEL: u32 = 40;
    pub const STRING_TYPE: u32 = 41;
    pub const COMMON_BLOCK: u32 = 44;
    pub const GENERIC_SUBRANGE: u32 = 45;
    pub const ASSIGN_ID: u32 = 47;

    /// Whether a record makes a node of debug information.
    pub(crate) fn is_debug(code: u32) -> bool {
        let never = OLD_NODE..GENERIC_DEBUG;
        let beside = STRINGS..=GLOBAL_DECL_ATTACHMENT;
        let index = INDEX_OFFSET..=INDEX;
        code >= LOCATION
            && !never.contains(&code)
            && !beside.contains(&code)
            && !index.contains(&code)
    }

    /// Whether a record holds ids and numbers alone.
    pub(crate) fn is_known(code: u32) -> bool {
        let never = [STRING_OLD, NAME, KIND, STRINGS, 42, 43, 45];
        code <= ASSIGN_ID && code != 0 && !never.contains(&code)
    }

    /// Whether a record makes one metadata id.
    pub(crate) fn makes_id(code: u32) -> bool {
        !matches!(
            code,
            NAME | KIND
                | NAMED_NODE
                | ATTACHMENT
                | STRINGS
                | GLOBAL_DECL_ATTACHMENT
                | INDEX_OFFSET
                | INDEX
        )
    }
}

/// Record code of the STRTAB and SYMTAB blocks.
pub const BLOB: u32 = 1;

/// Name of a block as LLVM's documents have it, without `_BLOCK`; its number if it has none.
#[must_use]
pub fn block_name(id: u32) -> Cow<'static, str> {
    Cow::Borrowed(match id {
        0 => "BLOCKINFO",
        8 => "MODULE",
        9 => "PARAMATTR",
        10 => "PARAMATTR_GROUP",
        11 => "CONSTANTS",
        12 => "FUNCTION",
        13 => "IDENTIFICATION",
        14 => "VALUE_SYMTAB",
        15 => "METADATA",
        16 => "METADATA_ATTACHMENT",
        17 => "TYPE",
        18 => "USELIST",
        21 => "OPERAND_BUNDLE_TAGS",
        22 => "METADATA_KIND",
        23 => "STRTAB",
        25 => "SYMTAB",
        26 => "SYNC_SCOPE_NAMES",
        other => return Cow::Owned(format!("block {other}")),
    })
}
