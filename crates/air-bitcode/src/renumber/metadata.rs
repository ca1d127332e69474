//! Metadata: which operands of its records are metadata, values or types.
//!
//! The layouts of debug information, as LLVM 3.7 to 17 and Apple's compilers have them. A record
//! that is longer than any of these is refused, as one with an unknown code is: what its last
//! operands are is not known.

use crate::error::Result;
use crate::ids::metadata as codes;
use crate::renumber::Coded;
use crate::renumber::reference::{Form, Kind, Slot};
use crate::renumber::types::Types;
use crate::renumber::unknown;

/// Puts the operands that refer to something into `to`.
pub(crate) fn slots(
    record: &impl Coded,
    operands: &[u64],
    types: &Types,
    to: &mut Vec<Slot>,
) -> Result<()> {
    let count = operands.len();
    let plain = |index| Slot::new(index, Kind::Metadata, Form::Plain);
    let plus_one = |index| Slot::new(index, Kind::Metadata, Form::PlusOne);
    match record.code() {
        codes::STRING_OLD
        | codes::NAME
        | codes::KIND
        | codes::STRINGS
        | codes::INDEX_OFFSET
        | codes::INDEX
        | codes::EXPRESSION
        | codes::ASSIGN_ID => {}
        codes::VALUE => {
            to.push(Slot::new(0, Kind::Type, Form::Plain));
            to.push(Slot::new(1, Kind::Value, Form::Plain));
        }
        codes::NODE | codes::DISTINCT_NODE => to.extend((0..count).map(plus_one)),
        codes::NAMED_NODE | codes::ARG_LIST => to.extend((0..count).map(plain)),
        // distinct, line, column, scope, inlined at, implicit
        codes::LOCATION => to.extend([plain(3), plus_one(4)]),
        // distinct, tag, version, header, operands
        codes::GENERIC_DEBUG => to.extend((3..count).map(plus_one)),
        codes::OLD_NODE | codes::OLD_FN_NODE => old_node(operands, types, to),
        codes::GLOBAL_DECL_ATTACHMENT => {
            to.push(Slot::new(0, Kind::Value, Form::Plain));
            to.extend((2..count).step_by(2).map(plain));
        }
        _ => {
            let Some(layout) = debug_layout(record.code(), operands) else {
                return Err(unknown(record, "METADATA"));
            };
            to.extend(layout.iter().filter(|&&index| index < count).map(|&index| plus_one(index)));
        }
    }
    Ok(())
}

/// Operands of a record that may be a string's id + 1. Of a record that is not known all may.
pub(crate) fn text_slots(code: u32, operands: &[u64]) -> impl Iterator<Item = usize> + use<> {
    let never = matches!(
        code,
        codes::STRING_OLD
            | codes::VALUE
            | codes::NAME
            | codes::KIND
            | codes::LOCATION
            | codes::NAMED_NODE
            | codes::ATTACHMENT
            | codes::EXPRESSION
            | codes::STRINGS
            | codes::GLOBAL_DECL_ATTACHMENT
            | codes::INDEX_OFFSET
            | codes::INDEX
            | codes::ARG_LIST
            | codes::ASSIGN_ID
    );
    let slots = if never { Some(&[][..]) } else { debug_layout(code, operands) };
    (0..operands.len()).filter(move |slot| slots.is_none_or(|slots| slots.contains(slot)))
}

/// Pairs of a type and what that says: metadata, nothing, or a value.
fn old_node(operands: &[u64], types: &Types, to: &mut Vec<Slot>) {
    for (pair, index) in operands.chunks_exact(2).zip((0..).step_by(2)) {
        to.push(Slot::new(index, Kind::Type, Form::Plain));
        let kind = match pair {
            [of_type, _] if types.is_metadata(*of_type) => Kind::Metadata,
            [of_type, _] if types.is_void(*of_type) => continue,
            _ => Kind::Value,
        };
        to.push(Slot::new(index + 1, kind, Form::Plain));
    }
}

/// Operands of a record of debug information that are metadata ids + 1; none if the record is
/// not known. Layouts that became longer have the operands of the longest. Here are types and
/// units.
fn debug_layout(code: u32, operands: &[u64]) -> Option<&'static [usize]> {
    let count = operands.len();
    let flags = operands.first().copied().unwrap_or_default();
    let (counts, slots): (_, &'static [usize]) = match code {
        // flags, count, lower bound; flags say which of them are metadata.
        codes::SUBRANGE => match flags >> 1 {
            0 => (3..=3, &[]),
            1 => (3..=3, &[1]),
            2 => (5..=5, &[1, 2, 3, 4]),
            _ => return None,
        },
        codes::GENERIC_SUBRANGE => (5..=5, &[1, 2, 3, 4]),
        // flags, value or width, name, words of a wide value
        codes::ENUMERATOR => (3..=usize::MAX, &[2]),
        // tag, name, size, alignment, encoding, flags
        codes::BASIC_TYPE => (6..=8, &[2]),
        // name, directory, kind of checksum, checksum, source
        codes::FILE => (3..=6, &[1, 2, 4, 5]),
        // tag, name, file, line, scope, base, size, alignment, offset, flags, extra data,
        // address space, annotations, pointer authentication
        codes::DERIVED_TYPE => (12..=16, &[2, 3, 5, 6, 11, 13]),
        // tag, name, file, line, scope, base, size, alignment, offset, flags, elements, language,
        // holder, parameters, identifier, discriminator, location, associated, allocated, rank,
        // annotations
        codes::COMPOSITE_TYPE => (16..=23, &[2, 3, 5, 6, 11, 13, 14, 15, 16, 17, 18, 19, 20, 21]),
        // flags, types, calling convention
        codes::SUBROUTINE_TYPE => (3..=4, &[2]),
        // language, file, producer, optimized, flags, version, split name, kind, enumerations,
        // types, subprograms, globals, imports, id, macros, …, system root, kit
        codes::COMPILE_UNIT => (14..=22, &[2, 3, 5, 7, 9, 10, 11, 12, 13, 15, 20, 21]),
        codes::SUBPROGRAM => return subprogram(flags, count),
        _ => return scope_layout(code, flags, count),
    };
    counts.contains(&count).then_some(slots)
}

/// The same: scopes, variables, and what stands in them.
fn scope_layout(code: u32, flags: u64, count: usize) -> Option<&'static [usize]> {
    let (counts, slots): (_, &'static [usize]) = match code {
        // scope, file, line, column
        codes::LEXICAL_BLOCK => (5..=5, &[1, 2]),
        codes::LEXICAL_BLOCK_FILE => (4..=4, &[1, 2]),
        // scope, name; older: scope, file, name, line
        codes::NAMESPACE if count == 5 => (5..=5, &[1, 2, 3]),
        codes::NAMESPACE => (3..=3, &[1, 2]),
        // name, type, whether it is the default
        codes::TEMPLATE_TYPE => (3..=4, &[1, 2]),
        // tag, name, type, whether it is the default (newer), value
        codes::TEMPLATE_VALUE if count == 6 => (6..=6, &[2, 3, 5]),
        codes::TEMPLATE_VALUE => (5..=5, &[2, 3, 4]),
        // scope, name, linkage name, file, line, type, local, definition, declaration (once an
        // expression), parameters (once the declaration), alignment, annotations
        codes::GLOBAL_VAR => match flags >> 1 {
            0..=2 => (11..=13, &[1, 2, 3, 4, 6, 9, 10, 12]),
            _ => return None,
        },
        codes::LOCAL_VAR => return local_variable(flags, count),
        // name, file, line, getter, setter, attributes, type
        codes::OBJC_PROPERTY => (8..=8, &[1, 2, 4, 5, 7]),
        // tag, scope, entity, line, name, file, elements
        codes::IMPORTED_ENTITY => (6..=8, &[2, 3, 5, 6, 7]),
        // scope, name, macros, path, notes; newer: file in front, line and declaration behind
        codes::MODULE if count >= 8 => (8..=9, &[1, 2, 3, 4, 5, 6]),
        codes::MODULE => (6..=6, &[1, 2, 3, 4, 5]),
        // kind, line, name, value; kind, line, file, elements
        codes::MACRO | codes::MACRO_FILE => (5..=5, &[3, 4]),
        // variable, expression
        codes::GLOBAL_VAR_EXPR => (3..=3, &[1, 2]),
        // scope, name, file, line
        codes::LABEL => (5..=5, &[1, 2, 3]),
        // tag, name, length, length's expression, location's expression (newer), size, …
        codes::STRING_TYPE if count == 8 => (8..=8, &[2, 3, 4]),
        codes::STRING_TYPE => (9..=9, &[2, 3, 4, 5]),
        // scope, declaration, name, file, line
        codes::COMMON_BLOCK => (6..=6, &[1, 2, 3, 4]),
        _ => return None,
    };
    counts.contains(&count).then_some(slots)
}

/// Scope, name, linkage name, file, line, type, then what its flags say.
fn subprogram(flags: u64, count: usize) -> Option<&'static [usize]> {
    let (repacked, has_unit) = (flags & 4 != 0, flags & 2 != 0);
    let slots: &'static [usize] = match (repacked, count) {
        // line of the scope, containing type, flags, virtual index, flags, unit, parameters,
        // declaration, retained nodes, adjustment, thrown types, annotations, target
        (true, 18..=21) if has_unit => &[1, 2, 3, 4, 6, 8, 12, 13, 14, 15, 17, 18, 19],
        // local, definition, line of the scope, containing type, virtuality, virtual index,
        // flags, optimized, unit or function, parameters, declaration, variables, adjustment,
        // thrown types
        (false, 19..=21) => &[1, 2, 3, 4, 6, 10, 15, 16, 17, 18, 20],
        // The same without function.
        (false, 18) if !has_unit => &[1, 2, 3, 4, 6, 10, 15, 16, 17],
        _ => return None,
    };
    Some(slots)
}

/// Scope, name, file, line, type, argument, flags, alignment, annotations; older ones begin with
/// a tag, which only their length tells, and end with a place of inlining.
fn local_variable(flags: u64, count: usize) -> Option<&'static [usize]> {
    match (flags & 2 != 0, count) {
        (true, 9..=10) => Some(&[1, 2, 3, 5, 9]),
        (false, 8) => Some(&[1, 2, 3, 5]),
        (false, 9) => Some(&[2, 3, 4, 6]),
        (false, 10) => Some(&[2, 3, 4, 6, 9]),
        _ => None,
    }
}
