//! The metadata of a function.

use crate::block::{Block, Item};
use crate::blockinfo::BlockInfo;
use crate::error::Result;
use crate::ids::{block, function as codes};
use crate::items::Items;

/// The metadata block of a function, which stands before its first instruction.
pub(super) fn metadata<'a>(
    function: &Block<'a>,
    info: &mut BlockInfo<'a>,
) -> Result<Option<Block<'a>>> {
    let mut items = Items::new(function, info.get(function.id())?);
    while let Some(item) = items.next()? {
        match item {
            Item::Block(inner) if inner.id() == block::METADATA => return Ok(Some(inner)),
            Item::Block(inner) if inner.id() == block::CONSTANTS => {}
            Item::Record(record) if record.code() == codes::DECLAREBLOCKS => {}
            Item::Define(_) => {}
            _ => break,
        }
    }
    Ok(None)
}
