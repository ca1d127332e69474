//! Attributes: which operands of their records are groups or types.
//!
//! Functions, calls and variables name lists by their numbers + 1; a list names groups by ids
//! that these give themselves; a group may name types.

use crate::error::Result;
use crate::ids::attributes as codes;
use crate::ids::block;
use crate::record::Record;
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
    record: &Record<'_>,
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

/// The types among the attributes of a group, which follow its id and place.
fn types(record: &Record<'_>, operands: &[u64], to: &mut Vec<Slot>) -> Result<()> {
    let mut at = 2;
    while let Some(&kind) = operands.get(at) {
        at += match kind {
            ENUM | NO_TYPE => 2,
            INTEGER => 3,
            KEY => 1 + text(operands, at + 1),
            KEY_VALUE => {
                let key = text(operands, at + 1);
                1 + key + text(operands, at + 1 + key)
            }
            TYPE => {
                to.push(Slot::new(at + 2, Kind::Type, Form::Plain));
                3
            }
            _ => return Err(unknown(record, "PARAMATTR_GROUP")),
        };
    }
    if at > operands.len() {
        return Err(record.error("attribute that is cut"));
    }
    Ok(())
}

/// How many operands a text from here on takes, with the zero behind it.
fn text(operands: &[u64], from: usize) -> usize {
    let rest = operands.get(from..).unwrap_or_default();
    rest.iter().position(|&character| character == 0).unwrap_or(rest.len()) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

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
