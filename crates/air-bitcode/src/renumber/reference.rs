//! What an operand of a record refers to, and how the id is written.

use crate::constants::signed;

/// Which numbering an operand's id belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Globals, constants, arguments, instructions.
    Value,
    /// Strings, values as metadata, nodes.
    Metadata,
    /// The type table.
    Type,
    /// Lists of attributes.
    Attributes,
    /// Groups of attributes, which give their ids themselves.
    Group,
    /// Names of sections.
    Section,
}

/// How an operand holds an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The id.
    Plain,
    /// The id + 1; 0 for none.
    PlusOne,
    /// The number that the next instruction's value gets, minus the id, in 32 bits.
    Relative,
    /// The same as a signed number, with its sign in the lowest bit.
    Signed,
}

/// An operand that refers to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Which operand.
    pub(crate) index: usize,
    pub(crate) kind: Kind,
    pub(crate) form: Form,
}

impl Slot {
    pub(crate) const fn new(index: usize, kind: Kind, form: Form) -> Self {
        Self { index, kind, form }
    }
}

/// The low half of a number.
fn low(value: u64) -> u32 {
    crate::bits::low_word(value)
}

impl Form {
    /// The id that an operand stands for, where `next` is the next value's number. None for no
    /// reference, and for numbers that no writer makes.
    pub(crate) fn decode(self, operand: u64, next: u64) -> Option<u64> {
        match self {
            Self::Plain => Some(operand),
            Self::PlusOne => operand.checked_sub(1),
            Self::Relative => Some(low(next).wrapping_sub(low(operand)).into()),
            Self::Signed => {
                let back = i32::try_from(signed(operand)).ok()?;
                Some(low(next).wrapping_sub(back.cast_unsigned()).into())
            }
        }
    }

    /// The operand for an id.
    pub(crate) fn encode(self, id: u64, next: u64) -> u64 {
        match self {
            Self::Plain => id,
            Self::PlusOne => id + 1,
            Self::Relative => low(next).wrapping_sub(low(id)).into(),
            Self::Signed => {
                let back = i64::from(low(next).wrapping_sub(low(id)).cast_signed());
                back.unsigned_abs() << 1 | u64::from(back < 0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        for form in [Form::Plain, Form::PlusOne, Form::Relative, Form::Signed] {
            for (id, next) in [(0, 0), (3, 9), (9, 9), (12, 9), (0, u64::from(u32::MAX))] {
                assert_eq!(form.decode(form.encode(id, next), next), Some(id), "{form:?} {id}");
            }
        }
        assert_eq!(Form::PlusOne.decode(0, 5), None);
        assert_eq!(Form::Relative.encode(7, 5), 0xffff_fffe);
        assert_eq!(Form::Signed.encode(7, 5), 5);
        assert_eq!(Form::Signed.decode(1, 5), None);
    }
}
