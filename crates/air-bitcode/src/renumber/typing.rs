//! Types of values: of globals, constants and arguments, and of what instructions make of them.
//!
//! Records say only the types that a reader could not know. The table holds the others, too, as
//! LLVM's writer puts the type of every value into it; this finds them there.

use crate::constants::signed;
use crate::error::Result;
use crate::ids::{constants, function as codes, module};
use crate::record::Record;
use crate::renumber::reference::{Kind, Slot};
use crate::renumber::types::{Shape, Type, Types};

/// Stands for what is not known.
const NONE: u32 = u32::MAX;
/// Bit of a variable's flags: its type is that of its value, and the other bits are the address
/// space.
const EXPLICIT: u64 = 1 << 1;
/// Bit of an allocation's alignment: its type is that of the memory.
const ALLOCATED: u64 = 1 << 6;
/// Bit of a call's second operand: the type of the function is given.
const CALL_TYPED: u64 = 1 << 15;
/// The same of an invoke.
const INVOKE_TYPED: u64 = 1 << 13;

/// What is known of a value.
#[derive(Clone, Copy, Debug)]
struct Known {
    of_type: u32,
    /// The number that a small constant is.
    integer: u32,
}

/// Types of values by their numbers.
#[derive(Debug)]
pub(crate) struct Typing<'t> {
    types: &'t Types,
    values: Vec<Known>,
}

/// An instruction that was read.
#[derive(Clone, Copy)]
pub(crate) struct Read<'o> {
    pub(crate) code: u32,
    pub(crate) operands: &'o [u64],
    pub(crate) slots: &'o [Slot],
    /// The number that the next value gets.
    pub(crate) next: u64,
}

impl<'t> Typing<'t> {
    pub(crate) fn new(types: &'t Types) -> Self {
        Self { types, values: Vec::new() }
    }

    /// How many values have been added.
    pub(crate) fn count(&self) -> usize {
        self.values.len()
    }

    /// Forgets all values but the first.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.values.truncate(count);
    }

    fn push(&mut self, of_type: Option<u64>) {
        let of_type = of_type.and_then(|number| u32::try_from(number).ok()).unwrap_or(NONE);
        self.values.push(Known { of_type, integer: NONE });
    }

    /// Adds a global; gives its type.
    pub(crate) fn global(&mut self, record: &Record<'_>, version: u64) -> Result<Option<u64>> {
        let (first, _) = record.first::<4>()?;
        Ok(self.global_read(record.code(), first, version))
    }

    /// The same of a global whose first operands were read.
    pub(crate) fn global_read(&mut self, code: u32, first: [u64; 4], version: u64) -> Option<u64> {
        let [number, flags] =
            if version >= 2 { [first[2], first[3]] } else { [first[0], first[1]] };
        let pointer = |space| self.types.find(Shape::Pointer(number, space));
        let of_type = match code {
            module::GLOBALVAR if flags & EXPLICIT != 0 => pointer(flags >> 2),
            module::ALIAS | module::IFUNC => pointer(flags),
            module::FUNCTION if matches!(self.types.get(number), Some(Type::Function(_))) => {
                pointer(0)
            }
            _ => Some(number),
        };
        self.push(of_type);
        of_type
    }

    /// Adds a constant of this type.
    pub(crate) fn constant(&mut self, record: &Record<'_>, of_type: u32) -> Result<()> {
        let first = match record.code() {
            constants::INTEGER => record.first::<1>()?.0[0],
            _ => 0,
        };
        self.constant_read(record.code(), first, of_type);
        Ok(())
    }

    /// The same of a constant whose first operand was read.
    pub(crate) fn constant_read(&mut self, code: u32, first: u64, of_type: u32) {
        let integer = match code {
            constants::NULL => Some(0),
            constants::INTEGER => u32::try_from(signed(first)).ok(),
            _ => None,
        };
        self.values.push(Known { of_type, integer: integer.unwrap_or(NONE) });
    }

    /// Adds the arguments of a function of this type.
    pub(crate) fn arguments(&mut self, of_type: u64) {
        let Some(signature) = self.types.signature(of_type) else { return };
        let known = |&of_type: &u32| Known { of_type, integer: NONE };
        self.values.extend(signature.parameters.iter().map(known));
    }

    /// Adds what an instruction gives; gives its type.
    pub(crate) fn instruction(&mut self, read: Read<'_>) -> Option<u64> {
        let of_type = self.result(read);
        self.push(of_type);
        of_type
    }

    fn of(&self, value: u64) -> Option<u64> {
        let known = self.values.get(crate::bits::size(value))?;
        (known.of_type != NONE).then_some(known.of_type.into())
    }

    fn result(&self, read: Read<'_>) -> Option<u64> {
        match read.code {
            codes::CAST | codes::VAARG => read.last_type(),
            codes::PHI => read.first_type(),
            codes::ALLOCA => self.allocation(read),
            codes::LOAD | codes::LOADATOMIC => self.load(read),
            codes::GEP | codes::GEP_OLD | codes::INBOUNDS_GEP_OLD => self.address(read),
            codes::EXTRACTVAL => self.extracted(read),
            codes::EXTRACTELT => self.element(self.operand(read, 0)?),
            codes::SHUFFLEVEC => {
                let element = self.element(self.operand(read, 0)?)?;
                let Type::Vector(count, _) = self.types.get(self.operand(read, 2)?)? else {
                    return None;
                };
                self.types.find(Shape::Vector(*count, element))
            }
            codes::CMP | codes::CMP2 => {
                let bit = self.types.find(Shape::Bit)?;
                match self.types.get(self.operand(read, 0)?)? {
                    Type::Vector(count, _) => self.types.find(Shape::Vector(*count, bit)),
                    _ => Some(bit),
                }
            }
            codes::CMPXCHG => self.exchanged(self.operand(read, 1)?),
            codes::CMPXCHG_OLD => {
                let value = self.accessed(read)?;
                // The oldest gives the value alone.
                if read.operands.len() < 8 { Some(value) } else { self.exchanged(value) }
            }
            codes::ATOMICRMW => self.operand(read, 1),
            codes::ATOMICRMW_OLD => self.accessed(read),
            codes::CALL => self.called(read, CALL_TYPED),
            codes::INVOKE => self.called(read, INVOKE_TYPED),
            // All others give what their first operand is.
            _ => self.operand(read, 0),
        }
    }

    /// The type of the operand that is the so-manieth value.
    fn operand(&self, read: Read<'_>, which: usize) -> Option<u64> {
        let values = read.slots.iter().enumerate().filter(|(_, slot)| slot.kind == Kind::Value);
        let (index, slot) = values.into_iter().nth(which)?;
        let value = slot.form.decode(*read.operands.get(slot.index)?, read.next)?;
        if value < read.next {
            return self.of(value);
        }
        let given = read
            .slots
            .get(index + 1)
            .filter(|given| given.kind == Kind::Type && given.index == slot.index + 1)?;
        read.operands.get(given.index).copied()
    }

    fn pointee(&self, pointer: u64) -> Option<u64> {
        match self.types.get(pointer)? {
            Type::Pointer(pointee, _) => *pointee,
            _ => None,
        }
    }

    fn element(&self, of_type: u64) -> Option<u64> {
        match self.types.get(of_type)? {
            Type::Vector(_, element) | Type::Array(element) => Some(*element),
            _ => None,
        }
    }

    /// What the memory holds that the first operand points to.
    fn accessed(&self, read: Read<'_>) -> Option<u64> {
        self.pointee(self.operand(read, 0)?)
    }

    fn exchanged(&self, value: u64) -> Option<u64> {
        self.types.find(Shape::Pair(value, self.types.find(Shape::Bit)?))
    }

    fn allocation(&self, read: Read<'_>) -> Option<u64> {
        let of_type = read.first_type()?;
        if read.operands.get(3)? & ALLOCATED == 0 {
            return Some(of_type);
        }
        let space = read.operands.get(4).copied().unwrap_or_default();
        self.types.find(Shape::Pointer(of_type, space))
    }

    /// What is loaded: its type follows the pointer, but not in old records.
    fn load(&self, read: Read<'_>) -> Option<u64> {
        let pointer = read.slots.first()?;
        let value = pointer.form.decode(*read.operands.get(pointer.index)?, read.next)?;
        let given = usize::from(value >= read.next);
        match read.slots.len() > 1 + given {
            true => read.last_type(),
            false => self.accessed(read),
        }
    }

    fn called(&self, read: Read<'_>, typed: u64) -> Option<u64> {
        let of_type = match read.operands.get(1)? & typed {
            0 => self.operand(read, 0)?,
            _ => read.first_type()?,
        };
        Some(self.types.signature(of_type)?.result)
    }

    fn extracted(&self, read: Read<'_>) -> Option<u64> {
        let behind = read.slots.last()?.index + 1;
        let mut of_type = self.operand(read, 0)?;
        for &index in read.operands.get(behind..)? {
            of_type = self.part(of_type, Some(index))?;
        }
        Some(of_type)
    }

    /// The part of a structure with this index, or any of an array.
    fn part(&self, of_type: u64, index: Option<u64>) -> Option<u64> {
        match self.types.get(of_type)? {
            Type::Struct(elements) => {
                elements.get(crate::bits::size(index?)).copied().map(u64::from)
            }
            _ => self.element(of_type),
        }
    }

    /// A pointer, or pointers, into what the first operand points to.
    fn address(&self, read: Read<'_>) -> Option<u64> {
        let base = self.operand(read, 0)?;
        let (mut count, mut pointer) = (None, base);
        if let Type::Vector(number, element) = self.types.get(base)? {
            (count, pointer) = (Some(*number), *element);
        }
        let Type::Pointer(pointee, space) = self.types.get(pointer)? else { return None };
        let source = if read.code == codes::GEP { read.first_type() } else { *pointee };
        let mut of_type = source?;
        let values = read.slots.iter().filter(|slot| slot.kind == Kind::Value);
        for (which, slot) in values.enumerate().skip(1) {
            let index = slot.form.decode(*read.operands.get(slot.index)?, read.next)?;
            let known = self.values.get(crate::bits::size(index));
            if let Some(Type::Vector(number, _)) =
                self.operand(read, which).and_then(|number| self.types.get(number))
            {
                count = Some(*number);
            }
            if which > 1 {
                let integer = known.filter(|known| known.integer != NONE);
                of_type = self.part(of_type, integer.map(|known| known.integer.into()))?;
            }
        }
        let address = match pointee {
            Some(_) => self.types.find(Shape::Pointer(of_type, *space))?,
            None => pointer,
        };
        count.map_or(Some(address), |count| self.types.find(Shape::Vector(count, address)))
    }
}

impl Read<'_> {
    fn types(&self) -> impl DoubleEndedIterator<Item = &Slot> {
        self.slots.iter().filter(|slot| slot.kind == Kind::Type)
    }

    fn first_type(&self) -> Option<u64> {
        self.operands.get(self.types().next()?.index).copied()
    }

    fn last_type(&self) -> Option<u64> {
        self.operands.get(self.types().next_back()?.index).copied()
    }
}
