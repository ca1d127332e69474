//! The metadata of a function.

use crate::abbrev::Definition;
use crate::bits::{BitReader, low_word};
use crate::block::{Block, DEFINE, END_BLOCK, ENTER_BLOCK, Item};
use crate::blockinfo::BlockInfo;
use crate::error::Result;
use crate::ids::{block, function as codes};
use crate::items::Items;
use crate::record::UNABBREVIATED;

/// The metadata block of a function, which stands before its first instruction.
pub(crate) fn metadata<'a>(
    function: &Block<'a>,
    info: &mut BlockInfo<'a>,
) -> Result<Option<Block<'a>>> {
    let Some(body) = function.stored() else { return Ok(None) };
    match find(body, function.width())? {
        Found::Nothing => Ok(None),
        Found::Unsure => by_items(function, info),
        Found::At(start) => {
            let mut reader = body.at(start);
            reader.skip(function.width().into(), "abbreviation id")?;
            Block::read(&mut reader, start).map(Some)
        }
    }
}

/// What the head of a function holds.
pub(super) enum Found {
    /// Metadata, announced at this bit of the body.
    At(u64),
    Nothing,
    /// Abbreviations are used in a way that LLVM does not use them.
    Unsure,
}

/// Definitions at the head of a function that are passed over; LLVM writes none.
const DEFINITIONS: u32 = 8;

/// Looks for the metadata block in a function's body.
///
/// It is asked of every function, and few have one: the bits are looked at without reading
/// abbreviations, which LLVM uses for instructions alone.
pub(super) fn find(mut reader: BitReader<'_>, width: u32) -> Result<Found> {
    let (mut declared, mut definitions) = (false, 0);
    loop {
        let start = reader.position();
        match low_word(reader.fixed(width, "abbreviation id")?) {
            END_BLOCK => return Ok(Found::Nothing),
            ENTER_BLOCK => match Block::read(&mut reader, start)?.id() {
                block::METADATA => return Ok(Found::At(start)),
                block::CONSTANTS => {}
                _ => return Ok(Found::Nothing),
            },
            DEFINE if definitions < DEFINITIONS => {
                Definition::scan(&mut reader)?;
                definitions += 1;
            }
            DEFINE => return Ok(Found::Unsure),
            UNABBREVIATED => {
                if reader.vbr(6, "record code")? != codes::DECLAREBLOCKS.into() {
                    return Ok(Found::Nothing);
                }
                let count = reader.vbr(6, "number of operands")?;
                reader.skip_vbr6(count, "operands")?;
                declared = true;
            }
            _ if declared => return Ok(Found::Nothing),
            // Its first record, as LLVM does not write it.
            _ => return Ok(Found::Unsure),
        }
    }
}

/// As [`metadata`], whatever abbreviations are used.
fn by_items<'a>(function: &Block<'a>, info: &mut BlockInfo<'a>) -> Result<Option<Block<'a>>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::abbrev::{Abbreviation, FIRST_ID, Scalar, Tail, Values};
    use crate::record::Record;
    use crate::stream::Stream;
    use crate::write::WriteOptions;

    fn record(code: u32, abbreviated: bool) -> Item<'static> {
        let found = Arc::new(abbreviation());
        let values = Values { operands: vec![2], blob: None };
        Item::Record(match abbreviated {
            true => Record::with_abbreviation(FIRST_ID, found, code, values).unwrap(),
            false => Record::new(code, vec![2]),
        })
    }

    fn abbreviation() -> Abbreviation {
        Abbreviation::new(Scalar::Vbr(6), vec![Scalar::Vbr(6)], Tail::None).unwrap()
    }

    /// Every order of a few items: the same block is found whichever way they are read.
    #[test]
    fn the_quick_way_finds_what_the_items_say() {
        let inner = |id| Item::Block(Block::new(id, 3, vec![record(7, false)]));
        let choices = [
            record(codes::DECLAREBLOCKS, true),
            record(codes::DECLAREBLOCKS, false),
            record(19, false),
            record(19, true),
            inner(block::CONSTANTS),
            inner(block::METADATA),
            inner(block::VALUE_SYMTAB),
        ];
        let mut found = 0;
        for number in 0..7 * 6 * 6 {
            let mut items = vec![Item::Define(Definition::new(abbreviation()))];
            // An abbreviated DECLAREBLOCKS can only be the first: there is one.
            let order = [number % 7, 1 + number / 7 % 6, 1 + number / 42];
            items.extend(order.map(|n| choices[n].clone()));
            let blocks = vec![Block::new(block::FUNCTION, 4, items)];
            let mut bytes = Vec::new();
            Stream { blocks }.write(&mut bytes, WriteOptions::default()).unwrap();
            let stream = Stream::parse(&bytes, 0).unwrap();
            let body = |block: Option<Block<'_>>| Some(block?.stored().unwrap().offset());
            let quick = metadata(&stream.blocks[0], &mut BlockInfo::default()).unwrap();
            let slow = by_items(&stream.blocks[0], &mut BlockInfo::default()).unwrap();
            found += usize::from(quick.is_some());
            assert!(body(quick) == body(slow), "{order:?}");
        }
        assert!(found > 50, "{found}");
    }
}
