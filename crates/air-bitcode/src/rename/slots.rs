//! Where records of debug information name strings.

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
