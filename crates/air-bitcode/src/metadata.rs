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

/// Operands of a record that may name a string, as metadata id + 1, by the record's code.
///
/// The layouts changed over the years; where one version has a string and another does not,
/// the slot counts. For unknown records all slots count.
pub(crate) fn string_slots(code: u32, count: usize) -> impl Iterator<Item = usize> {
    let slots: Option<&[usize]> = match code {
        // Text, names, attachments, values, positions, subranges, subroutine types, lexical
        // blocks, expressions.
        1 | 2 | 4 | 6 | 7 | 10 | 11 | 13 | 19 | 22 | 23 | 29 | 36..=39 => Some(&[]),
        // Enumerator, basic type, derived type, label, string type.
        14 | 15 | 17 | 40 | 41 => Some(&[2]),
        // File: name, directory, checksum, source.
        16 => Some(&[1, 2, 4, 5]),
        // Composite type: name, identifier.
        18 => Some(&[2, 15]),
        // Compile unit: producer, flags, split name, root and kit of the system.
        20 => Some(&[3, 5, 7, 20, 21]),
        // Subprogram: name, linkage name, target.
        21 => Some(&[2, 3, 20]),
        // Namespace.
        24 => Some(&[2, 3]),
        // Template type.
        25 => Some(&[1]),
        // Template value: name; a template's name.
        26 => Some(&[2, 4, 5]),
        // Global and local variable: name, linkage name; older ones begin with a tag.
        27 | 28 => Some(&[2, 3]),
        // Objective-C property.
        30 => Some(&[1, 4, 5]),
        // Imported entity.
        31 => Some(&[5]),
        // Macro: name, value.
        33 => Some(&[3, 4]),
        // Common block.
        44 => Some(&[3]),
        _ => None,
    };
    (0..count).filter(move |slot| slots.is_none_or(|slots| slots.contains(slot)))
}
