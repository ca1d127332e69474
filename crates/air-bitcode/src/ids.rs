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
    /// Types.
    pub const TYPE: u32 = 17;
    /// Strings that the module block and the symbol table point into.
    pub const STRTAB: u32 = 23;
    /// The symbol table of linkers.
    pub const SYMTAB: u32 = 25;
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
    /// A global variable.
    pub const GLOBALVAR: u32 = 7;
    /// A function.
    pub const FUNCTION: u32 = 8;
    /// An alias, as old modules have it.
    pub const ALIAS_OLD: u32 = 9;
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
    /// The type of metadata.
    pub const METADATA: u32 = 16;
    /// Name of the structure that follows; makes none.
    pub const STRUCT_NAME: u32 = 19;
}

/// Record codes of the constants block.
pub mod constants {
    /// Type of the constants that follow; makes none.
    pub const SETTYPE: u32 = 1;
    /// Zero of its type.
    pub const NULL: u32 = 2;
    /// An integer of at most 64 bits, with its sign in the lowest bit.
    pub const INTEGER: u32 = 4;
}

/// Record codes of a function's body.
pub mod function {
    /// Number of basic blocks; the first record.
    pub const DECLAREBLOCKS: u32 = 1;
}

/// Record codes of the value symbol table.
pub mod vst {
    /// Value id, name.
    pub const ENTRY: u32 = 1;
    /// Value id, position of the body, name (none in modules of version 2).
    pub const FNENTRY: u32 = 3;
}

/// Record codes of the metadata block.
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
    /// A function's debug information.
    pub const SUBPROGRAM: u32 = 21;
    /// All strings at once.
    pub const STRINGS: u32 = 35;
    /// Attachments of a global value.
    pub const GLOBAL_DECL_ATTACHMENT: u32 = 36;
    /// Bits from behind this record to INDEX.
    pub const INDEX_OFFSET: u32 = 38;
    /// Positions of the nodes.
    pub const INDEX: u32 = 39;

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
