//! Attributes: which operands of their records are groups or types.
//!
//! Functions, calls and variables name lists by their numbers + 1; a list names groups by ids
//! that these give themselves; a group may name types.

use std::ops::Range;

use crate::error::Result;
use crate::ids::attributes as codes;
use crate::ids::block;
use crate::renumber::Coded;
use crate::renumber::reference::{Form, Kind, Slot};
use crate::renumber::unknown;

/// Kinds of attributes: a number, a number with a value, texts, a type.
const ENUM: u64 = 0;
const INTEGER: u64 = 1;
const KEY: u64 = 3;
const KEY_VALUE: u64 = 4;
const NO_TYPE: u64 = 5;
const TYPE: u64 = 6;

/// Puts the operands of a record of this block that refer to something into `to`.
pub(crate) fn slots(
    record: &impl Coded,
    operands: &[u64],
    of_block: u32,
    to: &mut Vec<Slot>,
) -> Result<()> {
    let group = |index| Slot::new(index, Kind::Group, Form::Plain);
    match (of_block, record.code()) {
        (block::PARAMATTR, codes::LIST_OLD) => {}
        (block::PARAMATTR, codes::LIST) => to.extend((0..operands.len()).map(group)),
        (block::PARAMATTR_GROUP, codes::GROUP) => {
            to.push(group(0));
            types(record, operands, to)?;
        }
        (block::PARAMATTR, _) => return Err(unknown(record, "PARAMATTR")),
        _ => return Err(unknown(record, "PARAMATTR_GROUP")),
    }
    Ok(())
}

/// The types among the attributes of a group.
fn types(record: &impl Coded, operands: &[u64], to: &mut Vec<Slot>) -> Result<()> {
    let end = walk(operands, |attribute| {
        if let Attribute::Type(at) = attribute {
            to.push(Slot::new(at, Kind::Type, Form::Plain));
        }
    });
    match end {
        Ok(end) if end > operands.len() => Err(record.refuse("attribute that is cut")),
        Ok(_) => Ok(()),
        Err(_) => Err(unknown(record, "PARAMATTR_GROUP")),
    }
}

/// Gives the keys and values of a group's attributes as characters; behind an attribute of an
/// unknown kind, what may be text.
pub(crate) fn attribute_texts(operands: &[u64], mut each: impl FnMut(&[u64])) {
    let end = walk(operands, |attribute| {
        if let Attribute::Text(text) = attribute {
            each(operands.get(text).unwrap_or_default());
        }
    });
    if let Err(unknown) = end {
        let rest = operands.get(unknown..).unwrap_or_default();
        rest.split(|&character| !(0x20..=0xff).contains(&character)).for_each(each);
    }
}

/// What an attribute has in its operands.
enum Attribute {
    /// A type, by its place.
    Type(usize),
    /// A key or a value.
    Text(Range<usize>),
}

/// Gives what the attributes of a group hold, which follow its id and place. The result is where
/// the last one ends, which may be behind the operands; or where one begins whose kind is not
/// known.
fn walk(operands: &[u64], mut each: impl FnMut(Attribute)) -> std::result::Result<usize, usize> {
    let mut at = 2;
    while let Some(&kind) = operands.get(at) {
        let mut text = |from: usize| {
            let behind = from + text(operands, from);
            each(Attribute::Text(from..(behind - 1).min(operands.len())));
            behind
        };
        at = match kind {
            ENUM | NO_TYPE => at + 2,
            INTEGER => at + 3,
            KEY => text(at + 1),
            KEY_VALUE => {
                let value = text(at + 1);
                text(value)
            }
            TYPE => {
                each(Attribute::Type(at + 2));
                at + 3
            }
            _ => return Err(at),
        };
    }
    Ok(at)
}

/// How many operands a text from here on takes, with the zero behind it.
fn text(operands: &[u64], from: usize) -> usize {
    let rest = operands.get(from..).unwrap_or_default();
    rest.iter().position(|&character| character == 0).unwrap_or(rest.len()) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    /// Operands of a group that refer to something.
    fn of_group(operands: &[u64]) -> Result<Vec<(usize, Kind)>> {
        let mut to = Vec::new();
        let record = Record::new(codes::GROUP, operands.to_vec());
        slots(&record, operands, block::PARAMATTR_GROUP, &mut to)?;
        Ok(to.iter().map(|slot| (slot.index, slot.kind)).collect())
    }

    #[test]
    fn types_are_found_behind_other_attributes() {
        let group = [7, 1, 0, 18, 1, 1, 8, 3, 97, 0, 4, 97, 98, 0, 99, 0, 5, 69, 6, 70, 12];
        assert_eq!(of_group(&group).unwrap(), [(0, Kind::Group), (20, Kind::Type)]);
    }

    #[test]
    fn keys_and_values_are_found() {
        let texts = |operands: &[u64]| {
            let mut all = Vec::new();
            attribute_texts(operands, |text| {
                all.push(
                    text.iter().map(|&c| u8::try_from(c).unwrap() as char).collect::<String>(),
                );
            });
            all
        };
        let group = [7, 1, 0, 18, 1, 1, 8, 3, 97, 0, 4, 97, 98, 0, 99, 0, 6, 70, 12];
        assert_eq!(texts(&group), ["a", "ab", "c"]);
        assert_eq!(texts(&[7, 1, 4, 97, 0, 98]), ["a", "b"]);
        // An attribute of a kind to come.
        let all = texts(&[7, 1, 3, 97, 0, 7, 300, 98, 99, 0]);
        assert_eq!(
            all.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>(),
            ["a", "bc"]
        );
    }

    #[test]
    fn what_is_not_known_or_cut_is_refused() {
        let refused = |operands: &[u64]| of_group(operands).unwrap_err().to_string();
        assert_eq!(
            refused(&[7, 1, 7, 95, 1]),
            "record of PARAMATTR_GROUP with code 3 and 5 operands is not known: the ids in it cannot \
             be renumbered"
        );
        assert_eq!(refused(&[7, 1, 6, 70]), "attribute that is cut");
        assert_eq!(refused(&[7, 1, 4, 97, 0, 98]), "attribute that is cut");
    }
}
