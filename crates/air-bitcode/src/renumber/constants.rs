//! Constants: which operands of their records are values or types.

use crate::error::Result;
use crate::ids::constants as codes;
use crate::renumber::Coded;
use crate::renumber::reference::{Form, Kind, Slot};
use crate::renumber::unknown;

/// Puts the operands that refer to something into `to`.
pub(crate) fn slots(record: &impl Coded, operands: &[u64], to: &mut Vec<Slot>) -> Result<()> {
    let count = operands.len();
    let mut value = |index| to.push(Slot::new(index, Kind::Value, Form::Plain));
    match record.code() {
        codes::NULL
        | codes::UNDEF
        | codes::INTEGER
        | codes::WIDE_INTEGER
        | codes::FLOAT
        | codes::STRING
        | codes::CSTRING
        | codes::DATA
        | codes::POISON => {}
        codes::SETTYPE => of_type(to, 0),
        codes::AGGREGATE => (0..count).for_each(value),
        // opcode, operand
        codes::CE_UNOP => value(1),
        // opcode, two operands, flags
        codes::CE_BINOP => [1, 2].into_iter().for_each(value),
        codes::CE_SELECT | codes::CE_SHUFFLEVEC => (0..3).for_each(value),
        // opcode, type, operand
        codes::CE_CAST => {
            value(2);
            of_type(to, 1);
        }
        codes::CE_GEP | codes::CE_INBOUNDS_GEP => pairs(operands, count % 2, to),
        // type of the element, flags
        codes::CE_GEP_WITH_INRANGE_INDEX => pairs(operands, 2, to),
        // type, two operands, predicate; vector type, three vectors
        codes::CE_CMP => typed(&[1, 2], to),
        codes::CE_SHUFVEC_EX => typed(&[1, 2, 3], to),
        // Type and value of the index, or the value alone.
        codes::CE_EXTRACTELT if count == 4 => {
            typed(&[1, 3], to);
            of_type(to, 2);
        }
        codes::CE_EXTRACTELT => typed(&[1, 2], to),
        codes::CE_INSERTELT if count == 4 => {
            [0, 1, 3].into_iter().for_each(value);
            of_type(to, 2);
        }
        codes::CE_INSERTELT => (0..3).for_each(value),
        // type, function, basic block; type, value
        codes::BLOCKADDRESS | codes::DSO_LOCAL_EQUIVALENT | codes::NO_CFI => typed(&[1], to),
        _ => return Err(unknown(record, "CONSTANTS")),
    }
    Ok(())
}

fn of_type(to: &mut Vec<Slot>, index: usize) {
    to.push(Slot::new(index, Kind::Type, Form::Plain));
}

/// A type in front, and values.
fn typed(values: &[usize], to: &mut Vec<Slot>) {
    of_type(to, 0);
    to.extend(values.iter().map(|&index| Slot::new(index, Kind::Value, Form::Plain)));
}

/// Pairs of type and value behind what is in front; if something is, a type comes first.
fn pairs(operands: &[u64], front: usize, to: &mut Vec<Slot>) {
    if front > 0 {
        of_type(to, 0);
    }
    for index in (front..operands.len()).step_by(2) {
        of_type(to, index);
        to.push(Slot::new(index + 1, Kind::Value, Form::Plain));
    }
}
