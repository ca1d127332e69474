//! Integers among a module's constants, which metadata refers to by value number.

use std::collections::HashMap;

use crate::block::Block;
use crate::blockinfo::BlockInfo;
use crate::error::{Result, Within};
use crate::ids::{block, constants};
use crate::items::Items;
use crate::module::Module;

/// The module's integer constants by value number.
#[derive(Clone, Debug, Default)]
pub struct Integers(HashMap<u64, i64>);

impl Integers {
    /// The integer with this value number, if it is one.
    #[must_use]
    pub fn get(&self, value: u64) -> Option<i64> {
        self.0.get(&value).copied()
    }
}

impl Module<'_> {
    /// Reads the module's integer constants.
    ///
    /// # Errors
    /// If the block cannot be read.
    pub fn integers(&self) -> Result<Integers> {
        let mut integers = HashMap::new();
        let mut info = self.block_info();
        // Globals have the first numbers.
        let mut value = self.global_count();
        for found in self.blocks(block::CONSTANTS) {
            let mut items = Items::new(found, info.get(found.id())?);
            while let Some(record) = items.next_record().within(|| "MODULE > CONSTANTS")? {
                let integer = match record.code() {
                    constants::SETTYPE => continue,
                    constants::NULL => Some(0),
                    constants::INTEGER => Some(signed(record.first::<1>()?.0[0])),
                    _ => None,
                };
                if let Some(integer) = integer {
                    integers.insert(value, integer);
                }
                value += 1;
            }
        }
        Ok(Integers(integers))
    }
}

/// How many values a constants block makes.
pub(crate) fn count_constants<'a>(block: &Block<'a>, info: &mut BlockInfo<'a>) -> Result<u64> {
    let mut items = Items::new(block, info.get(block.id())?);
    let mut count = 0;
    while let Some(record) = items.next_record().within(|| "CONSTANTS")? {
        count += u64::from(record.code() != constants::SETTYPE);
    }
    Ok(count)
}

/// A number whose lowest bit is its sign; 1 alone stands for the smallest number.
pub(crate) fn signed(code: u64) -> i64 {
    let size = (code >> 1).cast_signed();
    match code {
        1 => i64::MIN,
        _ if code & 1 == 0 => size,
        _ => -size,
    }
}

#[cfg(test)]
mod tests {
    use super::signed;

    #[test]
    fn the_lowest_bit_is_the_sign() {
        assert_eq!([0, 2, 3, 1, u64::MAX].map(signed), [0, 1, -1, i64::MIN, -i64::MAX]);
    }
}
