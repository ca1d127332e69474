//! Instructions: which operands of their records are values, metadata or types, and which
//! instructions give a value.
//!
//! Values are counted back from the number that the instruction's own value gets (or would get).
//! One that is not defined yet is followed by its type where nothing else says that.

use crate::error::Result;
use crate::ids::function as codes;
use crate::renumber::Coded;
use crate::renumber::operands::Operands;
use crate::renumber::reference::Slot;
use crate::renumber::types::{Type, Types};
use crate::renumber::unknown;

/// What a record of a function's body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// An instruction that gives a value.
    Value,
    /// An instruction that gives none.
    Void,
    /// No instruction: a count, a location, operands of the call that follows.
    Beside,
}

/// What must be known of a module to read its instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'n> {
    pub(crate) types: &'n Types,
    /// Type numbers of the functions among the globals, by value.
    pub(crate) callees: &'n [Option<u64>],
    /// Whether values are counted back, as in all modules but those of version 0.
    pub(crate) relative: bool,
}

/// Bit of a call's second operand: the type of the function is given.
const CALL_TYPED: u64 = 1 << 15;
/// Bit of a call's second operand: flags of arithmetic are given.
const CALL_FLAGS: u64 = 1 << 17;
/// Bit of the second operand of an invoke: the type of the function is given.
const INVOKE_TYPED: u64 = 1 << 13;
/// High half of the first operand of a switch over ranges.
const SWITCH_RANGES: u64 = 0x4b5;

impl Reader<'_> {
    /// Puts the operands of a record that refer to something into `to`, where `next` is the
    /// number of the next value.
    pub(crate) fn slots(
        &self,
        record: &impl Coded,
        operands: &[u64],
        next: u64,
        to: &mut Vec<Slot>,
    ) -> Result<Effect> {
        let mut read = Operands::new(record, operands, next, self.relative, to);
        let code = record.code();
        if let Some(effect) = values(code, &mut read)? {
            return Ok(effect);
        }
        match code {
            codes::DECLAREBLOCKS | codes::DEBUG_LOC_AGAIN => return Ok(Effect::Beside),
            // line, column, scope, inlined at, implicit
            codes::DEBUG_LOC => {
                read.skip(2)?;
                read.location()?;
                read.location()?;
                return Ok(Effect::Beside);
            }
            codes::OPERAND_BUNDLE => {
                read.skip(1)?;
                read.pairs()?;
                return Ok(Effect::Beside);
            }
            codes::CALL => return self.call(&mut read),
            codes::INVOKE => return self.invoke(&mut read),
            codes::RET if operands.is_empty() => {}
            codes::RET | codes::RESUME => drop(read.pair()?),
            codes::BR if operands.len() > 1 => {
                read.skip(2)?;
                read.value()?;
            }
            codes::BR | codes::UNREACHABLE | codes::FENCE => {}
            codes::SWITCH => switch(&mut read)?,
            codes::INDIRECTBR => {
                read.of_type()?;
                read.value()?;
            }
            codes::STORE | codes::STOREATOMIC => {
                read.pair()?;
                read.pair()?;
            }
            codes::STORE_OLD | codes::STOREATOMIC_OLD => {
                read.pair()?;
                read.value()?;
            }
            _ => return Err(unknown(record, "FUNCTION")),
        }
        Ok(Effect::Void)
    }

    /// attributes, convention, flags (if it says so), type (if it says so), function, arguments
    fn call(&self, read: &mut Operands<'_, impl Coded>) -> Result<Effect> {
        read.attributes()?;
        let convention = read.number()?;
        if convention & CALL_FLAGS != 0 {
            read.skip(1)?;
        }
        self.callee(read, convention & CALL_TYPED != 0)
    }

    /// attributes, convention, two blocks, type (if it says so), function, arguments
    fn invoke(&self, read: &mut Operands<'_, impl Coded>) -> Result<Effect> {
        read.attributes()?;
        let convention = read.number()?;
        read.skip(2)?;
        self.callee(read, convention & INVOKE_TYPED != 0)
    }

    fn callee(&self, read: &mut Operands<'_, impl Coded>, typed: bool) -> Result<Effect> {
        let given = if typed { Some(read.of_type()?) } else { None };
        let callee = read.pair()?;
        let of_global = || self.callees.get(crate::bits::size(callee)).copied().flatten();
        let of_type = given.or_else(of_global);
        let Some(signature) = of_type.and_then(|number| self.types.signature(number)) else {
            return Err(read.error(format!("call of value {callee}, whose type is not known")));
        };
        for &parameter in &signature.parameters {
            match self.types.get(parameter.into()) {
                Some(Type::Metadata) => drop(read.metadata()?),
                Some(Type::Label) => read.skip(1)?,
                _ => drop(read.value()?),
            }
        }
        read.pairs()?;
        let is_void = self.types.is_void(signature.result);
        Ok(if is_void { Effect::Void } else { Effect::Value })
    }
}

/// Instructions that always give a value; none if it is another.
fn values(code: u32, read: &mut Operands<'_, impl Coded>) -> Result<Option<Effect>> {
    match code {
        // operand, operation, flags; operand, type, operation
        codes::UNOP | codes::FREEZE | codes::EXTRACTVAL => drop(read.pair()?),
        codes::CAST => {
            read.pair()?;
            read.of_type()?;
        }
        // Two of one type, and numbers.
        codes::BINOP | codes::CMP | codes::CMP2 | codes::ATOMICRMW_OLD => {
            read.pair()?;
            read.value()?;
        }
        codes::GEP_OLD | codes::INBOUNDS_GEP_OLD => read.pairs()?,
        codes::GEP => {
            read.skip(1)?;
            read.of_type()?;
            read.pairs()?;
        }
        codes::EXTRACTELT | codes::INSERTVAL | codes::ATOMICRMW => {
            read.pair()?;
            read.pair()?;
        }
        codes::INSERTELT | codes::SHUFFLEVEC | codes::VSELECT => {
            read.pair()?;
            read.value()?;
            read.pair()?;
        }
        codes::SELECT | codes::CMPXCHG_OLD => {
            read.pair()?;
            read.value()?;
            read.value()?;
        }
        codes::CMPXCHG => {
            read.pair()?;
            read.pair()?;
            read.value()?;
        }
        codes::PHI => phi(read)?,
        // type, type of the size, size by its number, alignment
        codes::ALLOCA => {
            read.of_type()?;
            read.of_type()?;
            read.absolute()?;
        }
        codes::LOAD => load(read, 2)?,
        codes::LOADATOMIC => load(read, 4)?,
        // type of the list, list, type
        codes::VAARG => {
            read.of_type()?;
            read.value()?;
            read.of_type()?;
        }
        _ => return Ok(None),
    }
    Ok(Some(Effect::Value))
}

/// pointer, type (not in old ones), numbers
fn load(read: &mut Operands<'_, impl Coded>, numbers: usize) -> Result<()> {
    read.pair()?;
    if read.left() > numbers {
        read.of_type()?;
    }
    Ok(())
}

/// type, pairs of value and block, flags
fn phi(read: &mut Operands<'_, impl Coded>) -> Result<()> {
    read.of_type()?;
    while read.left() > 1 {
        read.signed()?;
        read.skip(1)?;
    }
    Ok(())
}

/// type, value, default block, pairs of constant and block; with ranges, constants are numbers
/// in place
fn switch(read: &mut Operands<'_, impl Coded>) -> Result<()> {
    let of_type = read.peek().unwrap_or_default();
    if of_type >> 16 == SWITCH_RANGES {
        read.skip(1)?;
        read.of_type()?;
        read.value()?;
        return Ok(());
    }
    read.of_type()?;
    read.value()?;
    read.skip(1)?;
    while read.left() > 1 {
        read.absolute()?;
        read.skip(1)?;
    }
    Ok(())
}
