//! Reads the operands of an instruction one after the other.

use crate::error::Result;
use crate::renumber::Coded;
use crate::renumber::reference::{Form, Kind, Slot};

/// The operands that are left.
pub(crate) struct Operands<'o, C> {
    record: &'o C,
    operands: &'o [u64],
    at: usize,
    /// The number that the next value gets.
    next: u64,
    /// Whether values are counted back from there, as in all modules but the oldest.
    relative: bool,
    to: &'o mut Vec<Slot>,
}

impl<'o, C: Coded> Operands<'o, C> {
    pub(crate) fn new(
        record: &'o C,
        operands: &'o [u64],
        next: u64,
        relative: bool,
        to: &'o mut Vec<Slot>,
    ) -> Self {
        Self { record, operands, at: 0, next, relative, to }
    }

    /// How many are left.
    pub(crate) fn left(&self) -> usize {
        self.operands.len().saturating_sub(self.at)
    }

    /// The next operand, which is not taken.
    pub(crate) fn peek(&self) -> Option<u64> {
        self.operands.get(self.at).copied()
    }

    /// An operand that refers to nothing.
    pub(crate) fn number(&mut self) -> Result<u64> {
        let Some(&operand) = self.operands.get(self.at) else {
            let count = self.operands.len();
            let code = self.record.code();
            let what = format!("instruction with code {code} of {count} operands, expected more");
            return Err(self.record.refuse(what));
        };
        self.at += 1;
        Ok(operand)
    }

    /// So many that refer to nothing.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        (0..count).try_for_each(|_| self.number().map(drop))
    }

    fn slot(&mut self, kind: Kind, form: Form) -> Result<u64> {
        let index = self.at;
        let operand = self.number()?;
        let backward = matches!(form, Form::Relative | Form::Signed);
        let wide = form == Form::Relative && operand > u32::MAX.into();
        let id = form.decode(operand, self.next).filter(|_| !wide);
        if backward && id.is_none() {
            let what = format!("value {operand} in operand {index}, expected at most 32 bits");
            return Err(self.record.refuse(what));
        }
        self.to.push(Slot::new(index, kind, form));
        Ok(id.unwrap_or_default())
    }

    /// A type.
    pub(crate) fn of_type(&mut self) -> Result<u64> {
        self.slot(Kind::Type, Form::Plain)
    }

    /// A list of attributes by its number + 1.
    pub(crate) fn attributes(&mut self) -> Result<u64> {
        self.slot(Kind::Attributes, Form::PlusOne)
    }

    /// A value of a type that is known.
    pub(crate) fn value(&mut self) -> Result<u64> {
        self.slot(Kind::Value, if self.relative { Form::Relative } else { Form::Plain })
    }

    /// A value by its number, as in few places.
    pub(crate) fn absolute(&mut self) -> Result<u64> {
        self.slot(Kind::Value, Form::Plain)
    }

    /// A value that is written with a sign.
    pub(crate) fn signed(&mut self) -> Result<u64> {
        self.slot(Kind::Value, if self.relative { Form::Signed } else { Form::Plain })
    }

    /// Metadata as an argument, which is numbered as a value is.
    pub(crate) fn metadata(&mut self) -> Result<u64> {
        self.slot(Kind::Metadata, if self.relative { Form::Relative } else { Form::Plain })
    }

    /// Metadata by its number + 1.
    pub(crate) fn location(&mut self) -> Result<u64> {
        self.slot(Kind::Metadata, Form::PlusOne)
    }

    /// A value, and its type if it is not defined yet.
    pub(crate) fn pair(&mut self) -> Result<u64> {
        let value = self.value()?;
        if value >= self.next {
            self.of_type()?;
        }
        Ok(value)
    }

    /// Pairs up to the end.
    pub(crate) fn pairs(&mut self) -> Result<()> {
        while self.left() > 0 {
            self.pair()?;
        }
        Ok(())
    }

    /// An error about the record.
    pub(crate) fn error(&self, what: impl Into<String>) -> crate::Error {
        self.record.refuse(what)
    }
}
