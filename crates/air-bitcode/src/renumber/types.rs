//! The type table, as far as numbering needs it: what a call gives, what it is given, and which
//! types the others are made of.

use std::collections::HashMap;

use crate::block::{Block, Item};
use crate::error::Result;
use crate::ids::types as codes;
use crate::record::Record;
use crate::renumber::Coded;
use crate::renumber::reference::{Form, Kind, Slot};
use crate::renumber::unknown;

/// The types of a module by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Types {
    all: Vec<Type>,
    /// The first type of each shape that others are found by.
    found: HashMap<Shape, u64>,
}

/// What is known of a type.
#[derive(Debug)]
pub(crate) enum Type {
    Void,
    Label,
    Metadata,
    Integer(u64),
    /// What to (none if that is not said), and the address space.
    Pointer(Option<u64>, u64),
    Function(Signature),
    /// Of what.
    Array(u64),
    /// How many of what.
    Vector(u64, u64),
    Struct(Vec<u32>),
    Other,
}

/// The type of a function.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) result: u64,
    /// Type numbers in the fewest bytes: a type may have any number of them.
    pub(crate) parameters: Vec<u32>,
}

/// A type that instructions make of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Void,
    Label,
    Metadata,
    Bit,
    /// What to, and the address space.
    Pointer(u64, u64),
    /// How many of what.
    Vector(u64, u64),
    /// A structure without name of two.
    Pair(u64, u64),
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
        self.add_read(record, &record.values()?.operands)
    }

    /// Takes a record of a type block that was read into the table.
    pub(crate) fn add_read(&mut self, record: &impl Coded, operands: &[u64]) -> Result<()> {
        if let Some(found) = read(record, operands)? {
            let number = self.all.len() as u64;
            if let Some(shape) = found.shape(record.code()) {
                self.found.entry(shape).or_insert(number);
            }
            self.all.push(found);
        }
        Ok(())
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Type> {
        self.all.get(crate::bits::size(number))
    }

    /// The number of a type, if the table has it.
    pub(crate) fn find(&self, shape: Shape) -> Option<u64> {
        self.found.get(&shape).copied()
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
            Type::Pointer(pointee, _) => of((*pointee)?),
            _ => of(number),
        }
    }
}

impl Type {
    fn shape(&self, code: u32) -> Option<Shape> {
        Some(match self {
            Self::Void => Shape::Void,
            Self::Label => Shape::Label,
            Self::Metadata => Shape::Metadata,
            Self::Integer(1) => Shape::Bit,
            Self::Pointer(Some(pointee), space) => Shape::Pointer(*pointee, *space),
            Self::Vector(count, element) => Shape::Vector(*count, *element),
            Self::Struct(elements) if code == codes::STRUCT_ANON => match elements[..] {
                [first, second] => Shape::Pair(first.into(), second.into()),
                _ => return None,
            },
            _ => return None,
        })
    }
}

/// Whether a record of the type block makes a type.
pub(crate) fn makes_type(code: u32) -> bool {
    !matches!(code, codes::NUMENTRY | codes::STRUCT_NAME)
}

/// Whether a record makes a type whose name may precede it.
pub(crate) fn has_name(code: u32) -> bool {
    matches!(code, codes::STRUCT_NAMED | codes::OPAQUE | codes::TARGET)
}

/// Puts the operands of a record of the type block that are types into `to`.
pub(crate) fn slots(record: &impl Coded, operands: &[u64], to: &mut Vec<Slot>) -> Result<()> {
    let count = operands.len();
    let range = match record.code() {
        codes::POINTER => 0..1,
        // Whether it takes more arguments; older ones have an attribute, too.
        codes::FUNCTION => 1..count,
        codes::FUNCTION_OLD => 2..count,
        // Whether it is packed; how many.
        codes::STRUCT_ANON | codes::STRUCT_NAMED => 1..count,
        codes::ARRAY | codes::VECTOR => 1..2,
        // How many types; behind them are numbers.
        codes::TARGET => {
            let types = operands.first().copied().unwrap_or_default();
            1..crate::bits::size(types).saturating_add(1).min(count)
        }
        codes::NUMENTRY..=codes::OPAQUE_POINTER => 0..0,
        _ => return Err(unknown(record, "TYPE")),
    };
    to.extend(range.map(|index| Slot::new(index, Kind::Type, Form::Plain)));
    Ok(())
}

/// The type that a record makes, if it makes one.
fn read(record: &impl Coded, operands: &[u64]) -> Result<Option<Type>> {
    let operand = |index: usize| operands.get(index).copied().unwrap_or_default();
    Ok(Some(match record.code() {
        codes::NUMENTRY | codes::STRUCT_NAME => return Ok(None),
        codes::VOID => Type::Void,
        codes::LABEL => Type::Label,
        codes::METADATA => Type::Metadata,
        codes::INTEGER => Type::Integer(operand(0)),
        codes::POINTER => Type::Pointer(Some(operand(0)), operand(1)),
        codes::OPAQUE_POINTER => Type::Pointer(None, operand(0)),
        codes::ARRAY => Type::Array(operand(1)),
        codes::VECTOR => Type::Vector(operand(0), operand(1)),
        codes::STRUCT_ANON | codes::STRUCT_NAMED => {
            Type::Struct(numbers(operands.get(1..).unwrap_or_default()))
        }
        // Whether it takes more arguments; older ones have an attribute, too.
        codes::FUNCTION => Type::Function(function(record, operands, 1)?),
        codes::FUNCTION_OLD => Type::Function(function(record, operands, 2)?),
        codes::FLOAT..=codes::LAST => Type::Other,
        _ => return Err(unknown(record, "TYPE")),
    }))
}

fn function(record: &impl Coded, operands: &[u64], skipped: usize) -> Result<Signature> {
    match operands.get(skipped..) {
        Some([result, parameters @ ..]) => {
            Ok(Signature { result: *result, parameters: numbers(parameters) })
        }
        _ => Err(record.refuse("type of a function without a result")),
    }
}

fn numbers(operands: &[u64]) -> Vec<u32> {
    operands.iter().map(|&number| u32::try_from(number).unwrap_or(u32::MAX)).collect()
}
