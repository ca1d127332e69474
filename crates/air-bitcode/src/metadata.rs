//! Metadata.

/// Record codes of the metadata block.
pub mod code {
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
            NAME | KIND | NAMED_NODE | ATTACHMENT | STRINGS | GLOBAL_DECL_ATTACHMENT
                | INDEX_OFFSET | INDEX
        )
    }
}
