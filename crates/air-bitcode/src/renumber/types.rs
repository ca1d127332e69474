//! The type table, as far as numbering needs it: what a call gives, and what it is given.

use crate::block::{Block, Item};
use crate::error::Result;
use crate::ids::types as codes;
use crate::record::Record;
use crate::renumber::unknown;

/// The types of a module by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Types(Vec<Type>);

/// What is known of a type.
#[derive(Debug)]
pub(crate) enum Type {
    Void,
    Label,
    Metadata,
    Pointer(u64),
    Function(Signature),
    Other,
}

/// The type of a function.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) result: u64,
    /// Type numbers in the fewest bytes: a type may have any number of them.
    pub(crate) parameters: Vec<u32>,
}

impl Types {
    /// Reads a decoded type block into the table.
    pub(crate) fn add(&mut self, block: &Block<'_>) -> Result<()> {
        for item in block.items().unwrap_or_default() {
            if let Item::Record(record) = item {
                self.add_record(record)?;
            }
        }
        Ok(())
    }

    /// Reads a record of a type block into the table.
    pub(crate) fn add_record(&mut self, record: &Record<'_>) -> Result<()> {
        self.0.extend(read(record)?);
        Ok(())
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Type> {
        self.0.get(crate::bits::size(number))
    }

    pub(crate) fn is_metadata(&self, number: u64) -> bool {
        matches!(self.get(number), Some(Type::Metadata))
    }

    pub(crate) fn is_void(&self, number: u64) -> bool {
        matches!(self.get(number), Some(Type::Void))
    }

    /// The function type with this number, or the one that the pointer with this number is to.
    pub(crate) fn signature(&self, number: u64) -> Option<&Signature> {
        let of = |number| match self.get(number) {
            Some(Type::Function(signature)) => Some(signature),
            _ => None,
        };
        match self.get(number)? {
            Type::Pointer(pointee) => of(*pointee),
            _ => of(number),
        }
    }
}

/// The type that a record makes, if it makes one.
fn read(record: &Record<'_>) -> Result<Option<Type>> {
    Ok(Some(match record.code() {
        codes::NUMENTRY | codes::STRUCT_NAME => return Ok(None),
        codes::VOID => Type::Void,
        codes::LABEL => Type::Label,
        codes::METADATA => Type::Metadata,
        codes::POINTER => Type::Pointer(record.first::<1>()?.0[0]),
        // Whether it takes more arguments; older ones have an attribute, too.
        codes::FUNCTION => Type::Function(function(record, 1)?),
        codes::FUNCTION_OLD => Type::Function(function(record, 2)?),
        codes::FLOAT..=codes::LAST => Type::Other,
        _ => return Err(unknown(record, "TYPE")),
    }))
}

fn function(record: &Record<'_>, skipped: usize) -> Result<Signature> {
    let operands = record.values()?.operands;
    match operands.get(skipped..) {
        Some([result, parameters @ ..]) => {
            let number = |&parameter: &u64| u32::try_from(parameter).unwrap_or(u32::MAX);
            let parameters = parameters.iter().map(number).collect();
            Ok(Signature { result: *result, parameters })
        }
        _ => Err(record.error("type of a function without a result")),
    }
}
